import { describe, expect, it } from "vitest";
import type { Json } from "../kernel/ids.ts";
import { ModelRef, type Call, type ModelRequest } from "../kernel/model.ts";
import { sourcesInResult } from "../kernel/sources.ts";
import {
  chatEnd,
  chunk,
  openFakeServer,
  refuse,
  stream,
  type Answer,
} from "../../test/support/fake-server.ts";
import { createReply } from "./http-transport.ts";
import { createModels } from "./models.ts";
import { anthropic } from "./wires/anthropic.ts";
import { gemini } from "./wires/gemini.ts";
import { openaiCompatible } from "./wires/openai-compatible.ts";
import { openaiResponses } from "./wires/openai-responses.ts";
import type { Completion, Wire } from "./wires/wire.ts";

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

const PAGES = [
  { url: "https://nodejs.org/en/blog/release", title: "Node.js releases" },
  { url: "https://example.org/paper?id=7" },
];
const [FIRST, SECOND] = PAGES;

/** A reply that rests on both pages, as each provider's documentation has it (docs/decisions/2026-11-28-search.md). */
type Form = {
  readonly name: string;
  readonly ref: string;
  readonly wire: Wire;
  /** Where the request goes, and the tool that it has. */
  readonly path: string;
  readonly tool: object;
  readonly streamed: string;
  readonly whole: unknown;
  readonly searches?: number;
};

const output = [
  { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "node" } },
  {
    type: "web_search_call",
    id: "ws_2",
    status: "completed",
    action: { type: "open_page", url: FIRST?.url },
  },
  {
    type: "message",
    content: [
      {
        type: "output_text",
        text: "Use 24.",
        annotations: PAGES.map((page) => ({ type: "url_citation", start_index: 0, end_index: 7, ...page })),
      },
    ],
  },
];
const response = { status: "completed", output, usage: { input_tokens: 9_000, output_tokens: 20 } };
const responses = {
  wire: openaiResponses,
  path: "/responses",
  tool: { type: "web_search" },
  streamed:
    event({ type: "response.web_search_call.searching", item_id: "ws_1" }) +
    event({ type: "response.output_text.delta", delta: "Use 24." }) +
    event({ type: "response.output_text.annotation.added", annotation: { type: "url_citation", ...FIRST } }) +
    event({ type: "response.completed", response }),
  whole: response,
  searches: 1,
};

const cited = (page: (typeof PAGES)[number] | undefined) => ({
  type: "web_search_result_location",
  cited_text: "…",
  encrypted_index: "e",
  ...page,
});
const found = (pages: typeof PAGES) => ({
  type: "web_search_tool_result",
  tool_use_id: "srv_1",
  content: pages.map((page) => ({ type: "web_search_result", encrypted_content: "e", ...page })),
});
const usage = { input_tokens: 8_000, output_tokens: 30, server_tool_use: { web_search_requests: 2 } };
const block = (index: number, content_block: unknown, ...deltas: unknown[]) =>
  event({ type: "content_block_start", index, content_block }) +
  deltas.map((delta) => event({ type: "content_block_delta", index, delta })).join("") +
  event({ type: "content_block_stop", index });
const text = (words: string) => ({ type: "text_delta", text: words });

const candidate = (parts: unknown[], more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, ...more }],
});
const grounding = {
  webSearchQueries: ["node lts", "node 24"],
  groundingChunks: PAGES.map(({ url: uri, title }) => ({ web: { uri, title } })),
};
const geminiEnd = {
  ...candidate([{ text: "24." }], { finishReason: "STOP", groundingMetadata: grounding }),
  usageMetadata: {
    promptTokenCount: 40,
    toolUsePromptTokenCount: 60,
    candidatesTokenCount: 8,
    thoughtsTokenCount: 5,
  },
  modelVersion: "gemini-3.1-pro",
};

const annotations = PAGES.map((page) => ({ type: "url_citation", url_citation: { content: "…", ...page } }));

