import * as z from "zod";

const line = z
  .string()
  .trim()
  .min(1, "nothing is written here")
  .max(2_000, "more than 2,000 characters")
  .regex(/^\P{Cc}*$/u, "more than one line, or control characters");

/** What an answer is graded by: one question about it, and what each grade from 1 to 5 stands for. */
export const Rubric = z.strictObject({
  /** By which recorded grades name it. */
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/, "up to 60 small letters, digits and dashes"),
  criteria: line,
  anchors: z.strictObject({ 1: line, 2: line, 3: line, 4: line, 5: line }),
});
export type Rubric = z.infer<typeof Rubric>;

const phrases = z.array(z.string().trim().min(1).max(200)).min(1).max(100);

/** What an answer is told by. All that is given has to hold; of a list of phrases one is enough, in any case of letters. */
export const AnswerSigns = z
  .strictObject({
    /** It called tools: `any`, or one of these. */
    tools: z.union([z.literal("any"), phrases]),
    /** Whole words or phrases of the question, */
    question: phrases,
    /** or of the answer. */
    answer: phrases,
    /** The answer has no more words than this. */
    "at-most": z.int().positive(),
  })
  .partial()
  .refine((signs) => Object.keys(signs).length > 0, "a rule needs a sign");
export type AnswerSigns = z.infer<typeof AnswerSigns>;

/** By what an answer is, to the rubric that it is graded by: the first rule that fits decides. */
export const KindRule = z.strictObject({
  kind: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "a word of small letters, digits and dashes"),
  when: AnswerSigns,
  /** By name. */
  rubric: z.string().min(1).max(1_000),
});
export type KindRule = z.infer<typeof KindRule>;
