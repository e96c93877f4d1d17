import { describe, expect, it } from "vitest";
import { effectiveVotes } from "./proportions.ts";

const uniform = (members: number, correlation: number) =>
  Array.from({ length: members }, (_, row) =>
    Array.from({ length: members }, (_, column) => (row === column ? 1 : correlation)),
  );

describe("effectiveVotes", () => {
  it("is n / (1 + (n − 1) r) for one correlation", () => {
    expect(effectiveVotes(uniform(3, 0.5))).toBeCloseTo(1.5, 12);
    expect(effectiveVotes(uniform(9, 0.4375))).toBeCloseTo(2, 12);
  });
  it("is n for independent and 1 for identical members", () => {
    expect(effectiveVotes(uniform(4, 0))).toBe(4);
    expect(effectiveVotes(uniform(4, 1))).toBe(1);
  });
  it("refuses what is no matrix of numbers", () => {
    for (const matrix of [
      [[1, 0.5], [0.5]],
      [[1, 0.5]],
      [
        [1, Number.NaN],
        [0, 1],
      ],
      [
        [1, Infinity],
        [0, 1],
      ],
    ])
      expect(() => effectiveVotes(matrix)).toThrow(RangeError);
  });
  it("stays between 1 and n", () => {
    expect(effectiveVotes(uniform(4, -0.2))).toBe(4);
    expect(effectiveVotes(uniform(3, -0.5))).toBe(3);
    expect(effectiveVotes(uniform(3, -1))).toBe(3);
    expect(effectiveVotes(uniform(2, 3))).toBe(1);
    expect(effectiveVotes([])).toBe(0);
  });
});
