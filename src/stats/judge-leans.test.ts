import { describe, expect, it } from "vitest";
import { binomialAtMost } from "./proportions.ts";
import { judgeLeans, type JudgedPair } from "./judge-leans.ts";
import type { Preference } from "../replies/preference.ts";

const verdict = (winner: string): Preference =>
  winner === "A" || winner === "B" || winner === "tie"
    ? { ok: true, winner, reason: "" }
    : { ok: false, reason: "unreadable" };

/** `AB` is what a judge said in the first order and in the second one; `=` a tie, `?` unreadable. */
const pair = (said: string, lengths?: JudgedPair["lengths"], judge = "j"): JudgedPair => {
  const [first = "", second = ""] = said.split("").map((one) => (one === "=" ? "tie" : one));
  return { judge, first: verdict(first), second: verdict(second), lengths };
};

describe("judgeLeans", () => {
  it("finds no lean in a judge that keeps to its answers", () => {
    const [leans] = judgeLeans([pair("AB"), pair("BA"), pair("AB"), pair("BA")]);
    expect(leans).toMatchObject({
      judge: "j",
      pairs: 4,
      flipRate: { value: 0, n: 4, low: 0 },
      positionLean: { value: 0, n: 8 },
      lengthLean: { value: null, n: 0, low: null, high: null },
    });
  });

  it("finds the lean to the first, or to the second place", () => {
    const leans = judgeLeans([...Array.from({ length: 4 }, () => pair("AA")), pair("BB", undefined, "k")]);
    expect(
      leans.map(({ judge, flipRate, positionLean }) => [judge, flipRate.value, positionLean.value]),
    ).toEqual([
      ["j", 1, 0.5],
      ["k", 1, -0.5],
    ]);
    expect(leans[0]?.positionLean.high).toBe(0.5);
    // Four pairs, with half of AA, AB, BA and BB each: 10 of 12 verdicts, 0.8333 ± 1.96 · 0.1273.
    expect(leans[0]?.positionLean.low).toBeCloseTo(0.3333 - 1.96 * 0.1273, 3);
  });

  it("counts a tie for no place, but as a flip against a winner; what is unreadable counts nowhere as a pair", () => {
    const [leans] = judgeLeans([pair("=="), pair("A="), pair("?A"), pair("??")]);
    expect(leans).toMatchObject({
      pairs: 4,
      flipRate: { value: 0.5, n: 2 },
      positionLean: { value: 0.5, n: 2 },
    });
  });

  it("finds the lean to the longer answer, over the pairs that have one and were settled", () => {
    const long = { a: 9, b: 3 };
    const [leans] = judgeLeans([
      pair("AB", long),
      pair("AB", long),
      pair("AB", { a: 3, b: 9 }),
      pair("BA", { a: 3, b: 9 }),
      pair("AB", { a: 5, b: 5 }),
      pair("AA", long),
      pair("AB"),
    ]);
    expect(leans?.lengthLean).toMatchObject({ value: 0.25, n: 4 });
  });

  /** How often the interval holds the true lean, over all counts of AA among `pairs` of a judge who follows the place. */
  const coverage = (pairs: number, share: number): number => {
    const held = Array.from({ length: pairs + 1 }, (_, first) => {
      const said = Array.from({ length: pairs }, (__, index) => pair(index < first ? "AA" : "BB"));
      const [leans] = judgeLeans(said);
      const { low, high } = leans?.positionLean ?? {};
      const chance = binomialAtMost(first, pairs, share) - binomialAtMost(first - 1, pairs, share);
      return (low ?? 1) <= share - 0.5 && share - 0.5 <= (high ?? -1) ? chance : 0;
    });
    return held.reduce((sum, chance) => sum + chance, 0);
  };
  it.each([0.5, 0.6, 0.75, 0.9])(
    "holds the lean of a judge whose verdicts on a pair both follow the place, with %d for the first, 95 times in 100",
    (share) => {
      expect(coverage(60, share)).toBeGreaterThan(0.93);
      expect(coverage(60, share)).toBeLessThan(0.985);
    },
  );
  it("is the surer of its interval the more a judge keeps to its answers, and holds the lean found", () => {
    const width = (said: string[]) => {
      const [leans] = judgeLeans(said.map((one) => pair(one)));
      const { value, low, high } = leans?.positionLean ?? {};
      expect(low ?? 1).toBeLessThanOrEqual(value ?? Number.NaN);
      expect(high ?? -1).toBeGreaterThanOrEqual(value ?? Number.NaN);
      return (high ?? 0) - (low ?? 0);
    };
    const many = (...said: string[]) => Array.from({ length: 50 }, () => said).flat();
    expect(width(many("AB", "BA"))).toBeLessThan(width(many("AB", "BA", "AA", "BB").slice(0, 100)) / 2);
    for (const one of ["A?", "AA", "BB", "AB", "?B"])
      for (const pairs of [1, 2, 20, 2_000]) width(Array.from({ length: pairs }, () => one));
    expect(width(many("A?", "?B"))).toBeCloseTo(2 * 1.96 * Math.sqrt(0.25 / 100), 1);
  });

  it("of nothing finds nothing", () => expect(judgeLeans([])).toEqual([]));
});
