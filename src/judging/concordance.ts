import { effectiveVotes } from "./effective-votes.ts";
import { kendallTau } from "./kendall-tau.ts";
import type { ReviewerBallot } from "./mean-rank.ts";

/** The squared sums, over candidates, of how far above the middle of each ballot they stand. */
const spread = (rankings: readonly (readonly string[])[]): number => {
  const sums = new Map<string, number>();
  for (const ranking of rankings)
    for (const [index, id] of ranking.entries())
      sums.set(id, (sums.get(id) ?? 0) + (ranking.length - 1) / 2 - index);
  return [...sums.values()].reduce((total, sum) => total + sum ** 2, 0);
};

/**
 * Kendall's W of rankings that need not list the same candidates: the spread of the candidates' rank sums over
 * the spread there would be if each reviewer had ranked its candidates in the common `order` (the standing's).
 * On complete rankings that is Kendall's W. Where each of n reviewers ranks the n − 1 others it is
 * 12 Σ (R − mean)² / (λ² n (n² − 1)) with λ = n − 2, the W of incomplete rankings that Durbin's statistic is a
 * multiple of (Durbin 1951; Gibbons & Chakraborti, Nonparametric Statistical Inference, 12.5). 1 when all
 * reviewers follow one order. Chance alone gives n / ((n − 2)(n + 1)) on the mean: 0.75 for three members, 0.4
 * for four, towards 0 for many, so a small panel's W says little. Null for fewer than two ballots that compare.
 */
export const concordance = (ballots: readonly ReviewerBallot[], order: readonly string[]): number | null => {
  const comparing = ballots.map(({ ranking }) => ranking).filter((ranking) => ranking.length > 1);
  if (comparing.length < 2) return null;
  const place = new Map(order.map((id, index) => [id, index]));
  const agreed = comparing.map((ranking) =>
    ranking.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0)),
  );
  return Math.min(1, spread(comparing) / spread(agreed));
};

/**
 * How many independent reviewers the ballots are worth: `effectiveVotes` of the Kendall τ of each two over the
 * candidates that both ranked. Null for fewer than two ballots, and where two of them have no pair of candidates in
 * common, as always with three members.
 */
export const effectiveReviewers = (ballots: readonly ReviewerBallot[]): number | null => {
  const matrix = ballots.map((one) =>
    ballots.map((other) => (one === other ? 1 : kendallTau(one.ranking, other.ranking))),
  );
  const known = matrix.map((row) => row.filter((entry) => entry !== null));
  if (ballots.length < 2 || known.some((row) => row.length < ballots.length)) return null;
  return effectiveVotes(known);
};
