import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { APICallError, InvalidArgumentError, LoadAPIKeyError, NoSuchModelError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { openFakeServer, refuse, stream } from "../../test/support/fake-server.ts";
import { scratch } from "../../test/support/scratch.ts";
import { ModelRef, type Call, type ModelRequest } from "../kernel/model.ts";
import { createModels } from "./models.ts";
import { SDK } from "./providers.ts";
import { findSdkPackage, readSdkReference, sdkOptions } from "./sdk-package.ts";
import { createSdkTransport, type SdkOptions } from "./sdk-transport.ts";

const KEY = "mistral-0123456789abcdef";
const NO_HOME = "/nowhere/parley";

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: ModelRef.parse("ai-sdk/mistral/mistral-medium-latest"),
  messages: [
    { role: "system", text: "be brief" },
    { role: "user", text: "hello" },
  ],
  maxOutputTokens: 100,
  ...over,
});

type Asked = { readonly call: Call; readonly streamed: string };

async function ask(
  options: Pick<SdkOptions, "env" | "load">,
  over: Partial<ModelRequest> = {},
  { signal = new AbortController().signal, timeoutMs = 20_000, attempts = 1 } = {},
): Promise<Asked> {
  const models = createModels({
    env: options.env,
    remotes: { [SDK]: createSdkTransport({ home: NO_HOME, ...options }) },
    limits: { backoffBaseMs: 1, backoffCapMs: 2 },
  });
  let streamed = "";
  const call = await models.complete(request(over), {
    ...{ signal, timeoutMs, attempts },
    onDelta: ({ text }) => void (streamed += text),
  });
  await models.close();
  return { call, streamed };
}

