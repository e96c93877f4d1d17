import { describe, expect, it } from "vitest";
import { ModelRef, type Message } from "../../kernel/model.ts";
import { anthropic } from "./anthropic.ts";
import { ollama } from "./ollama.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import type { Wire } from "./wire.ts";

/** The messages of the request that follows a reply, as the provider gets them. */
function nextMessages(wire: Wire, whole: unknown): unknown {
  const completion = wire.readWhole(whole);
  if (!completion.ok) throw new Error(completion.problem.words);
  const { text, thinking, toolCalls } = completion;
  const messages: Message[] = [
    { role: "user", text: "weather?" },
    { role: "assistant", text, toolCalls: [...toolCalls], ...(thinking && { thinking }) },
    ...toolCalls.map(({ id }) => ({ role: "tool" as const, id, text: "rain" })),
  ];
  const request = { model: ModelRef.parse("x/m"), messages, maxOutputTokens: 50 };
  const { body } = wire.build(request, { model: "m", dialect: { without: new Set() } });
  return JSON.parse(body);
}

describe("what a provider hangs on a call of a tool", () => {
  it("goes back to Ollama with its id and its signature", () => {
    const call = {
      ...{ id: "call_x7", thought_signature: "outer" },
      function: { name: "look", arguments: { at: "sea" }, thought_signature: "inner" },
    };
    const message = { role: "assistant", content: "", tool_calls: [call] };
    expect(nextMessages(ollama, { message, done: true, done_reason: "stop" })).toMatchObject({
      messages: [
        { role: "user" },
        message,
        { role: "tool", content: "rain", tool_name: "look", tool_call_id: "call_x7" },
      ],
    });
  });

  it("goes back in the function where a gateway put it there", () => {
    const call = {
      ...{ id: "c1", type: "function", provider_specific_fields: { a: 1 } },
      function: { name: "look", arguments: "{}", provider_specific_fields: { thought_signature: "s1" } },
    };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    expect(nextMessages(openaiCompatible, { choices })).toMatchObject({
      messages: [{ role: "user" }, message, { role: "tool", tool_call_id: "c1" }],
    });
  });

  it("goes back to Anthropic without the blanks between, which it refuses as a text", () => {
    const thought = { type: "thinking", thinking: "Hm.", signature: "s1" };
    const use = { type: "tool_use", id: "t1", name: "look", input: { at: "sea" } };
    const content = [thought, { type: "text", text: "\n\n" }, use];
    expect(nextMessages(anthropic, { type: "message", content, stop_reason: "tool_use" })).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant", content: [thought, use] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1" }] },
      ],
    });
  });
});
