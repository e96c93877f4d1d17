import { describe, expect, it } from "vitest";
import { random } from "./numbers.ts";
import {
  decideSigns,
  leastPairs,
  siblingAlpha,
  signBounds,
  signRatios,
  TRIAL_TEST,
  type Sign,
} from "./sequential-sign-test.ts";

const test = { ...TRIAL_TEST, alpha: siblingAlpha(TRIAL_TEST.alpha, 1) };
const signs = (share: number, next: () => number): Sign[] =>
  Array.from({ length: 150 }, () => (next() < share ? "win" : "loss"));

describe("a sequential sign test", () => {
  it("decides at the first pair at which it can, and not after", () => {
    const wins = Array.from({ length: 14 }, (): Sign => "win");
    expect(leastPairs(test)).toBe(14);
    expect(decideSigns(wins.slice(1), test).decision).toBe("open");
    expect(decideSigns(wins, test)).toEqual({ wins: 14, losses: 0, ties: 0, decision: "better" });
    expect(decideSigns([...wins, "loss", "loss"], test)).toEqual(decideSigns(wins, test));
  });

  it("has a path that ends at the pair that decides, at or beyond a bound", () => {
    const { lower, upper } = signBounds(test);
    const wins = Array.from({ length: 20 }, (): Sign => "win");
    const path = signRatios(wins, test);
    expect(path).toHaveLength(14);
    expect(path.at(-1)).toBeGreaterThanOrEqual(upper);
    expect(path.at(-2)).toBeLessThan(upper);
    const [tie, loss] = signRatios(["tie", "loss"], test);
    expect([tie, loss]).toEqual([0, expect.closeTo(Math.log(0.7))]);
    expect(lower).toBeCloseTo(Math.log(0.1 / 0.975));
    expect(signRatios([], test)).toEqual([]);
  });

  it("says no to losses, and cannot tell at the end", () => {
    expect(
      decideSigns(
        Array.from({ length: 9 }, (): Sign => "loss"),
        test,
      ).decision,
    ).toBe("no-better");
    const even = Array.from({ length: 150 }, (_, index): Sign => (index % 8 < 5 ? "win" : "loss"));
    expect(decideSigns(even, test)).toMatchObject({ decision: "better" });
    const ties = Array.from({ length: 150 }, (): Sign => "tie");
    expect(decideSigns(ties, test)).toEqual({ wins: 0, losses: 0, ties: 150, decision: "undecided" });
    expect(decideSigns(ties.slice(1), test).decision).toBe("open");
  });

  it("accepts few that are equal, and most at 0.7, each against two rivals", () => {
    const next = random("sequential");
    const accepted = (share: number) => {
      let count = 0;
      for (let nth = 0; nth < 2_000; nth += 1)
        if ([1, 2].every(() => decideSigns(signs(share, next), test).decision === "better")) count += 1;
      return count / 2_000;
    };
    expect(accepted(0.5)).toBeLessThan(0.005);
    expect(accepted(0.7)).toBeGreaterThan(0.89);
    let [better, nth] = [0, 0];
    for (; nth < 4_000; nth += 1) if (decideSigns(signs(0.5, next), test).decision === "better") better += 1;
    expect(better / nth).toBeLessThan(0.034);
  });

  it("risks no more with all siblings together than alone", () => {
    const sum = Array.from({ length: 10_000 }, (_, index) => siblingAlpha(0.05, index + 1)).reduce(
      (a, b) => a + b,
      0,
    );
    expect(sum).toBeLessThan(0.05);
    expect(sum).toBeGreaterThan(0.0499);
  });
});