/** A chunk as Mistral's API has it. */
const chunk = (content: string, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "a", choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }], ...more })}\n\n`;
const chatEnd = (): string => {
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  const choices = [{ index: 0, delta: { content: "" }, finish_reason: "stop" }];
  return `${chunk("", { choices, usage })}data: [DONE]\n\n`;
};

describe("the package @ai-sdk/mistral", () => {
  const env = (url: string) => ({ MISTRAL_API_KEY: KEY, MISTRAL_BASE_URL: `${url}/v1` });

  it("is asked for an effort and the user's own fields, and without what is refused", async () => {
    await using server = await openFakeServer((response, _, count) =>
      count === 1
        ? refuse(response, { status: 400, message: "reasoning_effort is not supported with this model" })
        : stream(response, chunk("yes") + chatEnd()),
    );
    const over = {
      model: ModelRef.parse("ai-sdk/mistral/mistral-medium-latest?effort=high"),
      options: { body: { safePrompt: true }, headers: { "x-lab": "a" } },
    };
    const { call } = await ask({ env: env(server.url) }, over, { attempts: 2 });
    expect(call).toMatchObject({ ok: true, reply: "yes", family: "mistral", without: ["effort"] });
    const [first, second] = server.received.map(({ body, headers }) => [JSON.parse(body), headers["x-lab"]]);
    const asked = { model: "mistral-medium-latest", safe_prompt: true };
    expect(first).toEqual([expect.objectContaining({ ...asked, reasoning_effort: "high" }), "a"]);
    expect(second).toEqual([expect.objectContaining(asked), "a"]);
    expect(second?.[0]).not.toHaveProperty("reasoning_effort");
  });

  it("streams text, usage and the finish reason, with the key and URL of its variables", async () => {
    await using server = await openFakeServer((response) =>
      stream(response, chunk("hel") + chunk("lo") + chatEnd()),
    );
    const { call, streamed } = await ask({ env: env(server.url) }, { temperature: 0.25 });
    expect(call).toMatchObject({ ok: true, reply: "hello", finish: "stop", family: "mistral" });
    expect(call.tokens).toMatchObject({ in: 11, out: 7 });
    expect(call.cost).toMatchObject({ source: "table", usd: expect.any(Number) });
    expect(streamed).toBe("hello");
    const [received] = server.received;
    expect(received?.path).toBe("/v1/chat/completions");
    expect(received?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(received?.headers["user-agent"]).toMatch(/^parley\//);
    expect(JSON.parse(received?.body ?? "")).toMatchObject({
      model: "mistral-medium-latest",
      max_tokens: 100,
      temperature: 0.25,
      stream: true,
    });
  });

  it.each([
    [401, { message: "Unauthorized" }, "unauthorised"],
    [429, { message: "Requests rate limit exceeded" }, "rate-limited"],
    [
      400,
      {
        object: "error",
        message: "Prompt contains 9000 tokens, too large for model with 8000 maximum context length",
      },
      "context-too-long",
    ],
    [503, { message: "overloaded" }, "overloaded"],
  ])("fails with %i as a server of any wire does, and shows no key", async (status, body, code) => {
    await using server = await openFakeServer((response) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...body, message: `${body.message} ${KEY}` }));
    });
    const { call } = await ask({ env: env(server.url) });
    expect(call).toMatchObject({ ok: false, failure: { code, http: status } });
    expect(JSON.stringify(call)).not.toContain("0123456789");
  });

  it("is asked again without the temperature where the model takes none", async () => {
    await using server = await openFakeServer((response, { body }) =>
      body.includes("temperature")
        ? refuse(response, { status: 400, message: "temperature is not supported" })
        : stream(response, chunk("ok") + chatEnd()),
    );
    const { call } = await ask({ env: env(server.url) }, { temperature: 0.5 }, { attempts: 3 });
    expect(call).toMatchObject({ ok: true, reply: "ok", attempts: 2 });
  });

  it("closes its connection when the call is stopped", async () => {
    const stop = new AbortController();
    await using server = await openFakeServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk("half"));
      setTimeout(() => stop.abort(), 20);
    });
    const { call } = await ask({ env: env(server.url) }, {}, { signal: stop.signal });
    expect(call).toMatchObject({ ok: false, failure: { code: "cancelled" } });
    await expect.poll(() => server.dropped()).toBe(1);
  });

  it("says which variable holds the key, where there is none", async () => {
    const { call } = await ask({ env: {} });
    expect(call).toMatchObject({ ok: false, failure: { code: "unauthorised" } });
    expect(call.ok ? "" : call.failure.message).toContain("MISTRAL_API_KEY");
  });
});

const USAGE = {
  inputTokens: { total: 5, noCache: 3, cacheRead: 2, cacheWrite: undefined },
  outputTokens: { total: 9, text: 4, reasoning: 5 },
};
const STOP = { unified: "stop", raw: "stop" } as const;
const FINISH: LanguageModelV3StreamPart = { type: "finish", finishReason: STOP, usage: USAGE };
const delta = (text: string, id = "0"): LanguageModelV3StreamPart => ({
  type: "text-delta",
  id,
  delta: text,
});

/** A model of version 3 that streams what `parts` gives. */
function model(
  parts: (options: LanguageModelV3CallOptions) => ReadableStream<LanguageModelV3StreamPart>,
): Pick<SdkOptions, "env" | "load"> {
  const made: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "odd",
    modelId: "m",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("it is never asked for a reply in one piece")),
    doStream: (options) => Promise.resolve({ stream: parts(options) }),
  };
  return { env: {}, load: () => Promise.resolve(made as never) };
}
const saying = (...parts: readonly LanguageModelV3StreamPart[]) =>
  model(() => new ReadableStream({ start: (to) => (parts.forEach((one) => to.enqueue(one)), to.close()) }));

/** Keeps what a model is asked, which answers unless `check` throws. */
function listening(version: string, check: (asked: LanguageModelV3CallOptions) => void = () => {}) {
  const asked: (LanguageModelV3CallOptions & { readonly reasoning?: string })[] = [];
  const doStream = (options: LanguageModelV3CallOptions) => {
    asked.push(options);
    check(options);
    return { stream: new ReadableStream({ start: (to) => (to.enqueue(delta("yes")), to.enqueue(FINISH)) }) };
  };
  return { asked, load: () => Promise.resolve({ specificationVersion: version, doStream } as never) };
}

const api = (statusCode: number, message: string) =>
  new APICallError({ message, statusCode, url: "http://x", requestBodyValues: {}, responseHeaders: {} });

describe("a model of version 3", () => {
  const ADAPTIVE = { thinking: { type: "adaptive", display: "summarized" }, effort: "high" };
  const GEMINI = { thinkingConfig: { thinkingLevel: "high", includeThoughts: true } };
  const OPENAI = { reasoningEffort: "high", reasoningSummary: "auto", store: false };
  const DEEPSEEK = { thinking: { type: "enabled" }, reasoningEffort: "high" };
  it.each([
    ["anthropic/claude-opus-5", "anthropic", ADAPTIVE],
    ["anthropic/claude-haiku-4-5", "anthropic", { thinking: { type: "enabled", budgetTokens: 4_000 } }],
    ["google/gemini-3.1-pro", "google", GEMINI],
    ["@openrouter/ai-sdk-provider/a/b:free", "openrouter", { reasoning: { effort: "high" } }],
    ["openai/gpt-5.6", "openai", OPENAI],
    ["deepseek/deepseek-flash", "deepseek", DEEPSEEK],
    ["ollama-ai-provider-v2/gemma4", "ollama", { think: true }],
    ["mistral/magistral-medium", "mistral", { reasoningEffort: "high" }],
  ])("of %s is asked for an effort in its package's words", async (name, provider, options) => {
    const { asked, load } = listening("v3");
    const over = { model: ModelRef.parse(`ai-sdk/${name}?effort=high`), maxOutputTokens: 5_000 };
    const { call } = await ask({ env: {}, load }, over);
    expect(call).toMatchObject({ ok: true });
    expect(asked[0]?.providerOptions).toEqual({ [provider]: options });
    expect(asked[0]).not.toHaveProperty("reasoning");
    // Anthropic's package adds what is thought to the longest reply.
    const isAdded = "thinking" in options && "budgetTokens" in options.thinking;
    expect(asked[0]?.maxOutputTokens).toBe(isAdded ? 1_000 : 5_000);
  });

  it.each([
    ["anthropic/claude-opus-5", undefined, ADAPTIVE],
    ["google/gemini-2.5-flash", "high", { thinkingConfig: { includeThoughts: true } }],
    ["mistral/magistral-medium", "high", { reasoningEffort: "high" }],
  ])("of version 4, of %s, has a field for it", async (name, reasoning, options) => {
    const { asked, load } = listening("v4");
    await ask({ env: {}, load }, { model: ModelRef.parse(`ai-sdk/${name}?effort=high`) });
    expect(asked[0]).toMatchObject({ providerOptions: { [name.split("/", 1)[0] ?? ""]: options } });
    expect(asked[0]?.["reasoning"]).toBe(reasoning);
  });

  it("that takes no such effort, or only without its summary, is asked without", async () => {
    const model = ModelRef.parse("ai-sdk/openai/gpt-5.6?effort=high");
    const wrong = new InvalidArgumentError({
      argument: "providerOptions",
      message: "invalid openai options",
    });
    const strange = listening("v3", ({ providerOptions }) => {
      if (providerOptions?.["openai"]?.["reasoningEffort"]) throw wrong;
    });
    expect((await ask({ env: {}, load: strange.load }, { model }, { attempts: 3 })).call).toMatchObject({
      ...{ ok: true, attempts: 2, without: ["effort"] },
    });
    expect(strange.asked[1]?.providerOptions).toEqual({ openai: { store: false } });
    const words = "Your organization must be verified to generate reasoning summaries.";
    const shy = listening("v3", ({ providerOptions }) => {
      if (providerOptions?.["openai"]?.["reasoningSummary"]) throw api(400, words);
    });
    expect((await ask({ env: {}, load: shy.load }, { model }, { attempts: 3 })).call).toMatchObject({
      ...{ ok: true, attempts: 2, without: ["summary"] },
    });
    expect(shy.asked[1]?.providerOptions).toEqual({ openai: { ...OPENAI, reasoningSummary: null } });
  });

  it("says what its package has left out, as far as it was asked for", async () => {
    const warnings = [
      { type: "unsupported", feature: "temperature" },
      { type: "unsupported-setting", setting: "responseFormat" },
      { type: "compatibility", feature: "reasoningEffort" },
      { type: "deprecated", setting: "tools" },
    ];
    const start = { type: "stream-start", warnings } as never;
    const reply = { name: "form", schema: { type: "object" } };
    const over = { temperature: 0.5, reply, tools: [{ name: "a", description: "", parameters: {} }] };
    const { call } = await ask(saying(start, delta("yes"), FINISH), over);
    expect(call).toMatchObject({ ok: true, without: ["temperature", "schema"] });
    const model = ModelRef.parse("ai-sdk/mistral/m?effort=low");
    expect((await ask(saying(start, delta("yes"), FINISH), { model })).call).toMatchObject({
      ...{ ok: true, without: ["effort"] },
    });
  });

  it("gets back all that it thought beside a call of a tool, and beside a text nothing", async () => {
    const signed = { anthropic: { signature: "c2ln" } };
    const onCall = { google: { thoughtSignature: "x" } };
    const parts: LanguageModelV3StreamPart[] = [
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "hm" },
      { type: "reasoning-delta", id: "1", delta: "so" },
      { type: "reasoning-delta", id: "1", delta: "", providerMetadata: signed },
      { type: "tool-call", toolCallId: "a", toolName: "read", input: "{}", providerMetadata: onCall },
      FINISH,
    ];
    const { call } = await ask(saying(...parts));
    if (!call.ok) throw new Error("it failed");
    expect(call).toMatchObject({ finish: "tool-calls", thinking: { text: "hm\n\nso" } });
    const { asked, load } = listening("v3");
    const said = { role: "assistant", text: "", thinking: call.thinking } as const;
    const messages = (toolCalls: typeof call.toolCalls) => [
      { role: "user", text: "go" } as const,
      { ...said, ...(toolCalls && { toolCalls }) },
    ];
    await ask({ env: {}, load }, { messages: messages(call.toolCalls) });
    await ask({ env: {}, load }, { messages: messages(undefined) });
    expect(asked.map(({ prompt }) => prompt[1]?.content)).toEqual([
      [
        { type: "reasoning", text: "hm" },
        { type: "reasoning", text: "so", providerOptions: signed },
        { type: "tool-call", toolCallId: "a", toolName: "read", input: {}, providerOptions: onCall },
      ],
      [{ type: "text", text: "" }],
    ]);
    expect((await ask(saying(delta("yes"), ...parts.slice(0, 3), FINISH))).call).toMatchObject({
      ...{ reply: "yes", thinking: { text: "hm\n\nso" } },
    });
  });

  it("gives usage with cached and reasoning tokens, and no reasoning in its text", async () => {
    const thinking: LanguageModelV3StreamPart = { type: "reasoning-delta", id: "r", delta: "hmm" };
    const { call } = await ask(saying(thinking, delta("yes"), FINISH));
    expect(call).toMatchObject({
      ok: true,
      reply: "yes",
      tokens: { in: 5, out: 9, cached: 2, reasoning: 5 },
    });
  });

  it("names the pages of the web that its package names", async () => {
    const source = (url: string, title?: string): LanguageModelV3StreamPart => ({
      ...{ type: "source", sourceType: "url", id: url, url, ...(title && { title }) },
    });
    const parts = [source("https://a.example/", "A"), source("javascript:x"), delta("yes"), FINISH];
    expect((await ask(saying(...parts))).call).toMatchObject({
      sources: [{ url: "https://a.example/", title: "A" }],
    });
  });

  it("is given tools and their results, and its tool calls come out", async () => {
    let given: LanguageModelV3CallOptions | undefined;
    const calling: LanguageModelV3StreamPart[] = [
      { type: "tool-call", toolCallId: "a", toolName: "read", input: '{"path":"x"}' },
      { type: "tool-call", toolCallId: "b", toolName: "web", input: "{}", providerExecuted: true },
      { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_use" }, usage: USAGE },
    ];
    const asked = model((options) => {
      given = options;
      return new ReadableStream({ start: (to) => (calling.forEach((one) => to.enqueue(one)), to.close()) });
    });
    const { call } = await ask(asked, {
      tools: [{ name: "read", description: "reads", parameters: { type: "object" } }],
      reply: { name: "form", schema: { type: "object" } },
      messages: [
        { role: "user", text: "go" },
        { role: "assistant", text: "", toolCalls: [{ id: "z", name: "read", arguments: '{"path":"y"}' }] },
        { role: "tool", id: "z", text: "words" },
      ],
    });
    expect(call).toMatchObject({ ok: true, finish: "tool-calls" });
    expect(call.ok && call.toolCalls).toEqual([{ id: "a", name: "read", arguments: '{"path":"x"}' }]);
    expect(given?.tools).toMatchObject([{ type: "function", name: "read", inputSchema: { type: "object" } }]);
    expect(given?.responseFormat).toMatchObject({ type: "json", name: "form" });
    expect(given?.prompt.slice(1)).toEqual([
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "z", toolName: "read", input: { path: "y" } }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "z",
            toolName: "read",
            output: { type: "text", value: "words" },
          },
        ],
      },
    ]);
  });

  it("takes text in the order in which it comes, whatever blocks it is in", async () => {
    const parts = [
      delta("b", "2"),
      delta("a", "1"),
      { type: "text-start", id: "2" } as const,
      delta("c", "2"),
    ];
    const { call, streamed } = await ask(saying(...parts, FINISH, delta("late")));
    expect(call).toMatchObject({ ok: true, reply: "bac" });
    expect(streamed).toBe("bac");
  });

  it("without usage has unknown tokens and an unknown cost", async () => {
    const bare = { type: "finish", finishReason: "stop" } as never;
    const { call } = await ask(saying(delta("yes"), bare));
    expect(call).toMatchObject({
      ok: true,
      tokens: { in: null, out: null },
      cost: { usd: null },
      unreported: 1,
    });
  });

  it("of version 2 has its usage and finish reason read as well", async () => {
    const usage = {
      inputTokens: 5,
      outputTokens: 9,
      totalTokens: 14,
      reasoningTokens: 4,
      cachedInputTokens: 1,
    };
    const { call } = await ask(
      saying(delta("y"), { type: "finish", finishReason: "length", usage } as never),
    );
    expect(call).toMatchObject({ finish: "length", tokens: { in: 5, out: 9, cached: 1, reasoning: 4 } });
  });

  it.each([
    // Google's package leaves what was thought out of the reply, Anthropic's what is cached out of the prompt.
    [
      { inputTokens: 100, outputTokens: 10, totalTokens: 160, reasoningTokens: 50 },
      {},
      { in: 100, out: 60, reasoning: 50 },
    ],
    [
      { inputTokens: 60, outputTokens: 9, totalTokens: 69, cachedInputTokens: 30 },
      { anthropic: { usage: { cache_read_input_tokens: 30, cache_creation_input_tokens: 10 } } },
      { in: 100, out: 9, cached: 30, written: 10 },
    ],
  ])("of version 2 has all that is paid for counted", async (usage, providerMetadata, tokens) => {
    const end = { type: "finish", finishReason: "stop", usage, providerMetadata } as never;
    expect((await ask(saying(delta("y"), end))).call).toMatchObject({ ok: true, tokens });
  });

  it("that never ends is stopped by the deadline, deaf to the signal or busy for good", async () => {
    let given = "";
    const silent = model(() => new ReadableStream({ cancel: () => void (given = "up") }));
    expect((await ask(silent, {}, { timeoutMs: 30 })).call).toMatchObject({ failure: { code: "timed-out" } });
    expect(given).toBe("up");
    const busy = model(() => new ReadableStream({ pull: (to) => to.enqueue({ type: "raw", rawValue: 1 }) }));
    expect((await ask(busy, {}, { timeoutMs: 30 })).call).toMatchObject({ failure: { code: "timed-out" } });
    const deaf = { env: {}, load: () => new Promise<never>(() => {}) };
    expect((await ask(deaf, {}, { timeoutMs: 30 })).call).toMatchObject({ failure: { code: "timed-out" } });
  });

  it("that finishes and does not close is read to its finish", async () => {
    const open = model(
      () => new ReadableStream({ start: (to) => (to.enqueue(delta("yes")), to.enqueue(FINISH)) }),
    );
    expect((await ask(open)).call).toMatchObject({ ok: true, reply: "yes" });
  });

  it("that ends without a finish is no shorter answer", async () => {
    expect((await ask(saying(delta("half")))).call).toMatchObject({
      failure: { code: "network", message: "the stream ended early" },
    });
  });

  it.each([
    ["an error of the API", api(401, "bad key"), "unauthorised"],
    ["a missing key", new LoadAPIKeyError({ message: "no key" }), "unauthorised"],
    ["an unknown model", new NoSuchModelError({ modelId: "m", modelType: "languageModel" }), "refused"],
    [
      "a lost connection",
      Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } }),
      "network",
    ],
    ["a word about its load", "the model is overloaded", "overloaded"],
  ])("that throws or streams %s fails by the same table", async (_, error, code) => {
    const thrown = model(() => {
      throw error as Error; // what packages throw is not always one
    });
    expect((await ask(thrown)).call).toMatchObject({ ok: false, failure: { code } });
    const streamed = await ask(saying(delta("some"), { type: "error", error }));
    expect(streamed.call).toMatchObject({ ok: false, failure: { code } });
    const broken = model(() => new ReadableStream({ start: (to) => to.error(error) }));
    expect((await ask(broken)).call).toMatchObject({ ok: false, failure: { code } });
  });

  it("stopped by a content filter is refused, and what is no stream is said", async () => {
    const filtered = { ...FINISH, finishReason: { unified: "content-filter", raw: "x" } } as const;
    expect((await ask(saying(delta("no"), filtered))).call).toMatchObject({ failure: { code: "refused" } });
    const none = await ask(model(() => "text" as never));
    expect(none.call).toMatchObject({ failure: { message: "the package gave no stream" } });
  });
});

describe("a reference to a package", () => {
  it("names @ai-sdk/NAME, or NAME, or a scope of its own", () => {
    expect(readSdkReference("ai-sdk/mistral/m")).toEqual({
      packages: ["@ai-sdk/mistral", "mistral"],
      model: "m",
    });
    expect(readSdkReference("ai-sdk/@openrouter/ai-sdk-provider/openai/gpt-5")).toEqual({
      packages: ["@openrouter/ai-sdk-provider"],
      model: "openai/gpt-5",
    });
    for (const bad of ["ai-sdk/../x/m", "ai-sdk/@a/../m", "ai-sdk/mistral", "ai-sdk/./m", "mistral/m"])
      expect(readSdkReference(bad)).toBeNull();
  });

  it.each([
    ["@ai-sdk/mistral", "mistral", "https://b"],
    ["@openrouter/ai-sdk-provider", "openrouter", "https://b"],
    ["ollama-ai-provider-v2", "ollama", "https://b"],
    ["ai-sdk-provider-claude-code", "claude-code", "https://b"],
    // As its own programs take the address.
    ["@ai-sdk/anthropic", "anthropic", "https://b/v1"],
  ])("to %s has the key and address of %s", (name, provider, baseURL) => {
    const prefix = provider.toUpperCase().replace("-", "_");
    const env = { [`${prefix}_API_KEY`]: "k", [`${prefix}_BASE_URL`]: "https://b" };
    expect(sdkOptions(name, env)).toMatchObject({ name: provider, apiKey: "k", baseURL });
    const whole = "https://b/proxy";
    expect(sdkOptions(name, { [`${prefix}_BASE_URL`]: whole })).toMatchObject({ baseURL: whole });
  });

  it("is looked for in the user's folder and beside Parley, and says how to install it (SDK-2)", () => {
    using place = scratch({});
    const home = join(place.cwd, "home");
    const at = (folder: string) => join(folder, "node_modules", "@ai-sdk", "toy");
    expect(findSdkPackage("ai-sdk/toy/m", home)).toMatchObject({
      ok: false,
      next: `cd "${home}" && npm install @ai-sdk/toy`,
    });
    mkdirSync(at(home), { recursive: true });
    writeFileSync(join(at(home), "package.json"), "{}");
    expect(findSdkPackage("ai-sdk/toy/m", home)).toMatchObject({ ok: true, folder: at(home) });
    expect(findSdkPackage("ai-sdk/mistral/m", home)).toMatchObject({ ok: true, name: "@ai-sdk/mistral" });
  });

  it("to a package that is none of the AI SDK's fails in one line, and escapes nothing", async () => {
    using place = scratch({});
    const install = (name: string, exports: string, code: string) => {
      const folder = join(place.cwd, "node_modules", name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", exports }));
      writeFileSync(join(folder, "index.js"), code);
    };
    install("other", "./index.js", "export const createOther = () => ({ languageModel: () => ({}) });");
    install("throws", "./index.js", "throw new Error('cannot start');");
    install("outside", "../other/index.js", "");
    const failureOf = async (name: string) => {
      const transport = createSdkTransport({ env: {}, home: place.cwd });
      const signal = new AbortController().signal;
      const model = ModelRef.parse(`ai-sdk/${name}/m`);
      const attempted = await transport.send(request({ model }), { attempt: 1, signal, onText: () => {} });
      return attempted.ok ? "" : `${attempted.failure.code}: ${attempted.failure.message}`;
    };
    expect(await failureOf("other")).toMatch(
      /^refused: the package other cannot be used: it has no language models/,
    );
    expect(await failureOf("throws")).toBe("refused: the package throws cannot be used: cannot start");
    expect(await failureOf("outside")).toMatch(/names a file outside the package$/);
    expect(await failureOf("absent")).toMatch(/cd .* && npm install @ai-sdk\/absent$/);
  });
});
