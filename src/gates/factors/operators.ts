import type { OperatorShape } from "./formula.ts";
import type { FactorPanel } from "./panel.ts";

// OPERATOR-1. The value of a day follows from that day and earlier ones alone.
// OPERATOR-2. Where a value is missing, or the window is not full, the result is missing.

type PanelSize = Pick<FactorPanel, "days" | "instruments">;
type Series = Float64Array;

/** An operator over whole panels; `window` is its last argument, where it takes one. */
export type Operator = OperatorShape & {
  readonly apply: (of: {
    readonly args: readonly Series[];
    readonly window: number;
    readonly size: PanelSize;
  }) => Series;
};

const WINDOWS = [2, 3, 5, 10, 20, 60] as const;

const EMPTY: Series = new Float64Array(0);

/** Cell by cell. */
const unary = (of: (x: number) => number): Operator => ({
  arity: 1,
  apply({ args: [xs = EMPTY] }) {
    const out = new Float64Array(xs.length);
    for (let at = 0; at < xs.length; at += 1) out[at] = of(xs[at] as number);
    return out;
  },
});

const binary = (of: (x: number, y: number) => number): Operator => ({
  arity: 2,
  apply({ args: [xs = EMPTY, ys = EMPTY] }) {
    const out = new Float64Array(xs.length);
    for (let at = 0; at < xs.length; at += 1) out[at] = of(xs[at] as number, ys[at] as number);
    return out;
  },
});

/** Over the last `window` days of one instrument, the present one included; missing unless all of them are there. */
const windowed = (of: (values: Float64Array) => number): Operator => ({
  arity: 2,
  windows: WINDOWS,
  apply({ args: [xs = EMPTY], window, size: { days, instruments } }) {
    const out = new Float64Array(xs.length).fill(Number.NaN);
    const seen = new Float64Array(window);
    for (let one = 0; one < instruments; one += 1) {
      let known = 0;
      for (let day = 0; day < days; day += 1) {
        const value = xs[day * instruments + one] as number;
        seen[day % window] = value;
        known = Number.isNaN(value) ? 0 : known + 1;
        if (known >= window) out[day * instruments + one] = of(rotated(seen, day % window));
      }
    }
    return out;
  },
});

/** The values of a ring in the order of their days; `newest` is where the last one stands. */
function rotated(ring: Float64Array, newest: number): Float64Array {
  const { length } = ring;
  const out = new Float64Array(length);
  for (let at = 0; at < length; at += 1) out[at] = ring[(newest + 1 + at) % length] as number;
  return out;
}

/** Over the instruments of one day. */
const across = (of: (values: Float64Array, out: Float64Array) => void): Operator => ({
  arity: 1,
  apply({ args: [xs = EMPTY], size: { days, instruments } }) {
    const out = new Float64Array(xs.length);
    for (let day = 0; day < days; day += 1) {
      const [from, to] = [day * instruments, (day + 1) * instruments];
      of(xs.subarray(from, to), out.subarray(from, to));
    }
    return out;
  },
});

const mean = (values: Float64Array): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
};

/** Of a sample, with n − 1. */
const deviation = (values: Float64Array): number => {
  const middle = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - middle) ** 2;
  return Math.sqrt(sum / (values.length - 1));
};

/** Ranks from 0 to 1, equals sharing the mean of theirs; 0.5 of one alone. */
function rank(values: Float64Array, out: Float64Array): void {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const last = sorted.length - 1;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number;
    if (Number.isNaN(value)) out[at] = Number.NaN;
    else out[at] = last === 0 ? 0.5 : (first(sorted, value) + first(sorted, value, true) - 1) / 2 / last;
  }
}

/** The first place whose value is not below `value`; with `after`, the first above it. */
function first(sorted: Float64Array, value: number, after = false): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle] as number;
    if (other < value || (after && other === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function center(values: Float64Array, out: Float64Array): void {
  let [sum, count] = [0, 0];
  for (const value of values)
    if (!Number.isNaN(value)) {
      sum += value;
      count += 1;
    }
  for (let at = 0; at < values.length; at += 1) out[at] = (values[at] as number) - sum / count;
}

const safe = (value: number): number => (Number.isFinite(value) ? value : Number.NaN);

/** The operators of formulas over panels. `ts_` goes over days, `cs_` over instruments. */
export const OPERATORS: { readonly [name: string]: Operator } = {
  add: binary((x, y) => x + y),
  sub: binary((x, y) => x - y),
  mul: binary((x, y) => x * y),
  div: binary((x, y) => safe(x / y)),
  neg: unary((x) => -x),
  abs: unary(Math.abs),
  sign: unary(Math.sign),
  log: unary((x) => (x > 0 ? Math.log(x) : Number.NaN)),
  cs_rank: across(rank),
  cs_demean: across(center),
  ts_mean: windowed(mean),
  ts_std: windowed(deviation),
  ts_sum: windowed((values) => mean(values) * values.length),
  ts_min: windowed((values) => Math.min(...values)),
  ts_max: windowed((values) => Math.max(...values)),
  ts_delta: windowed((values) => (values.at(-1) as number) - (values[0] as number)),
  ts_return: windowed((values) => safe((values.at(-1) as number) / (values[0] as number) - 1)),
};
