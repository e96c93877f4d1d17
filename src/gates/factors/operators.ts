import type { OperatorShape } from "./formula.ts";
import type { FactorPanel } from "./panel.ts";
import { rankerFor } from "./ranks.ts";
import { compareEnds, deviateWindows, limitWindows, sumWindows, type Rows } from "./windows.ts";

// The value of a day follows from that day and earlier ones alone.

type PanelSize = Pick<FactorPanel, "days" | "instruments">;
type CellSeries = Float64Array;

/** What an operator is applied to. */
export type Application = {
  readonly args: readonly CellSeries[];
  /** The last argument of an operator that takes a window, else 0. */
  readonly window: number;
  readonly size: PanelSize;
  /** The first day that is asked for. The arguments have their values from `window - 1` days before it on. */
  readonly from: number;
  /** Where the values go: it is none of the arguments. */
  readonly out: CellSeries;
};

/** An operator over whole panels. */
export type Operator = OperatorShape & { readonly apply: (of: Application) => void };

const WINDOWS = [2, 3, 5, 10, 20, 60] as const;

const EMPTY: CellSeries = new Float64Array(0);

/** The cells from `start` to the end; `ys` is the second argument's, where there is one. */
type PanelCells = {
  readonly xs: CellSeries;
  readonly ys: CellSeries;
  readonly out: CellSeries;
  readonly start: number;
};

/** Cell by cell. Each operator has a loop of its own: one loop that calls a function for every cell takes four times as long. */
const cellwise = (arity: 1 | 2, of: (cells: PanelCells) => void): Operator => ({
  arity,
  apply({ args: [xs = EMPTY, ys = EMPTY], size: { instruments }, from, out }) {
    of({ xs, ys, out, start: from * instruments });
  },
});

const add = cellwise(2, ({ xs, ys, out, start }) => {
  for (let at = start; at < out.length; at += 1) out[at] = (xs[at] as number) + (ys[at] as number);
});

const sub = cellwise(2, ({ xs, ys, out, start }) => {
  for (let at = start; at < out.length; at += 1) out[at] = (xs[at] as number) - (ys[at] as number);
});

const mul = cellwise(2, ({ xs, ys, out, start }) => {
  for (let at = start; at < out.length; at += 1) out[at] = (xs[at] as number) * (ys[at] as number);
});

const div = cellwise(2, ({ xs, ys, out, start }) => {
  for (let at = start; at < out.length; at += 1) out[at] = safe((xs[at] as number) / (ys[at] as number));
});

const neg = cellwise(1, ({ xs, out, start }) => {
  for (let at = start; at < out.length; at += 1) out[at] = -(xs[at] as number);
});

const abs = cellwise(1, ({ xs, out, start }) => {
  for (let at = start; at < out.length; at += 1) out[at] = Math.abs(xs[at] as number);
});

const sign = cellwise(1, ({ xs, out, start }) => {
  for (let at = start; at < out.length; at += 1) out[at] = Math.sign(xs[at] as number);
});

const log = cellwise(1, ({ xs, out, start }) => {
  for (let at = start; at < out.length; at += 1) {
    const value = xs[at] as number;
    out[at] = value > 0 ? Math.log(value) : Number.NaN;
  }
});

/** Over the last `window` days of each instrument, the present one included. */
const windowOperator = (of: (rows: Rows) => void): Operator => ({
  arity: 2,
  windows: WINDOWS,
  apply({ args: [xs = EMPTY], window, size: { instruments: width }, from, out }) {
    of({ xs, width, window, from, out });
  },
});

function averageWindows(rows: Rows): void {
  const { width, window, from, out } = rows;
  sumWindows(rows);
  for (let at = from * width; at < out.length; at += 1) out[at] = (out[at] as number) / window;
}

type Day = { readonly start: number; readonly width: number };

/** Over the instruments of one day. */
const across = (of: (xs: CellSeries, out: CellSeries, day: Day) => void): Operator => ({
  arity: 1,
  apply({ args: [xs = EMPTY], size: { days, instruments: width }, from, out }) {
    for (let day = from; day < days; day += 1) of(xs, out, { start: day * width, width });
  },
});

/** Ranks from 0 to 1, equals sharing the mean of theirs; 0.5 of one alone. */
function rankInto(xs: CellSeries, out: CellSeries, { start, width }: Day): void {
  const { ranks, rank } = rankerFor(width);
  const last = rank(xs, start) - 1;
  for (let one = 0; one < width; one += 1) {
    const place = ranks[one] as number;
    out[start + one] = last === 0 && !Number.isNaN(place) ? 0.5 : place / last;
  }
}

function centerInto(xs: CellSeries, out: CellSeries, { start, width }: Day): void {
  let [sum, count] = [0, 0];
  for (let at = start; at < start + width; at += 1) {
    const value = xs[at] as number;
    if (Number.isNaN(value)) continue;
    sum += value;
    count += 1;
  }
  for (let at = start; at < start + width; at += 1) out[at] = (xs[at] as number) - sum / count;
}

function safe(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN;
}

/** The operators of formulas over panels. `ts_` goes over days, `cs_` over instruments. */
export const OPERATORS: { readonly [name: string]: Operator } = {
  add,
  sub,
  mul,
  div,
  neg,
  abs,
  sign,
  log,
  cs_rank: across(rankInto),
  cs_demean: across(centerInto),
  ts_mean: windowOperator(averageWindows),
  ts_std: windowOperator(deviateWindows),
  ts_sum: windowOperator(sumWindows),
  ts_min: windowOperator((rows) => limitWindows(rows, 1)),
  ts_max: windowOperator((rows) => limitWindows(rows, -1)),
  ts_delta: windowOperator((rows) => compareEnds(rows, (first, last) => last - first)),
  ts_return: windowOperator((rows) => compareEnds(rows, (first, last) => safe(last / first - 1))),
};
