import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apis } from "../src/features/client-apis/api/index.ts";
import { nativeApi, testServer, SUM, type TestServer } from "./support/server.ts";

// Anthropic's Messages API, as its documentation has it (platform.claude.com/docs/en/api/messages).

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ surfaces: [nativeApi, ...apis] });
});
afterAll(() => server[Symbol.asyncDispose]());

const asking = (content: unknown = SUM) => [{ role: "user", content }];
const ask = (more: object, path = "") =>
  server.post(`/v1/messages${path}`, {
    ...{ model: "parley/respond", max_tokens: 1_024, messages: asking(), ...more },
  });

type StreamEvent = { readonly type: string; readonly [field: string]: unknown };

const eventsIn = (text: string): StreamEvent[] =>
  text
    .split("\n\n")
    .filter((block) => block.startsWith("event: "))
    .map((block) => {
      const [name = "", data = ""] = block.split("\n");
      const event = JSON.parse(data.slice("data: ".length)) as StreamEvent;
      expect(name).toBe(`event: ${event.type}`);
      return event;
    });

/** The blocks that a stream builds up, as Anthropic's SDK does it. */
function blocksIn(events: readonly StreamEvent[]) {
  const blocks: { type: string; text: string }[] = [];
  let open = false;
  for (const { type, index, content_block: block, delta } of events) {
    if (type === "content_block_start") {
      expect([open, index]).toEqual([false, blocks.length]);
      blocks.push({ type: (block as { type: string }).type, text: "" });
      open = true;
    }
    if (type === "content_block_stop") open = false;
    if (type !== "content_block_delta") continue;
    expect([open, index]).toEqual([true, blocks.length - 1]);
    const { text, thinking, partial_json: json } = delta as { [field: string]: string | undefined };
    const last = blocks.at(-1);
    if (last) last.text += text ?? thinking ?? json ?? "";
  }
  expect(open).toBe(false);
  return blocks;
}

const tools = [
  {
    name: "sum",
    input_schema: { type: "object", properties: { answer: { type: "number" } }, required: ["answer"] },
  },
];

describe("a message", () => {
  it.each(["ask", "council", "debate", "respond"])("is answered by %s, whole and streamed", async (name) => {
    const model = `parley/${name}`;
    const { status, json } = await ask({ model, system: [{ type: "text", text: "Be short." }] });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ...{ type: "message", role: "assistant", model, stop_reason: "end_turn", stop_sequence: null },
      id: expect.stringMatching(/^msg_/) as unknown,
      content: [{ type: "text", text: expect.stringContaining("391") as unknown }],
      usage: { input_tokens: expect.any(Number) as unknown, output_tokens: expect.any(Number) as unknown },
    });
    const { text } = await ask({ model, stream: true, thinking: { type: "enabled", budget_tokens: 1_024 } });
    const events = eventsIn(text);
    expect(events.map(({ type }) => type).filter((type) => !type.startsWith("content_block"))).toEqual([
      ...["message_start", "message_delta", "message_stop"],
    ]);
    const blocks = blocksIn(events);
    expect(blocks.map(({ type }) => type)).toEqual(["thinking", "text"]);
    expect(blocks[1]?.text).toContain("391");
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "end_turn" } });
  });

  it("is a call of the tool that it demands", async () => {
    for (const tool_choice of [{ type: "tool", name: "sum" }, { type: "any" }]) {
      const { json } = await ask({ tools, tool_choice });
      expect(json).toMatchObject({ stop_reason: "tool_use" });
      expect(json.content).toEqual([
        {
          ...{ type: "tool_use", name: "sum", input: { answer: 391 } },
          id: expect.stringMatching(/^toolu_/) as unknown,
        },
      ]);
      const [block] = blocksIn(eventsIn((await ask({ tools, tool_choice, stream: true })).text));
      expect([block?.type, JSON.parse(block?.text ?? "")]).toEqual(["tool_use", { answer: 391 }]);
    }
    const free = await ask({ tools, tool_choice: { type: "auto" } });
    expect(free.json.stop_reason).toBe("end_turn");
    expect(free.json.parley.ignored).not.toContain("tools");
  });

  it("goes on with what tools gave, and leaves out what was thought", async () => {
    const { status, json } = await ask({
      messages: [
        { role: "user", content: "What color is the sky?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "x" },
            { type: "text", text: "I look." },
            { type: "tool_use", id: "a", name: "look", input: { at: "sky" } },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "blue" }] }],
        },
      ],
    });
    expect(status).toBe(200);
    const { question } = (await server.get(`deliberations/${String(json.parley.id)}`)).json;
    expect(question).toBe(
      'What color is the sky?\n\n# Done since\n\nI look.\n\n[called look: {"at":"sky"}]\n\n[look gave]\nblue',
    );
  });

  it("has its form, its stops and its tokens counted", async () => {
    const format = { type: "json_schema", schema: tools[0]?.input_schema };
    expect(JSON.parse((await ask({ output_config: { format } })).json.content[0].text)).toEqual({
      answer: 391,
    });
    expect((await ask({ stop_sequences: ["391"] })).json.content[0].text).not.toContain("391");
    const { json } = await ask({ messages: asking("x".repeat(300)) }, "/count_tokens?beta=true");
    expect(json).toEqual({ input_tokens: 108 });
  });

  it("refuses a thread in the words after which Anthropic's SDK sends the whole conversation", async () => {
    for (const thread of [{ type: "create" }, { type: "continue", previous_message_id: "msg_x" }]) {
      const { status, json } = await ask({ thread });
      expect(status).toBe(400);
      expect(json.error.details).toEqual({
        error_code: "thread_unsupported_request",
        unsupported: ["thread"],
      });
    }
    expect((await ask({ thread: null })).status).toBe(200);
    expect((await ask({ messages: [] })).json.error.details).toBeUndefined();
  });

  it("is refused in Anthropic's words, with what is wrong", async () => {
    const image = { type: "image", source: { type: "url", url: "https://h.example/a.png" } };
    const broken = { type: "document", source: { type: "base64", media_type: {}, data: { toString: 1 } } };
    const refusals: readonly (readonly [object, number, string, string])[] = [
      [{ model: "claude-opus-5" }, 404, "not_found_error", "there is no model"],
      [{ messages: [] }, 400, "invalid_request_error", "messages"],
      [{ messages: asking([image]) }, 400, "invalid_request_error", "fetches nothing from the web"],
      [{ messages: asking([broken]) }, 400, "invalid_request_error", "no data URL"],
      [{ messages: asking([{ type: "text", text: 5 }]) }, 400, "invalid_request_error", "messages"],
      [{ tools, tool_choice: { type: "tool", name: "b" } }, 400, "invalid_request_error", 'no tool "b"'],
      [{ temperature: 9 }, 400, "invalid_request_error", "temperature"],
    ];
    for (const [more, status, type, words] of refusals) {
      const reply = await ask(more);
      expect([reply.status, reply.json], words).toMatchObject([
        status,
        { type: "error", error: { type, message: expect.stringContaining(words) as unknown } },
      ]);
    }
    const stranger = await fetch(`${server.url}v1/messages`, { method: "POST", body: "{}" });
    expect([stranger.status, await stranger.json()]).toMatchObject([
      401,
      { type: "error", error: { type: "authentication_error" } },
    ]);
  });
});
