import { describe, expect, it } from "vitest";
import { ModelRef, type ModelRequest } from "../../kernel/model.ts";
import { createReply } from "../http-transport.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Completion, Dialect } from "./wire.ts";

const plain: Dialect = { without: new Set() };
const bodyOf = (request: ModelRequest, model = "m", dialect = plain): unknown =>
  JSON.parse(openaiResponses.build(request, { model, dialect }).body);

/** Events through all that stands between the socket and the caller. */
function read(...events: readonly unknown[]): { readonly completion: Completion; readonly streamed: string } {
  let streamed = "";
  const reply = createReply(openaiResponses, {
    onText: (text) => void (streamed += text),
    onFirstByte: () => {},
  });
  reply.receiver.head({ status: 200, header: () => "" });
  for (const event of events) reply.receiver.bytes(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  return { completion: reply.completion(null), streamed };
}
const whole = (body: unknown): Completion => openaiResponses.readWhole(body);

const created = { type: "response.created", response: { status: "in_progress", output: [] } };
const delta = (text: string) => ({ type: "response.output_text.delta", delta: text });
const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 15 },
  total_tokens: 30,
};
const message = (text: string) => ({ type: "message", content: [{ type: "output_text", text }] });
const ended = (type: string, response: object) => ({
  type: `response.${type}`,
  response: { status: type, usage, ...response },
});
const completed = ended("completed", { output: [message("hello")] });

