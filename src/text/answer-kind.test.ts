import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerSigns } from "../kernel/index.ts";
import { findMatchingRule, type AnswerTraits } from "./answer-kind.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

const fits = (when: object, traits: Partial<AnswerTraits>): boolean =>
  findMatchingRule([{ when: AnswerSigns.parse(when) }], {
    question: "",
    answer: "",
    tools: [],
    ...traits,
  }) !== null;

describe("kindOf", () => {
  it.each([
    ["code", "Write CODE for it", true],
    ["code", "decode it", false],
    ["code", "code2 is no word of it", false],
    ["code", "my_code", false],
    ["code", "a decode, then (code)!", true],
    ["write a poem", "Please write  a\npoem.", true],
    ["write a poem", "rewrite a poem", false],
    ["c++", "in C++?", true],
    [".*", "anything", false],
    [".*", "what does .* match?", true],
    ["(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!", false],
    ["don't", "I don’t know", true],
    ["café", "Un CAFE\u0301 noir", true],
    ["cafe", "un café", false],
    ["straße", "STRASSE", true],
    ["über", "ÜBER alles", true],
    ["ber", "Über", false],
    ["код", "напиши КОД", true],
    ["код", "кодекс", false],
    ["詩", "短い詩を書いて", true],
    ["𝒳", "𝒳y", false],
    ["x", "🎉x🎉", true],
    ["ﬁle", "the file", true],
  ])("finds %j as whole words of %j: %s", (phrase, text, found) => {
    expect(fits({ question: [phrase] }, { question: text })).toBe(found);
    expect(fits({ answer: [phrase] }, { answer: text })).toBe(found);
    expect(fits({ question: [phrase] }, { answer: text })).toBe(false);
  });

  it.each([
    [["any"], ["search"], false],
    ["any", ["search"], true],
    ["any", [], false],
    [["Web_Search", "fetch"], ["fetch"], true],
    [["web_search"], ["WEB_SEARCH"], true],
    [["search"], ["web_search"], false],
  ])("tools %j of %j: %s", (tools, called, found) => {
    expect(fits({ tools }, { tools: called })).toBe(found);
  });

  it.each([
    [3, "", true],
    [3, "one two, three.", true],
    [3, "one two three four", false],
    [3, "明日です", false],
    [4, "明日です", true],
  ])("at most %i words: %j is %s", (most, answer, found) =>
    expect(fits({ "at-most": most }, { answer })).toBe(found),
  );

  it("asks for every sign that is given, and for one phrase of each list", () => {
    const when = { tools: "any", question: ["save", "keep"], answer: ["done"], "at-most": 5 };
    const all = { tools: ["note"], question: "Keep it", answer: "It is done." };
    expect(fits(when, all)).toBe(true);
    expect(fits(when, { ...all, tools: [] })).toBe(false);
    expect(fits(when, { ...all, question: "Read it" })).toBe(false);
    expect(fits(when, { ...all, answer: "Not yet." })).toBe(false);
    expect(fits(when, { ...all, answer: "It is done as you wished it." })).toBe(false);
  });

  it("takes the first rule that fits, and none where none does", () => {
    const rules = [
      { kind: "one", when: { question: ["x"] } },
      { kind: "two", when: { answer: ["y"] } },
      { kind: "three", when: { question: ["x"], answer: ["y"] } },
    ];
    const traits = { question: "x", answer: "y", tools: [] };
    expect(findMatchingRule(rules, traits)?.kind).toBe("one");
    expect(findMatchingRule(rules.slice(1), traits)?.kind).toBe("two");
    expect(findMatchingRule(rules, { ...traits, question: "", answer: "" })).toBeNull();
    expect(findMatchingRule([], traits)).toBeNull();
  });

  it("finds every phrase between spaces, never throws, and takes linear time", () => {
    const some = fc
      .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
      .filter((text) => text.trim() !== "");
    fc.assert(
      fc.property(some, fc.string({ unit: "binary" }), (phrase, text) => {
        fits({ answer: [phrase] }, { answer: text });
        const around = { answer: `${text} ${phrase} ${text}` };
        expect(fits({ answer: [phrase.trim()] }, around)).toBe(true);
      }),
    );
    const phrases = { answer: Array.from({ length: 20 }, () => "aa") };
    expectLinearReading((answer) => fits(phrases, { answer }), ["a"]);
  });
});
