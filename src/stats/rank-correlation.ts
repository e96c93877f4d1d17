import { mean } from "./numbers.ts";

/**
 * Kendall's τ of two strict rankings, best first, over the candidates that both list: the pairs that stand alike less
 * those that stand the other way round, over all pairs, from −1 (reversed) to 1 (the same) (Kendall 1938, Biometrika
 * 30:81). Null where fewer than two candidates are common.
 */
export function kendallTau(first: readonly string[], second: readonly string[]): number | null {
  const place = new Map(second.map((id, index) => [id, index]));
  const common = first.flatMap((id) => place.get(id) ?? []);
  let balance = 0;
  for (const [index, one] of common.entries())
    for (const later of common.slice(index + 1)) balance += Math.sign(later - one);
  return common.length < 2 ? null : balance / ((common.length * (common.length - 1)) / 2);
}

/** One reviewer's strict order of the answers shown to it, best first; its own is not among them. */
export type ReviewerBallot = { readonly reviewer: string; readonly ranking: readonly string[] };

/** `score` from 0 (last with every reviewer) to 1 (first with every one), over `votes` reviewers. */
export type MeanRank = { readonly score: number; readonly votes: number };

/** What a place of a ballot is worth, 0 to 1: of the others on it, the share that stand below. Alone it was compared with nothing. */
export const worthOf = (index: number, size: number): number => (size < 2 ? 0.5 : 1 - index / (size - 1));

/**
 * The mean normalized rank of each answer that was ranked, turned so that higher is better: see `worthOf`. Ballots
 * of different lengths count alike, and nobody loses by the place that its own ballot does not give it.
 */
export function meanRank(ballots: readonly ReviewerBallot[]): Map<string, MeanRank> {
  return new Map(
    [...listWorths(ballots)].map(([id, values]) => [id, { score: mean(values), votes: values.length }]),
  );
}

/** By candidate, what each ballot that ranks it gives it: see `meanRank`. */
export function listWorths(ballots: readonly ReviewerBallot[]): ReadonlyMap<string, readonly number[]> {
  const worths = new Map<string, number[]>();
  for (const { ranking } of ballots)
    for (const [index, id] of ranking.entries())
      worths.set(id, [...(worths.get(id) ?? []), worthOf(index, ranking.length)]);
  return worths;
}
