import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { isFault, personModel } from "../kernel/index.ts";
import { refuseTooLong } from "./context-sizes.ts";
import { windowOf } from "./context-window.ts";

const settings = {
  compatible: {
    own: { url: "http://127.0.0.1:1/v1", keyEnv: undefined, context: 10_000 },
    lab: { url: "http://127.0.0.1:1", wire: "ollama", keyEnv: undefined },
  },
  respondContext: undefined,
} as const;

const models = { facts: (ref: string) => (ref.startsWith("openai/") ? { context: 20_000 } : {}) };

const windowHere = (ref: string, needed?: number, own: object = {}) =>
  windowOf(ref, { models, settings: { ...settings, ...own } } as never, needed);

describe("a model's window", () => {
  it("is as large as a question and its files need where a server makes room for them", () => {
    expect(windowHere("ollama/gemma4")).toEqual({ contextTokens: 8_192 });
    expect(windowHere("ollama/gemma4", 9_000)).toEqual({ contextTokens: 12_288 });
    expect(windowHere("compatible/lab/m", 63_000)).toEqual({ contextTokens: 65_536 });
    expect(windowHere("compatible/own/m", 63_000)).toEqual({ contextTokens: 10_000 });
    expect(windowHere("ollama/gemma4", 63_000, { respondContext: 4_096 })).toEqual({ contextTokens: 4_096 });
  });

  it("is a list's where one says, and a usual one elsewhere: there the server refuses what is too long", () => {
    expect(windowHere("openai/gpt", 63_000)).toEqual({ contextTokens: 20_000, soft: true });
    expect(windowHere("mistral/unheard-of")).toEqual({ contextTokens: 32_768, soft: true });
  });

  const refused = async (
    question: string,
    model: string,
    { text = "", own = {}, asked = {}, env = { OLLAMA_HOST: "http://127.0.0.1:1" } } = {},
  ): Promise<readonly string[]> => {
    try {
      const participants = [{ id: "a", seat: "member", persona: { name: "A", instructions: "" }, model }];
      const context = [{ name: "f.txt", text }];
      await refuseTooLong(
        { env, models, settings: { ...settings, ...own } } as never,
        { question, context, participants, settings: asked } as never,
      );
      return [];
    } catch (error) {
      return isFault(error, "configuration") ? [error.details.why, error.details.next] : ["?"];
    }
  };

  it("refuses what surely does not fit, files included, with what would do", async () => {
    expect(await refused("x".repeat(100_000), "openai/gpt")).toEqual([]);
    expect(await refused("x".repeat(100_000), "openai/gpt", { text: "x".repeat(100_000) })).toEqual([
      "the question and its files have more than 25,000 tokens, and openai/gpt takes 20,000 with its reply",
      "attach less, or choose models that take 32,768 or more (parley models)",
    ]);
    const [, next] = await refused("x".repeat(80_000), "compatible/own/m");
    expect(next).toContain("raise context of this endpoint (now 10000)");
  });

  it("counts words, which no tokenizer joins", async () => {
    expect(await refused("a few words ".repeat(5_900), "openai/gpt")).toEqual([]);
    expect(await refused("a few words ".repeat(6_000), "openai/gpt")).toHaveLength(2);
    expect(await refused("1234567 ".repeat(6_000), "openai/gpt")).toHaveLength(2);
  });

  it("names respond-context where that decides, and only for those who are held to it", async () => {
    const given = { own: { respondContext: 3_000 }, asked: { contextTokens: 3_000 } };
    const [why, next] = await refused("word ".repeat(1_000), "openai/gpt", given);
    expect(why).toContain("openai/gpt takes 3,000 with its reply");
    expect(next).toBe("attach less, or raise respond-context (now 3000) to 3,072 or more");
    expect(await refused("word ".repeat(1_000), "openai/gpt", { own: given.own })).toEqual([]);
  });

  it("asks a server at home where a question is long, and is no reason against one that does not answer", async () => {
    const server = createServer((_request, response) =>
      response.end(JSON.stringify({ capabilities: [], model_info: { "gemma.context_length": 9_000 } })),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const env = { OLLAMA_HOST: `http://127.0.0.1:${port}` };
    try {
      expect(await refused("word ".repeat(3_000), "ollama/gemma4", { env })).toEqual([]);
      const [why] = await refused("word ".repeat(7_000), "ollama/gemma4", { env });
      expect(why).toMatch(/have about 14,\d+ tokens, and ollama\/gemma4 takes 9,000 with its reply$/);
      expect(await refused("word ".repeat(7_000), "ollama/gemma4")).toEqual([]);
    } finally {
      server.close();
    }
  });

  it("is no reason against a model whose window nobody knows, or a person", async () => {
    expect(await refused("x".repeat(4_000_000), "mistral/unheard-of")).toEqual([]);
    expect(await refused("x".repeat(4_000_000), personModel("ana"))).toEqual([]);
  });
});
