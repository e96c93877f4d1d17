import * as z from "zod";
import { AnswerItem, JudgeManner, PairItem } from "../../judging/index.ts";

const manner = {
  ...JudgeManner.shape,
  maxOutputTokens: z.int().positive().default(4_096),
  /** Bounds every call, retries included. */
  callTimeoutMs: z.int().positive().default(180_000),
  /** So many items are before the judge at a time. */
  lanes: z.int().min(1).max(64).default(8),
  /** How often a call that failed for good is asked again, under a step of its own: raised by forks that go on. */
  again: z.int().min(0).max(100).default(0),
};

export const JudgeSettings = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("preference"), items: z.array(PairItem).min(1), ...manner }),
  z.strictObject({ kind: z.literal("grade"), items: z.array(AnswerItem).min(1), ...manner }),
]);
export type JudgeSettings = z.infer<typeof JudgeSettings>;
