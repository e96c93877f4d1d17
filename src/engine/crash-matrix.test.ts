import { expect, it, describe } from "vitest";
import { Digest, SeriesId, type DeliberationId, type ModelRequest } from "../kernel/index.ts";
import type { CrashPoint } from "../testing/crash.ts";
import { council } from "../../test/support/toys/council.ts";
import { critic } from "../../test/support/toys/critic.ts";
import { failing } from "../../test/support/toys/failing.ts";
import { toyAsked } from "../testing/kit.ts";
import { measuring } from "../../test/support/toys/measuring.ts";
import { serial } from "../../test/support/toys/serial.ts";
import { stage, type StageProcess, type Stage, type StageOptions } from "../testing/stage.ts";
import { thrifty } from "../../test/support/toys/thrifty.ts";
import { waiting } from "../../test/support/toys/waiting.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { digestOf, type NewDeliberation } from "./index.ts";
import { sampled } from "../../test/support/long.ts";

// DESIGN section 3, guarantees: an event is recorded once; a crash repeats at most the calls that were in flight.

type Scenario = StageOptions & {
  /** All that clients do, from the first opening on; a client that lost its server does it all again. */
  readonly play: (process: StageProcess, on: Stage) => Promise<readonly DeliberationId[]>;
};

const alone = new AbortController().signal;
const worker = { worker: "w", signal: alone };
const openAndDrive =
  (asked: NewDeliberation) =>
  async ({ engine }: StageProcess): Promise<readonly DeliberationId[]> => {
    const { opened } = await engine.open("r1", asked);
    await engine.drive(opened.deliberation, { signal: alone });
    return [opened.deliberation];
  };

let measurements = 0;
const says = (text: string) => () => text;

const scenarios: Record<string, Scenario> = {
  "one that waits for a client": {
    protocols: [waiting],
    script: {
      ada: ({ messages }) => `ada on ${messages[0]?.role === "user" ? messages[0].text : ""}`,
      bob: () => ({ text: "bob meanwhile", latencyMs: 50 }),
    },
    async play({ engine, store }) {
      const { opened } = await engine.open("r1", toyAsked("toy-waiting"));
      const id = opened.deliberation;
      await engine.drive(id, { signal: alone });
      const answers = [{ id: "q1", text: "like this" }];
      await store
        .for(LOCAL)
        .append(id, [{ type: "clarification-answered", data: { answers } }], {
          by: "client",
          request: "clarification",
        });
      await engine.drive(id, { signal: alone });
      return [id];
    },
  },
  "one whose step fails for good": {
    protocols: [failing],
    script: {
      ada: () => ({ fail: "refused" }),
      bob: () => ({ fail: "out-of-credit", latencyMs: 10 }),
      cyd: says("at last"),
    },
    play: openAndDrive(toyAsked("toy-failing")),
  },
  "one with stragglers, a repair and a failure": {
    protocols: [council],
    script: {
      ada: () => ({ text: "ada's", latencyMs: 300 }),
      bob: ({ messages }) =>
        JSON.stringify(messages).includes("again") ? "bob's" : { text: "???", latencyMs: 100 },
      cyd: () => ({ hang: true }),
      dan: () => ({ fail: "overloaded", latencyMs: 50 }),
      chair: says("in short"),
    },
    play: openAndDrive(
      toyAsked("toy-council", {
        members: ["ada", "bob", "cyd", "dan"],
        settings: { quorum: 2, patienceMs: 1_000 },
      }),
    ),
  },
  "one under a budget": {
    protocols: [thrifty],
    script: { ada: says("a"), bob: says("b"), cyd: says("c"), chair: says("chair") },
    play: openAndDrive(toyAsked("toy-thrifty", { budget: { calls: 20, tokens: 900 } })),
  },
  "one with a reactor of two calls": {
    protocols: [council],
    reactors: [critic],
    script: {
      ada: says("ada's"),
      bob: () => ({ text: "bob's", latencyMs: 20 }),
      cyd: () => ({ fail: "refused" }),
      chair: says("in short"),
      judge: () => ({ text: "fine", latencyMs: 5 }),
    },
    async play(process) {
      const [id, ...others] = await openAndDrive(toyAsked("toy-council"))(process);
      if (id) await process.engine.drain(id, worker);
      return id ? [id, ...others] : others;
    },
  },
  "one with a worker of reactors beside it": {
    protocols: [council],
    reactors: [critic],
    script: {
      ada: says("ada's"),
      bob: () => ({ text: "bob's", latencyMs: 20 }),
      cyd: says("cyd's"),
      chair: says("in short"),
      judge: () => ({ text: "fine", latencyMs: 300 }),
    },
    async play(process) {
      const stop = new AbortController();
      const reacting = process.engine.react({ worker: process.world.id(), signal: stop.signal });
      const until = async (done: () => Promise<boolean>) => {
        while (!(await done())) await process.world.sleep(100, stop.signal);
      };
      await until(async () => (await process.store.cursor("critic")) !== undefined);
      const [id] = await openAndDrive(toyAsked("toy-council"))(process);
      if (!id) throw new Error("it must open");
      const end = await process.store.end();
      await until(async () => ((await process.store.cursor("critic")) ?? 0) >= end);
      stop.abort();
      await reacting;
      return [id];
    },
  },
  "three in a series": {
    protocols: [serial],
    script: { ada: ({ messages }) => `so: ${JSON.stringify(messages)}` },
    async play({ engine }) {
      const ids: DeliberationId[] = [];
      for (const index of [0, 1, 2]) {
        const series = { id: SeriesId.parse("s1"), index };
        const { opened } = await engine.open(`turn-${index}`, toyAsked("toy-serial", { series }));
        await engine.drive(opened.deliberation, { signal: alone });
        ids.push(opened.deliberation);
      }
      return ids;
    },
  },
  "one with an effect and a conclusion": {
    protocols: [measuring(() => Promise.resolve((measurements += 1) > 0 ? 21 : 0))],
    play: openAndDrive(toyAsked("toy-measuring")),
  },
  "a fork with another strategy, and its fork with another member": {
    protocols: [council],
    script: {
      ada: says("ada's"),
      bob: () => ({ text: "bob's", latencyMs: 20 }),
      cyd: () => ({ hang: true }),
      eve: says("eve's"),
      chair: ({ messages }) => `short: ${JSON.stringify(messages).length}`,
    },
    async play({ engine, store }) {
      const settings = { quorum: 2, patienceMs: 100 };
      const { opened } = await engine.open("r1", toyAsked("toy-council", { settings }));
      await engine.drive(opened.deliberation, { signal: alone });
      const bolder = { request: "f1", changes: { settings: { ...settings, strategy: "bold" } } };
      const first = await engine.fork(opened.deliberation, bolder);
      await engine.drive(first.opened.deliberation, { signal: alone });
      const instructions = Digest.parse("0".repeat(64));
      await store.for(LOCAL).putTexts(new Map([[instructions, "be eve"]]));
      const participants = first.opened.data.participants.map((one) =>
        one.id === "ada"
          ? { ...one, model: `sim/eve` as typeof one.model, persona: { name: "eve", instructions } }
          : one,
      );
      const second = await engine.fork(first.opened.deliberation, {
        request: "f2",
        changes: { participants },
      });
      await engine.drive(second.opened.deliberation, { signal: alone });
      return [opened, first.opened, second.opened].map(({ deliberation }) => deliberation);
    },
  },
};

