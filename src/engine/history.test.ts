import { describe, expect, it } from "vitest";
import type { Entry, OrganizationStore } from "../kernel/index.ts";
import { memoryStore } from "../testing/memory-store.ts";
import { stepClock } from "../testing/step-clock.ts";
import { nothingToSay, toyAsked, toyProtocol } from "../testing/kit.ts";
import { stage } from "../testing/stage.ts";
import { createFollower } from "./follower.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { createHistory } from "./history.ts";

// HIST-2, HIST-4; the follower behind DESIGN section 3, point 5.

const quiet = toyProtocol(() => Promise.resolve(nothingToSay));

async function opened() {
  const on = stage({ protocols: [quiet] });
  const { opened } = await on.engine.open("r1", toyAsked("toy"));
  const id = opened.deliberation;
  const note = async (request: string) => {
    const data = { topic: request, reason: "test", body: null };
    const appended = await on.store.for(LOCAL).append(
      id,
      [
        { type: "note-taken", data },
        { type: "note-taken", data },
      ],
      { by: "client", request },
    );
    return appended.ok ? appended.events : [];
  };
  return { ...on, id, note };
}

/** A journal whose reads take their snapshot at once, and answer when they are told to. */
function slowReads(store: Awaited<ReturnType<typeof opened>>["store"]) {
  const answers: (() => void)[] = [];
  return {
    answers,
    read: async (...args: Parameters<OrganizationStore["read"]>) => {
      const entries = await store.for(LOCAL).read(...args);
      await new Promise<void>((resolve) => answers.push(resolve));
      return entries;
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const seqs = (entries: readonly Entry[]) => entries.map(({ seq }) => seq);

describe("a driver's history", () => {
  it("adds an entry once, whoever brings it, and tells it once", async () => {
    const { store, id, note } = await opened();
    const history = createHistory(store.for(LOCAL), id);
    const heard: number[] = [];
    history.listen((entry) => heard.push(entry.seq));
    const mine = await note("a");
    history.add(mine);
    history.add(mine);
    await history.catchUp();
    expect(heard).toEqual([2, 3, 1]);
    expect(seqs(history.entries())).toEqual([1, 2, 3]);
    expect(seqs(history.batch("client/a") ?? [])).toEqual([2, 3]);
  });

  it("HIST-2: finds a rival's events that lie between its own", async () => {
    const { store, id, note } = await opened();
    const history = createHistory(store.for(LOCAL), id);
    await history.catchUp();
    await note("rival");
    history.add(await note("mine"));
    expect([history.upTo, history.batch("client/rival")]).toEqual([1, undefined]);
    await history.catchUp();
    expect([history.upTo, seqs(history.batch("client/rival") ?? [])]).toEqual([5, [2, 3]]);
  });

  it("HIST-4: catches up with what was recorded while an earlier read was under way", async () => {
    const { store, id, note } = await opened();
    const slow = slowReads(store);
    const history = createHistory(slow, id);
    const first = history.catchUp();
    await turn();
    await note("meanwhile");
    const second = history.catchUp();
    const third = history.catchUp();
    await turn();
    slow.answers.shift()?.();
    await first;
    expect(history.batch("client/meanwhile")).toBeUndefined();
    await turn();
    expect(slow.answers).toHaveLength(1); // the second and the third share one
    slow.answers.shift()?.();
    await Promise.all([second, third]);
    expect(seqs(history.batch("client/meanwhile") ?? [])).toEqual([2, 3]);
  });

  it("tells who expects an origin, once and only that", async () => {
    const { store, id, note } = await opened();
    const history = createHistory(store.for(LOCAL), id);
    let told = 0;
    const forget = history.expect("client/a", () => (told += 1));
    await note("b");
    await history.catchUp();
    expect(told).toBe(0);
    forget();
    history.expect("client/a", () => (told += 10));
    history.add((await note("a")).slice(0, 1));
    expect(told).toBe(10);
  });
});

describe("the follower", () => {
  it("HIST-4: misses nothing that is recorded while a driver reads", async () => {
    const { store, id, note } = await opened();
    const clock = stepClock();
    const slow = slowReads(store);
    const follower = createFollower(store, clock);
    const history = createHistory(slow, id);
    const answered = async () => {
      for (const answer of slow.answers.splice(0)) answer();
      await turn();
    };
    const unfollow = follower.follow(id, history);
    for (let n = 0; n < 4; n += 1) await answered();
    const reading = history.catchUp();
    await turn();
    await note("meanwhile");
    await clock.advance(200); // the follower sees that there is news while the earlier read is under way
    for (let n = 0; n < 4; n += 1) await answered();
    await reading;
    expect(seqs(history.batch("client/meanwhile") ?? [])).toEqual([2, 3]);
    unfollow();
    await clock.advance(1_000);
    expect(clock.asleep).toBe(0);
  });

  it("outlives a store that is away for a while", async () => {
    const { store, id, note } = await opened();
    const clock = stepClock();
    let away = false;
    const journal = {
      end: () => store.end(),
      changed: (after: Parameters<typeof store.changed>[0]) =>
        away ? Promise.reject(new Error("gone")) : store.changed(after),
    };
    const history = createHistory(store.for(LOCAL), id);
    const unfollow = createFollower(journal, clock).follow(id, history);
    await clock.advance(400);
    away = true;
    await clock.advance(400);
    await note("meanwhile");
    away = false;
    await clock.advance(2_000);
    expect(history.batch("client/meanwhile")).toHaveLength(2);
    unfollow();
  });

  it("asks the store once for all that this process drives", async () => {
    const clock = stepClock();
    const store = memoryStore(clock.now);
    let asked = 0;
    const journal = {
      end: () => store.end(),
      changed: (after: Parameters<typeof store.changed>[0]) => ((asked += 1), store.changed(after)),
    };
    const follower = createFollower(journal, clock);
    const { opened: one } = await stage({ protocols: [quiet], store: () => store }).engine.open(
      "r1",
      toyAsked("toy"),
    );
    const unfollow = Array.from({ length: 50 }, () =>
      follower.follow(one.deliberation, createHistory(store.for(LOCAL), one.deliberation)),
    );
    await clock.advance(1_000);
    expect(asked).toBe(5);
    for (const end of unfollow) end();
  });
});
