import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wilson } from "./proportions.ts";

const trials = fc
  .integer({ min: 1, max: 400 })
  .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));

describe("wilson", () => {
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("gives the published interval of %d in %d (Newcombe 1998, table I)", (successes, n, ...bounds) => {
    const [low, high] = bounds;
    expect(wilson(successes, n)?.low).toBeCloseTo(low, 4);
    expect(wilson(successes, n)?.high).toBeCloseTo(high, 4);
  });
  // (s + z²/2 ∓ z √(s (n − s) / n + z²/4)) / (n + z²) with z = 1.959964, worked out apart from this program.
  it.each([
    [7.5, 10, 0.4422, 0.9191],
    [0.5, 1, 0.0546, 0.9454],
    [0.5, 20, 0.0026, 0.2005],
    [12.5, 25, 0.3175, 0.6825],
    [99.5, 100, 0.9539, 0.9995],
  ])("takes half a win: %d of %d", (successes, n, ...bounds) => {
    const interval = wilson(successes, n);
    expect([interval?.low, interval?.high]).toEqual(bounds.map((bound) => expect.closeTo(bound, 4)));
    const [less, more] = [wilson(successes - 0.5, n), wilson(successes + 0.5, n)];
    expect(interval?.low).toBeGreaterThan(less?.low ?? Number.NaN);
    expect(interval?.high).toBeLessThanOrEqual(more?.high ?? Number.NaN);
  });
  it("holds the shares that a score test at 95 % does not reject", () => {
    // At a bound the observed share is exactly z standard errors of that bound away.
    const interval = wilson(7, 50);
    for (const bound of [interval?.low ?? Number.NaN, interval?.high ?? Number.NaN])
      expect(Math.abs(7 / 50 - bound) / Math.sqrt((bound * (1 - bound)) / 50)).toBeCloseTo(1.9599639845, 9);
  });
  it("stays in 0..1, holds the share seen, and mirrors with successes and failures exchanged", () => {
    fc.assert(
      fc.property(trials, ([successes, n]) => {
        const { low, high } = wilson(successes, n) ?? { low: Number.NaN, high: Number.NaN };
        const mirrored = wilson(n - successes, n);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(successes / n);
        expect(high).toBeGreaterThanOrEqual(successes / n);
        expect(high).toBeLessThanOrEqual(1);
        expect(mirrored?.low).toBeCloseTo(1 - high, 12);
      }),
    );
  });
  it("is exactly 0 below nothing and 1 above everything, and null without trials", () => {
    for (const n of [1, 3, 7, 29, 1_000]) {
      expect(wilson(0, n)?.low).toBe(0);
      expect(wilson(n, n)?.high).toBe(1);
    }
    expect(wilson(0, 0)).toBeNull();
  });
  it.each([
    [-1, 3],
    [4, 3],
    [1.25, 3],
    [1.5, 3.5],
    [1, Number.NaN],
  ])("refuses %d of %d", (successes, n) => {
    expect(() => wilson(successes, n)).toThrow(RangeError);
  });
});
