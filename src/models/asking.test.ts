import { describe, expect, it } from "vitest";
import { ModelRef, type Call, type ModelRequest } from "../kernel/model.ts";
import {
  chatEnd,
  chunk,
  openFakeServer,
  refuse,
  stream,
  type Answer,
  type Received,
} from "../../test/support/fake-server.ts";
import { createModels, type ModelsOptions } from "./models.ts";

const KEY = "sk-test-0123456789abcdef";
const plain: ModelRequest = {
  model: ModelRef.parse("openai/m"),
  messages: [{ role: "user", text: "hello" }],
  maxOutputTokens: 8_000,
  temperature: 0.7,
};

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
/** A whole reply on the wire that was asked over. */
const answer: Answer = (response, { path }) => {
  if (path.includes("/api/chat")) {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.end(`${JSON.stringify({ message: { content: "yes" }, done: true, eval_count: 1 })}\n`);
  } else if (path.includes("/v1/messages"))
    stream(
      response,
      event({ type: "message_start", message: { usage: { input_tokens: 1 } } }) +
        event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "yes" } }) +
        event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } }) +
        event({ type: "message_stop" }),
    );
  else if (path.includes("/responses"))
    stream(
      response,
      event({ type: "response.output_text.delta", delta: "yes" }) +
        event({
          type: "response.completed",
          response: {
            status: "completed",
            output: [{ type: "message", content: [{ type: "output_text", text: "yes" }] }],
          },
        }),
    );
  else stream(response, chunk("yes") + chatEnd());
};

const VARIABLES: Readonly<Record<string, string>> = {
  openai: "OPENAI_BASE_URL",
  anthropic: "ANTHROPIC_BASE_URL",
  google: "GEMINI_BASE_URL",
  openrouter: "OPENROUTER_BASE_URL",
  mistral: "MISTRAL_BASE_URL",
  groq: "GROQ_BASE_URL",
  deepseek: "DEEPSEEK_BASE_URL",
  xai: "XAI_BASE_URL",
  together: "TOGETHER_BASE_URL",
  ollama: "OLLAMA_HOST",
  lmstudio: "LMSTUDIO_HOST",
};

type Sent = {
  readonly bodies: readonly Record<string, unknown>[];
  readonly received: readonly Received[];
  readonly calls: readonly Call[];
};

/** Asks once for each request, over one process's models, and shows what the server was sent. */
async function ask(
  requests: readonly Partial<Omit<ModelRequest, "model">>[] | Partial<Omit<ModelRequest, "model">>,
  { ref, by = answer, ...options }: { readonly ref: string; readonly by?: Answer } & Partial<ModelsOptions>,
): Promise<Sent> {
  await using server = await openFakeServer(by);
  const places = Object.values(VARIABLES).map((name) => [name, server.url] as const);
  const models = createModels({
    env: { ...Object.fromEntries(places), KEY, ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY },
    compatible: {
      box: { url: `${server.url}/v1` },
      home: { url: `${server.url}/v1`, local: true },
      azure: {
        url: `${server.url}/openai/deployments/gpt?api-version=2024-10-21`,
        keyEnv: "KEY",
        model: "gpt",
        auth: { header: "api-key" },
      },
      gateway: { url: `${server.url}/v1`, keyEnv: "KEY", auth: { header: "X-Gate", scheme: "Token" } },
    },
    ...options,
  });
  const calls: Call[] = [];
  for (const request of [requests].flat())
    calls.push(
      await models.complete(
        { ...plain, ...request, model: ModelRef.parse(ref) },
        { signal: new AbortController().signal },
      ),
    );
  await models.close();
  const bodies = server.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return { bodies, received: server.received, calls };
}

const reasoning = (effort: string) => ({ reasoning_effort: effort });

