import type { Estimate } from "../contract/figures.ts";
import { normalQuantile, sum } from "./numbers.ts";

/** `low` and `high` are shares, 0 to 1. */
export type Interval = { readonly low: number; readonly high: number };

/**
 * Wilson's score interval for a share of which `successes` of `n` independent trials were seen, at 95 %;
 * a trial may succeed by half, as a tie between two answers does (Wilson 1927, JASA 22:209; without continuity correction: method 3 of Newcombe 1998, Statistics in
 * Medicine 17:857). Null for no trials.
 * @throws RangeError unless 0 ≤ successes ≤ n, whole or half the one and whole the other
 */
export function wilson(successes: number, n: number): Interval | null {
  if (!Number.isInteger(successes * 2) || !Number.isInteger(n) || successes < 0 || successes > n)
    throw new RangeError(
      `successes must be a whole or half number from 0 to n, and n whole (got ${successes} of ${n})`,
    );
  if (n === 0) return null;
  const z = normalQuantile(0.975);
  const middle = successes + z ** 2 / 2;
  const half = z * Math.sqrt((successes * (n - successes)) / n + z ** 2 / 4);
  // Where everything succeeded the bound is 1 exactly, which rounding may miss.
  return { low: (middle - half) / (n + z ** 2), high: successes === n ? 1 : (middle + half) / (n + z ** 2) };
}

/** How many of `n` there were, as a share from 0 to 1 with Wilson's interval. */
export function estimateShare(successes: number, n: number): Estimate {
  const interval = wilson(successes, n);
  return interval === null
    ? { value: null, n, low: null, high: null }
    : { value: successes / n, n, ...interval };
}

/** A share as a lean: its distance from one half, from −0.5 (never) to 0.5 (always), with the interval moved alike. */
export function estimateLean(successes: number, n: number): Estimate {
  const { value, low, high } = estimateShare(successes, n);
  const moved = (share: number | null): number | null => (share === null ? null : share - 0.5);
  return { value: moved(value), n, low: moved(low), high: moved(high) };
}

/**
 * The probability of at most `most` successes in `n` independent trials that each succeed with probability `p`.
 * Summed from logarithms, so that thousands of trials neither overflow nor vanish.
 */
export function binomialAtMost(most: number, n: number, p: number): number {
  if (most < 0) return 0;
  if (p === 0 || most >= n) return 1;
  if (p === 1) return 0;
  const odds = Math.log(p) - Math.log1p(-p);
  let logarithm = n * Math.log1p(-p);
  let sum = 0;
  for (let successes = 0; successes <= most; successes += 1) {
    sum += Math.exp(logarithm);
    logarithm += Math.log((n - successes) / (successes + 1)) + odds;
  }
  return Math.min(1, sum);
}

/**
 * The probability of at least `least` successes in independent trials that succeed with these probabilities, each of its own:
 * the upper tail of the Poisson binomial distribution, by adding one trial after the other.
 */
export function successesAtLeast(least: number, probabilities: readonly number[]): number {
  let counts = [1];
  for (const p of probabilities)
    counts = Array.from(
      { length: counts.length + 1 },
      (_, n) => (counts[n] ?? 0) * (1 - p) + (counts[n - 1] ?? 0) * p,
    );
  return Math.min(1, sum(counts.slice(Math.max(0, least))));
}

/**
 * The exact two-sided p-value of McNemar's test for two arms on the same items: `b` items that only the first got
 * right, `c` that only the second did. Items on which both did alike say nothing. Twice the smaller binomial tail
 * at ½, at most 1 (McNemar 1947, Psychometrika 12:153; exact: Mosteller 1952, Biometrics 8:220). 1 for no such items.
 * @throws RangeError unless both are whole numbers of at least 0
 */
export function mcnemar(b: number, c: number): number {
  if (![b, c].every((count) => Number.isInteger(count) && count >= 0))
    throw new RangeError(`b and c must be integers of at least 0 (got ${b} and ${c})`);
  return Math.min(1, 2 * binomialAtMost(Math.min(b, c), b + c, 0.5));
}

/** p-values corrected for testing all of them at once (Holm 1979, Scandinavian Journal of Statistics 6:65), in their order. */
export function holm(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => (values[a] ?? 1) - (values[b] ?? 1));
  const adjusted = values.map(() => 1);
  let least = 0;
  order.forEach((at, rank) => {
    least = Math.max(least, Math.min(1, (values[at] ?? 1) * (values.length - rank)));
    adjusted[at] = least;
  });
  return adjusted;
}

/**
 * How many independent voters a panel of n is worth, from 1 to n (0 for an empty panel): n² over the sum of all
 * entries of the n × n matrix of pairwise agreement or correlation, with 1 on its diagonal. With a mean correlation
 * r that is n / (1 + (n − 1) r), the design effect of Kish, Survey Sampling, 1965, 8.2. Members who contradict
 * each other count as independent, never as more than n.
 * @throws RangeError for rows that are not as long as there are members, and for an entry that is not a finite number
 */
export const effectiveVotes = (agreementMatrix: readonly (readonly number[])[]): number => {
  const members = agreementMatrix.length;
  if (agreementMatrix.some((row) => row.length !== members || !row.every(Number.isFinite)))
    throw new RangeError(
      `the matrix must have ${members} × ${members} finite numbers, one row and column for each member`,
    );
  const sum = agreementMatrix.flat().reduce((total, entry) => total + entry, 0);
  if (members === 0) return 0;
  return sum <= 0 ? members : Math.min(members, Math.max(1, members ** 2 / sum));
};

/** `effectiveVotes` of how each two members agree; null for fewer than two, and where that is not known of two of them. */
export function effectiveMembers<T>(
  members: readonly T[],
  agreement: (one: T, other: T) => number | null,
): number | null {
  const rows = members.map((one) => members.map((other) => (one === other ? 1 : agreement(one, other))));
  const known = rows.map((row) => row.filter((entry) => entry !== null));
  return members.length < 2 || rows.flat().includes(null) ? null : effectiveVotes(known);
}

/** Below this, a p-value counts as significant. */
export const SIGNIFICANT = 0.05;
