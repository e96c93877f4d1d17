import { describe, expect, it } from "vitest";
import { createReply } from "../http-transport.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import type { Completion } from "./wire.ts";

function read(body: string): { readonly completion: Completion; readonly streamed: string } {
  let streamed = "";
  const reply = createReply(openaiCompatible, {
    onText: (text) => void (streamed += text),
    onFirstByte: () => {},
  });
  reply.receiver.head({ status: 200, header: () => "" });
  reply.receiver.bytes(Buffer.from(body));
  return { completion: reply.completion(null), streamed };
}

const stream = (...events: readonly unknown[]): string =>
  [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
const delta = (content: string, index = 0) => ({ index, delta: { content }, finish_reason: null });
const message = (content: string, index = 0) => ({ index, message: { content }, finish_reason: "stop" });

describe("a reply that is not the one that was asked for", () => {
  it.each([
    ["two choices in one piece", JSON.stringify({ choices: [message("a"), message("b", 1)] })],
    ["two choices without an index", JSON.stringify({ choices: [{ message: {} }, { message: {} }] })],
    ["two choices in one chunk", stream({ choices: [delta("a"), delta("b", 1)] })],
    ["two choices in turns", stream({ choices: [delta("a")] }, { choices: [delta("b", 1)] })],
    ["two choices, the second one first", stream({ choices: [delta("b", 1)] }, { choices: [delta("a")] })],
    [
      "a second choice that only ends",
      stream({ choices: [delta("a")] }, { choices: [{ index: 1, delta: {} }] }),
    ],
    [
      "a legacy completion",
      JSON.stringify({ object: "text_completion", choices: [{ text: "a", finish_reason: "stop" }] }),
    ],
    ["a legacy completion that is empty", JSON.stringify({ choices: [{ text: "", finish_reason: "stop" }] })],
    ["a legacy completion of several", JSON.stringify({ choices: [{ text: "a" }, { text: "b" }] })],
    ["a stream of a legacy completion", stream({ choices: [{ text: "a", index: 0, finish_reason: null }] })],
    [
      "a legacy end after a chat",
      stream({ choices: [delta("a")] }, { choices: [{ text: "", finish_reason: "stop" }] }),
    ],
    ["a choice without a message", JSON.stringify({ choices: [{ index: 0, finish_reason: "stop" }] })],
  ])("is refused, not read as empty: %s", (_, body) => {
    expect(read(body).completion).toMatchObject({
      ok: false,
      problem: { code: "unreadable", retry: "never" },
    });
  });

  it("is read where one choice has another index throughout", () => {
    const body = stream({ choices: [delta("a", 1)] }, { choices: [delta("b", 1)] });
    expect(read(body)).toMatchObject({ completion: { ok: true, text: "ab" }, streamed: "ab" });
  });
});

describe("a reply that ended in an error", () => {
  it.each([
    ["without text", ""],
    ["within its text", "half of"],
  ])("is the same failure in one piece as in a stream: %s", (_, content) => {
    const whole = read(JSON.stringify({ choices: [{ message: { content }, finish_reason: "error" }] }));
    const streamed = read(stream({ choices: [{ delta: { content }, finish_reason: "error" }] }));
    expect(whole.completion).toEqual(streamed.completion);
    expect(whole.completion).toMatchObject({ ok: false, problem: { code: "overloaded", retry: "later" } });
  });

  it("is a refusal in both where a filter ended it", () => {
    const whole = read(JSON.stringify({ choices: [{ finish_reason: "content_filter" }] }));
    const streamed = read(stream({ choices: [{ delta: {}, finish_reason: "content_filter" }] }));
    expect(whole.completion).toEqual(streamed.completion);
    expect(whole.completion).toMatchObject({ ok: false, problem: { code: "refused" } });
  });
});

describe("why a reply ended, as gateways write it", () => {
  const endsWith = (finish_reason: unknown) => ({
    whole: read(JSON.stringify({ choices: [{ message: { content: "so" }, finish_reason }] })).completion,
    streamed: read(stream({ choices: [{ delta: { content: "so" }, finish_reason }] })).completion,
  });

  it.each([
    ...["STOP", "eos", "end_turn", "stop_sequence", "COMPLETE", null, "", "None"].map((one) => [one, "stop"]),
    ...["MAX_TOKENS", "max_output_tokens", "max-tokens", "model_length"].map((one) => [one, "length"]),
    ...["tool_use", "TOOL_CALL", "function_call", "tool-calls"].map((one) => [one, "tool-calls"]),
    ["a word of its own", "a word of its own"],
  ])("reads %j as %s, streamed or not", (written, finish) => {
    const { whole, streamed } = endsWith(written);
    expect([whole, streamed]).toMatchObject([
      { ok: true, finish },
      { ok: true, finish },
    ]);
  });

  it.each(["content-filter", "SAFETY", "refusal", "PROHIBITED_CONTENT"])("is refused by %s", (written) => {
    const { whole, streamed } = endsWith(written);
    expect([whole, streamed]).toMatchObject(Array(2).fill({ ok: false, problem: { code: "refused" } }));
  });

  it.each([null, "", "None"])("has not ended where %j stands in the last chunk that came", (written) => {
    const cut = stream({ choices: [{ delta: { content: "so" }, finish_reason: written }] });
    expect(read(cut.replace("data: [DONE]\n\n", "")).completion).toMatchObject({ ok: false });
  });
});
