import { describe, expect, it } from "vitest";
import { callOf, isEvent, originKey, type Entry, type Json } from "../../../kernel/index.ts";
import { agreeable, councilAsked, taskOf } from "../../../../test/support/council-table.ts";
import { crashPoints, factsOf, stage } from "../../../testing/stage.ts";
import { council } from "./index.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { alterStore } from "../../../../test/support/altered-store.ts";

const EVERYBODY = ["ada", "bob", "cyd", "chair", "other"];
const alone = new AbortController().signal;
const table = () => stage({ protocols: [council], script: agreeable(EVERYBODY) });

/** One draft fails, and no review of cyd's can be read: the longest way through a council. */
const rough = () =>
  stage({
    protocols: [council],
    script: {
      ...agreeable(EVERYBODY),
      dan: agreeable(["dan"])["dan"] ?? (() => ""),
      bob: () => ({ fail: "refused", latencyMs: 5 }),
      cyd: (request) => ({ text: taskOf(request) === "draft" ? "Final answer: 391" : "hm", latencyMs: 5 }),
    },
  });

describe("a council that is killed", () => {
  // Ten steps and a closing.
  const points = crashPoints({ calls: 7, appends: 11 });

  it.each(points)("resumes to the same history: $when $at $nth", async (point) => {
    const whole = table();
    const id = (await whole.play(councilAsked())).id;
    const on = table();
    expect((await on.playKilled(councilAsked(), point)).id).toBe(id);
    expect(factsOf(await on.store.for(LOCAL).read(id))).toEqual(
      factsOf(await whole.store.for(LOCAL).read(id)),
    );
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
    const origins = (await on.store.for(LOCAL).read(id)).map(({ origin }) => originKey(origin));
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
    const on = stage({ protocols: [council], script: agreeable([...EVERYBODY, "dan"]) });
    const parent = (await on.play(councilAsked({ members: ["ada", "bob", "cyd", "dan"] }))).id;
    const before = on.models.calls.length;
    const [opening] = await on.store.for(LOCAL).read(parent);
    if (opening?.type !== "deliberation-opened") throw new Error("no opening");
    const participants = opening.data.participants.filter(({ id }) => id !== without);
    const changes = { settings: { ...opening.data.settings, ...settings }, participants };
    const { opened } = await on.engine.fork(parent, { request: "fork", changes });
    await on.drive(opened.deliberation);
    const entries = await on.store.for(LOCAL).read(opened.deliberation);
    return { on, parent, entries, made: on.models.calls.slice(before).map(({ request }) => taskOf(request)) };
  };

  it("makes one call for another strategy, and pays for that alone", async () => {
    const { entries, made } = await forked({
      settings: { strategy: { name: "risk-averse", sees: ["standing"] } },
    });
    expect(made).toEqual(["synthesis"]);
    expect(entries.filter((entry) => entry.origin.by === "protocol" && callOf(entry))).toHaveLength(1);
    expect(entries.filter(({ origin }) => origin.by === "adopted")).toHaveLength(11);
  });

  it("makes none for another mode", async () => {
    const { entries, made } = await forked({ settings: { mode: "vote" } });
    expect(made).toEqual([]);
    expect(entries.at(-1)).toMatchObject({ type: "deliberation-closed", data: { outcome: "answered" } });
  });

  it("asks again only what a missing member touches", async () => {
    const { made } = await forked({ without: "bob" });
    expect(made).toEqual(["review", "review", "review", "synthesis"]);
  });

  it("keeps the seed, and with it every label", async () => {
    const { on, parent, entries } = await forked({ settings: { mode: "vote" } });
    const seedOf = (all: readonly Entry[]) =>
      all[0]?.type === "deliberation-opened" ? all[0].data.seed : undefined;
    expect(seedOf(entries)).toBe(seedOf(await on.store.for(LOCAL).read(parent)));
  });
});

describe("a replay of a council", () => {
  it("reads every reply again and comes to the same", async () => {
    const on = table();
    const id = (await on.play(councilAsked())).id;
    expect(await on.engine.replay(id)).toEqual({ steps: 10, calls: 7 });
    expect(on.models.calls).toHaveLength(7);
  });

  it("passes over failures, repairs and left-out members too", async () => {
    const on = rough();
    const id = (await on.play(councilAsked({ members: ["ada", "bob", "cyd", "dan"] }))).id;
    expect(await on.lines(id)).toContain("reply-received < protocol/review/cyd");
    expect(await on.engine.replay(id)).toEqual({ steps: 12, calls: 9 });
  });

  it("that was opened by earlier readers still has its rankings of one draft", async () => {
    const on = table();
    const earlier = alterStore(on.store, (part) => ({
      read: async (...of) =>
        (await part.read(...of)).map((entry): Entry =>
          isEvent(entry, "deliberation-opened") ? { ...entry, data: { ...entry.data, readers: 5 } } : entry,
        ),
    }));
    const asked = councilAsked({ members: ["ada", "bob"] });
    const then = stage({ protocols: [council], script: agreeable(EVERYBODY), store: () => earlier });
    const { id } = await then.play(asked);
    expect(then.models.calls.map(({ request }) => taskOf(request))).toContain("review");
    expect(await then.engine.replay(id)).toMatchObject({ calls: 5 });
    const now = table();
    await now.play(asked);
    expect(now.models.calls.map(({ request }) => taskOf(request))).toEqual(["draft", "draft", "synthesis"]);
  });

  it.each(["draft/ada", "review/bob", "synthesis/chair"])(
    "fails when the reply of %s was altered",
    async (step) => {
      const on = table();
      const id = (await on.play(councilAsked())).id;
      const altered = (await on.store.for(LOCAL).read(id)).map((entry) => {
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
      const forged = alterStore(on.store, () => ({ read: () => Promise.resolve(altered) }));
      const reader = stage({ protocols: [council], store: () => forged });
      await expect(reader.engine.replay(id)).rejects.toMatchObject({ name: "Fault" });
    },
  );
});
