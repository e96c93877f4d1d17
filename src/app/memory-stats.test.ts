import { describe, expect, it } from "vitest";
import { readContests, MIN_COMPARISONS } from "./memory.ts";

const contest = (wins: number, losses: number, ties = 0) => ({ wins, losses, ties });

describe("what comparisons show", () => {
  it("is nothing below 20 of them, however they fall, ties among them", () => {
    expect(MIN_COMPARISONS).toBe(20);
    expect(readContests([contest(19, 0), contest(20, 0), contest(10, 0, 10)])).toEqual([
      "too-few",
      "ahead",
      "ahead",
    ]);
    expect(readContests([])).toEqual([]);
  });

  it("is a lead where the sign test tells it, either way, and nothing where it does not", () => {
    // Two-sided: 5 of 20 has p 0.041, 6 of 20 has 0.115 (binomial tables).
    expect(readContests([contest(15, 5)])).toEqual(["ahead"]);
    expect(readContests([contest(5, 15)])).toEqual(["behind"]);
    expect(readContests([contest(14, 6)])).toEqual(["not-told-apart"]);
    expect(readContests([contest(0, 0, 40)])).toEqual(["not-told-apart"]);
  });

  it("is corrected for all rows that are tested together, and for no others", () => {
    const close = contest(15, 5);
    expect(readContests([close, contest(10, 10)])).toEqual(["not-told-apart", "not-told-apart"]);
    expect(readContests([close, contest(3, 3)])).toEqual(["ahead", "too-few"]);
    expect(readContests([contest(30, 0), close])).toEqual(["ahead", "ahead"]);
  });
});
