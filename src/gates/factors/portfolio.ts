import type { FactorPanel } from "./panel.ts";
import { rankerFor } from "./ranks.ts";

// A day's positions follow from that day's values alone, and earn the return from that day's close to the next one's.

/** A range of days: `to` is no longer in it. */
export type Days = { readonly from: number; readonly to: number };

/** A year's trading days, by which a Sharpe ratio of days becomes one of a year. */
export const YEAR_DAYS = 252;

/** Of how many of its days a range must have positions; with fewer, it has no Sharpe ratio. */
const MIN_SHARE_HELD = 0.5;

/** What each instrument returns from a day's close to the next one's; 0 where one of both is missing, and on the last day. */
export function nextReturns({ days, instruments, fields }: FactorPanel): Float64Array {
  const close = fields["close"];
  if (!close) throw new RangeError("the panel has no field close");
  const returns = new Float64Array(days * instruments);
  for (let at = 0; at < (days - 1) * instruments; at += 1) {
    const value = (close[at + instruments] as number) / (close[at] as number) - 1;
    returns[at] = Number.isFinite(value) ? value : 0;
  }
  return returns;
}

/**
 * Positions of every day: the ranks of the values across the instruments, less their mean, scaled so that their absolute
 * values come to 1. 0 for an instrument whose value is missing, and for all where they are equal.
 */
export function positionsFrom(values: Float64Array, { days, instruments }: FactorPanel): Float64Array {
  const positions = new Float64Array(values.length);
  const { ranks, rank } = rankerFor(instruments);
  for (let day = 0; day < days; day += 1) {
    const start = day * instruments;
    const middle = (rank(values, start) - 1) / 2;
    const gross = grossOf(ranks, middle);
    for (let one = 0; one < instruments; one += 1) {
      const place = ranks[one] as number;
      positions[start + one] = gross === 0 || Number.isNaN(place) ? 0 : (place - middle) / gross;
    }
  }
  return positions;
}

function grossOf(ranks: Float64Array, middle: number): number {
  let gross = 0;
  for (let one = 0; one < ranks.length; one += 1) {
    const place = ranks[one] as number;
    if (!Number.isNaN(place)) gross += Math.abs(place - middle);
  }
  return gross;
}

/** What the positions of each day earn; NaN on a day without positions. */
export type Earnings = Float64Array;

/** What the positions of some days earn, without keeping the positions: the same, to the last bit, as with them. */
export function earningsIn(
  values: Float64Array,
  { instruments, returns }: { readonly instruments: number; readonly returns: Float64Array },
  { from, to }: Days,
): Earnings {
  const earnings = new Float64Array(to - from);
  const { ranks, rank } = rankerFor(instruments);
  for (let day = from; day < to; day += 1) {
    const start = day * instruments;
    const middle = (rank(values, start) - 1) / 2;
    let [gross, earned] = [0, 0];
    for (let one = 0; one < instruments; one += 1) {
      const place = ranks[one] as number;
      if (Number.isNaN(place)) continue;
      gross += Math.abs(place - middle);
      earned += (place - middle) * (returns[start + one] as number);
    }
    earnings[day - from] = gross === 0 ? Number.NaN : earned / gross;
  }
  return earnings;
}

/**
 * The mean of what is earned a day, over its standard deviation (n − 1), of a year. A day without positions earns 0. Null for
 * fewer than two days, with positions on less than half of them, and where the earnings do not vary.
 */
export function sharpeRatio(earnings: Earnings): number | null {
  const { length } = earnings;
  let [held, sum] = [0, 0];
  for (const value of earnings)
    if (!Number.isNaN(value)) {
      held += 1;
      sum += value;
    }
  if (length < 2 || held < length * MIN_SHARE_HELD) return null;
  const mean = sum / length;
  let squares = 0;
  for (const value of earnings) squares += ((Number.isNaN(value) ? 0 : value) - mean) ** 2;
  const deviation = Math.sqrt(squares / (length - 1));
  const ratio = (mean / deviation) * Math.sqrt(YEAR_DAYS);
  return Number.isFinite(ratio) ? ratio : null;
}

/** How much is bought and sold from one day to the next, of a book whose positions come to 1: from 0 to 2, on average. */
export function meanTurnover(
  positions: Float64Array,
  { days, instruments }: FactorPanel,
  first: number,
): number {
  let traded = 0;
  for (let at = (first + 1) * instruments; at < days * instruments; at += 1)
    traded += Math.abs((positions[at] as number) - (positions[at - instruments] as number));
  return traded / Math.max(1, days - first - 1);
}

/**
 * The mean over the days of the correlation of two books' positions, which are ranks: Spearman's. Days on which one of
 * them has none are left out; null where there is no other day.
 */
export function rankCorrelation(
  one: Float64Array,
  other: Float64Array,
  { days, instruments }: FactorPanel,
): number | null {
  let [sum, count] = [0, 0];
  for (let day = 0; day < days; day += 1) {
    let [xx, yy, xy] = [0, 0, 0];
    for (let at = day * instruments; at < (day + 1) * instruments; at += 1) {
      const [x, y] = [one[at] as number, other[at] as number];
      xx += x * x;
      yy += y * y;
      xy += x * y;
    }
    if (xx === 0 || yy === 0) continue;
    sum += xy / Math.sqrt(xx * yy);
    count += 1;
  }
  return count === 0 ? null : sum / count;
}
