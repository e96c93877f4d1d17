import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cosine } from "./words.ts";

describe("cosine", () => {
  it.each([
    [[1, 0], [1, 0], 1],
    [[1, 0], [0, 3], 0],
    [[1, 2], [-2, -4], -1],
    [[1, 0], [1, 1], Math.SQRT1_2],
    [[3, 4, 0], [4, 3, 0], 24 / 25],
    [[1e300, 1e300], [1e300, 1e300], 1],
    [[1e-300, 0], [1e-300, 1e-300], Math.SQRT1_2],
    [[5e-324], [5e-324], 1],
  ])("of %j and %j is %d", (first, second, expected) => {
    expect(cosine(first, second)).toBeCloseTo(expected, 12);
  });

  it("is 0 without a direction", () => {
    expect(cosine([0, 0], [1, 2])).toBe(0);
    expect(cosine([1, 2], [0, -0])).toBe(0);
    expect(cosine([], [])).toBe(0);
  });

  it("refuses vectors of two lengths and what is no number", () => {
    expect(() => cosine([1], [1, 2])).toThrow(
      new RangeError("vectors of 1 and 2 numbers cannot be compared; embed both with one model"),
    );
    expect(() => cosine([Number.NaN], [1])).toThrow(RangeError);
    expect(() => cosine([1], [Number.POSITIVE_INFINITY])).toThrow(RangeError);
  });

  it("is symmetric, within its range, and blind to a positive factor", () => {
    const component = fc.double({ min: -1e150, max: 1e150, noNaN: true });
    const pair = fc.array(fc.tuple(component, component), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(pair, fc.double({ min: 0.5, max: 1e100, noNaN: true }), (components, factor) => {
        const first = components.map(([one]) => one);
        const second = components.map(([, other]) => other);
        const found = cosine(first, second);
        expect(Math.abs(found)).toBeLessThanOrEqual(1);
        expect(cosine(second, first)).toBeCloseTo(found, 12);
        if (first.every((value) => value === 0 || Math.abs(value) > 1e-150)) {
          const stretched = first.map((value) => value * factor);
          expect(cosine(stretched, second)).toBeCloseTo(found, 9);
        }
      }),
    );
  });
});
