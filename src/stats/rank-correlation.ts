import { sum, mean } from "./numbers.ts";

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

/** The ranks of the values, 1 the smallest, equals sharing the mean of their places. */
function midranks(values: readonly number[]): number[] {
  return values.map((value) => {
    const less = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return less + (equal + 1) / 2;
  });
}

/**
 * Kendall's coefficient of concordance W of m complete rankings (rows) of the same n items (columns), corrected for
 * ties: 12 S / (m² (n³ − n) − m Σ (t³ − t)), S the squared deviations of the columns' rank sums from their mean
 * and t the size of each group of equals in a row (Kendall & Gibbons, Rank Correlation Methods, 5th ed., ch. 6).
 * From 0 (none) to 1 (all rank alike); chance alone gives 1/m. Rows hold ranks or any scores that ascend with them.
 * Null where it is not defined: no rows, fewer than two items, rows of unequal length, NaN in one, or every row
 * one tie.
 */
export function kendallW(rankings: readonly (readonly number[])[]): number | null {
  const raters = rankings.length;
  const items = rankings[0]?.length ?? 0;
  if (items < 2 || rankings.some((row) => row.length !== items || row.some(Number.isNaN))) return null;
  const rows = rankings.map(midranks);
  const totals = Array.from({ length: items }, (_, item) => sum(rows.map((row) => row[item] ?? 0)));
  const mean = (raters * (items + 1)) / 2;
  const deviation = sum(totals.map((total) => (total - mean) ** 2));
  const ties = sum(
    rankings.map((row) =>
      sum(
        [...new Set(row)]
          .map((value) => row.filter((other) => other === value).length)
          .map((t) => t ** 3 - t),
      ),
    ),
  );
  const greatest = raters ** 2 * (items ** 3 - items) - raters * ties;
  return greatest <= 0 ? null : (12 * deviation) / greatest;
}

/** One reviewer's strict order of the answers shown to it, best first; its own is not among them. */
export type ReviewerBallot = { readonly reviewer: string; readonly ranking: readonly string[] };

/** `score` from 0 (last with every reviewer) to 1 (first with every one), over `votes` reviewers. */
export type MeanRank = { readonly score: number; readonly votes: number };

/**
 * The mean normalized rank of each answer that was ranked, turned so that higher is better: place p of m is worth
 * 1 − (p − 1) / (m − 1), and the only one of a ballot of one 0.5, since it was compared with nothing. Ballots
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
  for (const { ranking } of ballots) {
    for (const [index, id] of ranking.entries()) {
      const worth = ranking.length === 1 ? 0.5 : 1 - index / (ranking.length - 1);
      worths.set(id, [...(worths.get(id) ?? []), worth]);
    }
  }
  return worths;
}