describe("thinking that nobody asked for", () => {
  const thoughts = { extra_body: { google: { thinking_config: { include_thoughts: true } } } };
  it.each<readonly [ref: string, fields: object]>([
    ["google/gemini-2.5-flash", thoughts],
    ["openai/gpt-5-pro", { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] }],
    ["google/gemini-2.5-flash?effort=none", reasoning("none")],
    ["google/gemini-of-tomorrow", {}],
    ["openai/gpt-5.6-sol", {}],
    ["openai/gpt-4.1?wire=responses", {}],
    ["anthropic/claude-haiku-4-5", {}],
  ])("is to be shown where the model is known to think, and its API takes that: %s", async (ref, fields) => {
    const { bodies } = await ask({}, { ref });
    const keys = ["reasoning", "reasoning_effort", "include", "extra_body", "thinking"];
    const sent = Object.entries(bodies[0] ?? {}).filter(([key]) => keys.includes(key));
    expect(Object.fromEntries(sent)).toEqual(fields);
  });

  it.each([
    ["openai/gpt-5-pro", "Your organization must be verified to generate reasoning summaries."],
    ["openai/gpt-5-pro", "Unsupported parameter: 'reasoning' is not supported with this model."],
    ["google/gemini-2.5-flash", "Thinking is not supported by this model."],
  ])("is not asked for again where %s refuses it, and nothing is missing: %s", async (ref, words) => {
    const by: Answer = (response, received, nth) =>
      nth === 1 ? refuse(response, { status: 400, message: words }) : answer(response, received, nth);
    const { bodies, calls } = await ask([{}, {}], { ref, by });
    expect(calls).toMatchObject([
      { ok: true, attempts: 2 },
      { ok: true, attempts: 1 },
    ]);
    expect(calls.map(({ without }) => without)).toEqual([undefined, undefined]);
    expect(bodies.map((body) => "reasoning" in body || "extra_body" in body)).toEqual([true, false, false]);
  });
});

