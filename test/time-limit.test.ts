import { describe, expect, it } from "vitest";
import { openParley } from "../src/index.ts";
import { isEvent } from "../src/kernel/index.ts";
import { openFakeServer } from "./support/fake-server.ts";

// The time limit bounds all that a run waits for, and what it cuts off is owed.

const LIMIT_MS = 700;
const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: '{"score": 4}' }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
});

/** A run over models of which those whose names are in `hanging` never answer, while they are in it. */
async function timed(
  hanging: Set<string>,
  request: {
    readonly protocol: string;
    readonly judge?: string[];
    readonly respondentB?: boolean;
    readonly maxCalls?: number;
  },
) {
  await using server = await openFakeServer((response, { body }) => {
    const { model } = JSON.parse(body) as { model: string };
    if (!hanging.has(model)) response.end(answer);
  });
  const compatible = { box: { url: `${server.url}/v1`, local: true, keyEnv: undefined } };
  await using parley = await openParley({ store: ":memory:", env: {}, settings: { compatible } });
  const run = await parley.start({
    question: "How much is 6 times 7?",
    models: request.protocol === "respond" ? ["compatible/box/a"] : ["compatible/box/a", "compatible/box/c"],
    ...(request.respondentB ? { modelB: "compatible/box/b" } : {}),
    timeoutMs: LIMIT_MS,
    ...request,
  });
  const { status } = await run.outcome();
  const reactions = await run.reactions;
  hanging.clear();
  const again = await parley.resume(run.id);
  const { timedOut = false } = await again.reactions;
  const graded = (await parley.read(run.id)).some((entry) => isEvent(entry, "grade-given"));
  return { status, owed: reactions.timedOut ?? false, again: timedOut, graded };
}

describe("the time limit", () => {
  it.each([
    ["a judge", ["judge"], { protocol: "respond", judge: ["compatible/box/judge"] }],
    [
      "a judge, under a cap",
      ["judge"],
      { protocol: "respond", judge: ["compatible/box/judge"], maxCalls: 20 },
    ],
    [
      "a second respondent",
      ["b"],
      { protocol: "respond", judge: ["compatible/box/judge"], respondentB: true },
    ],
    [
      "both, under a cap",
      ["b", "judge"],
      { protocol: "respond", judge: ["compatible/box/judge"], respondentB: true, maxCalls: 20 },
    ],
  ])("ends the wait for %s that hangs, and leaves it to a resume", async (_who, hanging, request) => {
    expect(await timed(new Set(hanging), request)).toEqual({
      ...{ status: "answered", owed: true, again: false, graded: true },
    });
  });

  it("owes nothing where everybody answers", async () => {
    const { status, owed } = await timed(new Set(), {
      protocol: "respond",
      judge: ["compatible/box/judge"],
      respondentB: true,
    });
    expect({ status, owed }).toEqual({ status: "answered", owed: false });
  });

  it("ends an answer that hangs, which leaves nothing to react to", async () => {
    const request = { protocol: "respond", judge: ["compatible/box/judge"] };
    expect(await timed(new Set(["a"]), request)).toMatchObject({ status: "stopped-by-budget" });
  });
});

describe("the wait of a resume", () => {
  it.each([
    ["an answer", ["a"], {}],
    ["an answer, under a cap", ["a"], { maxCalls: 20 }],
    ["a judge", ["judge"], { judge: ["compatible/box/judge"] }],
    ["a second respondent", ["b"], { respondentB: true, modelB: "compatible/box/b" }],
    ["a judge, under a cap", ["judge"], { judge: ["compatible/box/judge"], maxCalls: 20 }],
  ])("ends where %s hangs, and the run goes on with the next", async (_who, hanging, request) => {
    const hangs = new Set(hanging);
    await using server = await openFakeServer((response, { body }) => {
      const { model } = JSON.parse(body) as { model: string };
      if (!hangs.has(model)) response.end(answer);
    });
    const compatible = { box: { url: `${server.url}/v1`, local: true, keyEnv: undefined } };
    await using parley = await openParley({ store: ":memory:", env: {}, settings: { compatible } });
    const stop = new AbortController();
    const opened = { protocol: "respond", question: "Why?", models: ["compatible/box/a"], ...request };
    const first = await parley.start(opened, { signal: stop.signal });
    stop.abort();
    await first.reactions;
    const run = await parley.resume(first.id, { waitMs: 300 });
    const outcome = await run.outcome();
    const { timedOut = false } = await run.reactions;
    const isAnswered = !hangs.has("a");
    expect(outcome.status).toBe(isAnswered ? "answered" : "interrupted");
    expect(outcome.timedOut ?? false).toBe(!isAnswered);
    expect(timedOut).toBe(isAnswered);
    hangs.clear();
    const again = await parley.resume(first.id, { waitMs: 60_000 });
    expect(await again.outcome()).toMatchObject({ status: "answered" });
    expect(await again.reactions).toEqual({ failed: null });
  });
});
