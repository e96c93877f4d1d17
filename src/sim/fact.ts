import * as z from "zod";

/**
 * Something a simulated model knows. A question asks for it when every entry of `about` occurs in it as whole
 * words, whatever their case; an entry may give alternatives (`author|who wrote`). `wrong` are mistakes that
 * would be plausible; without them the answers to like questions are.
 */
export const Fact = z.strictObject({
  about: z.array(z.string().min(1).max(200)).min(1).max(8),
  answer: z.string().min(1).max(200),
  wrong: z.array(z.string().min(1).max(200)).max(20).optional(),
});
export type Fact = z.infer<typeof Fact>;
