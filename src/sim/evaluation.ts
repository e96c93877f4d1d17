import { hasCoverage } from "../judging/index.ts";
import { appraise } from "./appraisal.ts";
import { chanceOf } from "./chance.ts";
import { leftOpen } from "./coverage.ts";
import type { DebateTask } from "./debate-prompt.ts";
import type { Mind } from "./mind.ts";

type EvaluationTask = Extract<DebateTask, { kind: "evaluation" }>;

/**
 * An evaluation in the JSON form: eight scores from 1 to 10, by what can be seen. A result that is right or wrong counts
 * most; without one it is the share of major requirements that are taken up, whether their coverage is said, how much
 * there is, and whether a metric's own words stand in the text. The less its skill, the more it errs, by up to 3.
 */
export function evaluation(mind: Mind, task: EvaluationTask): string {
  const { brief, solution, claimed } = task;
  const { major } = brief.requirements;
  const agrees = appraise(mind, [solution])[0]?.agrees ?? null;
  const open = leftOpen([solution.text], major).length;
  const fulfilled = major.length === 0 ? 1 : 1 - open / major.length;
  const covered = claimed || hasCoverage(solution.text);
  const words = solution.text.slice(0, longestText).match(/\p{L}{2,}/gu)?.length ?? 0;
  const base =
    agrees === null
      ? 2 + 4 * fulfilled + (covered ? 1 : 0) + Math.min(1, words / 200)
      : agrees
        ? 7 + 2 * fulfilled
        : 1.5;
  const { name, seed, skill } = mind.simulated;
  const chance = chanceOf(["evaluation", name, seed, solution.text]);
  const scored = (metric: string, worth: number): number =>
    Math.min(10, Math.max(1, Math.round(worth + 6 * (1 - skill) * (chance.roll(metric) - 0.5))));
  const known = agrees === null ? "" : agrees ? "Its result is right." : "Its result is wrong.";
  const of = `${major.length - open} of ${major.length} major requirements are taken up`;
  const nonFunctional = Object.entries(signs).map(([metric, sign]) => {
    const spoken = sign.test(solution.text.slice(0, longestText));
    const reasoning =
      `[simulated] The text ${spoken ? "speaks of it" : "says nothing of it"}. ${known}`.trim();
    return [metric, { reasoning, score: scored(metric, base + (spoken ? 1 : agrees === null ? -1 : 0)) }];
  });
  return JSON.stringify(
    {
      evaluation: {
        functional_completeness: {
          reasoning: `[simulated] ${of}. ${known}`.trim(),
          score: scored("functional_completeness", base),
        },
        non_functional: {
          ...Object.fromEntries(nonFunctional),
          requirements_fulfillment: {
            reasoning: `[simulated] ${of}${covered ? ", and their coverage is said" : ""}.`,
            score: scored(
              "requirements_fulfillment",
              agrees === false ? base : 1 + 8 * fulfilled + (covered ? 1 : 0),
            ),
          },
        },
      },
      overall_summary: {
        strengths: `[simulated] ${agrees === true ? "Its result agrees with my own working." : "It can be read and followed."}`,
        weaknesses: `[simulated] ${agrees === false ? "Its result does not agree with my own working." : open > 0 ? `${open} major requirements are left open.` : "Little of it is shown."}`,
        overall_score: scored("overall", base),
      },
    },
    null,
    1,
  );
}

const longestText = 200_000;

/** By which words a text speaks of a metric. */
const signs = {
  performance_scalability: /\b(?:load|latenc|throughput|scal|cache|queue|per second|fast)/i,
  security: /\b(?:secur|encrypt|access|authenti|authori|threat|attack|secret)/i,
  maintainability_evolvability: /\b(?:maintain|chang|replac|modul|simple|part of its own|written down)/i,
  regulatory_compliance: /\b(?:complian|audit|privacy|law|legal|gdpr|regulat)/i,
  testability: /\b(?:test|check|measur|verif|tried)/i,
} as const;
