import { describe, expect, it } from "vitest";
import { contentWords } from "./words.ts";

describe("contentWords", () => {
  it("leaves out what says little, punctuation and repetition", () => {
    expect(
      contentWords("The cache is a **cache**: it should expire after 30s, and so will the Index."),
    ).toEqual(["cache", "expire", "30s", "index"]);
  });
  it("keeps what turns a sentence round, however it is written", () => {
    expect(contentWords("Do not use it. Don't, can’t, never without.")).toEqual([
      "not",
      "use",
      "never",
      "without",
    ]);
  });
  it("reads other scripts: words with their accents, one sign each where words are not spaced", () => {
    expect(contentWords("Über CAFÉ Ｐaris Москва naïve")).toEqual([
      "über",
      "café",
      "paris",
      "москва",
      "naïve",
    ]);
    expect(contentWords("東京はCity")).toEqual(["東", "京", "は", "city"]);
  });
  it("cuts words without end and finds none in signs", () => {
    expect(contentWords("x".repeat(90)).map((found) => found.length)).toEqual([40, 10]);
    expect(contentWords("--- ??? 😀")).toEqual([]);
  });
});
