import { appraise } from "./appraisal.ts";
import type { SimModel } from "./belief.ts";
import { shownTexts, type Prompt } from "./prompt.ts";
import { banner, opening, quotable, subjects } from "./wording.ts";

/** An answer to the question: worked out where it can be, else a placeholder that says that it is one. */
export function draft(model: SimModel, question: string): string {
  const { belief, wording } = model;
  const doubt = wording.pick("doubt", doubts);
  if (belief !== null) {
    const lines = [opening(wording), belief.working, doubt, "", `Final answer: ${belief.answer}`];
    return [banner(model), ...lines].join("\n");
  }
  const words = wording.shuffled("subjects", subjects(question).slice(0, 12));
  const subject = (index: number): string => words[index] ?? usualSubjects[index] ?? "it";
  return [
    banner(model),
    `A placeholder in place of a real model's answer to “${quotable(question)}”.`,
    opening(wording),
    "",
    ...wording
      .shuffled("points", points)
      .slice(0, 3)
      .map((point, index) => `${index + 1}. ${point.replace("%", () => subject(index))}`),
    "",
    `${wording.pick("leaning", leanings)} ${doubt}`,
  ].join("\n");
}

/** A reply to a prompt that no script knows: JSON where a form is asked for, else a draft. */
export function answer(model: SimModel, { question, own, pieces, wantsJson }: Prompt): string {
  const text = draft(model, question);
  if (wantsJson) return JSON.stringify({ answer: model.belief?.answer ?? text });
  if (model.belief !== null || !unconditional.test(own)) return text;
  const best = appraise(model, shownTexts(pieces, "answer")).find(({ result }) => result !== null)?.result;
  return `${text}\n\nFinal answer: ${best ? quotable(best.value) : model.wording.pick("leaning", leanings)}`;
}

/** `Final answer:` in a sentence that does not make it depend on the question. */
const unconditional = /(?:^|[.!?]\s)(?:(?!\bif\b)[^.!?])*\bfinal answer:/i;

const usualSubjects = ["the question", "the decision", "the people concerned"];

const doubts = [
  "I am unsure of nothing that would change this.",
  "What I am unsure of is whether the question means more than it says.",
  "I have not checked this against any source.",
] as const;

const points = [
  "Cost: what % takes in money and attention, now and each year after.",
  "Reversal: how hard it is to undo % once others rely on it.",
  "Evidence: what a small trial of % would show within a month.",
  "Failure: what breaks first around %, and who notices.",
  "People: who has to learn, keep and explain %.",
  "Timing: what waiting on % costs, against what it teaches.",
  "Measure: by which number one would know that % went well.",
];

const leanings = [
  "I lean towards the smaller step that can be undone.",
  "I lean towards doing it now, in full.",
  "I lean towards waiting until one thing more is known.",
  "I lean towards trying both on a small part.",
] as const;
