import * as z from "zod";
import { parseJson } from "../../../replies/json-objects.ts";

/** A hypothesis as a gardener proposes it. */
export const Mechanism = z.strictObject({
  name: z.string().min(1).max(200),
  intuition: z.string().min(1).max(4_000),
  /** The candidate, in the form that the domain asks for. */
  pseudocode: z.string().min(1).max(40_000),
  regime_suggestion: z.string().max(2_000),
  lookahead_risk: z.string().max(2_000),
});
export type Mechanism = z.infer<typeof Mechanism>;

export const Mechanisms = z.strictObject({ mechanisms: z.array(Mechanism) });

const level = z.enum(["low", "medium", "high"]);
const clauses = z.array(z.string().max(2_000)).max(20);

/** A change to a gate that a skeptic proposes. Nothing follows from it until a person says yes. */
export const GateAmendment = z.strictObject({
  gate: z.string().min(1).max(60),
  threshold: z.string().min(1).max(60),
  value: z.number(),
  why: z.string().min(1).max(2_000),
});
export type GateAmendment = z.infer<typeof GateAmendment>;

export const SkepticVerdict = z.strictObject({
  weaknesses: clauses,
  overfit_risk: level,
  alt_explanations: clauses,
  lookahead_suspicion: z.boolean(),
  verdict: z.enum(["revise", "proceed", "reject"]),
  severity: level,
  gate_amendment: GateAmendment.nullish(),
});
export type SkepticVerdict = z.infer<typeof SkepticVerdict>;

export const InspectorJudgment = z.strictObject({
  logic_consistent: z.boolean(),
  lookahead_detected: z.boolean(),
  novelty_score: z.number().min(0).max(1),
  alignment_score: z.int().min(0).max(3),
  validation_cost: level,
  concerns: z.string().max(4_000),
});
export type InspectorJudgment = z.infer<typeof InspectorJudgment>;

export const Alternative = z.looseObject({
  formula: z.string().min(1).max(40_000),
  name: z.string().max(200).optional(),
  reason: z.string().max(4_000).optional(),
});
export type Alternative = z.infer<typeof Alternative>;
export const Alternatives = z.strictObject({ candidates: z.array(Alternative).max(20) });

export const Alignment = z.strictObject({ score: z.int().min(0).max(3), reason: z.string().max(4_000) });
export type Alignment = z.infer<typeof Alignment>;

const FENCED = /^```(?:json)?[ \t]*\n([^]*?)\n?```$/;

/** Reads a reply by its schema; `why` says what is wrong with it. */
export function readStrictly<T>(
  text: string,
  schema: z.ZodType<T>,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string } {
  const trimmed = text.trim();
  const [, inner = trimmed] = FENCED.exec(trimmed) ?? [];
  const data = parseJson(inner);
  if (data === undefined) return { ok: false, why: "it is not one JSON object" };
  const read = schema.safeParse(data);
  if (read.success) return { ok: true, value: read.data };
  const [issue] = read.error.issues;
  const at = issue?.path.join(".") ?? "";
  return { ok: false, why: `${at === "" ? "" : `${at}: `}${issue?.message ?? "it has another form"}` };
}

/** Exactly so many mechanisms. */
export const exactly = (count: number) =>
  Mechanisms.refine(({ mechanisms }) => mechanisms.length === count, {
    error: ({ input }) =>
      `mechanisms: ${(input as z.infer<typeof Mechanisms>).mechanisms.length} in place of ${count}`,
  });
