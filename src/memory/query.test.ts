import { describe, expect, it } from "vitest";
import { commonShare, embeddingText, parseQuery, matchShares } from "./query.ts";
import { engram } from "../../test/support/memory-samples.ts";

describe("queryOf", () => {
  it("takes a question apart, and looks at 4,000 of its characters", () => {
    expect(parseQuery("Did Jane Austen and JANE AUSTEN meet in 1,813?")).toMatchObject({
      words: ["jane", "austen", "meet", "1", "813"],
      entities: ["jane austen", "1813"],
    });
    const long = parseQuery(Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(" "));
    expect([long.text.length <= 4_000, long.words.length]).toEqual([true, 200]);
  });
});

describe("sharesOf", () => {
  const shares = (question: string, told: Parameters<typeof engram>[1]) =>
    matchShares(parseQuery(question), engram("a", told));
  it("counts the question's words in question, summary and entities", () => {
    const told = { question: "Who wrote Emma?", summary: "Austen did.", entities: ["1815"] };
    expect(shares("emma austen 1815 whales", told).words).toBe(0.75);
    expect(shares("", told)).toEqual({ words: 0, entities: 0 });
    expect(shares("who?", told).words).toBe(0);
  });
  it("counts its entities, also those that are part of another or have one as a part", () => {
    const told = { entities: ["Jane Austen", "1,813", "York"] };
    expect(shares("see Austen", told).entities).toBe(1);
    expect(shares("see New York", told).entities).toBe(1);
    expect(shares("see Jane Austen and Whales in 1813", told).entities).toBeCloseTo(2 / 3, 12);
    expect(shares("see Aust and Yorkshire", told).entities).toBe(0);
  });
});

describe("documentOf", () => {
  it("is question and summary, of a fact the fact", () => {
    expect(embeddingText({ question: "Why?", summary: "So.", entities: [] })).toBe("Why?\n\nSo.");
    expect(embeddingText({ question: "", summary: "So.", entities: [] })).toBe("So.");
  });
});

describe("commonShare", () => {
  it("is the common words of all words", () => {
    expect(commonShare(["a", "b", "c"], ["b", "c", "d"])).toBe(0.5);
    expect(commonShare(["a", "a"], ["a"])).toBe(1);
    expect(commonShare([], [])).toBe(0);
    expect(commonShare(["a"], [])).toBe(0);
  });
});
