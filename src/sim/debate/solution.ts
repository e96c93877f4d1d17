import type * as z from "zod";
import { sameAnswer, type Answer } from "../../replies/answer.ts";
import type { SolutionReply } from "../../replies/solution.ts";
import { addressesJudges, appraise, findLeaning, type Appraisal } from "../appraisal.ts";
import type { SimModel } from "../belief.ts";
import { createChance } from "../chance.ts";
import { draft } from "../draft.ts";
import type { Brief, ShownText, TaskOf } from "../prompt.ts";
import { banner, quotable } from "../wording.ts";
import { findOpen, isUnanswered, readBody } from "./coverage.ts";

/** A judge's confidence in what stands, with its reason, in the JSON form. */
export function judgeConfidence(model: SimModel, { brief, answers }: TaskOf<"confidence">): string {
  const { reason, confidence } = rateConfidence(model, answers, brief);
  return JSON.stringify({ reason: `[simulated] ${reason}`, confidence }, null, 1);
}

/** The most confidence where a requirement is left open. */
const MAX_OPEN_CONFIDENCE = 40;

/**
 * How sure a judge is of solutions, 0 to 100: by the share that comes to its own result and the share of the largest
 * group that comes to one; where there is nothing to work out, by the share of major requirements that each takes up.
 * The less its skill, the more it errs, by up to 20.
 */
function rateConfidence(
  model: SimModel,
  answers: readonly ShownText[],
  { requirements: { major } }: Brief,
): { readonly confidence: number; readonly reason: string } {
  const { belief, parameters } = model;
  const appraisals = appraise(model, answers);
  const results = appraisals.flatMap(({ result }) => result ?? []);
  const all = Math.max(1, answers.length);
  const agreeing = appraisals.filter(({ agrees }) => agrees === true).length;
  const largest = Math.max(0, ...results.map((result) => countSame(results, result)));
  const texts = answers.map(({ text }) => text);
  const open = findOpen(texts, major);
  const shares = texts.map((text) => 1 - findOpen([text], major).length / major.length);
  const fulfilled = major.length === 0 ? 1 : shares.reduce((sum, share) => sum + share, 0) / all;
  const sure = belief === null ? 35 + 40 * fulfilled : 20 + (40 * agreeing + 35 * largest * fulfilled) / all;
  const chance = createChance(["confidence", parameters.name, parameters.seed, texts.toSorted()]);
  const error = 40 * (1 - parameters.skill) * (chance.roll("error") - 0.5);
  const max = open.length > 0 || answers.length === 0 ? MAX_OPEN_CONFIDENCE : 100;
  const agreed =
    belief === null
      ? `The solutions take up ${Math.round(100 * fulfilled)}% of the major requirements.`
      : `${agreeing} of ${answers.length} come to my own result, and ${largest} to the same.`;
  return {
    confidence: Math.max(0, Math.round(Math.min(max, sure + error))),
    reason: open.length === 0 ? agreed : `${agreed} No solution takes up ${open.length} of ${major.length}.`,
  };
}

const countSame = (results: readonly Answer[], result: Answer): number =>
  results.filter((one) => sameAnswer(one, result)).length;

type DebateSolution = z.infer<typeof SolutionReply>;

export const solutionText = (solution: DebateSolution): string => JSON.stringify(solution, null, 1);

/**
 * The judge's solution: the text of the best one by its own judgment, without what it says to its judges. Unfulfilled
 * are the major requirements that no solution takes up, word for word.
 */
export function writeSolution(
  model: SimModel,
  { brief, answers }: TaskOf<"solution">,
  question: string,
): DebateSolution {
  const { major } = brief.requirements;
  const ranked = rank(model, answers, major);
  const [best, ...others] = ranked;
  const lines = readBody(best?.text ?? "").split("\n");
  const text = lines
    .filter((line) => !addressesJudges(line))
    .join("\n")
    .trim();
  const dissent: Answer[] = [];
  for (const { result } of others)
    if (result && ![best?.result, ...dissent].some((one) => one && sameAnswer(one, result)))
      dissent.push(result);
  const own = best && findLeaning(best.text);
  const leanings = new Set(others.flatMap((one) => findLeaning(one.text) ?? []));
  const unanswered = brief.clarifications.filter(({ answer }) => isUnanswered(answer));
  return {
    solutionMarkdown: text ? `${banner(model)}\n${text}` : draft(model, question),
    tradeoffs: mark([...leanings].filter((one) => one !== own).map((one) => quotable(one))),
    recommendations: mark([model.wording.pick("recommendation", recommendations)]),
    unfulfilledMajorRequirements: findOpen(
      answers.map((one) => one.text),
      major,
    ),
    openQuestions: mark([
      ...unanswered.map((clarification) => quotable(clarification.question)),
      ...dissent.map(
        ({ value }) =>
          `Another solution comes to ${quotable(value)}; the step at which they part is not named.`,
      ),
    ]),
    confidence: rateConfidence(model, answers, brief).confidence,
  };
}

/** Ranks by the judge's own result, then by what most come to, then by the requirements taken up, then by quality. */
function rank(
  model: SimModel,
  answers: readonly ShownText[],
  major: readonly string[],
): (Appraisal & ShownText)[] {
  const appraisals = appraise(model, answers);
  const results = appraisals.flatMap(({ result }) => result ?? []);
  const rows = appraisals.map((appraisal) => {
    const { agrees, result } = appraisal;
    const text = answers.find(({ label }) => label === appraisal.label)?.text ?? "";
    const same = result ? countSame(results, result) : 0;
    return { ...appraisal, text, keys: [agrees === true ? 0 : 1, -same, findOpen([text], major).length] };
  });
  return rows.toSorted((a, b) => a.keys.map((key, at) => key - (b.keys[at] ?? 0)).find(Boolean) ?? 0);
}

const mark = (items: readonly string[]): string[] => items.map((item) => `[simulated] ${item}`);

const recommendations = [
  "Begin with the part that is hardest to undo, on a small scale.",
  "Write down the sign by which one would stop.",
  "Measure before and after, with the same figure.",
] as const;

/** A judge's solution written again in the JSON form: its text alone, as far as it goes. */
export function repairSolution(reply: string): DebateSolution {
  const [, written] = /"solutionMarkdown"\s{0,9}:\s{0,9}"([^"\\]*(?:\\.[^"\\]*)*)/s.exec(reply) ?? [];
  return {
    solutionMarkdown:
      written?.replaceAll(/\\(.)/gs, (_, letter: string) => (letter === "n" ? "\n" : letter)) ?? reply.trim(),
    tradeoffs: [],
    recommendations: [],
    unfulfilledMajorRequirements: [],
    openQuestions: [],
    confidence: null,
  };
}
