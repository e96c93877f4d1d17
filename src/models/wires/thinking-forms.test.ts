import { describe, expect, it } from "vitest";
import type { Json, Message, ModelRequest } from "../../kernel/index.ts";
import { ModelRef } from "../../kernel/index.ts";
import { createReply } from "../http-transport.ts";
import { anthropic } from "./anthropic.ts";
import { ollama } from "./ollama.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Completion, Wire } from "./wire.ts";

const sse = (events: readonly Json[], done = "") =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + done;
const chunk = (delta: Json, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const chat = (...deltas: readonly Json[]) =>
  sse(
    [
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, "stop"),
      {
        choices: [],
        usage: {
          ...{ prompt_tokens: 9, completion_tokens: 7 },
          completion_tokens_details: { reasoning_tokens: 4 },
        },
      },
    ],
    "data: [DONE]\n\n",
  );

const SIGNATURE = "c2lnbmVkIGJ5IHRoZSBwcm92aWRlcg==";
const CALL = { index: 0, id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } };
const GOOGLE = { google: { thought_signature: SIGNATURE } };
const REASONING = {
  ...{ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "I add." }] },
  encrypted_content: SIGNATURE,
};

/** A stream of each form with a thought, a text and a tool call, and what of it has to come back in the next request. */
const FORMS: readonly (readonly [name: string, wire: Wire, body: string, back: Json])[] = [
  [
    "reasoning_content (DeepSeek, xAI, vLLM)",
    openaiCompatible,
    chat(
      { reasoning_content: "I " },
      { reasoning_content: "add." },
      { content: "So:" },
      { tool_calls: [CALL] },
    ),
    { reasoning_content: "I add." },
  ],
  [
    "reasoning (Groq, Ollama's compatible API)",
    openaiCompatible,
    chat({ reasoning: "I add." }, { content: "So:" }, { tool_calls: [CALL] }),
    { reasoning: "I add." },
  ],
  [
    "reasoning_details, signed (OpenRouter)",
    openaiCompatible,
    chat(
      { reasoning: "I ", reasoning_details: [{ type: "reasoning.text", text: "I ", index: 0 }] },
      { reasoning: "add.", reasoning_details: [{ type: "reasoning.text", text: "add.", index: 0 }] },
      { reasoning_details: [{ type: "reasoning.text", signature: SIGNATURE, index: 0 }] },
      { content: "So:" },
      { tool_calls: [CALL] },
    ),
    { reasoning_details: [{ type: "reasoning.text", text: "I add.", signature: SIGNATURE, index: 0 }] },
  ],
  [
    "thought_signature on a call (Gemini)",
    openaiCompatible,
    chat({ content: "<thought>I add.</thought>So:" }, { tool_calls: [{ ...CALL, extra_content: GOOGLE }] }),
    { tool_calls: [{ id: "c1", type: "function", function: CALL.function, extra_content: GOOGLE }] },
  ],
  [
    "parts of content (Mistral)",
    openaiCompatible,
    chat(
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "I add." }] }] },
      { content: "So:" },
      { tool_calls: [CALL] },
    ),
    {},
  ],
  [
    "marks in the text",
    openaiCompatible,
    chat(
      { content: "<thi" },
      { content: "nk>I add.</th" },
      { content: "ink>\n\nSo:" },
      { tool_calls: [CALL] },
    ),
    {},
  ],
  [
    "blocks, signed and redacted (Anthropic)",
    anthropic,
    sse([
      { type: "message_start", message: { usage: { input_tokens: 9, output_tokens: 1 } } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "thinking", thinking: "", signature: "" },
      },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "I add." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: SIGNATURE } },
      { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "eHg=" } },
      { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "So:" } },
      {
        type: "content_block_start",
        index: 3,
        content_block: { type: "tool_use", id: "c1", name: "add", input: {} },
      },
      { type: "content_block_delta", index: 3, delta: { type: "input_json_delta", partial_json: '{"a":1}' } },
      {
        ...{ type: "message_delta", delta: { stop_reason: "tool_use" } },
        usage: { output_tokens: 7, output_tokens_details: { thinking_tokens: 4 } },
      },
      { type: "message_stop" },
    ]),
    {
      content: [
        { type: "thinking", thinking: "I add.", signature: SIGNATURE },
        { type: "redacted_thinking", data: "eHg=" },
        { type: "text", text: "So:" },
        { type: "tool_use", id: "c1", name: "add", input: { a: 1 } },
      ],
    },
  ],
  [
    "items, encrypted (Responses)",
    openaiResponses,
    sse([
      { type: "response.reasoning_summary_text.delta", delta: "I add." },
      { type: "response.output_item.done", output_index: 0, item: REASONING },
      { type: "response.output_text.delta", delta: "So:" },
      {
        ...{ type: "response.output_item.done", output_index: 2 },
        item: { type: "function_call", call_id: "c1", name: "add", arguments: '{"a":1}' },
      },
      {
        type: "response.completed",
        response: {
          status: "completed",
          output: [],
          usage: { input_tokens: 9, output_tokens: 7, output_tokens_details: { reasoning_tokens: 4 } },
        },
      },
    ]),
    REASONING,
  ],
  [
    "thinking (Ollama)",
    ollama,
    [
      { message: { content: "", thinking: "I add." }, done: false },
      { message: { content: "So:" }, done: false },
      {
        message: { content: "", tool_calls: [{ id: "c1", function: { name: "add", arguments: { a: 1 } } }] },
      },
      { message: { content: "" }, done: true, done_reason: "stop", prompt_eval_count: 9, eval_count: 7 },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
    { thinking: "I add." },
  ],
];