describe("an effort", () => {
  it.each<readonly [ref: string, fields: object]>([
    ["openai/gpt-5.6?effort=high", { model: "gpt-5.6", ...reasoning("high") }],
    ["openai/gpt-5.6?effort=max", reasoning("max")],
    [
      "openai/gpt-5.6?effort=low&wire=responses",
      {
        model: "gpt-5.6",
        reasoning: { effort: "low", summary: "auto" },
        include: ["reasoning.encrypted_content"],
        store: false,
      },
    ],
    ["openai/gpt-5-pro?effort=none", { reasoning: { effort: "none" } }],
    [
      "anthropic/claude-opus-4-7?effort=xhigh",
      {
        model: "claude-opus-4-7",
        thinking: { type: "adaptive", display: "summarized" },
        output_config: { effort: "xhigh" },
      },
    ],
    ["anthropic/claude-fable-5-1?effort=max", { output_config: { effort: "max" } }],
    ["anthropic/claude-mythos-preview?effort=low", { output_config: { effort: "low" } }],
    [
      "anthropic/claude-sonnet-4-5-20250929?effort=high",
      { thinking: { type: "enabled", budget_tokens: 6_400 } },
    ],
    ["anthropic/claude-opus-4-20250514?effort=low", { thinking: { type: "enabled", budget_tokens: 1_600 } }],
    [
      "anthropic/claude-3-7-sonnet-latest?effort=medium",
      { thinking: { type: "enabled", budget_tokens: 4_000 } },
    ],
    ["anthropic/claude-opus-5?effort=none", { thinking: { type: "disabled" } }],
    [
      "google/gemini-3.1-pro?effort=high",
      { ...reasoning("high"), extra_body: { google: { thinking_config: { include_thoughts: true } } } },
    ],
    ["google/gemini-2.5-flash?effort=none", reasoning("none")],
    [
      "openrouter/deepseek/deepseek-v4:free?effort=high",
      { model: "deepseek/deepseek-v4:free", reasoning: { effort: "high" }, usage: { include: true } },
    ],
    ["deepseek/deepseek-v4-pro?effort=max", { thinking: { type: "enabled" }, ...reasoning("max") }],
    ["deepseek/deepseek-v4-pro?effort=none", { thinking: { type: "disabled" } }],
    ["xai/grok-4.6?effort=xhigh", reasoning("xhigh")],
    ["groq/qwen/qwen3-32b?effort=default", { ...reasoning("default"), reasoning_format: "parsed" }],
    ["groq/openai/gpt-oss-120b?effort=low", reasoning("low")],
    ["mistral/mistral-medium-3-5?effort=high", reasoning("high")],
    ["mistral/magistral-medium-latest?effort=high", { prompt_mode: "reasoning" }],
    ["mistral/magistral-medium-latest?effort=none", { prompt_mode: null }],
    ["together/openai/gpt-oss-20b?effort=low", reasoning("low")],
    ["together/Qwen/Qwen3.5-9B?effort=none", { reasoning: { enabled: false } }],
    ["together/zai-org/GLM-5?effort=high", { reasoning: { enabled: true }, ...reasoning("high") }],
    ["ollama/gpt-oss:20b?effort=low", { model: "gpt-oss:20b", think: "low" }],
    ["ollama/qwen3?effort=on", { think: true }],
    ["ollama/qwen3?effort=none", { think: false }],
    ["lmstudio/gpt-oss?effort=medium", reasoning("medium")],
    ["compatible/box/m?effort=ultra", reasoning("ultra")],
    ["compatible/box/ada?skill=1&effort=low", { model: "ada?skill=1", ...reasoning("low") }],
    [
      "compatible/home/m?effort=none",
      { ...reasoning("none"), chat_template_kwargs: { enable_thinking: false } },
    ],
  ])("of %s is asked for as its provider takes it", async (ref, fields) => {
    const { bodies, calls } = await ask({}, { ref });
    expect(calls).toMatchObject([{ ok: true, reply: "yes", model: ref }]);
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatchObject(fields);
  });

  it.each([
    ["groq/openai/gpt-oss-120b?effort=low", ["reasoning_format"]],
    ["google/gemini-2.5-flash?effort=none", ["extra_body"]],
    ["deepseek/deepseek-v4-pro?effort=none", ["reasoning_effort"]],
    ["openai/gpt-5-pro?effort=none", ["include"]],
    ["anthropic/claude-opus-5?effort=none", ["output_config"]],
    ["openai/gpt-5.6", ["reasoning_effort"]],
  ])("of %s brings no other field", async (ref, absent) => {
    const { bodies } = await ask({}, { ref });
    for (const field of absent) expect(bodies[0]).not.toHaveProperty(field);
  });

  it("stands beside a form that is asked for", async () => {
    const reply = { name: "r", schema: { type: "object" } };
    const { bodies } = await ask({ reply }, { ref: "anthropic/claude-opus-5?effort=low" });
    expect(bodies[0]).toMatchObject({
      output_config: { effort: "low", format: { type: "json_schema", schema: reply.schema } },
    });
  });

  it.each(["claude-opus-4-7", "claude-sonnet-4-5"])("of %s leaves its temperature to it", async (model) => {
    const { bodies, calls } = await ask({}, { ref: `anthropic/${model}?effort=high` });
    expect(bodies[0]).not.toHaveProperty("temperature");
    expect(calls[0]).toMatchObject({ ok: true, attempts: 1, without: ["temperature"] });
  });

  it("is left out where the reply has no room to think", async () => {
    const { bodies, calls } = await ask(
      { maxOutputTokens: 1_000 },
      { ref: "anthropic/claude-haiku-4-5?effort=low" },
    );
    expect(bodies[0]).toMatchObject({ max_tokens: 1_000, temperature: 0.7 });
    expect(bodies[0]).not.toHaveProperty("thinking");
    expect(calls[0]).toMatchObject({ ok: true, without: ["effort"] });
  });

  it.each([
    ["openai/gpt-5.6?effort=hihg", 'openai takes no effort "hihg" (it takes none, minimal, low, '],
    ["anthropic/claude-opus-5?effort=minimal", "(it takes none, low, medium, high, xhigh, max)"],
    ["xai/grok-4.6?effort=max", "(it takes none, low, medium, high, xhigh)"],
    ["ollama/qwen3?effort=", "(it takes none, on, low, medium, high, max)"],
    ["compatible/box/m?effort=a%20b", 'compatible/box takes no effort "a%20b"'],
  ])("that is unknown is refused: %s", async (ref, words) => {
    const { calls, received } = await ask({}, { ref });
    expect(received).toEqual([]);
    expect(calls[0]).toMatchObject({ ok: false, failure: { code: "refused" } });
    expect(calls[0]?.ok === false && calls[0].failure.message).toContain(words);
  });
});

