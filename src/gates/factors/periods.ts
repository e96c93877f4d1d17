import { sharpeRatio, YEAR_DAYS, type Days, type Earnings } from "./portfolio.ts";

/** Cuts a range into so many periods of the same length, give or take a day. */
export function splitDays({ from, to }: Days, periods: number): Days[] {
  const at = (nth: number) => from + Math.floor(((to - from) * nth) / periods);
  return Array.from({ length: periods }, (_, nth) => ({ from: at(nth), to: at(nth + 1) }));
}

/** How many standard errors the mean of what is earned is away from 0; 0 where there is no Sharpe ratio. */
export function tStatistic(earnings: Earnings): number {
  return (sharpeRatio(earnings) ?? 0) * Math.sqrt(earnings.length / YEAR_DAYS);
}

/** Days of a rolling Sharpe ratio, and from one to the next. */
const ROLLING_DAYS = 60;
const ROLLING_STEP = 20;

/** The Sharpe ratio of every 60 days, 20 days apart; null where there is none. */
export function rollingSharpes(earnings: Earnings): (number | null)[] {
  const count = Math.max(0, Math.floor((earnings.length - ROLLING_DAYS) / ROLLING_STEP) + 1);
  return Array.from({ length: count }, (_, nth) =>
    sharpeRatio(earnings.subarray(nth * ROLLING_STEP, nth * ROLLING_STEP + ROLLING_DAYS)),
  );
}

/** The slope of a line through values, a step from each to the next, by least squares; unknown values are left out. */
export function slopeOf(values: readonly (number | null)[]): number {
  const points = values.flatMap((y, x) => (y === null ? [] : [{ x, y }]));
  const middle = points.reduce((total, { x }) => total + x, 0) / points.length;
  let [up, across] = [0, 0];
  for (const { x, y } of points) {
    up += (x - middle) * y;
    across += (x - middle) ** 2;
  }
  return up / across;
}
