import { sameAnswer, type Answer } from "../judging/index.ts";
import { appraise } from "./appraisal.ts";
import { chanceOf } from "./chance.ts";
import { leftOpen } from "./coverage.ts";
import type { Brief, DebateTask } from "./debate-prompt.ts";
import type { Mind } from "./mind.ts";
import type { Shown } from "./shown.ts";

type ConfidenceTask = Extract<DebateTask, { kind: "confidence" }>;

/** A judge's confidence in what stands, with its reason, in the JSON form. */
export function confidence(mind: Mind, { brief, answers }: ConfidenceTask): string {
  const { reason, confidence: sure } = confidenceIn(mind, answers, brief);
  return JSON.stringify({ reason: `[simulated] ${reason}`, confidence: sure }, null, 1);
}

/** From here on nothing may be left unfulfilled. */
const mostUnfulfilled = 40;

/**
 * How sure a judge is of solutions, 0 to 100: by the share that comes to its own result and the share of the largest
 * group that comes to one; where there is nothing to work out, by the share of major requirements that each takes up.
 * At most 40 where nobody takes one up. The less its skill, the more it errs, by up to 20.
 */
export function confidenceIn(
  mind: Mind,
  answers: readonly Shown[],
  { requirements: { major } }: Brief,
): { readonly confidence: number; readonly reason: string } {
  const appraisals = appraise(mind, answers);
  const results = appraisals.flatMap(({ result }) => result ?? []);
  const all = Math.max(1, answers.length);
  const agreeing = appraisals.filter(({ agrees }) => agrees === true).length;
  const together = largestGroup(results) / all;
  const texts = answers.map(({ text }) => text);
  const open = leftOpen(texts, major);
  const fulfilled =
    major.length === 0
      ? 1
      : texts.reduce((sum, text) => sum + 1 - leftOpen([text], major).length / major.length, 0) / all;
  const sure =
    mind.belief === null ? 35 + 40 * fulfilled : 20 + (40 * agreeing) / all + 35 * together * fulfilled;
  const { name, seed, skill } = mind.simulated;
  const error =
    40 * (1 - skill) * (chanceOf(["confidence", name, seed, texts.toSorted()]).roll("error") - 0.5);
  const bounded = Math.min(open.length > 0 || answers.length === 0 ? mostUnfulfilled : 100, sure + error);
  const agreed =
    mind.belief === null
      ? `The solutions take up ${Math.round(100 * fulfilled)}% of the major requirements.`
      : `${agreeing} of ${answers.length} come to my own result, and ${largestGroup(results)} to the same.`;
  return {
    confidence: Math.max(0, Math.round(bounded)),
    reason: open.length === 0 ? agreed : `${agreed} ${open.length} of ${major.length} nobody takes up.`,
  };
}

function largestGroup(results: readonly Answer[]): number {
  const groups: { readonly value: Answer; size: number }[] = [];
  for (const value of results) {
    const group = groups.find((one) => sameAnswer(one.value, value));
    if (group) group.size += 1;
    else groups.push({ value, size: 1 });
  }
  return Math.max(0, ...groups.map(({ size }) => size));
}
