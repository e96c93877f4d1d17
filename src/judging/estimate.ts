import * as z from "zod";
import { wilson } from "./wilson.ts";

/** A figure with the number of observations that it rests on and its 95 % interval; null where nothing tells it. */
export const Estimate = z.strictObject({
  value: z.number().nullable(),
  n: z.int().nonnegative(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type Estimate = z.infer<typeof Estimate>;

/** How many of `n` there were, as a share from 0 to 1 with Wilson's interval. */
export const shareOf = (successes: number, n: number): Estimate => {
  const interval = wilson(successes, n);
  return interval === null
    ? { value: null, n, low: null, high: null }
    : { value: successes / n, n, ...interval };
};

/** A share as a lean: its distance from one half, from −0.5 (never) to 0.5 (always), with the interval moved alike. */
export const leanOf = (successes: number, n: number): Estimate => {
  const { value, low, high } = shareOf(successes, n);
  const moved = (share: number | null): number | null => (share === null ? null : share - 0.5);
  return { value: moved(value), n, low: moved(low), high: moved(high) };
};
