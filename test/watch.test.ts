import { alterStore } from "./support/altered-store.ts";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineReactor } from "../src/engine/reactor.ts";
import {
  Fault,
  isEvent,
  OrganizationId,
  type Entry,
  type Store,
  type StoredEvent,
} from "../src/kernel/index.ts";
import type { WatchReport } from "../src/views/reactor-state.ts";
import { critic } from "../src/features/judging/reactor/critic.ts";
import { pairwise } from "../src/features/judging/reactor/pairwise.ts";
import { memoryStore } from "../src/testing/memory-store.ts";
import { CRITIC, JUDGE, respondAsked, responding, second } from "./support/toys/respondents.ts";
import { stage } from "../src/testing/stage.ts";
import { withReactors } from "../src/app/registry.ts";
import { features } from "../src/features.ts";
import { watch, type WatchOptions, type Watching } from "../src/app/watch.ts";

const LOCAL = OrganizationId.parse("local");
const OTHER = OrganizationId.parse("other");
const alone = new AbortController().signal;

/** A judge that takes its time: grades, then says the first of two answers is better. */
const script = {
  ada: () => "It is 391.",
  bob: () => "It is 400.",
  judge: (_: unknown, nth: number) => ({
    latencyMs: 2_000,
    text: `Feedback: right. [RESULT] ${nth <= 2 ? 4 : "A"}`,
  }),
};

function staged(store?: Store) {
  const on = stage({
    protocols: [responding],
    reactors: [critic, pairwise, second],
    script,
    ...(store ? { store: () => store } : {}),
  });
  const open = async (request: string, organization = LOCAL) => {
    const asked = respondAsked({ critic: CRITIC, pairwise: JUDGE }, { organization });
    return (await on.engine.open(request, asked)).opened.deliberation;
  };
  /** What a deliberation takes even after its end. */
  const note = (id: Awaited<ReturnType<typeof open>>, text: string) =>
    on.store
      .for(LOCAL)
      .append(id, [{ type: "feedback-given", data: { text } }], { by: "client", request: text });
  return { ...on, open, note };
}

type Told = {
  readonly begun: { readonly watched: WatchReport; readonly recent: readonly Entry[] }[];
  readonly entries: Entry[];
  readonly lines: string[];
  readonly latest: () => WatchReport | undefined;
};

/** A watcher beside the test, until `stop`. */
function watching(
  on: ReturnType<typeof staged>,
  {
    most = 200,
    since,
    onUnreadable,
    ...changes
  }: Partial<Watching> & Partial<Pick<WatchOptions, "most" | "since" | "onUnreadable">> = {},
) {
  const stop = new AbortController();
  let latest: WatchReport | undefined;
  const told: Told = { begun: [], entries: [], lines: [], latest: () => latest };
  const ended = watch(
    { store: on.store, organization: LOCAL, reactors: [critic, pairwise], world: on.clock, ...changes },
    {
      most,
      since,
      signal: stop.signal,
      ...(onUnreadable && { onUnreadable }),
      onBegin: (watched, recent) => {
        latest = watched;
        told.begun.push({ watched, recent });
      },
      onEntry: (entry) => void told.entries.push(entry),
      onState: (watched, changed) => {
        latest = watched;
        for (const { reactor, state, behind } of changed) told.lines.push(`${reactor} ${state} ${behind}`);
      },
    },
  );
  ended.catch(() => undefined);
  return { ...told, ended, stop: () => (stop.abort(), on.clock.settle(ended)) };
}

const stateOf = (watched: WatchReport | undefined, name: string) =>
  watched?.reactors.find(({ reactor }) => reactor === name);

