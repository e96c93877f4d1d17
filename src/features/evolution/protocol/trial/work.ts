import * as z from "zod";
import { ReplyLimit, Digest, Rubric } from "../../../../kernel/index.ts";

const persona = z.strictObject({ id: z.string(), version: Digest });

/** A question: its text is the opening's context `NAME/question`, and `NAME/context` where there is more. */
const Item = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,40}$/),
  /** The one right answer, where it is known: nobody judges then. */
  answer: z.string().optional(),
});

export const TrialSettings = z.strictObject({
  child: persona,
  parent: persona,
  items: z.array(Item).min(1).max(150),
  /** How each judge is asked, by id; `json` by default. */
  form: z.record(z.string(), z.enum(["prometheus", "json"])),
  rubric: Rubric,
  /** What calling a child better may risk when it is not; see `TRIAL_TEST`. */
  alpha: z.number().positive().max(0.5),
  /** The number of questions that are asked at once: a decision is looked for after each such wave. */
  wave: z.int().min(1).max(64).default(6),
  answerTokens: ReplyLimit,
  judgeTokens: ReplyLimit,
  callTimeoutMs: z.int().positive().default(180_000),
  /** How often a call that failed for good is made again, under a step of its own; forks that continue raise it. */
  again: z.int().min(0).max(100).default(0),
});
export type TrialSettings = z.infer<typeof TrialSettings>;