const FORMS: readonly Form[] = [
  { name: "OpenAI", ref: "openai/gpt-5.6", ...responses },
  { name: "xAI", ref: "xai/grok-4.7", ...responses },
  {
    name: "xAI, which lists what it read",
    ref: "xai/grok-4.7",
    ...responses,
    streamed: event({
      type: "response.completed",
      response: {
        ...response,
        citations: PAGES.map(({ url }) => url),
        output: [output[0], { type: "message", content: [{ type: "output_text", text: "Use 24." }] }],
      },
    }),
  },
  {
    name: "Anthropic",
    ref: "anthropic/claude-opus-5",
    wire: anthropic,
    path: "/v1/messages",
    tool: { type: "web_search_20250305", name: "web_search", max_uses: 3 },
    streamed:
      event({ type: "message_start", message: { usage: { input_tokens: 50, output_tokens: 1 } } }) +
      block(0, { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} }) +
      block(1, found([...PAGES, { url: "https://not-cited.example/" }])) +
      block(
        2,
        { type: "text", text: "" },
        { type: "citations_delta", citation: cited(FIRST) },
        text("Use "),
      ) +
      block(3, { type: "text", text: "" }, text("24."), {
        type: "citations_delta",
        citation: cited(SECOND),
      }) +
      event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage }) +
      event({ type: "message_stop" }),
    whole: {
      type: "message",
      content: [
        { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "node" } },
        found(PAGES),
        { type: "text", text: "Use ", citations: [cited(FIRST)] },
        { type: "text", text: "24.", citations: [cited(SECOND)] },
      ],
      stop_reason: "end_turn",
      usage,
    },
    searches: 2,
  },
  {
    name: "Gemini",
    ref: "google/gemini-3.1-pro",
    wire: gemini,
    path: "/v1beta/models/gemini-3.1-pro:streamGenerateContent?alt=sse",
    tool: { google_search: {} },
    streamed:
      event(candidate([{ text: "Hm", thought: true }])) +
      event(candidate([{ text: "Use " }])) +
      event(geminiEnd),
    whole: {
      ...geminiEnd,
      ...candidate([{ text: "Use 24." }], { finishReason: "STOP", groundingMetadata: grounding }),
    },
    searches: 2,
  },
  {
    name: "OpenRouter",
    ref: "openrouter/qwen/qwen3",
    wire: openaiCompatible,
    path: "/chat/completions",
    tool: { type: "openrouter:web_search", parameters: { max_total_results: 15 } },
    streamed:
      chunk("Use ") +
      event({ choices: [{ index: 0, delta: { content: "24.", annotations }, finish_reason: null }] }) +
      chatEnd({ prompt_tokens: 3, completion_tokens: 2, server_tool_use: { web_search_requests: 1 } }),
    whole: {
      choices: [{ message: { content: "Use 24.", annotations }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 2, server_tool_use: { web_search_requests: 1 } },
    },
    searches: 1,
  },
];

const KEY = "sk-test-0123456789abcdef";
const asked: ModelRequest = {
  model: ModelRef.parse("openai/m"),
  messages: [
    { role: "system", text: "Be exact." },
    { role: "user", text: "Which Node?" },
  ],
  maxOutputTokens: 4_000,
  search: 3,
};

async function ask(request: Partial<ModelRequest> & Pick<ModelRequest, "model">, by: Answer) {
  await using server = await openFakeServer(by);
  const names = ["OPENAI", "ANTHROPIC", "GEMINI", "OPENROUTER", "XAI"];
  const models = createModels({
    env: Object.fromEntries(
      names.flatMap((name) => [
        [`${name}_BASE_URL`, server.url],
        [`${name}_API_KEY`, KEY],
      ]),
    ),
    limits: { backoffBaseMs: 0, backoffCapMs: 0 },
  });
  const call = await models.complete({ ...asked, ...request }, { signal: new AbortController().signal });
  await models.close();
  const bodies = server.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return { call, bodies, received: server.received };
}

const whole =
  (body: unknown): Answer =>
  (out) => {
    out.writeHead(200, { "content-type": "application/json" });
    out.end(JSON.stringify(body));
  };

const gist = (call: Call) => call.ok && { text: call.reply, sources: call.sources, searches: call.searches };