function read(wire: Wire, bytes: Buffer, size = bytes.length) {
  const heard = { text: "", thinking: "" };
  const reply = createReply(wire, {
    onText: (piece) => (heard.text += piece),
    onThinking: (piece) => (heard.thinking += piece),
    onFirstByte: () => {},
  });
  reply.receiver.head({ status: 200, header: () => "" });
  for (let from = 0; from < bytes.length; from += size)
    if (reply.receiver.bytes(bytes.subarray(from, from + size))) break;
  return { heard, completion: reply.completion(null) };
}

type Answered = Extract<Completion, { ok: true }>;

const assistant = ({ text, thinking, toolCalls }: Answered): Message => ({
  ...{ role: "assistant", text, toolCalls: [...toolCalls] },
  ...(thinking && { thinking }),
});

/** The messages of a request that goes on from a reply. */
function nextBody(wire: Wire, completion: Answered): string {
  const request: ModelRequest = {
    model: ModelRef.parse("openai/m"),
    messages: [
      { role: "user", text: "1 + 1?" },
      assistant(completion),
      { role: "tool", id: "c1", text: "2" },
    ],
    maxOutputTokens: 100,
  };
  return wire.build(request, { model: "m", dialect: { without: new Set() } }).body;
}

describe("thinking", () => {
  it.each(FORMS)("is a part of its own, cut anywhere: %s", (_, wire, body) => {
    const bytes = Buffer.from(body);
    for (const size of [bytes.length, 1, 7]) {
      const { heard, completion } = read(wire, bytes, size);
      expect(completion).toMatchObject({ ok: true, text: "So:", finish: "tool-calls" });
      expect(completion.ok && completion.thinking?.text).toBe("I add.");
      expect({ ...heard, thinking: heard.thinking.trim() }).toEqual({ text: "So:", thinking: "I add." });
      expect(completion.usage.tokens).toMatchObject({ in: 9, out: 7 });
    }
  });

  it.each(FORMS)("broken off at every byte is the same reply or a failure: %s", (_, wire, body) => {
    const bytes = Buffer.from(body);
    const whole = read(wire, bytes).completion;
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const { completion } = read(wire, bytes.subarray(0, cut));
      if (!completion.ok) continue;
      expect({ ...completion, usage: 0 }).toEqual({ ...whole, usage: 0 });
    }
  });

  it.each(FORMS)(
    "and what is sealed go back as they came, with the results of tools: %s",
    (...[, wire, body, back]) => {
      const { completion } = read(wire, Buffer.from(body));
      if (!completion.ok) throw new Error("no reply");
      const sent: { messages?: Json[]; input?: Json[] } = JSON.parse(nextBody(wire, completion));
      expect(sent.messages ? sent.messages[1] : sent.input?.[1]).toMatchObject(back as object);
    },
  );

  it("stays out of later prompts where no tool was called", () => {
    for (const [, wire, body] of FORMS) {
      const { completion } = read(wire, Buffer.from(body));
      if (!completion.ok) throw new Error("no reply");
      const sent = nextBody(wire, { ...completion, toolCalls: [] });
      expect(sent).not.toContain("I add.");
      expect(sent).not.toContain(SIGNATURE);
    }
  });

  it("counts its tokens apart where a provider does", () => {
    for (const [name, wire, body] of FORMS)
      expect(read(wire, Buffer.from(body)).completion.usage.tokens.reasoning).toBe(
        name.includes("Ollama)") ? null : 4,
      );
  });

  it("goes back to DeepSeek beside a call of tools also where it was empty", () => {
    const body = chat({ reasoning_content: "" }, { content: "So:" }, { tool_calls: [CALL] });
    const { completion } = read(openaiCompatible, Buffer.from(body));
    if (!completion.ok) throw new Error("no reply");
    const sent: { messages: Json[] } = JSON.parse(nextBody(openaiCompatible, completion));
    expect(sent.messages[1]).toMatchObject({ reasoning_content: "" });
  });

  it("has no field that a reply could use to reach a prototype", () => {
    const hostile =
      '{"index":0,"id":"c1","function":{"name":"add","arguments":"{}"},"__proto__":{"polluted":1}}';
    const body = chat({ content: "So:" }, { tool_calls: [0] }).replace("[0]", `[${hostile}]`);
    const { completion } = read(openaiCompatible, Buffer.from(body));
    expect(completion.ok && completion.toolCalls[0]).toEqual({ id: "c1", name: "add", arguments: "{}" });
  });
});