describe("how words are chosen", () => {
  const sampling = { top_p: 0.9, presence_penalty: 1, frequency_penalty: -1, seed: 7 };
  const config = { topP: 0.9, presencePenalty: 1, frequencyPenalty: -1, seed: 7 };
  const others = ["body.presence_penalty", "body.frequency_penalty", "body.seed"];
  it.each<{ ref: string; fields: object; without?: readonly string[]; search?: number }>([
    { ref: "openai/gpt-4.1", fields: sampling },
    { ref: "openai/gpt-4.1?wire=responses", fields: { top_p: 0.9 }, without: others },
    { ref: "anthropic/claude-haiku-4-5", fields: { top_p: 0.9 }, without: others },
    { ref: "ollama/m", fields: { options: { ...sampling, top_k: 3, num_predict: 8_000, temperature: 0.7 } } },
    { ref: "google/gemini-3.1-pro", fields: { generationConfig: config }, search: 1 },
  ])("is said where $ref has it, beside what the wire nests", async ({ ref, fields, without, search }) => {
    const body = { ...sampling, options: { top_k: 3 } };
    const more = search === undefined ? {} : { search };
    const { bodies, calls } = await ask({ options: { body }, ...more }, { ref });
    expect(bodies[0]).toMatchObject(fields);
    const top = Object.keys(bodies[0] ?? {}).filter((name) => Object.hasOwn(sampling, name));
    expect(top).toEqual(Object.keys(sampling).filter((name) => Object.hasOwn(fields, name)));
    if (search === undefined) expect(calls[0]?.ok && calls[0].without).toEqual(without);
  });
});

it("says that a model thinks, or does not", async () => {
  const models = createModels({ env: {} });
  const thinks = (ref: string) => models.facts?.(ModelRef.parse(ref)).thinks;
  expect([thinks("openai/m?effort=low"), thinks("openai/m?effort=none")]).toEqual([true, false]);
  await models.close();
});

type Refusal = {
  readonly ref: string;
  readonly words: string;
  readonly without: readonly string[];
  readonly over?: Partial<Omit<ModelRequest, "model">>;
};

