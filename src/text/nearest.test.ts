import { describe, expect, it } from "vitest";
import { distance, nearest } from "./words.ts";

describe("nearest", () => {
  it.each([
    ["modles", ["mode", "models", "goal"], "models"],
    ["max-cost", ["max-calls", "max-cost-usd"], "max-cost-usd"],
    ["RISK", ["balanced", "risk-averse"], "risk-averse"],
    ["", ["a", "bb"], "a"],
    ["x", [], undefined],
    ["zz", ["aa", "bb"], "aa"],
  ])("%s among %j is %s", (word, known, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });

  it("counts edits as Levenshtein does, and a swap as one", () => {
    expect(distance("kitten", "sitting")).toBe(3);
    expect(distance("ca", "ac")).toBe(1);
    expect(distance("modles", "models")).toBe(1);
    expect(distance("same", "SAME")).toBe(0);
    expect(distance("ab", "abcdef")).toBe(4);
    expect(distance("abc", "abcdef")).toBe(1);
  });

  it("takes no longer for a long word", () => {
    expect(nearest("m".repeat(1_000_000), ["m".repeat(1_000_000), "models"])).toHaveLength(1_000_000);
  });
});
