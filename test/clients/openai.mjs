import assert from "node:assert/strict";
import { QUESTION, WEATHER } from "./harness.mjs";

export const packages = ["openai@7.59.0", "zod@4.6.7"];

const messages = [{ role: "user", content: QUESTION }];
const parameters = {
  ...{ type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  additionalProperties: false,
};

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ load, serve, check }) {
  const { url, key } = await serve(WEATHER);
  const { default: OpenAI } = await load("openai");
  const { zodResponseFormat, zodTextFormat } = await load("openai/helpers/zod");
  const z = await load("zod");
  const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  const chat = (/** @type {object} */ more) =>
    client.chat.completions.create({ model: "parley/council", messages, ...more });
  const respond = (/** @type {object} */ more) =>
    client.responses.create({ model: "parley/council", input: QUESTION, ...more });
  const Sum = z.object({ answer: z.number() });

  await check("models.list and retrieve", async () => {
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    assert(ids.includes("parley/council"));
    assert.equal((await client.models.retrieve("parley/ask")).id, "parley/ask");
  });
  for (const model of ["parley/ask", "parley/council", "parley/debate", "parley/respond"])
    await check(`chat with ${model}`, async () => {
      const reply = await chat({ model });
      assert.match(reply.choices[0].message.content, /391/);
      assert(reply.usage.total_tokens > 0);
    });
  await check("chat, streamed with usage", async () => {
    let [text, tokens] = ["", 0];
    const stream = await chat({ stream: true, stream_options: { include_usage: true } });
    for await (const { choices, usage } of stream) {
      text += choices[0]?.delta.content ?? "";
      tokens = usage?.total_tokens ?? tokens;
    }
    assert.match(text, /391/);
    assert(tokens > 0);
  });
  await check("chat, streamed by the helper", async () => {
    const stream = client.chat.completions.stream({ model: "parley/council", messages });
    assert.match((await stream.finalMessage()).content, /391/);
  });
  await check("chat.completions.parse", async () => {
    const response_format = zodResponseFormat(Sum, "sum");
    const reply = await client.chat.completions.parse({ model: "parley/council", messages, response_format });
    assert.equal(typeof reply.choices[0].message.parsed.answer, "number");
  });
  const runTools = (/** @type {object} */ more) => {
    /** @type {unknown[]} */
    const calls = [];
    const runner = client.chat.completions.runTools({
      ...{ model: "parley/council", messages },
      tools: [
        {
          type: "function",
          function: {
            ...{ name: "get_weather", parameters, parse: JSON.parse },
            function: (/** @type {unknown} */ given) => (calls.push(given), "rain, 7 degrees"),
          },
        },
      ],
      ...more,
    });
    return { runner, calls };
  };
  for (const stream of [false, true])
    await check(`chat.completions.runTools${stream ? ", streamed" : ""}`, async () => {
      const { runner, calls } = runTools({ stream });
      assert.match(await runner.finalContent(), /rain, 7 degrees/);
      assert.deepEqual(calls, [{ city: "Oslo" }]);
    });
  await check("chat with a demanded tool", async () => {
    const tools = [{ type: "function", function: { name: "other", parameters } }];
    const reply = await chat({ tools, tool_choice: { type: "function", function: { name: "other" } } });
    assert.equal(reply.choices[0].message.tool_calls[0].function.name, "other");
  });
  await check("responses.create", async () => {
    const response = await respond({});
    assert.match(response.output_text, /391/);
    assert.equal(response.status, "completed");
  });
  await check("responses, streamed", async () => {
    const stream = client.responses.stream({ model: "parley/council", input: QUESTION });
    let text = "";
    for await (const event of stream) if (event.type === "response.output_text.delta") text += event.delta;
    assert.match(text, /391/);
    assert.equal((await stream.finalResponse()).output_text, text);
  });
  await check("responses.parse", async () => {
    const text = { format: zodTextFormat(Sum, "sum") };
    const response = await client.responses.parse({ model: "parley/council", input: QUESTION, text });
    assert.equal(typeof response.output_parsed.answer, "number");
  });
  await check("responses with a tool, gone on with", async () => {
    const tools = [{ type: "function", name: "get_weather", parameters, strict: true }];
    const first = await respond({ tools });
    const call = first.output.find((/** @type {{ type: string }} */ item) => item.type === "function_call");
    assert.deepEqual(JSON.parse(call.arguments), { city: "Oslo" });
    const input = [{ type: "function_call_output", call_id: call.call_id, output: "rain, 7 degrees" }];
    const second = await respond({ tools, input, previous_response_id: first.id });
    assert.match(second.output_text, /rain, 7 degrees/);
  });
  await check("responses in the background, retrieved and listed", async () => {
    const begun = await respond({ background: true });
    let last = begun;
    while (last.status === "queued" || last.status === "in_progress")
      last = await client.responses.retrieve(begun.id);
    assert.match(last.output_text, /391/);
    const items = [];
    for await (const item of client.responses.inputItems.list(begun.id)) items.push(item);
    assert(items.length > 0);
  });
  await check("responses.retrieve, streamed again", async () => {
    const begun = await respond({ background: true });
    const types = [];
    for await (const { type } of await client.responses.retrieve(begun.id, { stream: true }))
      types.push(type);
    assert.equal(types.at(-1), "response.completed");
  });
  await check("responses.cancel", async () => {
    const slow = { models: ["sim/ada?latency=20000"] };
    const begun = await respond({ model: "parley/respond", background: true, parley: slow });
    assert.equal((await client.responses.cancel(begun.id)).status, "cancelled");
  });
  await check("responses follow each other", async () => {
    const first = await respond({ model: "parley/respond" });
    const second = await respond({
      input: "What is 6 * 7?",
      model: "parley/respond",
      previous_response_id: first.id,
    });
    assert.match(second.output_text, /42/);
  });
  await check("responses.delete", async () => {
    const { id } = await respond({});
    await client.responses.delete(id);
    await assert.rejects(client.responses.retrieve(id), OpenAI.NotFoundError);
  });
  await check("responses.inputTokens.count", async () => {
    const { input_tokens } = await client.responses.inputTokens.count({
      model: "parley/council",
      input: QUESTION,
    });
    assert(input_tokens > 0);
  });
  await check("errors have the client's types", async () => {
    const stranger = new OpenAI({ apiKey: "wrong", baseURL: `${url}/v1`, maxRetries: 0 });
    await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError);
    await assert.rejects(chat({ model: "parley/none" }), OpenAI.NotFoundError);
    await assert.rejects(chat({ messages: [] }), OpenAI.BadRequestError);
  });
  await check("an aborted chat", async () => {
    const controller = new AbortController();
    const slow = { model: "parley/respond", parley: { models: ["sim/ada?latency=20000"] } };
    const asked = client.chat.completions.create({ messages, ...slow }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 300);
    await assert.rejects(asked, OpenAI.APIUserAbortError);
  });
  await check("chat.completions.retrieve", () => client.chat.completions.retrieve("none"));
  await check("responses.compact", () =>
    client.responses.compact({ model: "parley/council", input: QUESTION }),
  );
  await check("conversations.create", () => client.conversations.create({}));
  await check("completions.create", () =>
    client.completions.create({ model: "parley/ask", prompt: QUESTION }),
  );
  await check("embeddings.create", () => client.embeddings.create({ model: "parley/ask", input: QUESTION }));
}
