import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mcnemar } from "./proportions.ts";

/** Twice the tail by counting, in whole numbers. */
const counted = (b: number, c: number): number => {
  let tail = 0n;
  let choose = 1n;
  for (let k = 0; k <= Math.min(b, c); k += 1) {
    tail += choose;
    choose = (choose * BigInt(b + c - k)) / BigInt(k + 1);
  }
  return Math.min(1, (2 * Number(tail)) / 2 ** (b + c));
};

describe("mcnemar", () => {
  it("gives the tails of the binomial distribution", () => {
    expect(mcnemar(0, 6)).toBeCloseTo(2 / 64, 12);
    expect(mcnemar(9, 1)).toBeCloseTo(22 / 1_024, 12);
    expect(mcnemar(5, 1)).toBeCloseTo(14 / 64, 12);
  });
  it("is exact and does not depend on which arm is first", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), (b, c) => {
        expect(mcnemar(b, c)).toBeCloseTo(counted(b, c), 11);
        expect(mcnemar(c, b)).toBe(mcnemar(b, c));
      }),
    );
  });
  it("is 1 for equal arms and for none", () => {
    expect([mcnemar(0, 0), mcnemar(1, 1), mcnemar(40, 40)]).toEqual([1, 1, 1]);
  });
  it("stays a number where powers of two do not", () => {
    expect(mcnemar(5_000, 5_000)).toBe(1);
    // 200 of 10,000 beyond the middle are two standard deviations and a half: 0.0466 with the continuity correction.
    expect(mcnemar(5_100, 4_900)).toBeCloseTo(0.0466, 3);
    expect(mcnemar(0, 3_000)).toBe(0);
  });
  it("refuses what is no count", () => {
    expect(() => mcnemar(-1, 2)).toThrow(RangeError);
    expect(() => mcnemar(1, 0.5)).toThrow(RangeError);
  });
});
