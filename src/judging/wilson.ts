import { normalQuantile } from "./normal.ts";

/** `low` and `high` are shares, 0 to 1. */
export type Interval = { readonly low: number; readonly high: number };

/**
 * Wilson's score interval for a share of which `successes` of `n` independent trials were seen, `confidence` 0.95
 * unless given (Wilson 1927, JASA 22:209; without continuity correction: method 3 of Newcombe 1998, Statistics in
 * Medicine 17:857). Null for no trials.
 * @throws RangeError unless 0 ≤ successes ≤ n, both whole, and 0 < confidence < 1
 */
export const wilson = (
  successes: number,
  n: number,
  { confidence = 0.95 }: { readonly confidence?: number } = {},
): Interval | null => {
  if (!Number.isInteger(successes) || !Number.isInteger(n) || successes < 0 || successes > n)
    throw new RangeError(
      `${successes} of ${n} is no count of successes; give whole numbers, 0 ≤ successes ≤ n`,
    );
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError(`a confidence of ${confidence} is not between 0 and 1; 0.95 is usual`);
  if (n === 0) return null;
  const z = normalQuantile((1 + confidence) / 2);
  const middle = successes + z ** 2 / 2;
  const half = z * Math.sqrt((successes * (n - successes)) / n + z ** 2 / 4);
  // Where everything succeeded the bound is 1 exactly, which rounding may miss.
  return {
    low: (middle - half) / (n + z ** 2),
    high: successes === n ? 1 : (middle + half) / (n + z ** 2),
  };
};
