import { describe, expect, it } from "vitest";
import { ModelRef } from "../kernel/model.ts";
import {
  chatEnd,
  chunk,
  openFakeServer,
  refuse,
  stream,
  type Answer,
} from "../../test/support/fake-server.ts";
import { createModels } from "./models.ts";

const answer: Answer = (response, { path }) => {
  if (!path.includes("/v1/messages")) return stream(response, chunk("yes") + chatEnd());
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({ type: "message", content: [{ type: "text", text: "yes" }], stop_reason: "end_turn" }),
  );
};

/** Two calls to a server that answers the first request as `first` does, and all others with a reply. */
async function askTwice(ref: string, first: Answer) {
  await using server = await openFakeServer((response, received, count) =>
    count === 1 ? first(response, received, count) : answer(response, received, count),
  );
  const { url } = server;
  const models = createModels({
    env: { OPENAI_BASE_URL: url, ANTHROPIC_BASE_URL: url, GEMINI_BASE_URL: url },
  });
  const request = {
    model: ModelRef.parse(ref),
    messages: [{ role: "user" as const, text: "hello" }],
    ...{ maxOutputTokens: 8_000, temperature: 0.7 },
  };
  const complete = () => models.complete(request, { signal: new AbortController().signal });
  const calls = [await complete(), await complete()];
  await models.close();
  return { calls, bodies: server.received.map(({ body }): unknown => JSON.parse(body)) };
}

describe("a refusal in other words", () => {
  it.each([
    ["openai/gpt-5.6?effort=max", "'max' is not a valid value for reasoning_effort.", "effort"],
    ["openai/gpt-5.6?effort=max", "reasoning_effort: value is not one of ['low', 'high']", "effort"],
    [
      "openai/gpt-5.6?effort=max",
      "The parameter reasoning_effort isn't supported by this deployment",
      "effort",
    ],
    ["openai/gpt-5.6?effort=max", "reasoning_effort is incompatible with this model", "effort"],
    ["openai/gpt-5.6?effort=max", "This model does not accept reasoning_effort", "effort"],
    ["openai/gpt-5.6?effort=max", "reasoning_effort is not enabled for this model", "effort"],
    ["openai/gpt-5.6", "temperature is fixed at 1.0 for this model", "temperature"],
    ["openai/gpt-5.6", "The temperature for this model needs to equal 1", "temperature"],
    ["google/gemini-2.5-pro?effort=none", "Thinking can't be disabled for this model.", "effort"],
    [
      "google/gemini-3-pro?effort=low",
      "Expected one of either `reasoning_effort` or custom `thinking_config`; found both.",
      "summary",
    ],
    [
      "anthropic/claude-opus-4-6?effort=high",
      "thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'enabled'",
      "effort",
    ],
    ["anthropic/claude-opus-4-6?effort=high", "output_config: Extra inputs are not permitted", "effort"],
  ])("%s: %s", async (ref, message, left) => {
    const { calls, bodies } = await askTwice(ref, (response) => refuse(response, { status: 400, message }));
    expect(calls).toMatchObject([
      { ok: true, attempts: 2 },
      { ok: true, attempts: 1 },
    ]);
    for (const call of calls) expect(call.without).toContain(left);
    expect(bodies[1]).not.toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[1]);
  });

  it("may stand in a stream that has begun", async () => {
    const error = { message: "reasoning_effort: Invalid value: xhigh", code: 400 };
    const { calls } = await askTwice("openai/gpt-5.6?effort=xhigh", (response) =>
      stream(response, `: PROCESSING\n\ndata: ${JSON.stringify({ choices: [], error })}\n\n`),
    );
    expect(calls).toMatchObject([
      { ok: true, attempts: 2, without: ["effort"] },
      { ok: true, attempts: 1, without: ["effort"] },
    ]);
  });

  it("is about nothing that only the address of a page names", async () => {
    const message =
      "Invalid prompt: your prompt was flagged. See https://platform.openai.com/docs/guides/reasoning#advice";
    const { calls } = await askTwice("openai/gpt-5.6?effort=high", (response) =>
      refuse(response, { status: 400, message }),
    );
    expect(calls).toMatchObject([{ ok: false, attempts: 1 }, { ok: true }]);
    expect(calls[1]).not.toHaveProperty("without");
  });
});
