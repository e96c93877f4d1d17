import * as z from "zod";
import { EvaluationWork } from "../../judging/index.ts";

export const EvaluationSettings = z.strictObject({
  ...EvaluationWork.shape,
  maxOutputTokens: z.int().positive().default(4_096),
  /** Bounds every call, retries included; `timeoutsMs` does so by evaluator instead. */
  callTimeoutMs: z.int().positive().default(180_000),
  timeoutsMs: z.record(z.string(), z.int().positive()).default({}),
  /** How often a call that failed for good is asked again, under a step of its own: raised by forks that go on. */
  again: z.int().min(0).max(100).default(0),
});
export type EvaluationSettings = z.infer<typeof EvaluationSettings>;
