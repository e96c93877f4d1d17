import { describe, expect, it } from "vitest";
import { ModelRef, type ModelRequest } from "../../kernel/model.ts";
import { anthropic } from "./anthropic.ts";
import { ollama } from "./ollama.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import type { Completion, Dialect, Wire } from "./wire.ts";

const full: ModelRequest = {
  model: ModelRef.parse("x/m"),
  messages: [
    { role: "system", text: "be brief" },
    { role: "user", text: "weather?" },
    { role: "assistant", text: "", toolCalls: [{ id: "c1", name: "look", arguments: '{"at":"sea"}' }] },
    { role: "tool", id: "c1", text: "rain" },
    { role: "user", text: "and now?" },
  ],
  temperature: 1.5,
  maxOutputTokens: 50,
  reply: {
    name: "r",
    schema: { type: "object", properties: { a: {} }, required: ["a"], additionalProperties: false },
  },
  tools: [{ name: "look", description: "looks", parameters: { type: "object" } }],
};
const plain: Dialect = { without: new Set() };

const bodyOf = (wire: Wire, request: ModelRequest, dialect = plain): unknown =>
  JSON.parse(wire.build(request, { model: "m", dialect }).body);

const read = (wire: Wire, events: readonly unknown[]): Completion => {
  const reader = wire.reader(() => {});
  for (const event of events)
    if (reader.event(typeof event === "string" ? event : JSON.stringify(event))) break;
  return reader.end();
};

describe("a chat completion", () => {
  it("is asked for in the API's form", () => {
    expect(bodyOf(openaiCompatible, full, { ...plain, extra: { usage: { include: true } } })).toEqual({
      usage: { include: true },
      model: "m",
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "weather?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":"sea"}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "rain" },
        { role: "user", content: "and now?" },
      ],
      stream: true,
      max_tokens: 50,
      stream_options: { include_usage: true },
      temperature: 1.5,
      response_format: {
        type: "json_schema",
        json_schema: { name: "r", strict: true, schema: full.reply?.schema },
      },
      tools: [
        {
          type: "function",
          function: { name: "look", description: "looks", parameters: { type: "object" } },
        },
      ],
    });
  });

  it("is strict only about a schema that may be, and leaves out what is not taken", () => {
    const open = { ...full, reply: { name: "r", schema: { type: "array", items: { type: "object" } } } };
    expect(bodyOf(openaiCompatible, open)).toMatchObject({
      response_format: { json_schema: { name: "r", schema: open.reply.schema } },
    });
    expect(JSON.stringify(bodyOf(openaiCompatible, open))).not.toContain("strict");
    const bare = bodyOf(openaiCompatible, full, {
      without: new Set(["reply", "temperature", "usage", "max-tokens"]),
    });
    expect(Object.keys(bare ?? {}).toSorted()).toEqual([
      "max_completion_tokens",
      "messages",
      "model",
      "stream",
      "tools",
    ]);
    expect(
      bodyOf(openaiCompatible, full, { ...plain, maxTokensField: "max_completion_tokens" }),
    ).toMatchObject({ max_completion_tokens: 50 });
  });

  it.each([
    ["Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max-tokens"],
    ["max_tokens is too large: 90000", null],
    ["Unsupported value: 'temperature' does not support 0.2 with this model", "temperature"],
    ["This response_format type is unavailable now", "reply"],
    ["extra_forbidden: stream_options", "usage"],
    ["no", null],
  ])("is complained about: %s", (words, feature) => {
    expect(openaiCompatible.complaints(words)[0] ?? null).toBe(feature);
  });

  it("tells apart parallel tool calls that all have index 0, and joins the pieces of one", () => {
    const piece = (call: unknown) => ({ choices: [{ delta: { tool_calls: [call] } }] });
    const completion = read(openaiCompatible, [
      piece({ index: 0, id: "a", function: { name: "f", arguments: "{" } }),
      piece({ index: 0, id: "a", function: { arguments: "}" } }),
      piece({ index: 0, id: "b", function: { name: "f", arguments: "[]" } }),
      piece({ function: { arguments: " " } }),
      { choices: [{ delta: {}, finish_reason: "stop" }] },
      "[DONE]",
    ]);
    expect(completion).toMatchObject({
      ok: true,
      finish: "tool-calls",
      toolCalls: [
        { id: "a", name: "f", arguments: "{}" },
        { id: "b", name: "f", arguments: "[] " },
      ],
    });
  });

  it("counts what OpenRouter charges, and the maker's part where the key is the user's", () => {
    const usage = {
      prompt_tokens: 1,
      completion_tokens: 1,
      cost: 0.01,
      is_byok: true,
      cost_details: { upstream_inference_cost: 0.2 },
    };
    const end = { choices: [{ delta: {}, finish_reason: "stop" }], usage };
    expect(read(openaiCompatible, [end]).usage.usd).toBeCloseTo(0.21);
    expect(read(openaiCompatible, [{ ...end, usage: { ...usage, is_byok: false } }]).usage.usd).toBe(0.01);
  });

  it.each([
    [[{ choices: [{ delta: { content: "so" }, finish_reason: "content_filter" }] }], "refused"],
    [[{ choices: [{ delta: { refusal: "I won't" }, finish_reason: "stop" }] }], "refused"],
    [
      [{ choices: [{ delta: { content: "so" } }] }, { error: { code: 429, message: "slow" } }],
      "rate-limited",
    ],
    [
      [{ choices: [{ delta: { content: "so" }, finish_reason: "error" }], error: { message: "boom" } }],
      "overloaded",
    ],
    [[{ choices: [{ delta: { content: "so" }, finish_reason: "error" }] }, "[DONE]"], "overloaded"],
    [["{"], "network"],
    [["[DONE]"], "unreadable"],
    [[], "network"],
  ])("%j is no reply but %s", (events, code) => {
    expect(read(openaiCompatible, events)).toMatchObject({ ok: false, problem: { code } });
  });

  it("may be empty", () => {
    const end = { choices: [{ delta: {}, finish_reason: "length" }] };
    expect(read(openaiCompatible, [end, "[DONE]"])).toMatchObject({ ok: true, text: "", finish: "length" });
  });
});

