import type { Mind } from "./mind.ts";
import { banner, opening, quotable, subjects } from "./wording.ts";

/** An answer to the question: worked out where it can be, else a placeholder that says that it is one. */
export function draft({ simulated, belief, wording }: Mind, question: string): string {
  const lines = [banner(simulated)];
  if (belief !== null) {
    lines.push(
      opening(wording),
      belief.working,
      wording.pick("doubt", doubts),
      "",
      `Final answer: ${belief.answer}`,
    );
    return lines.join("\n");
  }
  const [first = "the question", second = "the decision", third = "the people concerned"] = wording.shuffled(
    "subjects",
    subjects(question).slice(0, 12),
  );
  const [one, two, three] = wording.shuffled("points", points);
  lines.push(
    `A placeholder in place of a real model's answer to “${quotable(question)}”.`,
    opening(wording),
    "",
    `1. ${one?.(first) ?? ""}`,
    `2. ${two?.(second) ?? ""}`,
    `3. ${three?.(third) ?? ""}`,
    "",
    `${wording.pick("leaning", leanings)} ${wording.pick("doubt", doubts)}`,
  );
  return lines.join("\n");
}

const doubts = [
  "I am unsure of nothing that would change this.",
  "What I am unsure of is whether the question means more than it says.",
  "The step that I would check first is the last one.",
  "I have assumed that nothing is left out of the question.",
  "I have not checked this against any source.",
] as const;

const points: readonly ((subject: string) => string)[] = [
  (subject) => `Cost: what ${subject} takes in money and attention, now and each year after.`,
  (subject) => `Reversal: how hard it is to undo ${subject} once others rely on it.`,
  (subject) => `Evidence: what a small trial of ${subject} would show within a month.`,
  (subject) => `Failure: what breaks first around ${subject}, and who notices.`,
  (subject) => `People: who has to learn, keep and explain ${subject}.`,
  (subject) => `Timing: what waiting on ${subject} costs, against what it teaches.`,
  (subject) => `Simplicity: whether ${subject} can be left out altogether.`,
  (subject) => `Growth: where ${subject} stops being enough, and what comes then.`,
  (subject) => `Dependence: who else decides over ${subject}, and what if they change their mind.`,
  (subject) => `Measure: by which number one would know that ${subject} went well.`,
];

const leanings = [
  "I lean towards the smaller step that can be undone.",
  "I lean towards doing it now, in full.",
  "I lean towards waiting until one thing more is known.",
  "I lean towards the dull choice that others have made before.",
  "I lean towards trying both on a small part.",
  "I lean against it, unless the first point can be met.",
] as const;
