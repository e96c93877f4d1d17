import * as z from "zod";
import { ParticipantId, StepKey } from "./ids.ts";
import { Cap } from "./model.ts";

/** A final answer in comparable form: a number without grouping, currency and unit, a choice's capital letter, or a few words. */
export const Answer = z.strictObject({
  kind: z.enum(["number", "choice", "text"]),
  value: z.string().min(1),
  /** The unit or currency of a number, as written; absent for a bare number, and earlier events do not keep it. */
  unit: z.string().min(1).optional(),
});
export type Answer = z.infer<typeof Answer>;

/** An absolute grade against a rubric. */
export const Score = z.int().min(1).max(5);

/** A reviewer's remarks on one answer. */
export const Remark = z.strictObject({
  of: StepKey,
  strengths: z.array(z.string()),
  weaknesses: z.array(z.string()),
});
export type Remark = z.infer<typeof Remark>;

/** A claim, and the steps of the answers that make it. */
export const Stance = z.strictObject({ claim: z.string(), of: z.array(StepKey).min(1) });
export type Stance = z.infer<typeof Stance>;

/** One row of a peer ranking. `score` is 0 to 1, higher is better, null if no one ranked it; `place` counts from 1, ties share one. */
export const Rank = z.strictObject({
  id: ParticipantId,
  place: z.int().positive(),
  score: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  tiedWith: z.array(ParticipantId),
  votes: z.int().nonnegative(),
});
export type Rank = z.infer<typeof Rank>;

/** One member's contribution as the chair reports it. Weights are 0 to 1 and sum to 1. */
export const Claim = z.strictObject({
  id: ParticipantId,
  weight: z.number().min(0).max(1),
  reason: z.string(),
});
export type Claim = z.infer<typeof Claim>;

/** A judge's assessment of the solution that it wrote. */
export const Assessment = z.strictObject({
  /** 0 to 100; null if none could be parsed; at most 40 if a major requirement is not fulfilled. */
  confidence: z.int().min(0).max(100).nullable(),
  /** What the judge said, 0 to 100, where it was capped, and why; earlier events do not keep it. */
  capped: z.strictObject({ said: z.int().min(0).max(100), why: z.string() }).optional(),
  tradeoffs: z.array(z.string()),
  recommendations: z.array(z.string()),
  unfulfilledMajorRequirements: z.array(z.string()),
  openQuestions: z.array(z.string()),
});
export type Assessment = z.infer<typeof Assessment>;

/** The baseline: the answer without deliberation. */
export const Control = z.strictObject({
  kind: z.enum(["draft-majority", "best-draft", "leading-draft"]),
  /** The step of a draft with this answer. */
  step: StepKey,
  answer: Answer.nullable(),
  /** Whether the final answer is the same; null if the two cannot be compared. */
  agrees: z.boolean().nullable(),
});
export type Control = z.infer<typeof Control>;

const answer = {
  /** The step whose event holds the answer. */
  answer: StepKey,
  control: Control.nullable(),
};

/** How a deliberation ended. A closing is final; only a fork can continue it. */
export const Closing = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.enum(["answered", "answered-degraded"]), ...answer }),
  z.strictObject({
    outcome: z.literal("stopped-by-budget"),
    why: z.string(),
    /** The cap that ended it, if known. */
    cap: Cap.optional(),
    best: z.strictObject(answer).nullable(),
  }),
  z.strictObject({
    outcome: z.literal("inconclusive"),
    why: z.string(),
    best: z.strictObject(answer).nullable(),
  }),
  z.strictObject({ outcome: z.enum(["failed", "cancelled"]), why: z.string() }),
]);
export type Closing = z.infer<typeof Closing>;

/** What a deliberation has come to: its closing's outcome, `waiting` for answers of people, or `open`. */
export const RunStatus = z.enum([
  ...(["answered", "answered-degraded", "stopped-by-budget", "inconclusive", "failed", "cancelled"] as const),
  ...(["open", "waiting"] as const),
]);
export type RunStatus = z.infer<typeof RunStatus>;

/** The step whose event holds the answer, or the best one so far; undefined if there is none. */
export const answerStep = (closing: Closing): StepKey | undefined =>
  "answer" in closing ? closing.answer : "best" in closing ? closing.best?.answer : undefined;
