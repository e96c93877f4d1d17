import { binomialAtMost } from "./binomial.ts";

/**
 * The probability that a majority of `n` voters is right of two answers, each right with probability `p` and
 * independent of the others; an even split is right half the time (Condorcet's jury theorem, 1785; Grofman, Owen
 * and Feld 1983, Theory and Decision 15:261). So 2m voters are worth 2m − 1, and none is worth a coin.
 * @throws RangeError unless 0 ≤ p ≤ 1 and n is a whole number from 0
 */
export const condorcet = (p: number, n: number): number => {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`${p} is no probability; give one from 0 to 1`);
  if (!Number.isInteger(n) || n < 0)
    throw new RangeError(`${n} voters are no panel; give a whole number from 0`);
  // Of those who are wrong: fewer than half, and half of what an even split adds.
  return (binomialAtMost(Math.ceil(n / 2) - 1, n, 1 - p) + binomialAtMost(Math.floor(n / 2), n, 1 - p)) / 2;
};
