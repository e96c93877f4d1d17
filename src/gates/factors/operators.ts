import type { OperatorShape } from "./formula.ts";
import type { FactorPanel } from "./panel.ts";
import { rankerFor } from "./ranks.ts";

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

// What a window gives follows from its own values alone, to the last bit, wherever the evaluation begins: nothing slides from day to day.

/** Series of several instruments, a row a day, and the window over their days. */
export type Rows = {
  readonly xs: Float64Array;
  /** How many instruments a row has. */
  readonly width: number;
  /** In days, the present one included. */
  readonly window: number;
  /** The first day that is asked for. `xs` has its values from `window - 1` days before it on. */
  readonly from: number;
  /** Where the results go. What stands in it before `from` is lost. */
  readonly out: Float64Array;
};

/** Used anew by every call; never read before they are written. */
let scratch: readonly [Float64Array, Float64Array, Float64Array] = emptyScratch(0);

function emptyScratch(length: number): typeof scratch {
  return [new Float64Array(length), new Float64Array(length), new Float64Array(length)];
}

function scratchFor({ length }: Float64Array): typeof scratch {
  if (scratch[0].length < length) scratch = emptyScratch(length);
  return scratch;
}

/** Where the days begin that a call reads, and those that it writes; before the second, no window is full. */
function clearUnfilled({ width, window, from, out }: Rows): {
  readonly since: number;
  readonly first: number;
} {
  const first = Math.min(out.length, Math.max(from, window - 1) * width);
  out.fill(Number.NaN, from * width, first);
  return { since: Math.max(0, from - window + 1) * width, first };
}

/**
 * Sums of every window, in as many passes as the window's size has digits in base two: sums of 2 days give those of 4, these
 * those of 8, and a window of 60 is one of 32, of 16, of 8 and of 4. NaN where a value is missing or the window is not full.
 */
function sumWindows(rows: Rows): void {
  const { xs, width, window, out } = rows;
  const { since, first } = clearUnfilled(rows);
  const [sums] = scratchFor(xs);
  sums.set(xs.subarray(since), since);
  let done = 0;
  for (let size = 1; size <= window; size *= 2) {
    if (size > 1) {
      const half = (size / 2) * width;
      for (let at = xs.length - 1; at >= since + half; at -= 1)
        sums[at] = (sums[at] as number) + (sums[at - half] as number);
    }
    if ((window & size) === 0) continue;
    const back = done * width;
    for (let at = first; at < xs.length; at += 1)
      out[at] = (done === 0 ? 0 : (out[at] as number)) + (sums[at - back] as number);
    done += size;
  }
}

/**
 * As `sumWindows`, of the standard deviations of samples, with n − 1. Means and sums of squared distances of two parts give
 * those of both without loss (Chan, Golub & LeVeque 1983, The American Statistician 37:242), so that equal values deviate by
 * exactly 0.
 */
function deviateWindows(rows: Rows): void {
  const { xs, width, window, out } = rows;
  const { since, first } = clearUnfilled(rows);
  const [means, squares, middles] = scratchFor(xs);
  means.set(xs.subarray(since), since);
  squares.fill(0, since);
  let done = 0;
  for (let size = 1; size <= window; size *= 2) {
    if (size > 1) {
      const back = (size / 2) * width;
      for (let at = xs.length - 1; at >= since + back; at -= 1) {
        const distance = (means[at - back] as number) - (means[at] as number);
        means[at] = (means[at] as number) + distance / 2;
        squares[at] =
          (squares[at] as number) + (squares[at - back] as number) + distance * distance * (size / 4);
      }
    }
    if ((window & size) === 0) continue;
    const back = done * width;
    const share = size / (done + size);
    for (let at = first; at < xs.length; at += 1) {
      const middle = done === 0 ? (means[at] as number) : (middles[at] as number);
      const distance = (means[at - back] as number) - middle;
      const before = done === 0 ? 0 : (out[at] as number);
      out[at] = before + (squares[at - back] as number) + distance * distance * done * share;
      middles[at] = middle + distance * share;
    }
    done += size;
  }
  for (let at = first; at < out.length; at += 1) out[at] = Math.sqrt((out[at] as number) / (window - 1));
}

/** As `sumWindows`, of the least values; of the greatest, with a sign of -1. Windows that overlap give those of a larger one. */
function limitWindows(rows: Rows, sign: 1 | -1): void {
  const { xs, width, window, from, out } = rows;
  const since = Math.max(0, from - window + 1) * width;
  for (let at = since; at < xs.length; at += 1) out[at] = sign * (xs[at] as number);
  for (let size = 1; size < window;) {
    const step = Math.min(size, window - size);
    const back = step * width;
    for (let at = xs.length - 1; at >= since + back; at -= 1)
      out[at] = Math.min(out[at] as number, out[at - back] as number);
    size += step;
  }
  const { first } = clearUnfilled(rows);
  for (let at = first; at < out.length; at += 1) out[at] = sign * (out[at] as number);
}

/** As `sumWindows`, from the first and the last value of every window; missing unless those between are there too. */
function compareEnds(rows: Rows, compare: (first: number, last: number) => number): void {
  const { xs, width, window, from, out } = rows;
  const known = new Int32Array(width);
  for (let row = Math.max(0, from - window + 1) * width; row < xs.length; row += width)
    for (let one = 0; one < width; one += 1) {
      const last = xs[row + one] as number;
      const run = Number.isNaN(last) ? 0 : (known[one] as number) + 1;
      known[one] = run;
      if (row < from * width) continue;
      out[row + one] =
        run < window ? Number.NaN : compare(xs[row + one - (window - 1) * width] as number, last);
    }
}
