import { describe, expect, it } from "vitest";
import { Cursor, OrganizationId, isEvent, type DeliberationId } from "../kernel/index.ts";
import { council } from "../../test/support/toys/council.ts";
import { critic } from "../../test/support/toys/critic.ts";
import { noSettings, nothingToSay, toyAsked, toyProtocol } from "../testing/kit.ts";
import { stage, type StageOptions } from "../testing/stage.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { defineReactor, type AnyReactor } from "./index.ts";

const alone = new AbortController().signal;

const echo = (name: string, ms: (topic: string) => number): AnyReactor =>
  defineReactor({
    name,
    on: ["note-taken"],
    emits: ["feedback-given"],
    async react(event, { run }) {
      await run.effect({ key: "echo", outcomes: ["feedback-given"], input: event.id }, async (signal) => {
        await sleeping.sleep(ms(event.data.topic), signal);
        signal.throwIfAborted();
        return { type: "feedback-given", data: { of: event.id, by: name } };
      });
    },
  });

let sleeping: ReturnType<typeof stage>["clock"];

function staged(options: Partial<StageOptions> = {}) {
  const on = stage({ protocols: [council, toyProtocol(() => Promise.resolve(nothingToSay))], ...options });
  sleeping = on.clock;
  return {
    ...on,
    open: async (request: string, changes = {}) =>
      (await on.engine.open(request, toyAsked("toy", changes))).opened.deliberation,
    note: (id: DeliberationId, topic: string) =>
      on.store
        .for(LOCAL)
        .append(id, [{ type: "note-taken", data: { topic, reason: "test", body: null } }], {
          by: "client",
          request: topic,
        }),
    echoes: async (id: DeliberationId) =>
      (await on.store.for(LOCAL).read(id)).flatMap((entry) =>
        isEvent(entry, "feedback-given") ? [entry.data.by] : [],
      ),
  };
}

