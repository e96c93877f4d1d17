import { wilson } from "./proportions.ts";

/** On how many items both, only the first, only the second, and neither of two arms were right. */
export type PairedCounts = {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
};

/**
 * The first arm's share minus the second's on the same items, −1 to 1, with its 95 % interval from the two Wilson
 * intervals and the correlation between the arms (Newcombe 1998, Statistics in Medicine 17:2635, method 10). Null for no
 * items.
 */
export function pairedDifference(
  counts: PairedCounts,
): { readonly value: number; readonly low: number; readonly high: number } | null {
  const { both, onlyFirst, onlySecond, neither } = counts;
  const n = both + onlyFirst + onlySecond + neither;
  const one = wilson(both + onlyFirst, n);
  const other = wilson(both + onlySecond, n);
  if (!one || !other) return null;
  const [p, q] = [(both + onlyFirst) / n, (both + onlySecond) / n];
  const phi = correlation(counts);
  const reach = (near: number, far: number) =>
    Math.sqrt(Math.max(0, near ** 2 - 2 * phi * near * far + far ** 2));
  return {
    value: p - q,
    low: p - q - reach(p - one.low, other.high - q),
    high: p - q + reach(one.high - p, q - other.low),
  };
}

/** Phi, with the continuity correction of the same paper where it is positive; 0 where a margin is empty. */
function correlation({ both, onlyFirst, onlySecond, neither }: PairedCounts): number {
  const margins = (both + onlyFirst) * (onlySecond + neither) * (both + onlySecond) * (onlyFirst + neither);
  if (margins === 0) return 0;
  const cross = both * neither - onlyFirst * onlySecond;
  const n = both + onlyFirst + onlySecond + neither;
  return (cross > 0 ? Math.max(0, cross - n / 2) : cross) / Math.sqrt(margins);
}
