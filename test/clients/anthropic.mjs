import assert from "node:assert/strict";
import { QUESTION, WEATHER } from "./harness.mjs";

export const packages = ["@anthropic-ai/sdk@1.14.0", "zod@4.6.7"];

const messages = [{ role: "user", content: QUESTION }];
const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ name: "get_weather", description: "The weather of a city.", input_schema: city }];

/** The text of a message. @param {{ content: readonly { type: string, text?: string }[] }} message */
const textOf = ({ content }) => content.map(({ text = "" }) => text).join("");

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ load, serve, check }) {
  const { url, key } = await serve(WEATHER);
  const { default: Anthropic } = await load("@anthropic-ai/sdk");
  const { betaTool } = await load("@anthropic-ai/sdk/helpers/beta/json-schema");
  const { zodOutputFormat } = await load("@anthropic-ai/sdk/helpers/zod");
  const z = await load("zod");
  const client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
  const asked = { model: "parley/council", max_tokens: 4_096, messages };
  const create = (/** @type {object} */ more = {}) => client.messages.create({ ...asked, ...more });

  for (const model of ["parley/ask", "parley/council", "parley/debate", "parley/respond"])
    await check(`messages with ${model}`, async () => {
      const message = await create({ model });
      assert.match(textOf(message), /391/);
      assert.equal(message.stop_reason, "end_turn");
      assert(message.usage.output_tokens > 0);
    });
  await check("messages, streamed", async () => {
    let text = "";
    const stream = client.messages.stream(asked).on("text", (/** @type {string} */ delta) => (text += delta));
    assert.equal(textOf(await stream.finalMessage()), text);
    assert.match(text, /391/);
  });
  await check("messages with thinking, streamed", async () => {
    const thinking = { type: "enabled", budget_tokens: 1_024 };
    const message = await client.messages.stream({ ...asked, thinking }).finalMessage();
    assert.equal(message.content[0].type, "thinking");
    assert.match(textOf(message), /391/);
  });
  await check("a tool's call and its result", async () => {
    const first = await create({ tools });
    assert.equal(first.stop_reason, "tool_use");
    const call = first.content.find((/** @type {{ type: string }} */ { type }) => type === "tool_use");
    assert.deepEqual(call.input, { city: "Oslo" });
    const content = [{ type: "tool_result", tool_use_id: call.id, content: "rain, 7 degrees" }];
    const history = [...messages, { role: "assistant", content: first.content }, { role: "user", content }];
    assert.match(textOf(await create({ tools, messages: history })), /rain, 7 degrees/);
  });
  for (const stream of [false, true])
    await check(`beta.messages.toolRunner${stream ? ", streamed" : ""}`, async () => {
      /** @type {unknown[]} */
      const calls = [];
      const run = (/** @type {unknown} */ given) => (calls.push(given), "rain, 7 degrees");
      const tool = betaTool({ name: "get_weather", description: "Weather.", inputSchema: city, run });
      const runner = client.beta.messages.toolRunner({ ...asked, tools: [tool], stream });
      assert.match(textOf(await runner.runUntilDone()), /rain, 7 degrees/);
      assert.deepEqual(calls, [{ city: "Oslo" }]);
    });
  await check("a demanded tool", async () => {
    const other = { ...tools[0], name: "other" };
    const message = await create({ tools: [other], tool_choice: { type: "tool", name: "other" } });
    assert.equal(message.content.at(-1).name, "other");
  });
  await check("messages.parse", async () => {
    const output_config = { format: zodOutputFormat(z.object({ answer: z.number() })) };
    const message = await client.messages.parse({ ...asked, output_config });
    assert.equal(typeof message.parsed_output.answer, "number");
  });
  await check("system, several turns and cache_control", async () => {
    const system = [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }];
    const turns = [{ role: "user", content: "Hello" }, { role: "assistant", content: "Hello." }, ...messages];
    assert.match(textOf(await create({ system, messages: turns })), /391/);
  });
  await check("messages.countTokens", async () => {
    const { input_tokens } = await client.messages.countTokens({ model: "parley/council", messages });
    assert(input_tokens > 0);
  });
  await check("models.list and retrieve", async () => {
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    assert(ids.includes("parley/council"));
    assert.equal((await client.models.retrieve("parley/ask")).id, "parley/ask");
  });
  await check("errors have the client's types", async () => {
    const stranger = new Anthropic({ apiKey: "wrong", baseURL: url, maxRetries: 0 });
    await assert.rejects(stranger.messages.create(asked), Anthropic.AuthenticationError);
    await assert.rejects(create({ model: "parley/none" }), Anthropic.NotFoundError);
    await assert.rejects(create({ messages: [] }), Anthropic.BadRequestError);
  });
  await check("an aborted stream", async () => {
    const slow = { model: "parley/respond", parley: { models: ["sim/ada?latency=20000"] } };
    const stream = client.messages.stream({ ...asked, ...slow });
    setTimeout(() => stream.abort(), 300);
    await assert.rejects(stream.finalMessage(), Anthropic.APIUserAbortError);
  });
  await check("messages.batches.create", () =>
    client.messages.batches.create({ requests: [{ custom_id: "one", params: asked }] }),
  );
}