describe("a drain", () => {
  it("goes on while the deliberation is driven, and answers what comes meanwhile", async () => {
    const on = staged({ reactors: [echo("quick", () => 0)] });
    const id = await on.open("r1");
    let end: () => void = () => undefined;
    const driving = new Promise<void>((resolve) => (end = resolve));
    let over = false;
    const heard: string[] = [];
    const drained = on.engine
      .drain(id, { worker: "w", signal: alone, until: driving, onEntry: ({ type }) => heard.push(type) })
      .then(() => (over = true));
    await on.clock.advance(1_000);
    await on.note(id, "one");
    await on.clock.advance(1_000);
    expect(await on.echoes(id)).toEqual(["quick"]);
    expect(over).toBe(false);
    await on.note(id, "two");
    end();
    await on.clock.settle(drained);
    expect(await on.echoes(id)).toEqual(["quick", "quick"]);
    expect(heard).toEqual([
      "deliberation-opened",
      "note-taken",
      "feedback-given",
      "note-taken",
      "feedback-given",
    ]);
  });

  it("lets no reactor wait for another", async () => {
    const on = staged({ reactors: [echo("slow", () => 100_000), echo("quick", () => 0)] });
    const id = await on.open("r1");
    await on.note(id, "one");
    const drained = on.engine.drain(id, { worker: "w", signal: alone });
    await on.clock.advance(1_000);
    expect(await on.echoes(id)).toEqual(["quick"]);
    await on.clock.settle(drained);
    expect(await on.echoes(id)).toEqual(["quick", "slow"]);
  });

  it("calls in the background, unlike who drives", async () => {
    const script = { ada: "a", bob: "b", cyd: "c", chair: "d", judge: () => "fine" };
    const on = staged({ reactors: [critic], script });
    const seen: [string, boolean | undefined][] = [];
    const complete = on.models.complete.bind(on.models);
    const watched: typeof complete = (request, options) => {
      seen.push([request.model, options.background]);
      return complete(request, options);
    };
    Object.assign(on.models, { complete: watched });
    const { opened } = await on.engine.open("r1", toyAsked("toy-council"));
    await on.drive(opened.deliberation);
    await on.clock.settle(on.engine.drain(opened.deliberation, { worker: "w", signal: alone }));
    expect(seen.filter(([model]) => model !== "sim/judge").map(([, behind]) => behind)).toEqual(
      Array(4).fill(undefined),
    );
    expect(seen.filter(([model]) => model === "sim/judge").map(([, behind]) => behind)).toEqual(
      Array(6).fill(true),
    );
  });

  it("waits for the lease of a process that died, and goes on from there", async () => {
    const on = staged({ reactors: [echo("quick", () => 0)] });
    const id = await on.open("r1");
    await on.note(id, "one");
    const dying = on.start({ at: "append", nth: 1, when: "before" });
    void dying.engine.drain(id, { worker: "dying", signal: alone });
    await on.clock.settle(dying.died);
    const from = on.clock.now();
    await on.clock.settle(on.engine.drain(id, { worker: "w", signal: alone }));
    expect(await on.echoes(id)).toEqual(["quick"]);
    expect(on.clock.now() - from).toBeLessThan(10_000);
  });

  it("waits for what a worker of the whole store says, and does not do its work", async () => {
    const on = staged({ reactors: [echo("quick", () => 5_000)] });
    const stop = new AbortController();
    const serving = on.engine.react({ worker: "worker", signal: stop.signal });
    await on.clock.advance(10);
    const id = await on.open("r1");
    await on.note(id, "one");
    const from = on.clock.now();
    await on.clock.settle(on.engine.drain(id, { worker: "w", signal: alone }));
    expect(await on.echoes(id)).toEqual(["quick"]);
    expect(on.clock.now() - from).toBeGreaterThanOrEqual(4_900);
    stop.abort();
    await on.clock.settle(serving);
  });

  it("leaves it to the worker when that takes too long, and takes over when its lease runs out", async () => {
    const on = staged({ reactors: [echo("quick", () => 0)] });
    const id = await on.open("r1");
    await on.note(id, "one");
    expect(await on.store.lease("reactor/quick", "worker", 100_000)).toBe(true);
    const from = on.clock.now();
    await on.clock.settle(on.engine.drain(id, { worker: "w", signal: alone }));
    expect(await on.echoes(id)).toEqual([]);
    expect(on.clock.now() - from).toBeLessThan(70_000);
    await on.clock.settle(on.engine.drain(id, { worker: "w", signal: alone }));
    expect(await on.echoes(id)).toEqual(["quick"]);
  });

  it("a worker that begins beside a drain leaves its deliberation to it", async () => {
    const on = staged({ reactors: [echo("slow", () => 5_000)] });
    const id = await on.open("r1");
    await on.store.advance("slow", undefined, Cursor.parse(0));
    await on.note(id, "one");
    let worked = 0;
    const drained = on.engine.drain(id, { worker: "w", signal: alone });
    await on.clock.advance(100);
    const stop = new AbortController();
    const counted = on.start();
    const part = counted.store.for(OrganizationId.parse("local"));
    const { append } = part;
    Object.assign(part, { append: (...args: Parameters<typeof append>) => ((worked += 1), append(...args)) });
    const serving = counted.engine.react({ worker: "worker", signal: stop.signal });
    await on.clock.settle(drained);
    await on.clock.advance(20_000);
    expect([worked, await on.echoes(id)]).toEqual([0, ["slow"]]);
    expect(await on.store.cursor("slow")).toBe(await on.store.end());
    stop.abort();
    await on.clock.settle(serving);
  });

  it("takes a lease again that it has lost, when whoever took it is done", async () => {
    const on = staged({
      reactors: [echo("robbed", (topic) => (topic === "one" ? 50_000 : 0)), echo("quick", () => 0)],
    });
    const id = await on.open("r1");
    await on.note(id, "one");
    const drained = on.engine.drain(id, { worker: "w", signal: alone });
    await on.clock.advance(100);
    await on.store.release(`reactor/robbed/${id}`, "w");
    await on.store.lease(`reactor/robbed/${id}`, "thief", 20_000);
    await on.clock.advance(10_000);
    expect(await on.echoes(id)).toEqual(["quick"]);
    await on.clock.settle(drained);
    expect(await on.echoes(id)).toEqual(["quick", "robbed"]);
  });

  it("stops the other reactors before it fails: their store is about to be closed", async () => {
    const on = staged({ reactors: [echo("slow", () => 50_000), echo("quick", () => 0)] });
    const id = await on.open("r1");
    await on.note(id, "one");
    const lease = on.store.lease.bind(on.store);
    const failing = (name: string, ...rest: [string, number]) =>
      name.includes("quick") ? Promise.reject(new Error("the store is away")) : lease(name, ...rest);
    Object.assign(on.store, { lease: failing });
    await expect(on.clock.settle(on.engine.drain(id, { worker: "w", signal: alone }))).rejects.toThrow(
      "away",
    );
    await on.clock.advance(100_000);
    expect(await on.echoes(id)).toEqual([]);
  });

  it("touches no lease where no reactor takes part, or none has anything to react to", async () => {
    const pinned = defineReactor({ ...critic, settings: noSettings });
    const on = staged({ reactors: [pinned], script: { ada: "a", bob: "b", cyd: "c", chair: "d" } });
    const id = await on.open("r1");
    let asked = 0;
    const lease = on.store.lease.bind(on.store);
    Object.assign(on.store, { lease: (...args: Parameters<typeof lease>) => ((asked += 1), lease(...args)) });
    await on.clock.settle(on.engine.drain(id, { worker: "w", signal: alone }));
    expect(asked).toBe(0);
    const stop = new AbortController();
    const serving = on.engine.react({ worker: "worker", signal: stop.signal, backfill: true });
    const bare = await on.engine.open("r3", toyAsked("toy-council"));
    await on.drive(bare.opened.deliberation);
    await on.clock.advance(60_000);
    stop.abort();
    await on.clock.settle(serving);
    expect((await on.lines(bare.opened.deliberation)).filter((line) => line.includes("reactor"))).toEqual([]);
    asked = 0;
    const other = await on.open("r2", { reactions: { critic: {} } });
    await on.clock.settle(on.engine.drain(other, { worker: "w", signal: alone }));
    expect(asked).toBe(0);
  });

  // Which process gets which lease: by order of asking, as processes that start together do.
  it.each([
    ["two, each holding the other's", ["a", "b"], ["ab", "ba"]],
    ["two, a lease each of four", ["a", "b", "c", "d"], ["abcd", "dcba"]],
    ["three in a circle", ["a", "b", "c"], ["abc", "bca", "cab"]],
    ["four of one order", ["a", "b", "c", "d"], ["abcd", "abcd", "abcd", "abcd"]],
    ["five over two reactors", ["a", "b"], ["ab", "ba", "ab", "ba", "ab"]],
  ])("ends beside rivals: %s", async (_, names, orders) => {
    for (const owes of [true, false]) {
      const on = staged({ reactors: names.map((name) => echo(name, () => 1_000)) });
      const id = await on.open("r1");
      await on.note(id, "one");
      if (!owes) await on.clock.settle(on.engine.drain(id, { worker: "first", signal: alone }));
      const from = on.clock.now();
      const drains = orders.map((order, index) => {
        const rival = on.start();
        const lease = rival.store.lease.bind(rival.store);
        Object.assign(rival.store, {
          lease: async (...args: Parameters<typeof lease>) => {
            const place = order.indexOf(args[0].split("/")[1] ?? "");
            await on.clock.sleep(place * 10, new AbortController().signal);
            return lease(...args);
          },
        });
        return rival.engine.drain(id, { worker: `w${index}`, signal: alone });
      });
      await on.clock.settle(Promise.all(drains));
      expect(new Set(await on.echoes(id))).toEqual(new Set(names));
      expect(on.clock.now() - from).toBeLessThan(owes ? 3_000 : 1_000);
    }
  });

  it("ends beside rivals where reactors record nothing", async () => {
    const silent = (name: string): AnyReactor =>
      defineReactor({ name, on: ["note-taken"], emits: ["feedback-given"], react: () => Promise.resolve() });
    const on = staged({ reactors: [silent("a"), silent("b")] });
    const id = await on.open("r1");
    await on.note(id, "one");
    const rivals = ["one", "two"].map((worker) => on.start().engine.drain(id, { worker, signal: alone }));
    await on.clock.settle(Promise.all(rivals));
  });
});
