import { describe, expect, it } from "vitest";
import { judgeLeans, type JudgedPair } from "./judge-leans.ts";
import type { Preference } from "./preference.ts";

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
    expect(leans[0]?.positionLean.low).toBeCloseTo(0.676 - 0.5, 3); // Wilson, 8 of 8
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

  it("of nothing finds nothing", () => expect(judgeLeans([])).toEqual([]));
});
