import { expect, it } from "vitest";
import { openParley } from "../../test/support/opened.ts";
import { openFakeServer } from "../../test/support/fake-server.ts";

const Q = "What is 17 * 23?";

it("names a failed run's error: code, participant, provider, model and HTTP status", async () => {
  const text = JSON.stringify({ error: { message: "no such key", code: "invalid_api_key" } });
  await using server = await openFakeServer((response) => void response.writeHead(401).end(text));
  const env = { OPENAI_API_KEY: "sk-x", OPENAI_BASE_URL: `${server.url}/v1` };
  await using parley = await openParley({ store: ":memory:", env });
  const run = await parley.start({ protocol: "council", question: Q, models: ["openai/a", "openai/b"] });
  await run.outcome();
  expect(await parley.result(run.id)).toMatchObject({
    status: "failed",
    error: {
      ...{ code: "unauthorised", participant: "analyst", provider: "openai" },
      ...{ model: "openai/a", http: 401 },
    },
  });
});

it("names the status where no call failed, and nothing for an answer", async () => {
  await using parley = await openParley({ store: ":memory:", env: {} });
  const poor = await parley.start({
    protocol: "council",
    question: Q,
    models: ["sim/a"],
    maxTotalTokens: 10,
  });
  await poor.outcome();
  const none = { participant: null, provider: null, model: null, http: null };
  expect((await parley.result(poor.id)).error).toEqual({ code: "stopped-by-budget", ...none });
  const answered = await parley.start({ protocol: "respond", question: Q, models: ["sim/a"] });
  await answered.outcome();
  expect((await parley.result(answered.id)).error).toBeNull();
});
