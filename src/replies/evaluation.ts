import * as z from "zod";
import { toFields, findFields, toText, toTexts } from "./reply-fields.ts";

const NON_FUNCTIONAL = [
  "performance_scalability",
  "security",
  "maintainability_evolvability",
  "regulatory_compliance",
  "testability",
  "requirements_fulfillment",
] as const;

/** What an independent evaluator scores, 1 to 10 each, in the order of reports. */
export const EVALUATION_METRICS = ["functional_completeness", ...NON_FUNCTIONAL, "overall"] as const;
export const EvaluationMetric = z.enum(EVALUATION_METRICS);
export type EvaluationMetric = z.infer<typeof EvaluationMetric>;

const Scored = z.strictObject({ reasoning: z.string(), score: z.number().nullable() });

/** The JSON form of an evaluation; each reason stands before its score. */
export const EvaluationReply = z.strictObject({
  evaluation: z.strictObject({
    functional_completeness: Scored,
    non_functional: z.strictObject({
      performance_scalability: Scored,
      security: Scored,
      maintainability_evolvability: Scored,
      regulatory_compliance: Scored,
      testability: Scored,
      requirements_fulfillment: Scored,
    }),
  }),
  overall_summary: z.strictObject({
    strengths: z.string(),
    weaknesses: z.string(),
    overall_score: z.number().nullable(),
  }),
});

export type Evaluation =
  | {
      readonly ok: true;
      /** 1 to 10; null where the evaluator gave none, or none that is a number. */
      readonly scores: Record<EvaluationMetric, number | null>;
      /** Where one was given. `overall` has none. */
      readonly reasons: Partial<Record<EvaluationMetric, string>>;
      readonly strengths: string[];
      readonly weaknesses: string[];
      /** Metrics whose score was out of 1 to 10 and is drawn to the bound. */
      readonly clamped: EvaluationMetric[];
      /** Metrics that had a score which is no number. */
      readonly ignored: EvaluationMetric[];
    }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads an evaluation from the last JSON object with `evaluation`. Only a number is a score: `"8/10"` is none. Refuses a
 * reply in which no metric has one.
 */
export function parseEvaluation(text: string): Evaluation {
  const found = findFields(text, "evaluation");
  if (!found.ok) return found;
  const functional = toFields(found.fields.get("evaluation"));
  const nonFunctional = toFields(functional.get("nonfunctional"));
  const summary = toFields(found.fields.get("overallsummary"));
  const rows = EVALUATION_METRICS.map((metric) => {
    const name = metric.replaceAll("_", "");
    if (metric === "overall") return { metric, given: summary.get("overallscore"), reason: "" };
    const row = toFields((metric === "functional_completeness" ? functional : nonFunctional).get(name));
    return { metric, given: row.get("score"), reason: toText(row.get("reasoning")) };
  });
  const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
  const bounded = (score: number): number => Math.min(10, Math.max(1, score));
  if (!rows.some(({ given }) => isNumber(given)))
    return { ok: false, reason: "no score in the evaluation is a number" };
  const named = (test: (given: unknown) => boolean): EvaluationMetric[] =>
    rows.flatMap(({ metric, given }) => (test(given) ? [metric] : []));
  return {
    ok: true,
    scores: Object.fromEntries(
      rows.map(({ metric, given }) => [metric, isNumber(given) ? bounded(given) : null]),
    ) as Record<EvaluationMetric, number | null>,
    reasons: Object.fromEntries(
      rows.flatMap(({ metric, reason }) => (reason === "" ? [] : [[metric, reason]])),
    ),
    strengths: toTexts(summary.get("strengths")),
    weaknesses: toTexts(summary.get("weaknesses")),
    clamped: named((given) => isNumber(given) && bounded(given) !== given),
    ignored: named((given) => given !== undefined && given !== null && !isNumber(given)),
  };
}
