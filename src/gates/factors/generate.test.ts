import { expect, it } from "vitest";
import { evaluate, vocabularyOf } from "./evaluate.ts";
import { parseFormula } from "./formula.ts";
import { generatePrices, PLANTED_FORMULA } from "./generate.ts";
import { nextReturns } from "./portfolio.ts";
import { rankerFor } from "./ranks.ts";

const settings = { seed: 7, days: 200, instruments: 50, signal: 0 };

it("the same seed gives the same prices, another one others", () => {
  expect(generatePrices(settings)).toEqual(generatePrices(settings));
  expect(generatePrices({ ...settings, seed: 8 }).fields["close"]).not.toEqual(
    generatePrices(settings).fields["close"],
  );
  expect(generatePrices(settings).fields["close"]?.slice(0, 3)).toMatchInlineSnapshot(`
    Float64Array [
      12.350077867301595,
      11.123500300197168,
      21.155906245045273,
    ]
  `);
});

it("gives prices that prices can be", () => {
  const { open, high, low, close, volume } = generatePrices({ ...settings, signal: 0.2 }).fields;
  for (let at = 0; at < 200 * 50; at += 1) {
    const [o = 0, h = 0, l = 0, c = 0, v = 0] = [
      open?.[at],
      high?.[at],
      low?.[at],
      close?.[at],
      volume?.[at],
    ];
    expect(
      l > 0 && l <= Math.min(o, c) && h >= Math.max(o, c) && h < 1e9 && v > 0 && Number.isInteger(v),
    ).toBe(true);
  }
});

/** The mean correlation across the instruments of a formula's ranks with the next day's return. */
function informationOf(text: string, signal: number): number {
  const panel = generatePrices({ seed: "information", days: 500, instruments: 200, signal });
  const values = evaluate(parseFormula(text, vocabularyOf(panel)), panel);
  const returns = nextReturns(panel);
  const { ranks, rank } = rankerFor(200);
  let sum = 0;
  for (let day = 60; day < 499; day += 1) {
    rank(values, day * 200);
    let [mean, xy, yy, xx] = [0, 0, 0, 0];
    for (let one = 0; one < 200; one += 1) mean += (returns[day * 200 + one] ?? 0) / 200;
    for (let one = 0; one < 200; one += 1) {
      const [x, y] = [(ranks[one] ?? 0) - 99.5, (returns[day * 200 + one] ?? 0) - mean];
      [xy, xx, yy] = [xy + x * y, xx + x * x, yy + y * y];
    }
    sum += xy / Math.sqrt(xx * yy);
  }
  return sum / 439;
}

it("plants a signal of the strength that was asked for, and none without", () => {
  // The standard error of a mean of 439 correlations over 200 instruments is 0.0034.
  expect(informationOf(PLANTED_FORMULA, 0.1)).toBeGreaterThan(0.085);
  expect(informationOf(PLANTED_FORMULA, 0.1)).toBeLessThan(0.115);
  expect(Math.abs(informationOf(PLANTED_FORMULA, 0))).toBeLessThan(0.0115);
  expect(Math.abs(informationOf("ts_return(close, 5)", 0))).toBeLessThan(0.0115);
});

it("without a signal a close is on average the one before", () => {
  const panel = generatePrices({ seed: "drift", days: 1_000, instruments: 400, signal: 0 });
  const returns = nextReturns(panel);
  const mean = returns.reduce((sum, value) => sum + value, 0) / (999 * 400);
  // Nearly all of the variance of the mean is the market's: 1 % a day, over 999 days.
  expect(Math.abs(mean)).toBeLessThan((3.3 * 0.01) / Math.sqrt(999));
});
