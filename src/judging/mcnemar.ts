import { binomialAtMost } from "./binomial.ts";

/**
 * The exact two-sided p-value of McNemar's test for two arms on the same items: `b` items that only the first got
 * right, `c` that only the second did. Items on which both did alike say nothing. Twice the smaller binomial tail
 * at ½, at most 1 (McNemar 1947, Psychometrika 12:153; exact: Mosteller 1952, Biometrics 8:220). 1 for no such items.
 * @throws RangeError for what is no whole number from 0
 */
export const mcnemar = (b: number, c: number): number => {
  if (![b, c].every((count) => Number.isInteger(count) && count >= 0))
    throw new RangeError(`${b} and ${c} are no counts; give whole numbers from 0`);
  return Math.min(1, 2 * binomialAtMost(Math.min(b, c), b + c, 0.5));
};
