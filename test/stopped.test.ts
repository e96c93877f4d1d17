import { expect, it } from "vitest";
import { openParley } from "../src/index.ts";
import { callOf, DeliberationId, isEvent } from "../src/kernel/index.ts";
import { progressView } from "../src/views/progress.ts";
import { resultOf } from "../src/views/result.ts";
import { openFakeServer } from "./support/fake-server.ts";
import { SUM } from "./support/server.ts";

// STOP-1: what has come of the replies under way when a run is stopped is kept, and is no result.

const chunk = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`;

it("keeps what has come of each reply when a run is stopped, once, and gives it to nobody", async () => {
  let isSlow = true;
  const prompts: string[] = [];
  await using server = await openFakeServer((response, { body }) => {
    prompts.push(body);
    response.setHeader("content-type", "text/event-stream");
    if (isSlow) response.write(chunk("Half of ") + chunk("an answer"));
    else response.end(chunk("Final answer: 391") + END);
  });
  const compatible = { box: { url: `${server.url}/v1`, local: true, keyEnv: undefined } };
  await using parley = await openParley({ store: ":memory:", env: {}, settings: { compatible } });
  const models = ["a", "b", "c"].map((name) => `compatible/box/${name}`);
  const run = await parley.start({ protocol: "council", question: SUM, models, reactions: false });
  const outcome = run.outcome();
  const heard = new Map<string, string>();
  for await (const frame of run.tokens()) {
    if (frame.kind !== "text") continue;
    const by = frame.work?.by ?? "";
    heard.set(by, `${heard.get(by) ?? ""}${frame.delta.text}`);
    if ([...heard.values()].filter((text) => text === "Half of an answer").length === 3) break;
  }
  expect(await parley.cancel(run.id)).toBe(true);
  expect(await outcome).toMatchObject({ status: "cancelled" });

  const entries = await parley.read(run.id);
  const stopped = entries.filter((entry) => isEvent(entry, "reply-stopped"));
  expect(stopped.map(callOf)).toEqual(
    models.map(() => expect.objectContaining({ reply: "Half of an answer", finish: "stopped" }) as unknown),
  );
  expect(stopped.map(({ data }) => data.by).toSorted()).toEqual([...heard.keys()].toSorted());
  expect(entries.filter((entry) => isEvent(entry, "answer-given", "degradation-noted"))).toEqual([]);
  const progress = progressView();
  for (const entry of entries) progress.event(entry);
  const steps = progress.read().rows.flatMap((row) => row.steps);
  expect(steps.map(({ state, text, why }) => [state, text, why])).toEqual(
    models.map(() => ["stopped", "Half of an answer", null]),
  );
  const result = resultOf(await parley.context().store.read(DeliberationId.parse(run.id)));
  expect(result).toMatchObject({ status: "cancelled", answer: null, calls: 0, unknown: 3 });
  expect(await parley.replay(run.id)).toMatchObject({ calls: 0 });

  isSlow = false;
  prompts.length = 0;
  const again = await parley.fork(run.id, {});
  expect((await again.outcome()).result?.finalAnswer).toBe("391");
  const drafts = (await parley.read(again.id)).filter((entry) => isEvent(entry, "answer-given"));
  expect(drafts.map(({ origin }) => origin.by)).toEqual(["protocol", "protocol", "protocol"]);
  expect(prompts.join("")).not.toContain("Half of");
});
