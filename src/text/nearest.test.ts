import { describe, expect, it } from "vitest";
import { editDistance, findNearest } from "./words.ts";

describe("nearest", () => {
  it.each([
    ["modles", ["mode", "models", "goal"], "models"],
    ["max-cost", ["max-calls", "max-cost-usd"], "max-cost-usd"],
    ["RISK", ["balanced", "risk-averse"], "risk-averse"],
    ["", ["a", "bb"], "a"],
    ["x", [], undefined],
    ["zz", ["aa", "bb"], "aa"],
  ])("%s among %j is %s", (word, known, expected) => {
    expect(findNearest(word, known)).toBe(expected);
  });

  it("counts edits as Levenshtein does, and a swap as one", () => {
    expect(editDistance("kitten", "sitting")).toBe(3);
    expect(editDistance("ca", "ac")).toBe(1);
    expect(editDistance("modles", "models")).toBe(1);
    expect(editDistance("same", "SAME")).toBe(0);
    expect(editDistance("ab", "abcdef")).toBe(4);
    expect(editDistance("abc", "abcdef")).toBe(1);
  });

  it("takes no longer for a long word", () => {
    expect(findNearest("m".repeat(1_000_000), ["m".repeat(1_000_000), "models"])).toHaveLength(1_000_000);
  });
});
