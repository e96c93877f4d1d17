import { describe, expect, it } from "vitest";
import { familyOf } from "./families.ts";
import { askedBy, bareReference, mergeOptions, problemOfOptions, readReference } from "./model-options.ts";
import type { RequestOptions } from "./model-options.ts";

describe("a reference", () => {
  it.each([
    ["openai/gpt-5.6", { model: "openai/gpt-5.6" }],
    ["openai/gpt-5.6?effort=high", { model: "openai/gpt-5.6", effort: "high" }],
    ["openai/m?effort=low&wire=responses", { model: "openai/m", effort: "low", wire: "responses" }],
    ["openai/m?wire=responses&effort=low", { model: "openai/m", effort: "low", wire: "responses" }],
    ["openrouter/a/b:free?effort=high", { model: "openrouter/a/b:free", effort: "high" }],
    ["openrouter/a/b:thinking", { model: "openrouter/a/b:thinking" }],
    ["ollama/gemma4:26b?effort=none", { model: "ollama/gemma4:26b", effort: "none" }],
    ["compatible/lab?effort=max", { model: "compatible/lab", effort: "max" }],
    [
      "compatible/lab/ada?skill=1&effort=low&seed=2",
      { model: "compatible/lab/ada?skill=1&seed=2", effort: "low" },
    ],
    ["compatible/lab/ada?skill=1", { model: "compatible/lab/ada?skill=1" }],
    ["ai-sdk/openai/gpt-5?effort=high", { model: "ai-sdk/openai/gpt-5", effort: "high" }],
    ["openai/m?effort=", { model: "openai/m", effort: "" }],
    ["openai/m?effort", { model: "openai/m", effort: undefined }],
    ["sim/ada?skill=1&effort=high", { model: "sim/ada?skill=1&effort=high" }],
    ["recorded/a?effort=high", { model: "recorded/a?effort=high" }],
  ])("%s is read", (ref, expected) => {
    expect(readReference(ref)).toEqual(expected);
  });

  it("is of its bare model's family", () => {
    expect(familyOf("ollama/phi?effort=high")).toBe("microsoft");
    expect(familyOf("openai/ft?effort=high", { "openai/ft": "mine" })).toBe("mine");
    expect(bareReference("compatible/lab/llama?effort=low")).toBe("compatible/lab/llama");
  });
});

describe("a member", () => {
  it.each([
    ["openai/m", { model: "openai/m?effort=high" }],
    ["openai/m?wire=responses", { model: "openai/m?wire=responses&effort=high" }],
    ["openai/m?effort=low", { model: "openai/m?effort=low" }],
    ["sim/ada?skill=1", { model: "sim/ada?skill=1&effort=high" }],
    ["recorded/a", { model: "recorded/a" }],
    ["human/ana", { model: "human/ana" }],
  ])("%s is asked with an effort", (ref, expected) => {
    expect(askedBy(ref, { effort: "low" }, { effort: "high" }, {})).toEqual(expected);
  });

  it("is asked with what is said last, field by field", () => {
    const options = [{ body: { a: 1, b: 1 } }, undefined, { body: { b: 2 }, headers: { x: "y" } }];
    expect(askedBy("openai/m", ...options)).toEqual({
      model: "openai/m",
      options: { body: { a: 1, b: 2 }, headers: { x: "y" } },
    });
    expect(mergeOptions({ body: {}, headers: {} }, undefined)).toBeUndefined();
  });
});

describe("options", () => {
  const deep = (levels: number): RequestOptions["body"] =>
    levels === 0 ? { x: 1 } : { x: deep(levels - 1) ?? {} };

  it.each<readonly [RequestOptions]>([
    [{}],
    [{ body: { seed: 7, stop: ["a"], reasoning: { max_tokens: 5 }, prompt_cache_key: "k" } }],
    [{ body: deep(6) }],
    [{ headers: { "OpenAI-Project": "p1", "anthropic-beta": "a,b", "HTTP-Referer": "https://x.example" } }],
  ])("%j are taken", (options) => {
    expect(problemOfOptions(options)).toBeUndefined();
  });

  it.each([
    ...["authorization", "Cookie", "x-api-key", "api-key", "X-Auth-Token", "proxy-authorization"],
    ...["x-goog-api-key", "set-cookie", "client-secret", "Ocp-Apim-Subscription-Key", "x-auth"],
  ])("hold no credential: the header %s", (name) => {
    expect(problemOfOptions({ headers: { [name]: "x" } })).toContain("carries a credential");
  });

  it.each([
    { api_key: "x" },
    { nested: { deeper: [{ access_token: "x" }] } },
    { password: "x" },
    { apiKey: "x" },
    { key: "x" },
    { client_secret: "x" },
  ])("hold no credential: the field %j", (body) => {
    expect(problemOfOptions({ body })).toContain("carries a credential");
  });

  it.each([
    [{ body: { note: "sk-proj-abcdefgh12345678" } }, '"note" holds what looks like a key'],
    [{ headers: { note: "sk-proj-abcdefgh12345678" } }, '"note" holds what looks like a key'],
    [{ body: { model: "x" } }, '"model" cannot be set here: Parley names the model'],
    [{ body: { stream: false } }, '"stream" cannot be set here'],
    [{ body: { tools: [] } }, '"tools" cannot be set here'],
    [{ body: { options: { num_ctx: 1 } } }, '"options.num_ctx" cannot be set here'],
    [{ body: { temperature: 1 } }, "or the setting temperatures"],
    [{ body: { text: "x".repeat(17_000) } }, "it has more than 16384 characters"],
    [{ body: deep(9) }, "is nested more than 8 deep"],
    [{ headers: { Host: "x" } }, '"Host" cannot be set here'],
    [{ headers: { "content-type": "x" } }, "cannot be set here"],
    [{ headers: { "a b": "x" } }, "is no name of a header"],
    [{ headers: { a: "x\r\nhost: y" } }, "must have 1 to 1000 plain characters"],
    [
      { headers: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`a${n}`, "x"])) },
      "more than 16 headers",
    ],
  ] satisfies (readonly [RequestOptions, string])[])("are bounded: %#", (options, expected) => {
    expect(problemOfOptions(options)).toContain(expected);
  });
});
