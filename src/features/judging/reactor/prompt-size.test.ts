import { describe, expect, it } from "vitest";
import { ModelRequest } from "../../../kernel/index.ts";
import { promptTokens, contextOverflow } from "../../../prompts/context-window.ts";

const asking = (text: string, changes: object = {}): ModelRequest =>
  ModelRequest.parse({
    model: "sim/x",
    messages: [{ role: "user", text }],
    maxOutputTokens: 100,
    ...changes,
  });
const tokens = (text: string) => promptTokens(asking(text)) - promptTokens(asking(""));

describe("promptTokens", () => {
  it.each([
    ["", 0],
    ["a b c", 3],
    ["cat", 1],
    ["cats", 2],
    ["two words", 3],
    ["12345", 5],
    ["a, b!", 4],
    ["\n\n", 2],
    ["         ", 3],
    ["год", 3],
    ["日本", 6],
    ["🎉", 4],
  ])("of %j are %i", (text, expected) => expect(tokens(text)).toBe(expected));

  it("count every message, and a schema", () => {
    expect(promptTokens(asking("a"))).toBe(9);
    const reply = { name: "x", schema: { type: "object" } };
    expect(promptTokens(asking("a", { reply }))).toBeGreaterThan(9);
  });
});

describe("contextOverflow", () => {
  it("is none up to the last token, and says how much it is", () => {
    const words = "cat ".repeat(92);
    expect(contextOverflow(asking(words), "a")).toBeNull();
    expect(contextOverflow(asking(words, { contextTokens: 200 }), "a")).toBeNull();
    expect(contextOverflow(asking(words, { contextTokens: 199 }), "the setting")).toBe(
      "about 100 tokens of prompt and 100 of reply do not fit into 199: the setting decides, and 256 would do",
    );
  });
});
