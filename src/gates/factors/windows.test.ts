import * as fc from "fast-check";
import { expect, it } from "vitest";
import { OPERATORS } from "./operators.ts";
import { sized } from "../../../test/support/long.ts";

const none = Number.NaN;
const DAYS = 70;

/** What an operator says of a full window, written as plainly as can be. */
const PLAIN: Readonly<Record<string, (values: readonly number[]) => number>> = {
  ts_sum: (values) => values.reduce((sum, value) => sum + value, 0),
  ts_mean: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  ts_std: (values) => {
    const middle = values.reduce((sum, value) => sum + value, 0) / values.length;
    return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
  },
  ts_min: (values) => Math.min(...values),
  ts_max: (values) => Math.max(...values),
  ts_delta: (values) => (values.at(-1) ?? none) - (values[0] ?? none),
  ts_return: (values) => {
    const value = (values.at(-1) ?? none) / (values[0] ?? none) - 1;
    return Number.isFinite(value) ? value : none;
  },
};

function plainly(name: string, xs: Float64Array, window: number): number[] {
  return Array.from(xs, (_, at) => {
    const [day, one] = [Math.floor(at / 2), at % 2];
    const values = Array.from({ length: window }, (_, back) => xs[(day - back) * 2 + one] ?? none).reverse();
    return day + 1 < window || values.some(Number.isNaN) ? none : (PLAIN[name]?.(values) ?? none);
  });
}

const apply = (name: string, xs: Float64Array, { window = 0, from = 0 }) => {
  const out = new Float64Array(xs.length).fill(99);
  OPERATORS[name]?.apply({ args: [xs], window, size: { days: xs.length / 2, instruments: 2 }, from, out });
  return out;
};

const cell = fc.oneof(
  { weight: 60, arbitrary: fc.double({ min: -1e3, max: 1e3, noNaN: true }) },
  { weight: 5, arbitrary: fc.constantFrom(0, -0, 1, 1e6) },
  { weight: 1, arbitrary: fc.constant(none) },
);
const panels = fc
  .array(cell, { minLength: 2 * DAYS, maxLength: 2 * DAYS })
  .map((values) => Float64Array.from(values));

it.each(Object.keys(PLAIN))("%s in few passes gives what going through each window gives", (name) => {
  fc.assert(
    fc.property(panels, fc.constantFrom(2, 3, 5, 10, 20, 60), (xs, window) => {
      const expected = plainly(name, xs, window);
      for (const [at, value] of apply(name, xs, { window }).entries())
        if (Number.isNaN(expected[at])) expect(value).toBeNaN();
        else expect(Math.abs(value - (expected[at] ?? none))).toBeLessThanOrEqual(1e-7);
      const isExact = !["ts_sum", "ts_mean", "ts_std"].includes(name);
      if (isExact) expect([...apply(name, xs, { window })].map(plus0)).toEqual(expected.map(plus0));
    }),
    { numRuns: 60 },
  );
});

/** 0 and -0 are one value to every rank. */
const plus0 = (value: number) => value + 0;

it("what went before a window leaves no trace in it, and neither does the day on which the evaluation begins", () => {
  fc.assert(
    fc.property(
      panels,
      fc.constantFrom(...Object.keys(PLAIN)),
      fc.record({
        window: fc.constantFrom(2, 3, 5, 10, 20, 60),
        from: fc.integer({ min: 0, max: DAYS - 1 }),
      }),
      (xs, name, { window, from }) => {
        const whole = apply(name, xs, { window }).slice(from * 2);
        expect(apply(name, xs, { window, from }).slice(from * 2)).toEqual(whole);
        const since = Math.max(0, from - window + 1) * 2;
        const other = Float64Array.from(xs, (value, at) => (at < since ? 1e300 : value));
        expect(apply(name, other, { window }).slice(from * 2)).toEqual(
          since === 0 ? whole : apply(name, other, { window, from }).slice(from * 2),
        );
        expect(apply(name, other, { window, from }).slice(from * 2)).toEqual(whole);
      },
    ),
    { numRuns: sized(100) },
  );
});

it("has no deviation at all of equal values", () => {
  const xs = new Float64Array(2 * DAYS).fill(0.1);
  for (const window of [2, 3, 5, 10, 20, 60])
    expect([...apply("ts_std", xs, { window }).slice((window - 1) * 2)].every((value) => value === 0)).toBe(
      true,
    );
});
