import { expect, it } from "vitest";
import { countedCalls } from "../support/counted-calls.ts";
import type { Json } from "../support/server.ts";
import { built, simServer, somewhere } from "./parley.ts";
import { call, newKey, served, type ServeProcess } from "./server.ts";

built();

const tools = [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }];
const question = { role: "user", content: "What is 17 * 23?" };

it("a call of a client's tool, what it gave and the answer survive a kill -9 between each, and no draft is paid twice", async () => {
  await using place = somewhere();
  const sim = await simServer(place, {}, 60_000);
  await using paid = await countedCalls(sim.url);
  const models = ["ada", "bo", "cy"].map((name) => `openai/${name}?calls=get_weather`);
  const env = { OPENAI_BASE_URL: paid.url, PARLEY_MODELS: models.join(",") };
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
  expect(paid.calls()).toBe(7); // three drafts, three reviews, and the chair's first turn
  await kill(one);

  const { message } = called.choices[0];
  const given = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "rain, 7 degrees" };
  const two = await served(place, { env, key });
  const lost = ask(two, [question, message, given]).catch((error: unknown) => error);
  await expect.poll(() => paid.calls(), { timeout: 20_000 }).toBeGreaterThanOrEqual(8);
  await kill(two); // what it gave is recorded; whether the answer is, is a matter of the moment
  await lost;

  const three = await served(place, { env, key });
  const answered = await ask(three, [question, message, given]);
  expect(answered.choices[0].message.content).toContain("rain, 7 degrees");
  expect(answered.parley.id).toBe(called.parley.id);
  expect(paid.calls()).toBeLessThanOrEqual(9); // the turn that was in flight, once more
  await kill(three);

  const four = await served(place, { env, key });
  const again = await ask(four, [question, message, given]);
  expect(again.choices[0].message).toEqual(answered.choices[0].message);
  expect(paid.calls()).toBeLessThanOrEqual(9);
  await kill(four);
}, 180_000);
