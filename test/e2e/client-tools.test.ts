import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openFakeServer, stream } from "../support/fake-server.ts";
import type { Json } from "../support/server.ts";
import { built, somewhere } from "./parley.ts";
import { call, newKey, served, type ServeProcess } from "./server.ts";

built();

const tools = [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }];
const question = { role: "user", content: "What is 17 * 23?" };

it("a call of a client's tool, what it gave and the answer survive a kill -9 between each, and no draft is paid twice", async () => {
  await using place = somewhere();
  // It calls the tool once, and takes its time, so that a kill meets it at work.
  await using model = await openFakeServer(async (response, { body }) => {
    const { messages, tools: offered } = JSON.parse(body) as {
      messages: { role: string }[];
      tools?: object[];
    };
    await new Promise((resolve) => void setTimeout(resolve, 300));
    const isCalling = offered !== undefined && !messages.some(({ role }) => role === "tool");
    const call = { index: 0, id: "c1", type: "function", function: { name: "get_weather", arguments: "{}" } };
    const delta = isCalling ? { tool_calls: [call] } : { content: offered ? "It rains." : "A draft." };
    const choice = { index: 0, delta, finish_reason: isCalling ? "tool_calls" : "stop" };
    stream(response, `data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
  });
  const calls = () => model.received.length;
  const box = `compatible:\n  box: {url: "${model.url}/v1", model: x}\n`;
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, "parley.yaml"), box);
  const env = { PARLEY_MODELS: Array(3).fill("compatible/box").join(",") };
  const key = await newKey(place);
  const ask = async ({ url }: ServeProcess, messages: readonly object[]): Promise<Json> =>
    (await call(`${url}v1/chat/completions`, key, { body: { model: "parley/council", messages, tools } }))
      .json;
  const kill = async ({ process }: ServeProcess): Promise<void> => {
    process.kill("SIGKILL");
    await process.ended;
  };

  const one = await served(place, { env, key });
  const called = await ask(one, [question]);
  expect(called.choices[0].finish_reason).toBe("tool_calls");
  // Drafts, reviews (asked for once more, since they cannot be read), and the chair's first turn.
  const drafted = calls();
  expect(drafted).toBe(10);
  await kill(one);

  const { message } = called.choices[0];
  const given = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "rain, 7 degrees" };
  const two = await served(place, { env, key });
  const lost = ask(two, [question, message, given]).catch((error: unknown) => error);
  await expect.poll(() => calls(), { timeout: 20_000 }).toBe(drafted + 1);
  await kill(two); // what it gave is recorded; whether the answer is, is a matter of the moment
  await lost;

  const three = await served(place, { env, key });
  const answered = await ask(three, [question, message, given]);
  expect(answered.choices[0].message.content).toContain("It rains.");
  expect(answered.parley.id).toBe(called.parley.id);
  expect(calls()).toBeLessThanOrEqual(drafted + 2); // the turn that was in flight, once more
  await kill(three);

  const four = await served(place, { env, key });
  const again = await ask(four, [question, message, given]);
  expect(again.choices[0].message).toEqual(answered.choices[0].message);
  expect(calls()).toBeLessThanOrEqual(drafted + 2);
  await kill(four);
}, 180_000);
