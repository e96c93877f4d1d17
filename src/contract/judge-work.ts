import * as z from "zod";
import { Rubric, Score } from "../kernel/index.ts";

/** Names an item in step keys and in the names of its texts: `item-17`. */
const name = z.string().regex(/^[a-z0-9-]{1,40}$/);

/** The model family of an answer's author; null where it is unknown. */
const family = z.string().nullable();

/**
 * Two answers to compare. Their texts are the opening's context under `NAME/question`, `NAME/a` and `NAME/b`; `label` is the
 * better one, where somebody has said, and `lengths` count characters.
 */
export const PairItem = z.strictObject({
  name,
  label: z.enum(["A", "B", "tie"]).optional(),
  lengths: z.strictObject({ a: z.int().nonnegative(), b: z.int().nonnegative() }),
  families: z.strictObject({ a: family, b: family }).optional(),
});

/** An answer to grade: `NAME/question`, `NAME/answer` and, where there is one, `NAME/reference`; `label` is its right grade. */
export const AnswerItem = z.strictObject({ name, label: Score.optional(), family: family.optional() });

/** The items of a judge, as an opening's settings pin them. */
export const JudgeWork = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("preference"), items: z.array(PairItem).min(1) }),
  z.object({ kind: z.literal("grade"), items: z.array(AnswerItem).min(1) }),
]);
export type JudgeWork = z.infer<typeof JudgeWork>;

/** How the judge is asked. */
export const JudgeManner = z.object({
  form: z.enum(["prometheus", "json"]),
  rubric: Rubric,
  /** The number of times that every prompt is asked. */
  repeat: z.int().min(1).max(20).default(1),
});
export type JudgeManner = z.infer<typeof JudgeManner>;

const manner = {
  ...JudgeManner.shape,
  maxOutputTokens: z.int().positive().optional(),
  /** Bounds every call, retries included. */
  callTimeoutMs: z.int().positive().default(180_000),
  /** The number of items that are judged at a time. */
  lanes: z.int().min(1).max(64).default(8),
  /** How often a call that failed for good is made again, under a step of its own; forks that continue raise it. */
  again: z.int().min(0).max(100).default(0),
};

export const JudgeSettings = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("preference"), items: z.array(PairItem).min(1), ...manner }),
  z.strictObject({ kind: z.literal("grade"), items: z.array(AnswerItem).min(1), ...manner }),
]);
export type JudgeSettings = z.infer<typeof JudgeSettings>;

/** What names the work of a judge, wherever it is opened and found. */
export const JUDGE = { name: "judge", version: 1, settings: JudgeSettings } as const;
