import { familyOf, personOf, type Families } from "../../../kernel/index.ts";

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

type OfFamily = { readonly model: string; readonly family: string | null };

/** Why this skeptic may not criticize this gardener, and what to do about it; undefined where it may. */
export function familyProblem(
  gardener: OfFamily,
  skeptic: OfFamily | undefined,
): { readonly why: string; readonly next: string } | undefined {
  if (!skeptic)
    return { why: "a debate needs a skeptic", next: "set skeptic_model, or max_debate_rounds to 0" };
  if (personOf(skeptic.model) !== undefined || personOf(gardener.model) !== undefined) return undefined;
  const unknown = [gardener, skeptic].find(({ family }) => family === null);
  if (unknown)
    return {
      why: `nobody knows of which family ${unknown.model} is, and the skeptic's must differ from the gardener's`,
      next: "declare it under `families` in the settings",
    };
  if (gardener.family !== skeptic.family) return undefined;
  return {
    why: `the skeptic ${skeptic.model} is of the gardener's family (${skeptic.family}), and would share its blind spots`,
    next: "choose a skeptic of another family",
  };
}
