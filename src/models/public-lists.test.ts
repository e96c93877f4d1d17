import { describe, expect, it } from "vitest";
import { readPublicList } from "./public-lists.ts";

/** A row as LiteLLM's list has them. */
const liteLlm = {
  ...{ litellm_provider: "openai", mode: "chat", max_input_tokens: 922_000, max_output_tokens: 128_000 },
  ...{ input_cost_per_token: 4e-7, output_cost_per_token: 1.6e-6, cache_read_input_token_cost: 1e-7 },
};
const read = (rows: object) => readPublicList(JSON.stringify(rows));
const modelsDev = (models: object, id = "openai") => read({ [id]: { id, name: "A provider", models } });
const devModel = { cost: { input: 2, output: 10 }, limit: { context: 1_050_000, output: 128_000 } };

describe("LiteLLM's list", () => {
  it("is read with rates of a million tokens, under the names that references have", () => {
    const list = read({
      sample_spec: {
        litellm_provider: "one of https://docs.litellm.ai",
        mode: "one of: chat",
        input_cost_per_token: 0,
      },
      "gpt-x": {
        ...liteLlm,
        cache_creation_input_token_cost: 5e-7,
        input_cost_per_token_above_272k_tokens: 8e-7,
        output_cost_per_token_above_272k_tokens: 2.4e-6,
        input_cost_per_token_above_512k_tokens: 9e-7,
        output_cost_per_token_above_512k_tokens: 3e-6,
        search_context_cost_per_query: { search_context_size_low: 0.01, search_context_size_medium: 0.02 },
        supports_vision: true,
        supports_pdf_input: false,
        supports_function_calling: true,
        supports_reasoning: true,
      },
      "gemini/gemini-x": { ...liteLlm, litellm_provider: "gemini", cache_read_input_token_cost: 0 },
      "together_ai/meta-llama/L": { ...liteLlm, litellm_provider: "together_ai" },
      "openrouter/z-ai/glm:free": {
        ...liteLlm,
        litellm_provider: "openrouter",
        input_cost_per_token: 0,
        output_cost_per_token: 0,
      },
      "xai/unpriced": {
        ...liteLlm,
        litellm_provider: "xai",
        input_cost_per_token: 0,
        output_cost_per_token: 0,
      },
      "text-embedding-x": { ...liteLlm, mode: "embedding" },
      "bedrock/us-gov/x": { ...liteLlm, litellm_provider: "bedrock" },
    });
    expect(list?.source).toBe("LiteLLM");
    const lengths = { context: 922_000, output: 128_000 };
    expect(list?.models).toEqual([
      {
        ...{ model: "openai/gpt-x", in: 0.4, out: 1.6, cached: 0.1, written: 0.5, search: 0.02, ...lengths },
        long: { above: 272_000, in: 0.9, out: 3 },
        ...{ pictures: true, documents: false, tools: true, thinks: true },
      },
      { model: "google/gemini-x", in: 0.4, out: 1.6, ...lengths },
      { model: "together/meta-llama/L", in: 0.4, out: 1.6, cached: 0.1, ...lengths },
      { model: "openrouter/z-ai/glm:free", in: 0, out: 0, cached: 0.1, ...lengths },
      { model: "xai/unpriced", ...lengths },
    ]);
    expect(list?.skipped).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["a negative price", { input_cost_per_token: -1e-6 }, "in"],
    ["a price in other units", { output_cost_per_token: 10 }, "out"],
    ["a length that is none", { max_output_tokens: 0.5 }, "output"],
    ["a length that is text", { max_input_tokens: "a lot" }, "context"],
    ["words for a fact", { supports_vision: "yes" }, "pictures"],
    ["a long price without its other half", { input_cost_per_token_above_200k_tokens: 1e-6 }, "long"],
  ])("leaves a row with %s out, says so, and takes the others", (_, wrong, field) => {
    const list = read({ "gpt-x": liteLlm, "gpt-y": { ...liteLlm, ...wrong } });
    expect(list?.models.map(({ model }) => model)).toEqual(["openai/gpt-x"]);
    expect(list?.skipped).toMatchObject([{ model: "openai/gpt-y", why: expect.stringContaining(field) }]);
  });

  it("takes no name that would act on a terminal, a file or an object", () => {
    const text = JSON.stringify({ "gpt-x": liteLlm, "gpt\u001b[31m": liteLlm, ["x".repeat(300)]: liteLlm });
    const list = readPublicList(
      text.replace("{", `{"__proto__":${JSON.stringify(liteLlm)},"constructor":7,`),
    );
    expect(list?.models.map(({ model }) => model)).toEqual(["openai/__proto__", "openai/gpt-x"]);
    expect(list?.skipped).toHaveLength(2);
    expect({}).not.toHaveProperty("mode");
  });
});

describe("models.dev's list", () => {
  it("is read with what a model takes and can", () => {
    const list = modelsDev({
      "gpt-x": {
        ...devModel,
        cost: {
          ...{ input: 2, output: 10, cache_read: 0.1, cache_write: 2.5 },
          tiers: [{ tier: { type: "context", size: 272_000 }, input: 4, output: 15, cache_read: 0.2 }],
        },
        ...{ tool_call: true, reasoning: true, modalities: { input: ["text", "image"], output: ["text"] } },
      },
      "gpt-old": {
        cost: { input: 1, output: 2, context_over_200k: { input: 2, output: 3 } },
        limit: { context: 0 },
      },
      "gpt-image": { ...devModel, modalities: { input: ["text"], output: ["image"] } },
    });
    expect(list).toMatchObject({ source: "models.dev", skipped: [] });
    expect(list?.models).toEqual([
      {
        ...{ model: "openai/gpt-x", in: 2, out: 10, cached: 0.1, written: 2.5 },
        long: { above: 272_000, in: 4, out: 15, cached: 0.2 },
        context: 1_050_000,
        output: 128_000,
        pictures: true,
        documents: false,
        tools: true,
        thinks: true,
      },
      { model: "openai/gpt-old", in: 1, out: 2, long: { above: 200_000, in: 2, out: 3 } },
    ]);
  });

  it("is read under the names that references have, and without providers that nobody can be asked at", () => {
    const all = { togetherai: { models: { "a/B": devModel } }, "some-plan": { models: { c: devModel } } };
    expect(read(all)?.models.map(({ model }) => model)).toEqual(["together/a/B"]);
  });

  it("leaves out rows that cannot be believed", () => {
    const list = modelsDev({ x: { ...devModel, cost: { input: 1e9, output: 1 } }, y: null, z: devModel });
    expect(list?.models.map(({ model }) => model)).toEqual(["openai/y", "openai/z"]);
    expect(list?.skipped).toMatchObject([{ model: "openai/x" }]);
  });
});

it.each(["", "not JSON", "[]", "null", "7", "{}", '{"a":1}', '{"a":{"b":{}}}', "<html></html>"])(
  "no list is read from %j",
  (text) => expect(readPublicList(text)).toBeUndefined(),
);
