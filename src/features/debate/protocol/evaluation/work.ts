import * as z from "zod";
import { ReplyLimit } from "../../../../kernel/index.ts";

/** A participant of the evaluated debate, whom an evaluator could favor. */
const Debater = z.strictObject({
  id: z.string(),
  /** Null where it is not recorded. */
  role: z.string().nullable(),
  /** The families of all models that answered for it; empty where they are unknown. */
  families: z.array(z.string()),
});

/** The material of evaluators beside the texts in the opening's context, as its settings pin it. */
export const EvaluationWork = z.object({
  /** The debate's id; `simulated` where a simulated model spoke in it. */
  debate: z.strictObject({ id: z.string(), simulated: z.boolean() }),
  /** The agents, then their judge. */
  debaters: z.array(Debater),
  /** The requirements that can be read out of the problem. */
  requirements: z.strictObject({ major: z.array(z.string()), minor: z.array(z.string()) }),
  /** The major requirements that the debate's judge calls unfulfilled. */
  unfulfilled: z.array(z.string()),
});
export type EvaluationWork = z.infer<typeof EvaluationWork>;

export const EvaluationSettings = z.strictObject({
  ...EvaluationWork.shape,
  maxOutputTokens: ReplyLimit,
  /** Bounds every call, retries included; `timeoutsMs` does so by evaluator instead. */
  callTimeoutMs: z.int().positive().default(180_000),
  timeoutsMs: z.record(z.string(), z.int().positive()).default({}),
  /** How often a call that failed for good is made again, under a step of its own; forks that continue raise it. */
  again: z.int().min(0).max(100).default(0),
});
export type EvaluationSettings = z.infer<typeof EvaluationSettings>;