describe("watching", () => {
  it("shows every reactor from the question to its last word, with B's answer", async () => {
    const on = staged();
    const watcher = watching(on);
    await on.clock.advance(10);
    const id = await on.open("r1");
    await on.drive(id);
    await on.clock.advance(600);
    await on.clock.settle(on.engine.drain(id, { worker: "w", signal: alone }));
    await on.clock.advance(1_000);
    expect(watcher.begun.map(({ watched }) => [watched.deliberations, watched.end])).toEqual([[0, 0]]);
    expect(watcher.entries).toEqual(await on.store.for(LOCAL).read(id));
    expect(
      watcher.entries.some((entry) => isEvent(entry, "answer-given") && entry.data.respondent === "B"),
    ).toBe(true);
    expect(watcher.lines).toMatchInlineSnapshot(`
      [
        "critic receiving 1",
        "critic receiving 2",
        "critic grading 2",
        "critic grading 1",
        "critic idle 0",
        "pairwise receiving 1",
        "critic idle 0",
        "pairwise pairwise-grading 1",
        "pairwise pairwise-grading 1",
        "pairwise pairwise-grading 1",
        "pairwise idle 0",
        "pairwise idle 0",
      ]
    `);
    expect(watcher.latest()).toMatchObject({ deliberations: 1, end: await on.store.end() });
    await watcher.stop();
  });

  it("shows whose leases there are, soon after they are taken and after they have run out", async () => {
    const on = staged();
    const watcher = watching(on);
    await on.clock.advance(10);
    const id = await on.open("r1");
    await on.drive(id);
    await on.clock.advance(10);
    const word = () => {
      const state = stateOf(watcher.latest(), "critic");
      return `${state?.state} ${state?.servedBy.worker} ${state?.servedBy.drains}`;
    };
    const seen = [word()];
    await on.store.lease(`reactor/critic/${id}`, "w", 2_000);
    await on.clock.advance(600);
    seen.push(word());
    await on.store.lease("reactor/critic", "v", 5_000);
    await on.clock.advance(2_100);
    seen.push(word());
    await on.clock.advance(5_000);
    seen.push(word());
    expect(seen).toEqual(["receiving null 0", "grading null 1", "grading v 0", "receiving null 0"]);
    await watcher.stop();
  });

  it("tells nothing of another organization, neither its events nor its leases", async () => {
    const on = staged();
    const before = await on.open("before", OTHER);
    const watcher = watching(on);
    await on.clock.advance(10);
    const foreign = await on.open("foreign", OTHER);
    for (const id of [before, foreign]) {
      await on.drive(id);
      await on.store.lease(`reactor/critic/${id}`, "w", 60_000);
    }
    await on.clock.advance(2_000);
    expect([watcher.entries, watcher.lines]).toEqual([[], []]);
    expect(stateOf(watcher.latest(), "critic")).toMatchObject({ behind: 0, servedBy: { drains: 0 } });
    await watcher.stop();
  });

  it("begins with the newest deliberations, or those since a time, and their last entries", async () => {
    const on = staged();
    const ids = [];
    for (const request of ["r1", "r2", "r3"]) {
      ids.push(await on.open(request));
      await on.clock.advance(60_000);
    }
    for (const id of ids) await on.drive(id);
    const begun = async (options: { most?: number; since?: number }) => {
      const watcher = watching(on, options);
      await on.clock.advance(10);
      await watcher.stop();
      const [first] = watcher.begun;
      return [first?.watched.deliberations, stateOf(first?.watched, "critic")?.behind, first?.recent.length];
    };
    expect(await begun({})).toEqual([3, 3, 9]);
    expect(await begun({ most: 2 })).toEqual([2, 2, 6]);
    expect(await begun({ since: on.clock.now() - 90_000 })).toEqual([1, 1, 3]);
  });

  it("reads again what it has let go, counts nothing twice, and forgets nothing that is due", async () => {
    const store = memoryStore();
    let reads = 0;
    const counting = alterStore(store, (part) => ({ read: (...args) => ((reads += 1), part.read(...args)) }));
    const on = staged(counting);
    const old = await on.open("old");
    await on.drive(old);
    const watcher = watching(on, { most: 1 });
    await on.clock.advance(10);
    const first = await on.open("first");
    await on.drive(first);
    await on.clock.settle(on.engine.drain(first, { worker: "w", signal: alone }));
    for (let n = 0; n < 100; n += 1) await on.open(`r${n}`);
    await on.clock.advance(10);
    const said = stateOf(watcher.latest(), "critic")?.said;
    expect([said, stateOf(watcher.latest(), "critic")?.behind]).toEqual([2, 1]);
    const before = reads;
    await on.note(first, "again");
    await on.note(old, "again");
    await on.clock.advance(10);
    expect(reads - before).toBe(2);
    await on.note(first, "at hand");
    await on.clock.advance(10);
    expect(reads - before).toBe(2);
    expect(stateOf(watcher.latest(), "critic")).toMatchObject({ said: 2, behind: 1 });
    await on.clock.settle(on.engine.drain(old, { worker: "w", signal: alone }));
    await on.clock.advance(1_000);
    expect(stateOf(watcher.latest(), "critic")).toMatchObject({ behind: 0 });
    await watcher.stop();
  });

  it("shows a reactor's own rule the journal as it was, and counts what comes in the beginning once", async () => {
    const store = memoryStore();
    const meanwhile: { run?: () => Promise<unknown> } = {};
    const late = alterStore(store, (part) => ({
      // Between the place that watching begins at and the look at what there was.
      list: async (query) => (await meanwhile.run?.(), part.list(query)),
    }));
    const on = staged(late);
    const shownTo: string[] = [];
    const listener = defineReactor({
      name: "listener",
      on: ["feedback-given"],
      emits: ["note-taken"],
      shouldReact: ({ seq }, before) => (
        shownTo.push(`${seq} of ${before.map((one) => one.seq).join()}`),
        false
      ),
      react: () => Promise.resolve(),
    });
    const id = await on.open("r1");
    meanwhile.run = () => on.note(id, "one");
    const watcher = watching(on, { reactors: [listener] });
    await on.clock.advance(10);
    for (let n = 0; n < 70; n += 1) await on.open(`r${n + 2}`);
    await on.clock.advance(10);
    await Promise.all([on.note(id, "two"), on.note(id, "three")]);
    await on.clock.advance(10);
    const told = watcher.entries.filter(({ deliberation }) => deliberation === id).map(({ seq }) => seq);
    expect(told).toEqual([2, 3, 4]);
    expect(watcher.latest()?.deliberations).toBe(71);
    // The third line is of what had been let go, and is seen again.
    expect(shownTo).toEqual(["2 of 1,2", "2 of 1,2", "3 of 1,2,3", "4 of 1,2,3,4"]);
    await watcher.stop();
  });

  it.each<[string, number, Partial<StoredEvent> | undefined]>([
    ["a newer schema", 2, { schema: 99 }],
    ["broken JSON", 3, { data: "{" }],
    ["a missing field", 1, { data: "{}" }],
    ["a broken origin", 2, { origin: "{}" }],
    ["a gap", 2, undefined],
  ])("names a deliberation with %s once, and watches all others", async (_, seq, change) => {
    for (const late of [false, true]) {
      const rows: (StoredEvent | undefined)[] = [];
      const on = staged(memoryStore(Date.now, rows));
      const ids = [await on.open("r1"), await on.open("r2")];
      for (const id of ids) await on.drive(id);
      const damage = () => {
        const place = rows.findIndex((row) => row?.deliberation === ids[0] && row?.seq === seq);
        const row = rows[place];
        rows[place] = row && change && { ...row, ...change };
      };
      const unreadable: string[] = [];
      const onUnreadable = (id: string, { message }: Fault) =>
        void unreadable.push(`${id} ${message.includes(id)}`);
      // Late: it was not among those to begin with, and is read at its next event.
      const watcher = watching(on, { onUnreadable, most: late ? 1 : 200 });
      if (!late) damage();
      await on.clock.advance(10);
      if (late) damage();
      const fresh = await on.open("r3");
      for (const id of [...ids, fresh]) await on.note(id, "one");
      await on.note(ids[0] ?? fresh, "two");
      await on.clock.advance(1_000);
      expect(unreadable).toEqual([`${ids[0]} true`]);
      const notes = watcher.entries.filter(({ type }) => type === "feedback-given");
      expect(notes.map(({ deliberation }) => deliberation)).toEqual([...ids, fresh, ids[0]]);
      await watcher.stop();
    }
  });

  it("takes no event for passed over that it has not seen when it looks where a worker is", async () => {
    const store = memoryStore();
    let gate = Promise.resolve();
    const slow: Store = {
      ...store,
      async *subscribe(after, signal) {
        for await (const batch of store.subscribe(after, signal)) {
          await gate;
          yield batch;
        }
      },
    };
    const on = staged(slow);
    const watcher = watching(on);
    await on.clock.advance(10);
    let lift: () => void = () => undefined;
    gate = new Promise((resolve) => (lift = resolve));
    const id = await on.open("r1");
    await on.drive(id);
    await on.store.lease("reactor/critic", "w", 60_000);
    await on.store.advance("critic", undefined, await on.store.end());
    await on.clock.advance(2_000); // it has looked, and seen nothing of the events
    expect(stateOf(watcher.latest(), "critic")).toMatchObject({ cursor: null, servedBy: { worker: null } });
    lift();
    await on.clock.advance(1_000);
    expect(stateOf(watcher.latest(), "critic")).toMatchObject({
      state: "idle",
      behind: 1,
      passed: 1,
      cursor: 3,
    });
    expect(watcher.lines.filter((line) => line.startsWith("critic"))).toEqual([
      "critic receiving 1",
      "critic idle 1",
    ]);
    await watcher.stop();
  });

  it("shows a reactor's own word, and asks it by the settings that the opening pins", async () => {
    const on = staged();
    const long = defineReactor({
      name: "length-watch",
      on: ["answer-given"],
      emits: ["note-taken"],
      settings: z.strictObject({ characters: z.number() }),
      work: "measuring",
      shouldReact: ({ data }, _before, { characters }) => data.text.length > characters,
      react: () => Promise.resolve(),
    });
    const watcher = watching(on, { reactors: [long] });
    await on.clock.advance(10);
    for (const characters of [5, 5_000]) {
      const asked = respondAsked({ "length-watch": { characters } });
      const id = (await on.engine.open(`r${characters}`, asked)).opened.deliberation;
      await on.store.lease(`reactor/length-watch/${id}`, "w", 60_000);
      await on.drive(id);
      await on.clock.advance(1_000);
    }
    expect(stateOf(watcher.latest(), "length-watch")).toMatchObject({ state: "measuring", behind: 1 });
    await watcher.stop();
  });

  it("tells the present state once and ends, where no more is asked for", async () => {
    const on = staged();
    await on.open("r1");
    const told: string[] = [];
    await watch(
      { store: on.store, organization: LOCAL, world: on.clock, reactors: withReactors(features) },
      {
        most: 200,
        once: true,
        signal: alone,
        onBegin: ({ reactors }) => void told.push(...reactors.map(({ reactor }) => reactor)),
        onEntry: () => void told.push("an entry"),
        onState: () => void told.push("a state"),
      },
    );
    expect(told).toEqual(["critic", "memory", "pairwise", "respondent-b"]);
  });

  it("ends with what the store throws, and leaves nothing running", async () => {
    const store = memoryStore();
    let away = false;
    const failing: Store = {
      ...store,
      leases: (prefix) =>
        away
          ? Promise.reject(new Fault("store-unavailable", { where: "memory", why: "away" }))
          : store.leases(prefix),
    };
    const on = staged(failing);
    const watcher = watching(on);
    await on.clock.advance(10);
    away = true;
    await on.clock.advance(600);
    await expect(watcher.ended).rejects.toThrow("away");
    expect(on.clock.asleep).toBe(0);
  });

  it("waits for whoever is told", async () => {
    const on = staged();
    const stop = new AbortController();
    const log: string[] = [];
    const ended = watch(
      { store: on.store, organization: LOCAL, reactors: [critic], world: on.clock },
      {
        most: 1,
        signal: stop.signal,
        onBegin: () => undefined,
        onEntry: async ({ seq }) => {
          log.push(`${seq} begins`);
          await on.clock.sleep(1_300, alone);
          log.push(`${seq} ends`);
        },
        onState: () => void log.push("state"),
      },
    );
    await on.clock.advance(10);
    const id = await on.open("r1");
    await on.note(id, "one");
    await on.clock.advance(2_600);
    const events = log.filter((line) => line !== "state");
    expect(events).toEqual(["1 begins", "1 ends", "2 begins", "2 ends"]);
    expect(log[log.indexOf("1 begins") + 1]).toBe("1 ends");
    stop.abort();
    await on.clock.settle(ended);
  });
});
