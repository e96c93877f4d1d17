import { describe, expect, it } from "vitest";
import { isFault, personModel } from "../kernel/index.ts";
import { contextTokensOf, refuseTooLong } from "./context-window.ts";

const settings = {
  compatible: {
    own: { url: "http://127.0.0.1:1/v1", keyEnv: undefined, context: 10_000 },
    lab: { url: "http://127.0.0.1:1", wire: "ollama", keyEnv: undefined },
  },
  respondContext: undefined,
} as const;

const models = { facts: (ref: string) => (ref.startsWith("openai/") ? { context: 20_000 } : {}) };

describe("a model's window", () => {
  it("is as large as a question and its files need where a server makes room for them", () => {
    expect(contextTokensOf("ollama/gemma4", settings)).toBe(8_192);
    expect(contextTokensOf("ollama/gemma4", settings, 9_000)).toBe(12_288);
    expect(contextTokensOf("compatible/lab/m", settings, 63_000)).toBe(65_536);
    expect(contextTokensOf("compatible/own/m", settings, 63_000)).toBe(10_000);
    expect(contextTokensOf("openai/gpt", settings, 63_000)).toBeUndefined();
    expect(contextTokensOf("ollama/gemma4", { ...settings, respondContext: 4_096 }, 63_000)).toBe(4_096);
  });

  const refused = (letters: number, model: string, text = 0): readonly string[] => {
    try {
      const participants = [{ id: "a", seat: "member", persona: { name: "A", instructions: "" }, model }];
      const context = [{ name: "f.txt", text: "x".repeat(text) }];
      const asked = { question: "x".repeat(letters), context, participants };
      refuseTooLong({ models, settings } as never, asked as never);
      return [];
    } catch (error) {
      return isFault(error, "configuration") ? [error.details.why, error.details.next] : ["?"];
    }
  };

  it("refuses what surely does not fit, files included, with what would do", () => {
    expect(refused(100_000, "openai/gpt")).toEqual([]);
    expect(refused(100_000, "openai/gpt", 100_000)).toEqual([
      "the question and its files have more than 25,000 tokens, and openai/gpt takes 20,000 with its reply",
      "attach less, or choose models that take 32,768 or more (parley models)",
    ]);
    expect(refused(80_000, "compatible/own/m")[1]).toContain("raise context of this endpoint (now 10000)");
  });

  it("is no reason against a model whose window nobody knows, or a person", () => {
    expect(refused(4_000_000, "mistral/unheard-of")).toEqual([]);
    expect(refused(4_000_000, personModel("ana"))).toEqual([]);
  });
});
