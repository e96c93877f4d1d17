import * as z from "zod";
import { describe, expect, it } from "vitest";
import { ModelRef, type ModelRequest } from "../../kernel/model.ts";
import { createReply } from "../http-transport.ts";
import { ollama, pullCommand } from "./ollama.ts";
import type { Completion, Dialect } from "./wire.ts";

const full: ModelRequest = {
  model: ModelRef.parse("ollama/m"),
  messages: [
    { role: "system", text: "be brief" },
    { role: "user", text: "weather?" },
    {
      role: "assistant",
      text: "",
      toolCalls: [
        { id: "call-1", name: "look", arguments: '{"at":"sea"}' },
        { id: "call-2", name: "hear", arguments: "not an object" },
      ],
    },
    { role: "tool", id: "call-1", text: "rain" },
    { role: "tool", id: "call-2", text: "wind" },
    { role: "assistant", text: "again", toolCalls: [{ id: "call-1", name: "smell", arguments: "[1]" }] },
    { role: "tool", id: "call-1", text: "salt" },
    { role: "tool", id: "call-9", text: "from nowhere" },
  ],
  temperature: 0,
  maxOutputTokens: 50,
  contextTokens: 4_096,
  reply: { name: "r", schema: { type: "object", properties: { a: {} } } },
  tools: [{ name: "look", description: "looks", parameters: { type: "object" } }],
};
const plain: Dialect = { without: new Set() };

const bodyOf = (request: ModelRequest, dialect = plain): unknown =>
  JSON.parse(ollama.build(request, { model: "m:7b", dialect }).body);

const line = (content: string, rest: object = {}): string =>
  `${JSON.stringify({ model: "m", message: { role: "assistant", content, ...rest }, done: false })}\n`;
const end = (rest: object = {}): string =>
  `${JSON.stringify({
    model: "m",
    message: { role: "assistant", content: "" },
    done: true,
    done_reason: "stop",
    prompt_eval_count: 17,
    eval_count: 5,
    ...rest,
  })}\n`;

/** What comes of a body whose bytes come in pieces of `size`, through everything between the socket and the caller. */
const read = (text: string, size = Number.MAX_SAFE_INTEGER): { completion: Completion; pieces: string[] } => {
  const pieces: string[] = [];
  const reply = createReply(ollama, { onText: (piece) => pieces.push(piece), onFirstByte: () => {} });
  reply.receiver.head({ status: 200, header: () => "" });
  const bytes = Buffer.from(text, "utf8");
  for (let from = 0; from < bytes.length; from += size)
    if (reply.receiver.bytes(bytes.subarray(from, from + size))) break;
  return { completion: reply.completion(null), pieces };
};

