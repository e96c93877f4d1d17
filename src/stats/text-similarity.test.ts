import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { similarityOfRounds, textSimilarity } from "./text-similarity.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

describe("textSimilarity", () => {
  it("is the cosine of the counts of words and of pairs", () => {
    // a, b, a b against a, c, a c: one of three in common. a b a: a 2, b 1, a b 1, b a 1.
    expect(textSimilarity("a b", "a c")).toBeCloseTo(1 / 3, 12);
    expect(textSimilarity("a b a", "a")).toBeCloseTo(2 / Math.sqrt(7), 12);
  });

  it("does not see case, punctuation, Markdown and how signs are encoded", () => {
    expect(textSimilarity("## The **Plan**:\n- Use `Redis`.", "the plan use redis")).toBe(1);
    expect(textSimilarity("Ｃafé", "cafe\u0301")).toBe(1);
  });

  it("sees the order of words, and other scripts", () => {
    expect(textSimilarity("one two three", "three two one")).toBeCloseTo(0.6, 12);
    expect(textSimilarity("東京都", "東京")).toBeGreaterThan(0.7);
  });

  it("is 1 for two texts without words, and 0 for one", () => {
    expect([textSimilarity("", ""), textSimilarity("", " -- "), textSimilarity("", "word")]).toEqual([
      1, 1, 0,
    ]);
    expect(textSimilarity("apple", "banana")).toBe(0);
  });

  it("is symmetric, between 0 and 1, and 1 for the same words", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "#", "Ä"), { maxLength: 30 })
      .map((all) => all.join(" "));
    fc.assert(
      fc.property(text, text, (a, b) => {
        const found = textSimilarity(a, b);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1);
        expect(textSimilarity(b, a)).toBe(found);
        expect(textSimilarity(a, `${a.toLowerCase()} !`)).toBe(1);
      }),
    );
  });

  it("reads much in linear time, and lone surrogates", () => {
    expectLinearReading((text) => expect(textSimilarity(text, "x".repeat(text.length))).toBe(0), ["ab cd "]);
    expect(textSimilarity("a \ud800", "a")).toBe(1);
  });
});

describe("similarityOfRounds", () => {
  it("is the mean over those who are in both rounds", () => {
    const before = [
      { id: "ada", text: "one" },
      { id: "bob", text: "two" },
      { id: "cyd", text: "three" },
    ];
    const after = [
      { id: "bob", text: "four" },
      { id: "ada", text: "One." },
      { id: "dan", text: "three" },
    ];
    expect(similarityOfRounds(before, after)).toBe(0.5);
    expect(similarityOfRounds(before, [])).toBeNull();
    expect(similarityOfRounds([], after)).toBeNull();
  });
});
