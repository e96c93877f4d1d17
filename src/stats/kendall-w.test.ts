import { describe, expect, it } from "vitest";
import { kendallW } from "./rank-correlation.ts";

describe("kendallW", () => {
  it("gives the published figure for three interviewers (Siegel 1956, table 9.6: W = .16)", () => {
    const ranks = [
      [1, 6, 3, 2, 5, 4],
      [1, 5, 6, 4, 2, 3],
      [6, 3, 2, 5, 4, 1],
    ];
    expect(kendallW(ranks)).toBeCloseTo(0.1619, 4);
  });
  it("gives the published figure with ties (Siegel 1956, p. 235: W = .828)", () => {
    const ranks = [
      [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
      [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
      [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
    ];
    expect(kendallW(ranks)).toBeCloseTo(0.828, 3);
  });
  it("is 1 for one order, whatever the scale, and 0 for opposite orders", () => {
    expect(
      kendallW([
        [1, 2, 3],
        [10, 20, 30],
        [1, 5, 9],
      ]),
    ).toBeCloseTo(1, 12);
    expect(
      kendallW([
        [1, 1, 2],
        [1, 1, 2],
      ]),
    ).toBeCloseTo(1, 12);
    expect(
      kendallW([
        [1, 2, 3],
        [3, 2, 1],
      ]),
    ).toBe(0);
  });
  it("is null where it is not defined", () => {
    for (const rankings of [
      [],
      [[1]],
      [[1, 2], [1]],
      [
        [1, 2],
        [Number.NaN, 1],
      ],
      [
        [1, 1],
        [2, 2],
      ],
    ])
      expect(kendallW(rankings)).toBeNull();
  });
});