describe("a response", () => {
  it("is asked for in the API's form, and not kept", () => {
    const request: ModelRequest = {
      model: ModelRef.parse("openai/m"),
      messages: [
        { role: "system", text: "be brief" },
        { role: "user", text: "weather?" },
        { role: "assistant", text: "", toolCalls: [{ id: "c1", name: "look", arguments: '{"at":"sea"}' }] },
        { role: "tool", id: "c1", text: "rain" },
        { role: "assistant", text: "rain" },
      ],
      temperature: 1.5,
      maxOutputTokens: 5,
      reply: { name: "r", schema: { type: "object" } },
      tools: [{ name: "look", description: "looks", parameters: { type: "object" } }],
    };
    expect(bodyOf(request)).toEqual({
      model: "m",
      input: [
        { role: "system", content: "be brief" },
        { role: "user", content: "weather?" },
        { type: "function_call", call_id: "c1", name: "look", arguments: '{"at":"sea"}' },
        { type: "function_call_output", call_id: "c1", output: "rain" },
        { role: "assistant", content: "rain" },
      ],
      stream: true,
      store: false,
      max_output_tokens: 16,
      temperature: 1.5,
      text: { format: { type: "json_schema", name: "r", schema: { type: "object" } } },
      tools: [
        {
          type: "function",
          name: "look",
          description: "looks",
          parameters: { type: "object" },
          strict: false,
        },
      ],
    });
    const bare = bodyOf(request, "m", { without: new Set(["temperature", "reply", "tools"] as const) });
    expect(Object.keys(bare as object)).toEqual(["model", "input", "stream", "store", "max_output_tokens"]);
    expect(bodyOf({ ...request, tools: [] }, "o3-deep-research")).toMatchObject({
      tools: [{ type: "web_search_preview" }],
    });
  });

  it("streams text, and has cached and reasoning tokens", () => {
    const thinking = { type: "response.reasoning_summary_text.delta", delta: "hmm" };
    const { completion, streamed } = read(
      created,
      thinking,
      delta("hel"),
      delta("lo"),
      completed,
      delta("late"),
    );
    expect(completion).toMatchObject({ ok: true, text: "hello", finish: "stop" });
    expect(completion.usage.tokens).toEqual({ in: 10, out: 20, cached: 4, reasoning: 15 });
    expect(streamed).toBe("hello");
  });

  it("whose text comes only at its end, or in one piece, is the same", () => {
    const late = read(created, completed);
    expect(late.completion).toMatchObject({ ok: true, text: "hello" });
    expect(late.streamed).toBe("hello");
    expect(whole(completed.response)).toEqual(late.completion);
  });

  it("has tool calls in the order of its output", () => {
    const call = (name: string) => ({
      type: "function_call",
      id: "x",
      call_id: `c-${name}`,
      name,
      arguments: "{}",
    });
    const done = (name: string, index: number) => ({
      type: "response.output_item.done",
      output_index: index,
      item: call(name),
    });
    const end = ended("completed", { output: [call("a"), call("b")] });
    const expected = [
      { id: "c-a", name: "a", arguments: "{}" },
      { id: "c-b", name: "b", arguments: "{}" },
    ];
    expect(read(created, done("b", 2), done("a", 1), end).completion).toMatchObject({
      finish: "tool-calls",
      toolCalls: expected,
    });
    expect(whole(end.response)).toMatchObject({ finish: "tool-calls", toolCalls: expected });
  });

  it("that was cut off by its limit says so, and one that a filter stopped is refused", () => {
    const cut = ended("incomplete", { incomplete_details: { reason: "max_output_tokens" }, output: [] });
    expect(read(created, delta("half"), cut).completion).toMatchObject({
      ok: true,
      text: "half",
      finish: "length",
    });
    const filtered = ended("incomplete", { incomplete_details: { reason: "content_filter" }, output: [] });
    expect(read(created, delta("no"), filtered).completion).toMatchObject({
      ok: false,
      problem: { code: "refused" },
    });
  });

  it("that is a refusal is one, with its words", () => {
    const words = { ok: false, problem: { code: "refused", words: "I cannot" } };
    const end = ended("completed", {
      output: [{ type: "message", content: [{ type: "refusal", refusal: "I cannot" }] }],
    });
    expect(
      read(created, { type: "response.refusal.delta", delta: "I cannot" }, end).completion,
    ).toMatchObject(words);
    expect(read(created, end).completion).toMatchObject(words);
    expect(whole(end.response)).toMatchObject(words);
  });

  it.each([
    ["rate_limit_exceeded", "Rate limit reached", "rate-limited"],
    ["server_error", "The server had an error while processing your request", "overloaded"],
    ["context_length_exceeded", "Your input exceeds the context window of this model", "context-too-long"],
    ["insufficient_quota", "You exceeded your current quota", "out-of-credit"],
  ])("that fails with %s does so by the table of all wires, with what it used", (code, words, expected) => {
    const failed = ended("failed", { error: { code, message: words }, output: [] });
    const { completion } = read(created, delta("so"), failed);
    expect(completion).toMatchObject({
      ok: false,
      problem: { code: expected, words },
      usage: { tokens: { out: 20 } },
    });
    for (const error of [
      { type: "error", code, message: words, param: null },
      { type: "error", error: { code, message: words } },
      { error: { code, message: words } },
    ])
      expect(read(created, error).completion).toMatchObject({ ok: false, problem: { code: expected } });
    expect(whole(failed.response)).toMatchObject({ ok: false, problem: { code: expected } });
  });

  it("that breaks off, or is another API's, is no shorter answer", () => {
    expect(read(created, delta("half")).completion).toMatchObject({ problem: { code: "network" } });
    const other = { ok: false, problem: { code: "unreadable" } };
    expect(read({ choices: [{ delta: { content: "x" } }] }).completion).toMatchObject(other);
    expect(whole({ choices: [{ message: { content: "x" } }] })).toMatchObject(other);
    expect(whole({ ...completed.response, status: "cancelled", output: [] })).toMatchObject({ ok: false });
  });

  it("without usage has unknown tokens", () => {
    const { completion } = read(created, ended("completed", { usage: null, output: [message("x")] }));
    expect(completion).toMatchObject({ ok: true, usage: { tokens: { in: null, out: null }, usd: null } });
  });
});
