import { sameAnswer } from "../judging/index.ts";
import { addressesJudges, appraise, substance, type Appraisal } from "./appraisal.ts";
import { confidenceIn } from "./confidence.ts";
import { bodyOf, isOpen, leftOpen } from "./coverage.ts";
import type { DebateTask } from "./debate-prompt.ts";
import { draft } from "./draft.ts";
import type { Mind } from "./mind.ts";
import type { Shown } from "./shown.ts";
import { banner, quotable } from "./wording.ts";

type SolutionTask = Extract<DebateTask, { kind: "solution" }>;

/** The JSON form of what the judge of a debate writes in the end. */
export type Outcome = {
  readonly solutionMarkdown: string;
  readonly tradeoffs: readonly string[];
  readonly recommendations: readonly string[];
  readonly unfulfilledMajorRequirements: readonly string[];
  readonly openQuestions: readonly string[];
  readonly confidence: number | null;
};

/**
 * A judge's outcome: the text of the best solution by its own judgement, without what it says to its judges. Unfulfilled
 * are the major requirements that no solution takes up, word for word.
 */
export function solution(mind: Mind, { brief, answers }: SolutionTask, question: string): Outcome {
  const ranked = ranking(mind, answers, brief.requirements.major);
  const [best, ...others] = ranked;
  const text = best && lines(bodyOf(best.shown.text));
  const body = text ? `${banner(mind.simulated)}\n${text}` : draft(mind, question);
  const results = ranked.flatMap(({ appraisal: { result } }) => result ?? []);
  const dissent = results.filter(
    (result, index) =>
      !(best?.appraisal.result && sameAnswer(result, best.appraisal.result)) &&
      results.findIndex((other) => sameAnswer(other, result)) === index,
  );
  const leaning = (shown: Shown): string[] =>
    substance(shown.text).flatMap((sentence) =>
      sentence.text.startsWith("I lean ") ? [quotable(sentence.text)] : [],
    );
  const own = best ? leaning(best.shown) : [];
  return {
    solutionMarkdown: body,
    tradeoffs: marked(
      [...new Set(others.flatMap(({ shown }) => leaning(shown)))].filter((one) => !own.includes(one)),
    ),
    recommendations: marked([mind.wording.pick("recommendation", recommendations)]),
    unfulfilledMajorRequirements: leftOpen(
      answers.map((one) => one.text),
      brief.requirements.major,
    ),
    openQuestions: marked([
      ...brief.clarifications
        .filter(({ answer }) => isOpen(answer))
        .map(({ question: asked }) => quotable(asked)),
      ...dissent.map(
        ({ value }) =>
          `Another solution comes to ${quotable(value)}; the step at which they part is not named.`,
      ),
    ]),
    confidence: confidenceIn(mind, answers, brief).confidence,
  };
}

export const outcomeText = (outcome: Outcome): string => JSON.stringify(outcome, null, 1);

type Ranked = { readonly shown: Shown; readonly appraisal: Appraisal };

/** The judge's own result first, then what most come to, then what takes up most requirements, then quality. */
function ranking(mind: Mind, answers: readonly Shown[], major: readonly string[]): Ranked[] {
  const appraisals = appraise(mind, answers);
  const rows = appraisals.flatMap((appraisal, place) => {
    const shown = answers.find(({ label }) => label === appraisal.label);
    if (!shown) return [];
    const { result, agrees } = appraisal;
    const alike = appraisals.filter((one) => one.result && result && sameAnswer(one.result, result)).length;
    const open = leftOpen([shown.text], major).length;
    return [{ shown, appraisal, keys: [agrees === true ? 0 : 1, -alike, open, place] }];
  });
  return rows.toSorted((a, b) => {
    const at = a.keys.findIndex((key, index) => key !== b.keys[index]);
    return (a.keys[at] ?? 0) - (b.keys[at] ?? 0);
  });
}

const lines = (body: string): string =>
  body
    .split("\n")
    .filter((line) => !addressesJudges(line))
    .join("\n")
    .trim();

const marked = (items: readonly string[]): string[] => items.map((item) => `[simulated] ${item}`);

const recommendations = [
  "Begin with the part that is hardest to undo, on a small scale.",
  "Have somebody who took no part go through it once more.",
  "Write down the sign by which one would stop.",
  "Measure before and after, with the same figure.",
] as const;
