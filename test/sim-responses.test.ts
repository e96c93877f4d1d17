import { describe, expect, it, onTestFinished } from "vitest";
import { ModelRef, type ModelRequest } from "../src/kernel/index.ts";
import { createModels } from "../src/models/index.ts";
import { responses } from "../src/sim/server/responses.ts";
import { startSimServer } from "../src/sim/server/server.ts";

async function ask(model: string, over: Partial<ModelRequest> = {}) {
  const listening = await startSimServer({ port: 0 });
  if (!listening.ok) throw new Error(listening.reason);
  const { server } = listening;
  onTestFinished(() => server.close());
  const models = createModels({ env: { OPENAI_BASE_URL: `${server.url}/v1` }, limits: { attempts: 1 } });
  onTestFinished(() => models.close());
  let streamed = "";
  const call = await models.complete(
    {
      model: ModelRef.parse(model),
      messages: [
        { role: "system", text: "be brief" },
        { role: "user", text: "What is 17 * 23?" },
      ],
      maxOutputTokens: 500,
      ...over,
    },
    { signal: new AbortController().signal, onDelta: ({ text }) => void (streamed += text) },
  );
  return { call, streamed };
}

describe("the Responses API of the simulated server", () => {
  it("answers models that have no other API, and those that ask for it", async () => {
    for (const model of ["openai/gpt-5-pro?skill=1", "openai/ada?skill=1&wire=responses"]) {
      const { call, streamed } = await ask(model);
      expect(call).toMatchObject({ ok: true, finish: "stop", tokens: { in: expect.any(Number), cached: 0 } });
      expect(streamed).toContain("Final answer: 391");
      expect(call.ok && call.reply).toBe(streamed);
    }
  });

  it("cuts a reply at its limit, and has the faults of every API", async () => {
    const question = { role: "user" as const, text: "Explain at length why 17 * 23 is what it is." };
    const { call } = await ask("openai/ada?wire=responses", { maxOutputTokens: 16, messages: [question] });
    expect(call).toMatchObject({ ok: true, finish: "length" });
    const faulty = await ask("openai/ada?http=429&retry-after=9&wire=responses");
    expect(faulty.call).toMatchObject({ ok: false, failure: { code: "rate-limited", http: 429 } });
    const broken = await ask("openai/ada?cut=200&wire=responses");
    expect(broken.call).toMatchObject({ ok: false, failure: { code: "network" } });
  });

  it("reads text, instructions, results of tools and the form of a reply", () => {
    const format = { type: "json_schema", name: "r", schema: { type: "object" } };
    const read = (body: object) => responses.read({ model: "ada", ...body });
    expect(read({ input: "x", instructions: "s", text: { format } })).toMatchObject({
      ok: true,
      order: {
        messages: [
          { role: "system", text: "s" },
          { role: "user", text: "x" },
        ],
        reply: { name: "r", schema: { type: "object" } },
      },
    });
    const input = [
      { role: "developer", content: [{ type: "input_text", text: "a" }] },
      { type: "reasoning", summary: [] },
      { role: "assistant", content: "b" },
      { type: "function_call_output", call_id: "c", output: "d" },
    ];
    expect(read({ input })).toMatchObject({
      order: {
        messages: [
          { role: "system", text: "a" },
          { role: "assistant", text: "b" },
          { role: "tool", id: "c", text: "d" },
        ],
      },
    });
    expect(read({ input: [{ type: "reasoning" }] })).toMatchObject({ ok: false });
    expect(read({ input: "x", max_output_tokens: 5 })).toMatchObject({ ok: false });
  });
});
