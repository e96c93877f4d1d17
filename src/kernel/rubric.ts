import * as z from "zod";

const line = z
  .string()
  .trim()
  .min(1, "nothing is written here")
  .max(2_000, "more than 2,000 characters")
  .regex(/^\P{Cc}*$/u, "more than one line, or control characters");

/** A grading rubric: the criteria, and the meaning of each grade from 1 to 5. */
export const Rubric = z.strictObject({
  /** The name in recorded grades. */
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/, "up to 60 small letters, digits and dashes"),
  criteria: line,
  anchors: z.strictObject({ 1: line, 2: line, 3: line, 4: line, 5: line }),
});
export type Rubric = z.infer<typeof Rubric>;

const phrases = z.array(z.string().trim().min(1).max(200)).min(1).max(100);

/** Conditions on an answer. All must hold; one phrase of a list is enough, and case is ignored. */
export const AnswerSigns = z
  .strictObject({
    /** The answer called any tool, or one of these tools. */
    tools: z.union([z.literal("any"), phrases]),
    /** The question contains one of these whole words or phrases. */
    question: phrases,
    /** The answer contains one of these whole words or phrases. */
    answer: phrases,
    /** The answer has at most this many words. */
    "at-most": z.int().positive(),
  })
  .partial()
  .refine((signs) => Object.keys(signs).length > 0, "a rule needs a sign");
export type AnswerSigns = z.infer<typeof AnswerSigns>;

/** Selects a rubric by the kind of answer; the first matching rule decides. */
export const KindRule = z.strictObject({
  kind: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "a word of small letters, digits and dashes"),
  when: AnswerSigns,
  /** The rubric's name. */
  rubric: z.string().min(1).max(1_000),
});
export type KindRule = z.infer<typeof KindRule>;
