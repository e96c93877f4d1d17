import { expect } from "./contract.ts";
import { FIRST_CURSOR, type Entry, type Store } from "../kernel/index.ts";
import { storeChild, type StoreChild } from "./store-contract-child.ts";
import { collect, needed, readable, type StoreCase, type StorePlace } from "./store-place.ts";
import { LOCAL, byOpening, deliberation, opening, upTo } from "./store-samples.ts";

const PROCESSES = 16;

/** How many appends must have been acknowledged before the first writer is killed, and before the last. */
const FIRST_KILL = 60;
const LAST_KILL = 600;

/** Ends all of them, whatever happens. */
async function together(children: readonly StoreChild[], body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } finally {
    await Promise.all(children.map((child) => child[Symbol.asyncDispose]()));
  }
}

const acknowledgedBy = (children: readonly StoreChild[]): string[] =>
  children.flatMap(({ reports }) =>
    reports.flatMap((report) => (report.is === "acknowledged" ? report.ids : [])),
  );

const appendsOf = (children: readonly StoreChild[]): number =>
  children.reduce((sum, { reports }) => sum + reports.length, 0);

const rivalsCase: StoreCase = {
  title: "lets many processes make and open a new store at once, and one of them record a contested step",
  timeoutMs: 60_000,
  run: async (place) => {
    const open = needed(place.child, "child");
    const rivals = upTo(open.processes ?? PROCESSES).map((number) =>
      storeChild(open, { task: "race", number }),
    );
    await together(rivals, async () => {
      await Promise.all(rivals.map((rival) => rival.reported("ready")));
      for (const rival of rivals) rival.start();
      await Promise.all(rivals.map((rival) => rival.reported("raced")));
      for (const rival of rivals) rival.finish();
      await Promise.all(rivals.map((rival) => rival.ended));
      const races = rivals.flatMap(({ reports }) =>
        reports.flatMap((report) => (report.is === "raced" ? [report] : [])),
      );
      const [winner] = races.filter((race) => race.fresh);
      expect(races.filter((race) => race.fresh)).toHaveLength(1);
      expect(races.map((race) => race.bodies)).toEqual(rivals.map(() => winner?.bodies));
    });
    await using store = await place.open();
    expect((await store.for(LOCAL).read(deliberation("contested"))).map((entry) => entry.seq)).toEqual([
      1, 2, 3,
    ]);
    expect(await store.end()).toBe(3);
    await place.integrity?.();
  },
};

const killsCase: StoreCase = {
  title: "loses nothing acknowledged when half of the writing processes are killed",
  timeoutMs: 60_000,
  run: async (place) => {
    const open = needed(place.child, "child");
    const shared = ["shared-1", "shared-2", "shared-3"];
    const store = await place.open();
    for (const name of shared) await store.for(LOCAL).append(deliberation(name), [opening(name)], byOpening);
    const writers = upTo(open.processes ?? PROCESSES).map((number) =>
      storeChild(open, { task: "write", number, deliberations: shared }),
    );
    const victims = writers.filter((_, index) => index % 2 === 1);
    const survivors = writers.filter((_, index) => index % 2 === 0);
    await together(writers, async () => {
      await Promise.all(writers.map((writer) => writer.reported("ready")));
      const stop = new AbortController();
      const followed = follow(store, stop.signal);
      for (const writer of writers) writer.start();
      for (const [index, victim] of victims.entries()) {
        const due = FIRST_KILL + (index * (LAST_KILL - FIRST_KILL)) / victims.length;
        await expect.poll(() => appendsOf(writers), { timeout: 30_000, interval: 3 }).toBeGreaterThan(due);
        victim.kill();
      }
      for (const survivor of survivors) survivor.finish();
      expect(await Promise.all(victims.map((victim) => victim.ended))).toEqual(victims.map(() => "SIGKILL"));
      expect(await Promise.all(survivors.map((survivor) => survivor.ended))).toEqual(survivors.map(() => 0));
      const end = await store.end();
      await expect.poll(() => followed.entries.at(-1)?.cursor, { timeout: 5_000, interval: 20 }).toBe(end);
      stop.abort();
      await followed.done;
      await verify(place, { acknowledged: acknowledgedBy(writers), followed: followed.entries, shared });
    });
    await store[Symbol.asyncDispose]();
  },
};

function follow(
  store: Store,
  signal: AbortSignal,
): { readonly entries: Entry[]; readonly done: Promise<void> } {
  const entries: Entry[] = [];
  const done = (async () => {
    for await (const batch of store.subscribe(FIRST_CURSOR, signal)) entries.push(...batch.map(readable));
  })();
  return { entries, done };
}

async function verify(
  place: StorePlace,
  run: {
    readonly acknowledged: readonly string[];
    readonly followed: readonly Entry[];
    readonly shared: readonly string[];
  },
): Promise<void> {
  await place.integrity?.();
  await using store = await place.open();
  const end = await store.end();
  const everything = await collect(store, FIRST_CURSOR, (entries) => entries.at(-1)?.cursor === end);
  expect(run.acknowledged.length).toBeGreaterThan(FIRST_KILL);
  const recorded = new Set<string>(everything.map((entry) => entry.id));
  expect(run.acknowledged.filter((id) => !recorded.has(id))).toEqual([]);
  expect(recorded.size).toBe(everything.length);
  // What was followed live, while writers died, is what is there: in the same order and with nothing skipped.
  expect(run.followed.map((entry) => entry.id)).toEqual(everything.map((entry) => entry.id));
  for (const name of run.shared) {
    const entries = await store.for(LOCAL).read(deliberation(name));
    expect(entries.map((entry) => entry.seq)).toEqual(upTo(entries.length));
    expect(entries).toEqual(everything.filter((entry) => entry.deliberation === name));
  }
  expect(brokenBatches(everything)).toEqual([]);
}

/** Batches of a writer that are not there from the first event to the last. */
function brokenBatches(entries: readonly Entry[]): string[] {
  const sizes = new Map<string, { found: number; due: number }>();
  for (const entry of entries) {
    if (entry.type !== "note-taken" || !Array.isArray(entry.data.body)) continue;
    const [, round, part] = entry.data.body.map(Number);
    const batch = entry.id.slice(0, entry.id.lastIndexOf("#"));
    const due = 1 + (((round ?? 0) + (part ?? 0)) % 3);
    sizes.set(batch, { found: (sizes.get(batch)?.found ?? 0) + 1, due });
  }
  return [...sizes].filter(([, { found, due }]) => found !== due).map(([batch]) => batch);
}

/** What several processes may do to one store. */
export const processCases: readonly StoreCase[] = [rivalsCase, killsCase];
