import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { condorcet } from "./ballot-rules.ts";

const skill = fc.double({ min: 0, max: 1, noNaN: true });
const size = fc.integer({ min: 1, max: 60 });

describe("condorcet", () => {
  it("is p³ + 3 p² (1 − p) for three, and what five of skill 0.7 come to", () => {
    expect(condorcet(0.6, 3)).toBeCloseTo(0.648, 12);
    expect(condorcet(0.7, 5)).toBeCloseTo(0.83692, 12);
  });
  it("gives one voter its own skill, and nobody a coin", () => {
    for (const p of [0, 0.2, 0.5, 0.9, 1]) {
      expect(condorcet(p, 1)).toBeCloseTo(p, 12);
      expect(condorcet(p, 0)).toBe(0.5);
    }
  });
  it("is certain for those who always or never are right", () => {
    for (const n of [1, 2, 3, 10]) expect([condorcet(1, n), condorcet(0, n)]).toEqual([1, 0]);
  });
  it("counts 2m voters as 2m − 1, and turns with right and wrong", () => {
    fc.assert(
      fc.property(skill, size, (p, m) => {
        expect(condorcet(p, 2 * m)).toBeCloseTo(condorcet(p, 2 * m - 1), 10);
        expect(condorcet(1 - p, m)).toBeCloseTo(1 - condorcet(p, m), 10);
      }),
    );
  });
  it("grows with the panel above one half", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.51, max: 0.9, noNaN: true }), size, (p, m) => {
        expect(condorcet(p, 2 * m + 1)).toBeGreaterThan(condorcet(p, 2 * m - 1) - 1e-12);
      }),
    );
  });
  it("comes to 1 for thousands", () => {
    expect(condorcet(0.55, 5_001)).toBeCloseTo(1, 9);
    expect(condorcet(0.5, 5_001)).toBeCloseTo(0.5, 9);
  });
  it("refuses what is no probability and no panel", () => {
    for (const [p, n] of [
      [1.1, 3],
      [Number.NaN, 3],
      [0.5, -1],
      [0.5, 2.5],
    ] as const)
      expect(() => condorcet(p, n)).toThrow(RangeError);
  });
});
