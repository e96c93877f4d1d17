import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI } from "@langchain/openai";
import { generateObject, generateText, jsonSchema, streamText } from "ai";
import OpenAI from "openai";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAiApi } from "../src/features/client-apis/api/index.ts";
import { chatEnd, chunk, openFakeServer, stream } from "./support/fake-server.ts";
import { nativeApi, serverPlace, testServer, SUM, type TestServer } from "./support/server.ts";

// Clients that nobody here wrote, against a server on simulated models.

let server: TestServer;
let client: OpenAI;
beforeAll(async () => {
  server = await testServer({ surfaces: [nativeApi, openAiApi] });
  client = new OpenAI({ apiKey: server.key, baseURL: `${server.url}v1` });
});
afterAll(() => server[Symbol.asyncDispose]());

const asking = (content = SUM) => [{ role: "user" as const, content }];
const schema = {
  type: "object" as const,
  properties: { answer: { type: "number" as const } },
  required: ["answer"] as string[],
  additionalProperties: false,
};
/** What a reply has beside OpenAI's fields. */
type Extras = {
  readonly parley?: { readonly [field: string]: unknown };
  readonly usage?: { readonly cost?: number };
};
const extrasOf = (reply: unknown): Extras => reply as Extras;

describe("npm's openai", () => {
  it("lists protocols and packs as models, and says which are simulated", async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(
      expect.arrayContaining(["parley/ask", "parley/council", "parley/debate", "parley/respond"]),
    );
    const council = await client.models.retrieve("parley/council");
    expect(council).toMatchObject({ id: "parley/council", parley: { protocol: "council", simulated: true } });
    await expect(client.models.retrieve("parley/concil")).rejects.toMatchObject({
      status: 404,
      code: "model_not_found",
      message: expect.stringContaining("parley/council") as string,
    });
  });

  it.each(["ask", "council", "debate", "respond"])("gets an answer, stages and usage of %s", async (name) => {
    const reply = await client.chat.completions.create({
      model: `parley/${name}`,
      messages: asking(),
      temperature: 0.2,
      seed: 7,
      metadata: { team: "blue" },
      user: "ann",
    });
    const [choice] = reply.choices;
    expect(choice?.finish_reason).toBe("stop");
    expect(choice?.message.content).toContain("391");
    expect(choice?.message).toMatchObject({ reasoning_content: expect.stringContaining("done") as string });
    const { parley, usage } = extrasOf(reply);
    expect(parley).toMatchObject({ status: "answered", simulated: true, ignored: [] });
    expect(usage).toMatchObject({ cost: 0 });
    const id = String(parley?.["id"]);
    const result = (await server.get(`deliberations/${id}`)).json;
    expect(reply.usage?.prompt_tokens).toBe(result.tokens.in);
    expect(result.protocol.name).toBe(name);
    const listed = (await server.get("deliberations?label=team:blue&label=user:ann")).json.data;
    expect(listed.map((one: { id: string }) => one.id)).toContain(id);
  });

  it("streams stages, then the answer, then the usage, under no event names", async () => {
    const stream = await client.chat.completions.create({
      ...{ model: "parley/council", messages: asking(), stream: true },
      stream_options: { include_usage: true },
    });
    let text = "";
    let reasoning = "";
    const finishes: (string | null)[] = [];
    let last: unknown;
    for await (const chunk of stream) {
      const [choice] = chunk.choices;
      text += choice?.delta.content ?? "";
      reasoning += (choice?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? "";
      if (choice?.finish_reason) finishes.push(choice.finish_reason);
      last = chunk;
    }
    expect(finishes).toEqual(["stop"]);
    expect(text).toContain("391");
    expect(reasoning.split("\n").filter(Boolean).length).toBeGreaterThan(5);
    expect(last).toMatchObject({ choices: [], usage: { completion_tokens: expect.any(Number) as number } });
    const { parley } = extrasOf(last);
    const result = (await server.get(`deliberations/${String(parley?.["id"])}`)).json;
    expect(text).toBe(result.answer);
  });

  it.each(["ask", "council", "debate", "respond"])(
    "gets the answer of %s while it is written, in one piece, without stages where none are wanted",
    async (name) => {
      const question = "Should we move the queue to Postgres?";
      const read = async (more: object) => {
        const stream = await client.chat.completions.create({
          ...{ model: `parley/${name}`, messages: asking(question), stream: true, ...more },
        });
        let kinds = "";
        let text = "";
        let id: unknown;
        for await (const chunk of stream) {
          const delta = chunk.choices[0]?.delta as
            { content?: string; reasoning_content?: string } | undefined;
          if (delta?.reasoning_content) kinds += "r";
          if (delta?.content) kinds += "t";
          text += delta?.content ?? "";
          id = extrasOf(chunk).parley?.["id"] ?? id;
        }
        return {
          kinds,
          text,
          answer: (await server.get(`deliberations/${String(id)}`)).json.answer as string,
        };
      };
      const told = await read({});
      expect(told.kinds).toMatch(/^r+t{2,}$/);
      expect(told.text).toBe(told.answer);
      expect((await read({ parley: { stages: false } })).kinds).toMatch(/^t{2,}$/);
    },
  );

  it("gets a comment at once, data without names, and [DONE]", async () => {
    const reply = await server.post("/v1/chat/completions", {
      ...{ model: "parley/council", messages: asking(), stream: true },
    });
    expect(reply.headers).toMatchObject({
      "x-accel-buffering": "no",
      "cache-control": "no-cache, no-transform",
    });
    const blocks = reply.text.split("\n\n").filter((block) => block !== "");
    expect(blocks[0]).toBe(": ");
    expect(blocks.slice(1).filter((block) => !block.startsWith("data: "))).toEqual([]);
    expect(blocks.at(-1)).toBe("data: [DONE]");
    const first = JSON.parse((blocks[1] ?? "").slice(6)) as OpenAI.ChatCompletionChunk;
    expect(first.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
  });

  it("asks a pack as a model", async () => {
    const reply = await client.chat.completions.create({ model: "parley/risk-review", messages: asking() });
    const id = String(extrasOf(reply).parley?.["id"]);
    const { protocol, participants } = (await server.get(`deliberations/${id}`)).json;
    expect(protocol.name).toBe("council");
    expect(participants.length).toBeGreaterThan(2);
  });

  it("passes on how words are chosen, in both APIs", async () => {
    await using provider = await openFakeServer((response) =>
      stream(response, chunk("17 * 23 = 391.") + chatEnd()),
    );
    using place = serverPlace({
      "parley/parley.yaml": `compatible: {box: {url: "${provider.url}/v1", model: x}}\n`,
    });
    await using other = await testServer({ surfaces: [nativeApi, openAiApi] }, place);
    const sent = { top_p: 0.9, presence_penalty: 1, frequency_penalty: -1 };
    const from = { ...sent, temperature: 0.3, parley: { models: ["compatible/box"] } };
    const chat = await other.post("/v1/chat/completions", {
      ...{ model: "parley/respond", messages: asking(), seed: 7, ...from },
    });
    const response = await other.post("/v1/responses", { model: "parley/council", input: SUM, ...from });
    expect([chat.json.parley.ignored, response.json.parley.ignored]).toEqual([[], []]);
    expect(response.json).toMatchObject(sent);
    const bodies = provider.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(bodies[0]).toMatchObject({ ...sent, seed: 7, temperature: 0.3 });
    expect(bodies[1]).toMatchObject(sent);
    expect(bodies[1]).not.toHaveProperty("seed");
  });

  it("leaves usage out where a provider does not report it", async () => {
    const silent = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "application/json" });
      const choices = [
        { index: 0, message: { role: "assistant", content: "It is 391." }, finish_reason: "stop" },
      ];
      response.end(JSON.stringify({ choices }));
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    using place = serverPlace({
      "parley/parley.yaml": `compatible:\n  silent: {url: "http://127.0.0.1:${port}/v1", model: x}\n`,
    });
    await using other = await testServer({ surfaces: [nativeApi, openAiApi] }, place);
    const ask = (more: object) =>
      other.post("/v1/chat/completions", {
        ...{
          model: "parley/respond",
          messages: asking(),
          parley: { models: ["compatible/silent"] },
          ...more,
        },
      });
    const whole = await ask({});
    expect([whole.status, whole.json.choices[0].message.content]).toEqual([200, "It is 391."]);
    expect(whole.json).not.toHaveProperty("usage");
    expect((await ask({ stream: true, stream_options: { include_usage: true } })).text).not.toContain(
      '"usage"',
    );
    silent.close();
  });

  it("sees what a respondent writes while it writes it", async () => {
    const stream = await client.chat.completions.create({
      ...{ model: "parley/respond", messages: asking(), stream: true },
      ...{ parley: { models: ["sim/slow?latency=300"] } },
    });
    const pieces: string[] = [];
    let id = "";
    for await (const chunk of stream) {
      const piece = chunk.choices[0]?.delta.content;
      if (piece) pieces.push(piece);
      const { parley } = extrasOf(chunk);
      if (parley) id = String(parley["id"]);
    }
    const result = (await server.get(`deliberations/${id}`)).json;
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join("")).toBe(result.answer);
  });

  it("keeps earlier turns, and instructions", async () => {
    const reply = await client.chat.completions.create({
      model: "parley/respond",
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "My boat is Nellie." },
        { role: "assistant", content: "Noted." },
        { role: "user", content: [{ type: "text", text: "What is my boat?" }] },
      ],
    });
    expect(reply.choices[0]?.message.content).toContain("Nellie");
    const id = String(extrasOf(reply).parley?.["id"]);
    const { data } = (await server.get(`deliberations/${id}/events?limit=1`)).json;
    expect(data[0].data).toMatchObject({ question: "What is my boat?", history: [expect.anything()] });
  });

  it("gets JSON that fits its schema, from one more step of who wrote the answer", async () => {
    const reply = await client.chat.completions.create({
      ...{ model: "parley/council", messages: asking() },
      response_format: { type: "json_schema", json_schema: { name: "sum", schema } },
    });
    expect(JSON.parse(reply.choices[0]?.message.content ?? "")).toEqual({ answer: 391 });
    const { parley } = extrasOf(reply);
    expect(parley?.["prose"]).toContain("391");
    expect(parley?.["formed"]).toHaveLength(1);
    const any = await client.chat.completions.create({
      ...{ model: "parley/respond", messages: asking(), response_format: { type: "json_object" } },
    });
    expect(typeof JSON.parse(any.choices[0]?.message.content ?? "")).toBe("object");
  });

  const tool = { type: "function" as const, function: { name: "sum", parameters: schema } };
  const named = { type: "function" as const, function: { name: "sum" } };

  it("is refused where the schema cannot be met, with the prose in reach", async () => {
    const impossible = {
      type: "object",
      properties: { x: { type: "string", maxLength: 0, minLength: 1 } },
      required: ["x"],
    };
    const error: unknown = await client.chat.completions
      .create({
        ...{ model: "parley/respond", messages: asking() },
        response_format: { type: "json_schema", json_schema: { name: "no", schema: impossible } },
      })
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 422, code: "response_format_unmet" });
  });

  it("is told which field is refused, and which are ignored", async () => {
    const refusals: [object, string][] = [
      [{ n: 2 }, "n"],
      [{ logprobs: true }, "logprobs"],
      [{ tool_choice: "required" }, "tool_choice"],
      [{ tool_choice: "required", tools: [{ type: "web_search" }] }, "tool_choice"],
      [{ function_call: { name: "x" }, functions: [tool.function] }, "function_call"],
      [
        {
          tool_choice: named,
          tools: [{ type: "function", function: { name: "sum", parameters: { type: 5 } } }],
        },
        "tools",
      ],
      [{ tool_choice: { type: "function", function: { name: "x" } } }, "tool_choice"],
      [{ modalities: ["audio"] }, "modalities"],
      [{ temprature: 1 }, "temprature"],
      [{ stor: false }, "stor"],
      [{ store: "no" }, "store"],
      [{ temperature: 9 }, "temperature"],
      [{ messages: [] }, "messages"],
      [
        { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }] },
        "messages[0].content[0]",
      ],
      [{ parley: { strategy: 1 } }, "parley.strategy"],
      [{ metadata: { long: "x".repeat(600) } }, "metadata.long"],
      [{ response_format: { type: "xml" } }, "response_format.type"],
    ];
    for (const [more, param] of refusals) {
      const body = { model: "parley/respond", messages: asking(), ...more };
      const error: unknown = await client.chat.completions
        .create(body as OpenAI.ChatCompletionCreateParamsNonStreaming)
        .catch((caught: unknown) => caught);
      expect(error, param).toMatchObject({ status: 400, param });
    }
    const reply = await client.chat.completions.create({
      ...{
        model: "parley/council",
        messages: asking(),
        top_p: 0.5,
        presence_penalty: 1,
        reasoning_effort: "high",
        store: false,
        ...{ top_k: 40, web_search_options: {} },
      },
      tools: [{ type: "function", function: { name: "look", parameters: {} } }],
    });
    const ignored = extrasOf(reply).parley?.["ignored"] as string[];
    expect([...ignored].sort()).toEqual(["reasoning_effort", "top_k", "web_search_options"]);
  });

  it("gets an answer for what coding agents send: their fields, tools, long instructions and a tool's result", async () => {
    const instructions = `Work with care. ${"x".repeat(999_000)}`;
    const reply = await server.post("/v1/responses", {
      ...{
        model: "parley/respond",
        instructions,
        store: false,
        parallel_tool_calls: false,
        tool_choice: "auto",
      },
      ...{
        client_metadata: { session: "1" },
        include: ["reasoning.encrypted_content"],
        prompt_cache_key: "k",
      },
      tools: [{ type: "function", name: "look" }, { type: "web_search" }, { type: "namespace", name: "n" }],
      reasoning: { effort: "medium", summary: "auto" },
      text: { verbosity: "low" },
      input: [
        { type: "message", role: "developer", content: [{ type: "input_text", text: "Read only." }] },
        { type: "message", role: "user", content: [{ type: "input_text", text: SUM }] },
        { type: "reasoning", summary: [], encrypted_content: "x" },
        { type: "function_call", call_id: "1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "1", output: "nothing" },
      ],
    });
    expect(reply.status).toBe(200);
    expect(reply.json.output_text).toContain("391");
    expect(reply.json.parley.ignored).toEqual(
      expect.arrayContaining(["tools.web_search", "client_metadata"]),
    );
    expect(reply.json.parley.ignored).not.toContain("tools");
    const long = await server.post("/v1/responses", {
      ...{ model: "parley/respond", input: SUM, instructions: "x".repeat(1_000_001) },
    });
    expect(long.status).toBe(400);
    expect(long.json.error).toMatchObject({ param: "instructions" });
  });

  it("gets errors before a stream and amid it", async () => {
    const failing = { parley: { models: ["sim/x?fail=1"] } };
    await expect(
      new OpenAI({ apiKey: "pk_wrong", baseURL: `${server.url}v1`, maxRetries: 0 }).models.list(),
    ).rejects.toMatchObject({ status: 401, type: "authentication_error" });
    const budget: unknown = await client.chat.completions
      .create({
        ...{ model: "parley/council", messages: asking() },
        ...({ parley: { budget: { calls: 1 } } } as object),
      })
      .catch((error: unknown) => error);
    expect(budget).toMatchObject({ status: 402 });
    const stream = await client.chat.completions.create({
      ...{ model: "parley/respond", messages: asking(), stream: true, ...failing },
    });
    const read = (async () => {
      for await (const chunk of stream) expect(chunk.choices).toBeDefined();
    })();
    await expect(read).rejects.toThrow(/failed/);
  });

  it("joins its first try when it sends a request again, and pays once (REPEAT-1)", async () => {
    const send = (retries: number, content: string) =>
      server.post(
        "/v1/chat/completions",
        { model: "parley/respond", messages: asking(content) },
        { headers: { "x-stainless-retry-count": String(retries) } },
      );
    const [first, again, other] = [
      await send(0, "What is 2+3?"),
      await send(1, "What is 2+3?"),
      await send(1, "What is 2+4?"),
    ];
    expect(again.json.parley.id).toBe(first.json.parley.id);
    expect(other.json.parley.id).not.toBe(first.json.parley.id);
    const fresh = await send(0, "What is 2+3?");
    expect(fresh.json.parley.id).not.toBe(first.json.parley.id);
  });

  it("refuses a deliberation whose own model is this server, and pays for nothing", async () => {
    const endpoint = `compatible:\n  self: {url: "${server.url}v1", key-env: SELF_KEY, model: parley/ask}\n`;
    using place = serverPlace({ "parley/parley.yaml": endpoint });
    await using outer = await testServer(
      { surfaces: [nativeApi, openAiApi], env: { SELF_KEY: server.key } },
      place,
    );
    const before = (await server.get("deliberations")).json.data.length;
    const reply = await outer.post("/v1/chat/completions", {
      ...{ model: "parley/respond", messages: asking(), parley: { models: ["compatible/self"] } },
    });
    expect(reply.status).toBe(502);
    expect(reply.json.error.message).toContain("may not start another");
    expect((await server.get("deliberations")).json.data).toHaveLength(before);
  });

  it("creates, streams, resumes, retrieves and cancels responses", async () => {
    const whole = await client.responses.create({
      model: "parley/council",
      input: SUM,
      instructions: "Be exact.",
    });
    expect(whole).toMatchObject({ status: "completed", instructions: "Be exact.", model: "parley/council" });
    expect(whole.output_text).toContain("391");
    expect(whole.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    const next = await client.responses.create({
      ...{ model: "parley/respond", input: "And why?", previous_response_id: whole.id },
    });
    expect(next.previous_response_id).toBe(whole.id);

    const stream = await client.responses.create({
      ...{ model: "parley/council", input: SUM, background: true, stream: true },
    });
    const events: { type: string; sequence_number: number }[] = [];
    for await (const event of stream) {
      events.push(event);
      if (event.sequence_number === 12) break;
    }
    const created = events[0] as unknown as { response: { id: string } };
    const { id } = created.response;
    const rest = await client.responses.retrieve(id, { stream: true, starting_after: 12 });
    for await (const event of rest) events.push(event);
    const numbers = events.map((event) => event.sequence_number);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(events.at(-1)?.type).toBe("response.completed");
    const again: unknown[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true })) again.push(event);
    expect(again).toEqual(events);
    const items = await client.responses.inputItems.list(id);
    expect(items.data).toMatchObject([{ role: "user", content: [{ text: SUM }] }]);

    const slow = await client.responses.create({
      ...{ model: "parley/council", input: SUM, background: true },
      ...({ parley: { models: ["sim/a?latency=5000", "sim/b?latency=5000"] } } as object),
    });
    expect(slow.status).toBe("in_progress");
    expect((await client.responses.cancel(slow.id)).status).toBe("cancelled");
    await expect(client.responses.retrieve("resp_nobody")).rejects.toMatchObject({ status: 404 });
    await client.responses.delete(next.id);
    await expect(client.responses.retrieve(next.id)).rejects.toMatchObject({ status: 404 });
  });
});