describe("a message", () => {
  it("is asked for in the API's form", () => {
    expect(bodyOf(anthropic, full)).toEqual({
      model: "m",
      max_tokens: 50,
      system: "be brief",
      messages: [
        { role: "user", content: [{ type: "text", text: "weather?" }] },
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: { at: "sea" } }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c1", content: "rain" },
            { type: "text", text: "and now?" },
          ],
        },
      ],
      stream: true,
      temperature: 1,
      output_config: { format: { type: "json_schema", schema: full.reply?.schema } },
      tools: [{ name: "look", description: "looks", input_schema: { type: "object" } }],
    });
  });

  it.each([
    ["output_config.format: Extra inputs are not permitted", "reply"],
    ["`temperature` is deprecated for this model", "temperature"],
    ["messages: at least one message is required", null],
  ])("is complained about: %s", (words, feature) => {
    expect(anthropic.complaints(words)[0] ?? null).toBe(feature);
  });

  const start = { type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } };
  const text = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "so" } };

  it("fails with what an error in the middle of it says, and what was used is known", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(read(anthropic, [start, text, error])).toMatchObject({
      ok: false,
      problem: { code: "overloaded", words: "Overloaded", retry: "later" },
      usage: { tokens: { in: 5 } },
    });
  });

  it.each([
    [[start, text, { type: "message_delta", delta: { stop_reason: "end_turn" } }], "network"],
    [
      [start, { type: "message_delta", delta: { stop_reason: "refusal" } }, { type: "message_stop" }],
      "refused",
    ],
    [[{ type: "response.created" }, { type: "response.completed" }], "unreadable"],
    [["<"], "network"],
  ])("%j is no reply but %s", (events, code) => {
    expect(read(anthropic, events)).toMatchObject({ ok: false, problem: { code } });
  });
});

describe("tool arguments that are an object nested too deep to be written", () => {
  const deep: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
  it("are empty in a chat completion in one piece", () => {
    const call = { id: "1", type: "function", function: { name: "look", arguments: deep } };
    const whole = { choices: [{ message: { tool_calls: [call] }, finish_reason: "tool_calls" }] };
    expect(openaiCompatible.readWhole(whole)).toMatchObject({ ok: true, toolCalls: [{ arguments: "" }] });
  });
  it("are empty in a message in one piece", () => {
    const content = [{ type: "tool_use", id: "1", name: "look", input: deep }];
    const whole = { type: "message", content, stop_reason: "tool_use" };
    expect(anthropic.readWhole(whole)).toMatchObject({ ok: true, toolCalls: [{ arguments: "" }] });
  });
  it("are empty in Ollama's reply", () => {
    const message = {
      role: "assistant",
      content: "",
      tool_calls: [{ function: { name: "look", arguments: deep } }],
    };
    expect(ollama.readWhole({ message, done: true })).toMatchObject({
      ok: true,
      toolCalls: [{ arguments: "" }],
    });
  });
});
