import { describe, expect, it } from "vitest";
import type { Asked } from "../../engine/index.ts";
import { callOf, originKey, type DeliberationId, type Entry, type Json } from "../../kernel/index.ts";
import type { CrashPoint } from "../../testing/crash.ts";
import { agreeable, councilAsked, taskOf } from "../../testing/council-table.ts";
import { factsOf, stage, type Stage } from "../../testing/toys/stage.ts";
import { council } from "./index.ts";

const EVERYBODY = ["ada", "bob", "cyd", "chair", "other"];
const alone = new AbortController().signal;
const table = () => stage({ protocols: [council], script: agreeable(EVERYBODY) });

/** One draft fails, and no review of cyd's can be read: the longest way through a council. */
const rough = () =>
  stage({
    protocols: [council],
    script: {
      ...agreeable(EVERYBODY),
      bob: () => ({ fail: "refused", latencyMs: 5 }),
      cyd: (request) => ({ text: taskOf(request) === "draft" ? "Final answer: 391" : "hm", latencyMs: 5 }),
    },
  });

async function held(on: Stage, asked: Asked = councilAsked()): Promise<DeliberationId> {
  const { opened } = await on.engine.open("r1", asked);
  await on.drive(opened.deliberation);
  return opened.deliberation;
}

/** Opens, crashes at the point, and lets another process go on; the calls that were made in all. */
async function crashed(on: Stage, point: CrashPoint): Promise<DeliberationId> {
  const first = on.start(point);
  const { opened } = await on.engine.open("r1", councilAsked());
  const id = opened.deliberation;
  await on.clock.settle(Promise.race([first.engine.drive(id, { signal: alone }), first.died]));
  await on.drive(id, on.start().engine);
  return id;
}

describe("a council that is killed", () => {
  const calls = [1, 2, 3, 4, 5, 6, 7].flatMap((nth) => [
    { at: "call", nth, when: "before" } as const,
    { at: "call", nth, when: "after" } as const,
  ]);
  // Ten steps and a closing.
  const appends = Array.from({ length: 11 }, (_, index) => index + 1).flatMap((nth) => [
    { at: "append", nth, when: "before" } as const,
    { at: "append", nth, when: "after" } as const,
  ]);

  it.each([...calls, ...appends])("resumes to the same history: $when $at $nth", async (point) => {
    const whole = table();
    const id = await held(whole);
    const on = table();
    expect(await crashed(on, point)).toBe(id);
    expect(factsOf(await on.store.read(id))).toEqual(factsOf(await whole.store.read(id)));
    // Each phase has at most its three calls in flight, the chair one.
    const repeated = on.models.calls.length - whole.models.calls.length;
    expect(repeated).toBeLessThanOrEqual(3);
    expect(repeated).toBeGreaterThanOrEqual(0);
  });

  it("agrees with itself when two processes drive it at once", async () => {
    const on = table();
    const { opened } = await on.engine.open("r1", councilAsked());
    const id = opened.deliberation;
    const [a, b] = await on.clock.settle(
      Promise.all([on.start(), on.start()].map(({ engine }) => engine.drive(id, { signal: alone }))),
    );
    expect(a).toEqual(b);
    const origins = (await on.store.read(id)).map(({ origin }) => originKey(origin));
    expect(new Set(origins).size).toBe(origins.length);
    expect(a).toMatchObject({ status: "closed", closing: { data: { outcome: "answered" } } });
  });
});

describe("a fork of a council", () => {
  const forked = async ({
    settings = {},
    without,
  }: {
    settings?: Record<string, Json>;
    without?: string;
  }) => {
    const on = table();
    const parent = await held(on);
    const before = on.models.calls.length;
    const [opening] = await on.store.read(parent);
    if (opening?.type !== "deliberation-opened") throw new Error("no opening");
    const participants = opening.data.participants.filter(({ id }) => id !== without);
    const changes = { settings: { ...opening.data.settings, ...settings }, participants };
    const { opened } = await on.engine.fork(parent, { request: "fork", changes });
    await on.drive(opened.deliberation);
    const entries = await on.store.read(opened.deliberation);
    return { on, parent, entries, made: on.models.calls.slice(before).map(({ request }) => taskOf(request)) };
  };

  it("makes one call for another strategy, and pays for that alone", async () => {
    const { entries, made } = await forked({
      settings: { strategy: { name: "risk-averse", sees: ["standing"] } },
    });
    expect(made).toEqual(["synthesis"]);
    expect(entries.filter((entry) => entry.origin.by === "protocol" && callOf(entry))).toHaveLength(1);
    expect(entries.filter(({ origin }) => origin.by === "adopted")).toHaveLength(9);
  });

  it("makes none for another mode", async () => {
    const { entries, made } = await forked({ settings: { mode: "vote" } });
    expect(made).toEqual([]);
    expect(entries.at(-1)).toMatchObject({ type: "deliberation-closed", data: { outcome: "answered" } });
  });

  it("asks again only what a missing member touches", async () => {
    const { made } = await forked({ without: "bob" });
    expect(made).toEqual(["review", "review", "synthesis"]);
  });

  it("keeps the seed, and with it every label", async () => {
    const { on, parent, entries } = await forked({ settings: { mode: "vote" } });
    const seedOf = (all: readonly Entry[]) =>
      all[0]?.type === "deliberation-opened" ? all[0].data.seed : undefined;
    expect(seedOf(entries)).toBe(seedOf(await on.store.read(parent)));
  });
});

describe("a replay of a council", () => {
  it("reads every reply again and comes to the same", async () => {
    const on = table();
    const id = await held(on);
    expect(await on.engine.replay(id)).toEqual({ steps: 10, calls: 7 });
    expect(on.models.calls).toHaveLength(7);
  });

  it("passes over failures, repairs and left-out members too", async () => {
    const on = rough();
    const id = await held(on);
    expect(await on.lines(id)).toContain("reply-received < protocol/review/cyd");
    expect(await on.engine.replay(id)).toEqual({ steps: 10, calls: 7 });
  });

  it.each(["draft/ada", "review/bob", "synthesis/chair"])(
    "fails when the reply of %s was altered",
    async (step) => {
      const on = table();
      const id = await held(on);
      const altered = (await on.store.read(id)).map((entry) => {
        const call = callOf(entry);
        if (!("step" in entry.origin) || entry.origin.step !== step || !call?.ok) return entry;
        return {
          ...entry,
          data: {
            ...entry.data,
            call: { ...call, reply: call.reply.replace("391", "392").replace("good", "fine") },
          },
        } as Entry;
      });
      const forged = { ...on.store, read: () => Promise.resolve(altered) };
      const reader = stage({ protocols: [council], store: () => forged });
      await expect(reader.engine.replay(id)).rejects.toMatchObject({ name: "Fault" });
    },
  );
});
