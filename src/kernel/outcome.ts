import * as z from "zod";
import { ParticipantId, StepKey } from "./ids.ts";
import { Cap } from "./model.ts";

/**
 * What an answer comes down to, as far as it can be compared: a number without its grouping, currency and unit,
 * the capital letter of a choice, or a few words.
 */
export const Answer = z.strictObject({
  kind: z.enum(["number", "choice", "text"]),
  value: z.string().min(1),
});
export type Answer = z.infer<typeof Answer>;

/** An absolute grade against a rubric. */
export const Score = z.int().min(1).max(5);

/** What a reviewer says of one answer. */
export const Remark = z.strictObject({
  of: StepKey,
  strengths: z.array(z.string()),
  weaknesses: z.array(z.string()),
});
export type Remark = z.infer<typeof Remark>;

/** One claim, and the steps of the answers that make it. */
export const Stance = z.strictObject({ claim: z.string(), of: z.array(StepKey).min(1) });
export type Stance = z.infer<typeof Stance>;

/** One row of a standing. `score` 0 to 1, higher is better, null when nobody ranked it; `place` from 1, ties share one. */
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

/** A chair's own account of one member's part: weights are 0 to 1 and sum to 1. */
export const Claim = z.strictObject({
  id: ParticipantId,
  weight: z.number().min(0).max(1),
  reason: z.string(),
});
export type Claim = z.infer<typeof Claim>;

/** What a judge says of the solution that it wrote. */
export const Assessment = z.strictObject({
  /** 0 to 100; null where none could be read. At most 40 where a major requirement is not fulfilled. */
  confidence: z.int().min(0).max(100).nullable(),
  tradeoffs: z.array(z.string()),
  recommendations: z.array(z.string()),
  unfulfilledMajorRequirements: z.array(z.string()),
  openQuestions: z.array(z.string()),
});
export type Assessment = z.infer<typeof Assessment>;

/** The answer that not deliberating would have given, for comparison. */
export const Control = z.strictObject({
  kind: z.enum(["draft-majority", "best-draft"]),
  /** The step of a draft that says it. */
  step: StepKey,
  answer: Answer.nullable(),
  /** Whether the deliberated answer says the same; null where the two cannot be compared. */
  agrees: z.boolean().nullable(),
});
export type Control = z.infer<typeof Control>;

const answer = {
  /** The step whose event holds the answer. */
  answer: StepKey,
  control: Control.nullable(),
};

/** How a deliberation ended. A closing is final; going on is a fork. */
export const Closing = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.enum(["answered", "answered-degraded"]), ...answer }),
  z.strictObject({
    outcome: z.literal("stopped-by-budget"),
    why: z.string(),
    /** Which cap ended it, where that is known. */
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

/** The step whose event holds what a deliberation answered, the best so far included; undefined where nothing does. */
export const answerStep = (closing: Closing): StepKey | undefined =>
  "answer" in closing ? closing.answer : "best" in closing ? closing.best?.answer : undefined;
