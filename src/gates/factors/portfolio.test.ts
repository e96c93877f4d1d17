import { describe, expect, it } from "vitest";
import type { FactorPanel } from "./panel.ts";
import {
  earningsIn,
  meanTurnover,
  nextReturns,
  positionsFrom,
  rankCorrelation,
  sharpeRatio,
} from "./portfolio.ts";

const none = Number.NaN;

/** Four days of three instruments. */
const panel: FactorPanel = {
  days: 4,
  instruments: 3,
  fields: { close: Float64Array.of(10, 10, 10, 11, 10, 9, 11, none, 18, 22, 5, 18) },
};
/** Says to buy the first and sell the last; then the other way round; then two of which one is missing. */
const values = Float64Array.of(3, 2, 1, 1, 2, 3, none, 1, 5, 1, 1, 1);

const close = (list: readonly number[]) => list.map((value) => expect.closeTo(value, 12) as number);

it("a day's positions earn the next day's return, never the day's own", () => {
  const returns = nextReturns(panel);
  expect([...returns]).toEqual(close([0.1, 0, -0.1, 0, 0, 1, 1, 0, 0, 0, 0, 0]));
  const positions = positionsFrom(values, panel);
  expect([...positions]).toEqual(close([0.5, 0, -0.5, -0.5, 0, 0.5, 0, -0.5, 0.5, 0, 0, 0]));
  const earnings = earningsIn(values, { instruments: 3, returns }, { from: 0, to: 4 });
  expect([...earnings]).toEqual([...close([0.1, 0.5, 0]), none]);
});

it("tells how much is traded, from 0 to twice the book", () => {
  expect(meanTurnover(positionsFrom(values, panel), panel, 0)).toBeCloseTo((2 + 1 + 1) / 3, 12);
  expect(meanTurnover(positionsFrom(values, panel), panel, 3)).toBe(0);
});

it("correlates two books day by day, and leaves out days on which one has no positions", () => {
  const book = positionsFrom(values, panel);
  const other = positionsFrom(
    values.map((value) => -value),
    panel,
  );
  expect(rankCorrelation(book, book, panel)).toBeCloseTo(1, 12);
  expect(rankCorrelation(book, other, panel)).toBeCloseTo(-1, 12);
  expect(rankCorrelation(book, new Float64Array(12), panel)).toBeNull();
});

describe("a Sharpe ratio", () => {
  it("is the mean over the deviation, of a year, with 0 for days without positions", () => {
    expect(sharpeRatio(Float64Array.of(0.01, 0.03))).toBeCloseTo(
      (0.02 / Math.sqrt(2 * 0.01 ** 2)) * Math.sqrt(252),
      12,
    );
    expect(sharpeRatio(Float64Array.of(0.01, none, 0.03))).toBe(sharpeRatio(Float64Array.of(0.01, 0, 0.03)));
  });

  it.each([
    ["one day", [0.01]],
    ["earnings that do not vary", [0.5, 0.5, 0.5]],
    ["positions on less than half of the days", [0.01, none, none]],
  ])("is not there for %s", (_, earnings) => {
    expect(sharpeRatio(Float64Array.from(earnings))).toBeNull();
  });
});