async function played(scenario: Scenario, point?: CrashPoint) {
  const on = stage(scenario);
  const doomed = on.start(point);
  const ended = await on.clock.settle(Promise.race([scenario.play(doomed, on), doomed.died]));
  return { on, doomed, ended: ended ?? undefined };
}

/** How often each request was made, by the digest that its step has. */
function tally(calls: readonly { readonly request: ModelRequest }[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { request } of calls) {
    const digest = digestOf({ request });
    times.set(digest, (times.get(digest) ?? 0) + 1);
  }
  return times;
}

async function factsOfAll(on: Stage, ids: readonly DeliberationId[]) {
  return Promise.all(ids.map((id) => on.facts(id)));
}

describe.each(Object.entries(scenarios))("%s", (_name, scenario) => {
  it("comes to the same journal wherever it is killed, and repeats only calls that were in flight", async () => {
    const whole = await played(scenario);
    if (!whole.ended) throw new Error("it must end");
    const expected = await factsOfAll(whole.on, whole.ended);
    const once = tally(whole.on.models.calls);
    const points = (["append", "call", "reserve", "advance"] as const).flatMap((at) =>
      Array.from({ length: whole.doomed.begun(at) }, (_, index) => index + 1).flatMap((nth) => [
        { at, nth, when: "before" } as const,
        { at, nth, when: "after" } as const,
      ]),
    );
    expect(points.length).toBeGreaterThan(4);
    for (const point of sampled(points)) {
      const { on, doomed } = await played(scenario, point);
      const where = JSON.stringify(point);
      expect(doomed.dead, where).toBe(true);
      const recorded = new Set<string>();
      for (const id of whole.ended) {
        for (const { origin } of await on.store.for(LOCAL).read(id))
          if ("digest" in origin) recorded.add(origin.digest);
      }
      const before = on.models.calls.length;
      await on.clock.advance(60_000); // a dead worker's leases run out
      const heir = on.start();
      const ids = await on.clock.settle(scenario.play(heir, on));
      expect(await factsOfAll(on, ids), where).toEqual(expected);
      for (const id of ids) await heir.engine.replay(id);
      for (const [digest, times] of tally(on.models.calls.slice(before))) {
        expect(times, `${where}: only what was in flight`).toBeLessThanOrEqual(
          recorded.has(digest) ? 0 : (once.get(digest) ?? 0),
        );
      }
    }
  });
});
