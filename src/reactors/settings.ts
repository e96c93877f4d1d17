import * as z from "zod";
import { AnswerSigns, ModelRef, Rubric, UserId } from "../kernel/index.ts";
import { JudgeForm } from "../prompts/index.ts";

const judge = {
  model: ModelRef,
  temperature: z.number().min(0).max(2).nullable(),
  /** Tokens that prompt and reply may have together; null: as many as the model has. */
  contextTokens: z.int().positive().nullable(),
  maxOutputTokens: z.int().positive(),
  timeoutMs: z.int().positive(),
  form: JudgeForm,
  /** For what no rule fits. */
  rubric: Rubric,
};

/** Who grades, and by what. */
export const CriticSettings = z.strictObject({
  ...judge,
  /** What an answer without a fitting rule is taken to be. */
  kind: z.string(),
  rules: z.array(z.strictObject({ kind: z.string(), when: AnswerSigns, rubric: Rubric })),
});
export type CriticSettings = z.infer<typeof CriticSettings>;

/** Who compares two respondents' answers. */
export const PairwiseSettings = z.strictObject(judge);
export type PairwiseSettings = z.infer<typeof PairwiseSettings>;

/** Whether answers are remembered, whose memory it is, and when its engrams merge and retire. */
export const MemorySettings = z.strictObject({
  user: UserId,
  /** false: nothing is written, and what is said of answers lapses. */
  write: z.boolean(),
  mergeAt: z.number(),
  retireAt: z.int().positive(),
});
export type MemorySettings = z.infer<typeof MemorySettings>;