describe.each(FORMS)("a search by $name", ({ ref, path, tool, streamed, whole: body, searches, wire }) => {
  const model = ModelRef.parse(ref);
  const sources =
    ref.startsWith("xai") && !streamed.includes("annotations") ? PAGES.map(({ url }) => ({ url })) : PAGES;

  it("is asked for in its form, with the key, and read as a stream and whole", async () => {
    const { call, bodies, received } = await ask({ model }, (out) => stream(out, streamed));
    expect(received[0]?.path.endsWith(path)).toBe(true);
    expect(JSON.stringify(received[0]?.headers)).toContain(KEY);
    expect(bodies[0]).toMatchObject({ tools: [tool] });
    expect(JSON.stringify(bodies[0])).toContain("Be exact.");
    expect(gist(call)).toEqual({ text: "Use 24.", sources, searches });
    const again = await ask({ model }, whole(body));
    expect(gist(again.call)).toEqual({ text: "Use 24.", sources: PAGES, searches });
  });

  it("is not asked for where the request does not say so", async () => {
    const { bodies } = await ask({ model, search: undefined }, (out) => stream(out, streamed));
    expect(JSON.stringify(bodies)).not.toMatch(/web_search|google_search/);
  });

  it("loses no source in silence, wherever it breaks off", () => {
    const bytes = Buffer.from(streamed);
    const read = (end: number): Completion => {
      const reply = createReply(wire, { onText: () => {}, onFirstByte: () => {} });
      reply.receiver.head({ status: 200, header: () => "text/event-stream" });
      reply.receiver.bytes(bytes.subarray(0, end));
      return reply.completion(null);
    };
    const full = read(bytes.length);
    expect(full).toMatchObject({ ok: true, sources });
    for (let end = 1; end < bytes.length; end += 1) {
      const cut = read(end);
      if (cut.ok) expect(cut).toMatchObject({ text: "Use 24.", sources });
    }
  });

  it("that is refused is left out once and said, and the answer comes all the same", async () => {
    const { call, bodies } = await ask({ model }, (out, { body: sent, path: to }) => {
      if (/web_search|google_search/.test(sent))
        return refuse(out, {
          status: 400,
          message: "Hosted tool 'web_search' is not supported with this model",
        });
      if (to.includes("/responses")) return stream(out, responses.streamed);
      return to.includes("/v1/messages") || to.includes("/chat/completions")
        ? stream(out, to.includes("chat") ? chunk("Use 24.") + chatEnd() : streamed)
        : refuse(out, { status: 500, message: "?" });
    });
    expect(call).toMatchObject({ ok: true, reply: "Use 24.", without: ["search"] });
    expect(bodies).toHaveLength(2);
  });
});

it("goes without a search over a gateway that has no other API", async () => {
  const { call, received } = await ask({ model: ModelRef.parse("openai/gpt-5.6") }, (out, { path }) =>
    path.includes("/responses")
      ? refuse(out, { status: 404, message: "Not Found" })
      : stream(out, chunk("yes") + chatEnd()),
  );
  expect(call).toMatchObject({ ok: true, reply: "yes", without: ["search"] });
  expect(received.map(({ path }) => path)).toEqual(["/responses", "/chat/completions"]);
});

it("of Gemini's gives way to tools of our own, which go over the API that has them", async () => {
  const tools = [{ name: "t", description: "d", parameters: { type: "object" } }];
  const { call, received } = await ask({ model: ModelRef.parse("google/gemini-3.1-pro"), tools }, (out) =>
    stream(out, chunk("yes") + chatEnd()),
  );
  expect(call).toMatchObject({ ok: true, without: ["search"] });
  expect(received[0]?.path).toContain("/openai/chat/completions");
});

it("of Gemini up to 2.5 counts once a prompt, as it is charged", async () => {
  const older = { ...geminiEnd, modelVersion: "gemini-2.5-flash" };
  const { call } = await ask({ model: ModelRef.parse("google/gemini-2.5-flash") }, whole(older));
  expect(call).toMatchObject({ ok: true, searches: 1, tokens: { in: 100, out: 13, reasoning: 5 } });
});

it("stands beside tools of our own where a provider takes both", async () => {
  const tools = [{ name: "t", description: "d", parameters: { type: "object" } }];
  const { bodies } = await ask({ model: ModelRef.parse("openai/gpt-5.6"), tools }, (out) =>
    stream(out, responses.streamed),
  );
  expect(bodies[0]).toMatchObject({
    tools: [{ type: "web_search" }, { type: "function", name: "t" }],
    max_tool_calls: 3,
  });
});