describe("a chat", () => {
  it("is asked for in Ollama's form", () => {
    expect(ollama.build(full, { model: "m:7b", dialect: plain }).path).toBe("/api/chat");
    expect(bodyOf(full, { ...plain, extra: { keep_alive: "5m" } })).toEqual({
      keep_alive: "5m",
      model: "m:7b",
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "weather?" },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            { function: { name: "look", arguments: { at: "sea" } } },
            { function: { name: "hear", arguments: {} } },
          ],
        },
        { role: "tool", content: "rain", tool_name: "look" },
        { role: "tool", content: "wind", tool_name: "hear" },
        { role: "assistant", content: "again", tool_calls: [{ function: { name: "smell", arguments: {} } }] },
        { role: "tool", content: "salt", tool_name: "smell" },
        { role: "tool", content: "from nowhere" },
      ],
      stream: true,
      options: { temperature: 0, num_predict: 50, num_ctx: 4_096 },
      format: { type: "object", properties: { a: {} } },
      tools: [
        {
          type: "function",
          function: { name: "look", description: "looks", parameters: { type: "object" } },
        },
      ],
    });
  });

  it("leaves out what was not asked for, and what is not taken", () => {
    const { temperature: _, contextTokens: __, reply: ___, ...bare } = full;
    expect(bodyOf({ ...bare, messages: [{ role: "user", text: "x" }], tools: [] })).toEqual({
      model: "m:7b",
      messages: [{ role: "user", content: "x" }],
      stream: true,
      options: { num_predict: 50 },
    });
    expect(bodyOf(full, { without: new Set(["reply", "temperature"]) })).not.toHaveProperty("format");
    expect(bodyOf(full, { without: new Set(["temperature"]) })).toMatchObject({
      options: { num_predict: 50, num_ctx: 4_096 },
    });
  });

  it.each([
    [300, 500, undefined],
    [300, 4_096, 8_192],
    [12_400, 4_096, 16_384],
    [30_000, 1_000, 16_384],
    [120_000, 8_192, 65_536],
  ])("asks for a context that %i characters and %i tokens fit", (length, maxOutputTokens, expected) => {
    const { contextTokens: _, ...bare } = full;
    const messages = [{ role: "user" as const, text: "x".repeat(length) }];
    const { options } = z
      .object({ options: z.looseObject({ num_ctx: z.number().optional() }) })
      .parse(bodyOf({ ...bare, messages, tools: [], maxOutputTokens }));
    expect(options.num_ctx).toBe(expected);
  });

  it.each([1, 2, 7, 4_096])("streams out as its lines come, %i bytes at a time", (size) => {
    const text = `\r\n${line("na")}\r\n${line("", { thinking: "hmm" })}${line("ïve ")}\n\n${line("🦜")}${end()}`;
    expect(read(text, size)).toEqual({
      pieces: ["na", "ïve ", "🦜"],
      completion: {
        ok: true,
        text: "naïve 🦜",
        thinking: { text: "hmm" },
        toolCalls: [],
        finish: "stop",
        usage: { tokens: { in: 17, out: 5, cached: null, reasoning: null }, usd: null },
      },
    });
  });

  it("is over with its last line, whatever comes after, and needs no end of that line", () => {
    expect(read(`${line("so")}${end()}${line(" more")}{"error":"late"}\n`).completion).toMatchObject({
      ok: true,
      text: "so",
    });
    expect(read(`${line("so")}${end().trimEnd()}`).completion).toMatchObject({ ok: true, text: "so" });
  });

  it("has its tool calls as text, with ids by their place where the server gives none", () => {
    const call = (name: string, given: unknown, id?: string) => ({
      id,
      function: { name, arguments: given },
    });
    const calls = (...tool_calls: unknown[]): string => line("", { tool_calls });
    const text =
      calls(call("look", { at: "sea", n: 1 })) +
      calls(call("hear", {}), call("ask", '{"a":1}', "own")) +
      end();
    for (const size of [text.length, 5]) {
      expect(read(text, size).completion).toMatchObject({
        ok: true,
        text: "",
        finish: "tool-calls",
        toolCalls: [
          { id: "call-1", name: "look", arguments: '{"at":"sea","n":1}' },
          { id: "call-2", name: "hear", arguments: "{}" },
          { id: "own", name: "ask", arguments: '{"a":1}' },
        ],
      });
    }
    expect(read(calls("?", null, { function: 5 }) + end()).completion).toMatchObject({
      toolCalls: [1, 2, 3].map((place) => ({ id: `call-${place}`, name: "", arguments: "{}" })),
    });
  });

  it("takes a line of the longest bound and no longer one", () => {
    const long = "x".repeat(4 * 2 ** 20);
    expect(read(line(long), 2 ** 16).completion).toMatchObject({
      ok: false,
      problem: { code: "unreadable", words: "the reply is longer than any answer", retry: "never" },
    });
  });

  it.each([
    [{}, "stop"],
    [{ done_reason: "length" }, "length"],
    [{ done_reason: undefined }, "stop"],
    [{ done_reason: "of its own" }, "of its own"],
  ])("that ends with %j has finished with %s", (rest, finish) => {
    expect(read(line("so") + end(rest)).completion).toMatchObject({ ok: true, finish });
  });

  it("counts nothing that was not said", () => {
    const usageOf = (rest: object) => read(line("so") + end(rest)).completion.usage.tokens;
    expect(usageOf({ prompt_eval_count: undefined })).toMatchObject({ in: null, out: 5 });
    expect(usageOf({ prompt_eval_count: -1, eval_count: "5" })).toMatchObject({ in: null, out: null });
  });

  it("may be one piece, on one line or printed over several, however cut", () => {
    const whole = JSON.parse(end({ message: { role: "assistant", content: "all at once" } }));
    for (const text of [
      JSON.stringify(whole),
      JSON.stringify(whole, null, 2),
      `\r\n ${JSON.stringify(whole, null, 2)}`,
      `\n ${JSON.stringify(whole)}\n`,
    ]) {
      for (const size of [text.length, 1, 3]) {
        const { completion, pieces } = read(text, size);
        expect({ text, size, pieces, completion }).toMatchObject({
          pieces: ["all at once"],
          completion: {
            ok: true,
            text: "all at once",
            finish: "stop",
            usage: { tokens: { in: 17, out: 5 } },
          },
        });
        const half = read(text.slice(0, text.length / 2), size);
        expect(half.completion).toMatchObject({ ok: false, problem: { code: "network", retry: "later" } });
      }
    }
  });

  it.each<[string, string, object]>([
    ["nothing", "", { code: "network", words: "the reply is empty" }],
    ["a brace", "{", { code: "network", words: "the stream ended early" }],
    ["no last line", line("so"), { code: "network", words: "the stream ended early" }],
    [
      "half a last line",
      line("so") + end().slice(0, 40),
      { code: "network", words: "the stream ended early" },
    ],
    [
      "a line that is broken",
      `${line("so")}{"message":\n${end()}`,
      { code: "network", words: "the stream held a line that is not JSON", retry: "later" },
    ],
    [
      "an error in the middle",
      `${line("so")}{"error":"an error was encountered while running the model"}\n`,
      { code: "overloaded", words: "an error was encountered while running the model", retry: "later" },
    ],
    [
      "an error alone",
      '{"error":{"message":"slow","code":429}}',
      { code: "rate-limited", words: "slow", retry: "later" },
    ],
    [
      "a model that was only loaded",
      end({ done_reason: "load" }),
      { code: "overloaded", words: "the model said nothing (done_reason: load)", retry: "later" },
    ],
    [
      "a model that was only unloaded",
      end({ done_reason: "unload" }),
      { code: "overloaded", words: "the model said nothing (done_reason: unload)" },
    ],
    [
      "server-sent events",
      'data: {"choices":[]}\n\ndata: [DONE]\n\n',
      { code: "unreadable", retry: "never" },
    ],
    [
      "lines of another API",
      '{"response":"so","done":false}\n{"response":"","done":true}\n',
      { code: "unreadable" },
    ],
    ["a chat completion", '{"choices":[{"message":{"content":"so"}}]}', { code: "unreadable" }],
    ["a printed chat completion", '{\n"choices": []}', { code: "unreadable" }],
    ["a list", "[]", { code: "unreadable" }],
    ["a page", "<h1>Welcome</h1>", { code: "unreadable", words: "a page instead of a reply:  Welcome " }],
  ])("that is %s is a failure", (_, text, problem) => {
    for (const size of [1, 4_096])
      expect({ size, ...read(text, size).completion }).toMatchObject({ size, ok: false, problem });
  });

  it("that fails has given out what was said before it", () => {
    const { completion, pieces } = read(line("so") + end({ error: "out of memory" }));
    expect([completion.ok, pieces]).toEqual([false, ["so"]]);
  });

  it.each([
    ["json: cannot unmarshal object into Go struct field ChatRequest.format of type string", "reply"],
    ['invalid format: "x"; expected "json" or a valid JSON Schema object', "reply"],
    ["m does not support tools", "tools"],
  ])("is complained about: %s", (words, feature) => {
    expect(ollama.complaints(words)[0] ?? null).toBe(feature);
  });
});

describe("a model that is missing", () => {
  it.each([
    ["model 'gemma3:27b' not found", "gemma3:27b"],
    ['model "hf.co/a/b:Q4_K_M" not found, try pulling it first', "hf.co/a/b:Q4_K_M"],
  ])("is pulled: %s", (words, model) => {
    expect(ollama.remedy?.(words, model)).toBe(`pull it with: ollama pull ${model}`);
  });

  it("is pulled by no other words, and by no name that a shell would read", () => {
    expect(ollama.remedy?.("404 page not found", "m")).toBeNull();
    expect(ollama.remedy?.("the model is overloaded", "m")).toBeNull();
    for (const name of ["m;reboot", "$(x)", "-rf", "", "a b", "m".repeat(201)]) {
      expect(pullCommand(name)).toBeNull();
      expect(ollama.remedy?.("model not found", name)).toBeNull();
    }
  });
});
