import { describe, expect, it } from "vitest";
import { editDistance, findMeant, findNearest } from "./words.ts";
import { expectLinear } from "../../test/support/growth.ts";

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

describe("a word that somebody meant", () => {
  it.each([
    ["modles", ["models"], 0, "models"],
    ["mdoles", ["models"], 0, "models"],
    ["mdols", ["models"], 0, undefined], // two edits of a short word
    ["lsit", ["list"], 0, "list"],
    ["wxyz", ["list"], 0, undefined],
    ["mod", ["models"], 0, "models"], // its beginning
    ["--jsno", ["--json"], 2, "--json"],
    ["--jsnx", ["--json", "--user"], 2, undefined],
    ["x", [], 0, undefined],
  ])("%s among %j, %i of which say nothing, is %s", (...row) => {
    const [word, known, shared, expected] = row;
    expect(findMeant(word, known, shared)).toBe(expected);
  });
});

describe("a search among very many words", () => {
  const many = (name: (index: number) => string) => Array.from({ length: 50_000 }, (_, index) => name(index));
  it.each([
    ["short", "model-123", many((index) => `m${index}`)],
    ["long", "b".repeat(100), many((index) => String(index).padStart(100, "ab"))],
    ["ever nearer", "abc", many((index) => `${"z".repeat(100 - Math.floor(index / 500))}${index}`)],
    ["all begun by it", "aaa", many((index) => `${"a".repeat(90)}${index}`)],
    ["huge", "x".repeat(10_000), many(() => "y".repeat(1_000))],
  ])("takes linear time up to 50,000 names: %s", (_, word, known) => {
    expectLinear((size) => expect(findNearest(word, known.slice(0, size))).toBeDefined(), known.length / 8);
  });
});
