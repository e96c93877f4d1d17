import { hasCoverage } from "../../replies/coverage.ts";
import { appraise } from "../appraisal.ts";
import type { SimModel } from "../belief.ts";
import { createChance } from "../chance.ts";
import type { TaskOf } from "../prompt.ts";
import { findOpen } from "./coverage.ts";

/**
 * An evaluation in the JSON form: eight scores from 1 to 10, by what can be seen. A result that is right or wrong counts
 * most; without one it is the share of major requirements that are taken up, whether their coverage is described, how
 * much there is, and whether the text uses a metric's own words. The less its skill, the more it errs, by up to 3.
 */
export function evaluate(model: SimModel, { brief, solution, claimed }: TaskOf<"evaluation">): string {
  const { major } = brief.requirements;
  const agrees = appraise(model, [solution])[0]?.agrees ?? null;
  const open = findOpen([solution.text], major).length;
  const fulfilled = major.length === 0 ? 1 : 1 - open / major.length;
  const covered = claimed || hasCoverage(solution.text);
  const text = solution.text.slice(0, MAX_TEXT_LENGTH);
  const words = text.match(/\p{L}{2,}/gu)?.length ?? 0;
  const seen = 2 + 4 * fulfilled + (covered ? 1 : 0) + Math.min(1, words / 200);
  const base = agrees === null ? seen : agrees ? 7 + 2 * fulfilled : 1.5;
  const { name, seed, skill } = model.parameters;
  const chance = createChance(["evaluation", name, seed, solution.text]);
  const score = (metric: string, worth: number): number =>
    Math.min(10, Math.max(1, Math.round(worth + 6 * (1 - skill) * (chance.roll(metric) - 0.5))));
  const rate = (metric: string, worth: number, reasoning: string) => ({
    [metric]: { reasoning: `[simulated] ${reasoning}`.trim(), score: score(metric, worth) },
  });
  const verdict = agrees === null ? "" : agrees ? "Its result is right." : "Its result is wrong.";
  const fulfilledShare = `${major.length - open} of ${major.length} major requirements are taken up.`;
  const nonFunctional = Object.entries(signs).map(([metric, sign]) => {
    const isNamed = sign.test(text);
    const worth = base + (isNamed ? 1 : agrees === null ? -1 : 0);
    return rate(metric, worth, `The text ${isNamed ? "speaks of it" : "says nothing of it"}. ${verdict}`);
  });
  const fulfillment = agrees === false ? base : 1 + 8 * fulfilled + (covered ? 1 : 0);
  const evaluation = {
    ...rate("functional_completeness", base, `${fulfilledShare} ${verdict}`),
    non_functional: Object.assign(
      {},
      ...nonFunctional,
      rate("requirements_fulfillment", fulfillment, fulfilledShare),
    ) as object, // of the same shape as its parts
  };
  const overall_summary = {
    strengths: `[simulated] ${agrees ? verdict : "It can be read and followed."}`,
    weaknesses: `[simulated] ${agrees === false ? verdict : open > 0 ? fulfilledShare : "Little of it is shown."}`,
    overall_score: score("overall", base),
  };
  return JSON.stringify({ evaluation, overall_summary }, null, 1);
}

const MAX_TEXT_LENGTH = 200_000;

/** The words by which a text speaks of a metric. */
const signs = {
  performance_scalability: /\b(?:load|latenc|throughput|scal|cache|queue|per second|fast)/i,
  security: /\b(?:secur|encrypt|access|authenti|authori|threat|attack|secret)/i,
  maintainability_evolvability: /\b(?:maintain|chang|replac|modul|simple|part of its own|written down)/i,
  regulatory_compliance: /\b(?:complian|audit|privacy|law|legal|gdpr|regulat)/i,
  testability: /\b(?:test|check|measur|verif|tried)/i,
} as const;