it("keeps what was said before a search apart from what is said after", async () => {
  const searching = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };
  const { call } = await ask({ model: ModelRef.parse("anthropic/claude-opus-5") }, (out) =>
    stream(
      out,
      event({ type: "message_start", message: { usage: {} } }) +
        block(0, { type: "text", text: "" }, text("I look it up.")) +
        block(1, searching) +
        block(2, found(PAGES)) +
        block(3, { type: "text", text: "" }, text("Use 24.")) +
        event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage }) +
        event({ type: "message_stop" }),
    ),
  );
  // What was found counts where nothing is cited.
  expect(gist(call)).toMatchObject({ text: "I look it up.\n\nUse 24.", sources: PAGES });
});

it("is read where a provider searches unasked, and lists in every chunk what it found", async () => {
  const listed = { search_results: PAGES.map((page) => ({ date: "2026-11-01", ...page })) };
  const lists = { ...listed, citations: PAGES.map(({ url }) => url) };
  const piece = (content: string) => event({ ...lists, choices: [{ index: 0, delta: { content } }] });
  const model = ModelRef.parse("openrouter/perplexity/sonar");
  const { call } = await ask({ model, search: undefined }, (out) =>
    stream(out, piece("Use ") + piece("24.") + chatEnd()),
  );
  expect(gist(call)).toMatchObject({ text: "Use 24.", sources: PAGES });
  const message = { choices: [{ message: { content: "Use 24." }, finish_reason: "stop" }] };
  const again = await ask({ model, search: undefined }, whole({ ...message, citations: lists.citations }));
  expect(gist(again.call)).toMatchObject({ sources: PAGES.map(({ url }) => ({ url })) });
});

it("names no source that is no page of the web, and no key", async () => {
  const hostile = [
    { url: "javascript:alert(1)" },
    { url: "https://user:pass@example.org/" },
    { url: "https://h\u202egro.example/" },
    { url: "file:///etc/passwd" },
    { url: "https://ok.example/a b" },
    { url: `https://ok.example/?k=${KEY}`, title: `line\none\u202e ${"x".repeat(900)}` },
    { url: 7 },
    null,
  ];
  const { call } = await ask({ model: ModelRef.parse("openrouter/qwen/qwen3") }, (out) =>
    stream(
      out,
      event({
        choices: [
          { delta: { content: "Yes.", annotations: hostile.map((url_citation) => ({ url_citation })) } },
        ],
      }) + chatEnd(),
    ),
  );
  const [only, ...others] = (call.ok && call.sources) || [];
  expect(others).toEqual([]);
  expect(only?.url).toMatch(/^https:\/\/ok\.example\/\?k=/);
  expect(JSON.stringify(only)).not.toContain(KEY);
  expect(only?.title).toMatch(/^line one x{50,}$/);
  expect(only?.title?.length).toBeLessThanOrEqual(200);
});

it("takes an address for the same one however its host is written, and no other", () => {
  const urls = ["https://B.example/X", "HTTPS://b.EXAMPLE/X", "https://b.example/x", "https://b.example?Q=1"];
  expect(sourcesInResult(urls.map((url) => ({ url }))).map(({ url }) => url)).toEqual([
    ...["https://b.example/X", "https://b.example/x", "https://b.example?Q=1"],
  ]);
});

it("reads a tool's result in bounded time and depth, whatever it is", () => {
  const dots = `https://a.example/${".".repeat(300_000)}a`;
  expect(sourcesInResult(`${dots} https://b.example/x.`)).toEqual([{ url: "https://b.example/x" }]);
  expect(sourcesInResult("[".repeat(100_000))).toEqual([]);
  const deep = (levels: number): Json => (levels === 0 ? "https://c.example/" : [deep(levels - 1)]);
  expect([deep(3), deep(100)].map(sourcesInResult)).toEqual([[{ url: "https://c.example/" }], []]);
  expect(sourcesInResult({ results: [{ link: "https://d.example/", name: "D" }, { href: 7 }] })).toEqual([
    { url: "https://d.example/", title: "D" },
  ]);
});