const body = { top_k: 40, service_tier: "flex" };
const REFUSALS: readonly (readonly [what: string, refusal: Refusal])[] = [
  [
    "a temperature that is fixed",
    {
      ref: "openai/gpt-5",
      words:
        "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
      without: ["temperature"],
    },
  ],
  [
    "a temperature that Kimi fixes",
    {
      ref: "compatible/box/kimi-k2.5",
      words: "invalid temperature: only 1 is allowed for this model",
      without: ["temperature"],
    },
  ],
  [
    "a temperature that is deprecated",
    {
      ref: "anthropic/claude-opus-5",
      words: "`temperature` is deprecated for this model",
      without: ["temperature"],
    },
  ],
  [
    "a temperature beside thinking",
    {
      ref: "anthropic/claude-sonnet-4-5",
      words:
        "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation",
      over: { options: { body: { thinking: { type: "enabled", budget_tokens: 2_000 } } } },
      without: ["temperature"],
    },
  ],
  [
    "a temperature beside top_p",
    {
      ref: "anthropic/claude-sonnet-4-5",
      words: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
      over: { options: { body: { top_p: 0.9 } } },
      without: ["temperature"],
    },
  ],
  [
    "an effort of OpenAI's",
    {
      ref: "openai/gpt-5?effort=xhigh",
      words:
        "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'minimal', 'low', 'medium', and 'high'.",
      without: ["effort"],
    },
  ],
  [
    "an effort of the Responses API's",
    {
      ref: "openai/gpt-5-pro?effort=low",
      words: "Unsupported value: 'low' is not supported with the 'gpt-5-pro' model. (reasoning.effort)",
      without: ["effort"],
    },
  ],
  [
    "a summary of the thinking",
    {
      ref: "openai/gpt-5-pro?effort=high",
      words: "Your organization must be verified to generate reasoning summaries.",
      without: ["summary"],
    },
  ],
  [
    "an effort of Claude's",
    {
      ref: "anthropic/claude-haiku-5?effort=high",
      words: "output_config.effort: This model does not support the effort parameter.",
      over: { reply: { name: "r", schema: { type: "object" } } },
      without: ["effort"],
    },
  ],
  [
    "thinking of Claude's",
    {
      ref: "anthropic/claude-haiku-5?effort=high",
      words: "adaptive thinking is not supported on this model",
      without: ["effort"],
    },
  ],
  [
    "an effort of Gemini's",
    {
      ref: "google/gemini-3.7-flash?effort=minimal",
      words: "Thinking level is unsupported: THINKING_LEVEL_MINIMAL",
      without: ["effort"],
    },
  ],
  [
    "an effort of xAI's",
    {
      ref: "xai/grok-4-1-fast?effort=low",
      words: "Model grok-4-1-fast does not support parameter reasoningEffort.",
      without: ["effort"],
    },
  ],
  [
    "an effort of Groq's",
    {
      ref: "groq/qwen/qwen3-32b?effort=high",
      words: "`reasoning_effort` must be one of `none` or `default`",
      without: ["effort"],
    },
  ],
  [
    "an effort of vLLM's",
    {
      ref: "compatible/box/m?effort=xhigh",
      words: "[{'loc': ('body', 'reasoning_effort'), 'msg': \"Input should be 'low', 'medium' or 'high'\"}]",
      without: ["effort"],
    },
  ],
  [
    "thinking of Ollama's",
    { ref: "ollama/llama3?effort=high", words: '"llama3" does not support thinking', without: ["effort"] },
  ],
  [
    "a level of Ollama's",
    {
      ref: "ollama/qwen3?effort=high",
      words: 'think value "high" is not supported for this model',
      without: ["effort"],
    },
  ],
  [
    "a form",
    {
      ref: "openai/gpt-3.5",
      words: "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      over: { reply: { name: "r", schema: { type: "object" } } },
      without: ["schema"],
    },
  ],
  [
    "a field of the user's own",
    {
      ref: "openai/gpt-5",
      words: "Unrecognized request argument supplied: top_k",
      over: { options: { body } },
      without: ["body.top_k"],
    },
  ],
  [
    "a value of the user's own",
    {
      ref: "openai/gpt-5",
      words: "Invalid value for 'service_tier': 'flex' is not available",
      over: { options: { body } },
      without: ["body.service_tier"],
    },
  ],
  [
    "a header of the user's own",
    {
      ref: "anthropic/claude-opus-5",
      words: "Unexpected value(s) `old-2024` for the `anthropic-beta` header.",
      over: { options: { headers: { "Anthropic-Beta": "old-2024" } } },
      without: ["headers.Anthropic-Beta"],
    },
  ],
];

