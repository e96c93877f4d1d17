import { expect, it } from "vitest";
import { chatEnd, chunk, openFakeServer, stream } from "../../test/support/fake-server.ts";
import { createFakeClock } from "../../test/support/fake-clock.ts";
import { ModelRef } from "../kernel/model.ts";
import { createModels } from "./models.ts";

/** A server as llama.cpp's, which says so while it loads its model; the time passes by itself. */
async function askWhileLoading(refusals: number, timeoutMs = 180_000) {
  await using server = await openFakeServer((response, _received, count) => {
    if (count > refusals) return stream(response, chunk("42") + chatEnd());
    const error = { code: 503, message: "Loading model", type: "unavailable_error" };
    response.writeHead(503, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  });
  const clock = createFakeClock();
  const models = createModels({
    env: { LLAMACPP_HOST: server.url },
    substitutes: { clock, random: () => 0 },
    limits: { timeoutMs },
  });
  const request = {
    model: ModelRef.parse("llamacpp/any"),
    messages: [{ role: "user" as const, text: "hello" }],
    maxOutputTokens: 100,
  };
  const news: string[] = [];
  const signal = new AbortController().signal;
  let isOver = false;
  const calling = models
    .complete(request, { signal, onNews: (one) => news.push(one.kind === "waiting" ? one.for : one.kind) })
    .finally(() => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    clock.advance(100);
  }
  const call = await calling;
  await models.close();
  return { call, news, sent: server.received.length };
}

it("CALL-5: a model that its server is loading is waited for, as one attempt, and said to be loading", async () => {
  const { call, news, sent } = await askWhileLoading(30);
  expect(call).toMatchObject({ ok: true, reply: "42", attempts: 1 });
  expect(sent).toBe(31);
  expect(news).toContain("loading");
  expect(news).not.toContain("again");
});

it("ends with the call's time where the model is never loaded", async () => {
  const { call } = await askWhileLoading(Infinity, 10_000);
  expect(call).toMatchObject({ ok: false, failure: { code: "timed-out" } });
});
