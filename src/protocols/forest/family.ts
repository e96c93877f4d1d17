import { familyOf, type Families } from "../../kernel/index.ts";

/** The name that a model's versions share: `kimi` of `openrouter/moonshotai/kimi-k2`. */
const stemOf = (model: string): string => model.toLowerCase().split("/").at(-1)?.split(/[-:?]/, 1)[0] ?? "";

/**
 * Whether two models are of one family, however they are named or routed: `openai/gpt-4o` and `openai`, `kimi` and
 * `openrouter/moonshotai/kimi-k2`. Models of unknown families are of one where their names begin alike.
 */
export function sameFamily(one: string, other: string, declared: Families = {}): boolean {
  const [first, second] = [familyOf(one, declared), familyOf(other, declared)];
  return first === null || second === null ? stemOf(one) === stemOf(other) : first === second;
}