describe("a refusal of", () => {
  it.each(REFUSALS)(
    "%s is asked without it, once, and so is the next call",
    async (_, { ref, words, without, over = {} }) => {
      const by: Answer = (response, received, count) =>
        count === 1 ? refuse(response, { status: 400, message: words }) : answer(response, received, count);
      const { bodies, calls, received } = await ask([over, over], { ref, by });
      expect(calls).toMatchObject([
        { ok: true, reply: "yes", attempts: 2, without },
        { ok: true, reply: "yes", attempts: 1, without },
      ]);
      const [first, second, third] = bodies;
      if (!without[0]?.startsWith("headers.")) expect(second).not.toEqual(first);
      expect(third).toEqual(second);
      const [name = ""] = without.map((one) => one.replace(/^(?:body|headers)\./, ""));
      if (without[0]?.startsWith("body."))
        expect([first?.[name], second?.[name]]).toEqual([Object(body)[name], undefined]);
      if (without[0]?.startsWith("headers."))
        expect(received.map(({ headers }) => headers[name.toLowerCase()])).toEqual([
          "old-2024",
          undefined,
          undefined,
        ]);
    },
  );

  it("what was not asked for is a refusal", async () => {
    const words = "`temperature` is deprecated for this model";
    const by: Answer = (response) => refuse(response, { status: 400, message: words });
    const { calls, received } = await ask({ temperature: undefined }, { ref: "openai/gpt-5", by });
    expect(received).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      ok: false,
      failure: { code: "refused", message: `${words} (HTTP 400)` },
    });
    expect(calls[0]).not.toHaveProperty("without");
  });

  it("everything, one after the other, ends when nothing is left to leave out", async () => {
    const words = "reasoning_effort, temperature and top_k are not supported";
    const by: Answer = (response) => refuse(response, { status: 400, message: words });
    const options = { body: { top_k: 1 } };
    const { calls, bodies } = await ask({ options }, { ref: "openai/gpt-5?effort=low", by });
    expect(bodies.map((one) => Object.keys(one).filter((name) => words.includes(name)))).toEqual([
      ["reasoning_effort", "top_k", "temperature"],
      ["reasoning_effort", "top_k"],
      ["top_k"],
      [],
    ]);
    expect(calls[0]).toMatchObject({
      ok: false,
      attempts: 4,
      without: ["temperature", "effort", "body.top_k"],
    });
  });

  it("one effort says nothing about another, nor about other fields", async () => {
    await using server = await openFakeServer((response, received, count) =>
      received.body.includes("xhigh")
        ? refuse(response, { status: 400, message: "'reasoning_effort' does not support 'xhigh'" })
        : answer(response, received, count),
    );
    const models = createModels({ env: { OPENAI_BASE_URL: server.url } });
    const complete = (ref: string) =>
      models.complete({ ...plain, model: ModelRef.parse(ref) }, { signal: new AbortController().signal });
    const [refused, taken] = [await complete("openai/m?effort=xhigh"), await complete("openai/m?effort=low")];
    await models.close();
    expect(refused).toMatchObject({ ok: true, without: ["effort"] });
    expect(taken).not.toHaveProperty("without");
    expect(server.received[2]?.body).toContain('"reasoning_effort":"low"');
  });
});

describe("fields and headers", () => {
  it("of a member go with its request, and count before its endpoint's; what Parley sets counts before both", async () => {
    const { bodies, received } = await ask(
      {
        options: {
          body: { prompt_cache_key: "m", text: { verbosity: "low" }, model: "other" },
          headers: { "OpenAI-Project": "p2" },
        },
      },
      {
        ref: "openai/gpt-5-pro",
        providers: {
          openai: {
            body: { prompt_cache_key: "p", service_tier: "flex" },
            headers: { "OpenAI-Project": "p1", "OpenAI-Organization": "o1", Authorization: "none" },
          },
        },
      },
    );
    expect(bodies[0]).toMatchObject({
      ...{ model: "gpt-5-pro", prompt_cache_key: "m", service_tier: "flex", text: { verbosity: "low" } },
    });
    expect(received[0]?.headers).toMatchObject({
      ...{ "openai-project": "p2", "openai-organization": "o1", authorization: `Bearer ${KEY}` },
    });
  });
});

describe("the key", () => {
  it("goes into Azure's own header, and the version stays in the address", async () => {
    const { received, calls } = await ask({}, { ref: "compatible/azure?effort=low" });
    expect(calls[0]).toMatchObject({ ok: true, reply: "yes" });
    expect(received[0]?.path).toBe("/openai/deployments/gpt/chat/completions?api-version=2024-10-21");
    expect(received[0]?.headers).toMatchObject({ "api-key": KEY });
    expect(received[0]?.headers).not.toHaveProperty("authorization");
  });

  it("stands behind a scheme where there is one", async () => {
    const { received } = await ask({}, { ref: "compatible/gateway/m" });
    expect(received[0]?.headers["x-gate"]).toBe(`Token ${KEY}`);
  });

  it("goes there for a provider at an address of the user's own, too", async () => {
    const { received } = await ask(
      {},
      { ref: "openai/gpt-5", providers: { openai: { auth: { header: "api-key" } } } },
    );
    expect(received[0]?.headers).toMatchObject({ "api-key": KEY });
    expect(received[0]?.headers).not.toHaveProperty("authorization");
  });

  it("is in no message, wherever it went", async () => {
    const by: Answer = (response) => refuse(response, { status: 401, message: `no such key: ${KEY}` });
    const { calls } = await ask({}, { ref: "compatible/azure", by });
    expect(JSON.stringify(calls)).not.toContain(KEY);
  });
});
