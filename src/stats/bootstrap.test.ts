import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bootstrap } from "./bootstrap.ts";
import { normalQuantile, random } from "./numbers.ts";

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values: readonly number[]) => mean(values.map((value) => (value - mean(values)) ** 2));

// Efron & Tibshirani 1993, table 14.1: 26 neurologically impaired children in a test of spatial perception.
const spatial = [
  48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41,
];

describe("bootstrap", () => {
  it("gives the published intervals of a variance (E&T 14.2: 100.8 to 233.9)", () => {
    const options = { seed: "spatial", confidence: 0.9, resamples: 3_999 };
    const percentile = bootstrap(spatial, variance, options);
    expect(percentile?.estimate).toBeCloseTo(171.5, 1);
    // Published from 2,000 random resamples, so known to a few units only.
    for (const [found, published] of [
      [percentile?.low, 100.8],
      [percentile?.high, 233.9],
    ] as const)
      expect(Math.abs((found ?? 0) - published)).toBeLessThan(6);
  });
  it("comes near the normal interval for the mean of many", () => {
    const sample = Array.from({ length: 400 }, (_, index) => normalQuantile((index + 0.5) / 400));
    const found = bootstrap(sample, mean, { seed: 1 });
    expect(found?.low).toBeCloseTo(-1.96 / 20, 1.7);
    expect(found?.high).toBeCloseTo(1.96 / 20, 1.7);
  });
  it("holds the true mean about as often as it says", () => {
    const next = random("coverage");
    const held = Array.from({ length: 300 }, (_, trial) => {
      const sample = Array.from({ length: 40 }, () => normalQuantile(next()));
      const { low, high } = bootstrap(sample, mean, { seed: trial, resamples: 199, confidence: 0.9 }) ?? {
        low: 1,
        high: -1,
      };
      return Number(low <= 0 && high >= 0);
    });
    expect(mean(held)).toBeGreaterThan(0.84);
    expect(mean(held)).toBeLessThan(0.95);
  });
  it("takes the order statistics that its shares name", () => {
    // Of the resamples' values 1 to 999 the 50th from either end.
    let call = 0;
    const counted = bootstrap([0], () => (call += 1) - 1, { seed: 0, confidence: 0.9, resamples: 999 });
    expect([counted?.low, counted?.high]).toEqual([50, 950]);
  });
  it("depends on its seed alone, and moves with it", () => {
    const once = () => bootstrap(spatial, mean, { seed: "a", resamples: 199 });
    expect(once()).toEqual(once());
    expect(bootstrap(spatial, mean, { seed: "b", resamples: 199 })).not.toEqual(once());
  });
  it("stays within what the sample can give, and shifts and scales with it", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 12 }), (sample) => {
        const options = { seed: 7, resamples: 99 };
        const { low, high } = bootstrap(sample, mean, options) ?? { low: Number.NaN, high: Number.NaN };
        expect(low).toBeGreaterThanOrEqual(Math.min(...sample));
        expect(high).toBeLessThanOrEqual(Math.max(...sample));
        expect(low).toBeLessThanOrEqual(high);
        const moved = bootstrap(
          sample.map((value) => 4 * value + 8),
          mean,
          options,
        );
        expect(moved?.low).toBeCloseTo(4 * low + 8, 6);
      }),
      { numRuns: 60 },
    );
  });
  it("has no width for a sample that does not vary, and is null for none", () => {
    expect(bootstrap([3, 3, 3], mean, { seed: 0 })).toEqual({ estimate: 3, low: 3, high: 3 });
    expect(bootstrap([], mean, { seed: 0 })).toBeNull();
  });
  it("draws observations of any kind", () => {
    const pairs: [string, boolean][] = [
      ["a", true],
      ["b", false],
    ];
    const found = bootstrap(pairs, (drawn) => drawn.filter(([, right]) => right).length / drawn.length, {
      seed: 0,
    });
    expect([found?.low, found?.high]).toEqual([0, 1]);
  });
  it("needs no options: 95 %, from a seed of its own", () => {
    const told = { seed: "parley", confidence: 0.95, resamples: 1_999 };
    expect(bootstrap(spatial, mean)).toEqual(bootstrap(spatial, mean, told));
    expect(bootstrap(spatial, mean, {})).toEqual(bootstrap(spatial, mean, told));
  });
  it("refuses what gives no interval", () => {
    expect(() => bootstrap([1], () => Number.NaN, { seed: 0 })).toThrow(RangeError);
    expect(() => bootstrap([1], mean, { seed: 0, confidence: 1 })).toThrow(RangeError);
    expect(() => bootstrap([1], mean, { seed: 0, resamples: 0 })).toThrow(RangeError);
  });
});
