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
