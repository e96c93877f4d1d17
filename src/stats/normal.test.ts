import { describe, expect, it } from "vitest";
import { normalCdf, normalQuantile } from "./numbers.ts";

describe("normalCdf", () => {
  it.each([
    [0, 0.5],
    [1, 0.841344746068543],
    [-1.6448536269514722, 0.05],
    [1.959963984540054, 0.975],
    [-5, 2.866515718791939e-7],
    [40, 1],
    [-40, 0],
  ])("of %d is %d", (x, probability) => {
    expect(normalCdf(x)).toBeCloseTo(probability, 14);
  });
});

describe("normalQuantile", () => {
  it.each([
    [0.5, 0],
    [0.9, 1.2815515655446004],
    [0.975, 1.959963984540054],
    [0.005, -2.5758293035489004],
  ])("of %d is %d", (probability, x) => {
    expect(normalQuantile(probability)).toBeCloseTo(x, 12);
  });
});