describe("the AI SDK", () => {
  it("reads text, reasoning and usage of chat completions", async () => {
    const provider = createOpenAICompatible({
      name: "parley",
      baseURL: `${server.url}v1`,
      apiKey: server.key,
    });
    const { text, reasoningText, usage } = await generateText({
      model: provider("parley/council"),
      prompt: SUM,
    });
    expect(text).toContain("391");
    expect(reasoningText).toContain("done");
    expect(usage.inputTokens).toBeGreaterThan(0);
    const stream = streamText({ model: provider("parley/ask"), prompt: SUM });
    let streamed = "";
    for await (const piece of stream.textStream) streamed += piece;
    expect(streamed).toContain("391");
    expect(await stream.finishReason).toBe("stop");
    await expect(
      generateText({ model: provider("parley/nobody"), prompt: SUM, maxRetries: 0 }),
    ).rejects.toThrow(/nearest/);
  });

  it("reads responses, with reasoning and objects", async () => {
    const provider = createOpenAI({ baseURL: `${server.url}v1`, apiKey: server.key });
    const model = provider.responses("parley/council");
    const { text, reasoningText, usage } = await generateText({ model, prompt: SUM });
    expect(text).toContain("391");
    expect(reasoningText).toContain("received");
    expect(usage.outputTokens).toBeGreaterThan(0);
    const { object } = await generateObject({
      model,
      prompt: SUM,
      schema: jsonSchema<{ answer: number }>({ ...schema, required: [...schema.required] }),
    });
    expect(object).toEqual({ answer: 391 });
    const stream = streamText({ model: provider.responses("parley/respond"), prompt: SUM });
    const kinds = new Set<string>();
    for await (const part of stream.fullStream) kinds.add(part.type);
    expect([...kinds]).toEqual(expect.arrayContaining(["reasoning-delta", "text-delta", "finish"]));
    expect(await stream.text).toContain("391");
  });
});

describe("LangChain", () => {
  it("reads text, reasoning and usage, whole and streamed", async () => {
    const configuration = { baseURL: `${server.url}v1` };
    const model = new ChatOpenAI({ model: "parley/council", apiKey: server.key, configuration });
    const reply = await model.invoke(SUM);
    expect(reply.content).toContain("391");
    expect(reply.usage_metadata).toMatchObject({ total_tokens: expect.any(Number) as number });
    let text = "";
    for await (const piece of await model.stream(SUM)) text += piece.text;
    expect(text).toContain("391");
  });

  it("throws an error that comes amid a stream", async () => {
    const model = new ChatOpenAI({
      ...{
        model: "parley/respond",
        apiKey: server.key,
        maxRetries: 0,
        configuration: { baseURL: `${server.url}v1` },
      },
      modelKwargs: { parley: { models: ["sim/x?fail=1"] } },
    });
    const read = (async () => {
      for await (const piece of await model.stream(SUM)) expect(piece).toBeDefined();
    })();
    await expect(read).rejects.toThrow();
  });
});
