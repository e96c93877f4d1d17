import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kendallTau } from "./rank-correlation.ts";

const tau = (first: string, second: string) => kendallTau(first.split(""), second.split(""));

describe("kendallTau", () => {
  it("counts pairs: one swap of neighbours costs two of all pairs", () => {
    expect(tau("abcd", "abdc")).toBeCloseTo(1 - 2 / 6, 12);
    expect(tau("abc", "cba")).toBe(-1);
  });
  it("looks at common candidates only", () => {
    expect(tau("axbyc", "zabc")).toBe(1);
    expect(tau("ab", "bc")).toBeNull();
    expect(tau("", "")).toBeNull();
  });
  it("is symmetric, turns its sign with a reversal, and stays in −1..1", () => {
    const order = fc.shuffledSubarray("abcdefg".split(""), { minLength: 2 });
    fc.assert(
      fc.property(order, order, (first, second) => {
        const value = kendallTau(first, second);
        expect(kendallTau(second, first)).toBe(value);
        if (value === null) return;
        expect(kendallTau(first.toReversed(), second)).toBeCloseTo(-value, 12);
        expect(Math.abs(value)).toBeLessThanOrEqual(1);
        expect(kendallTau(first, first)).toBe(1);
      }),
    );
  });
});
