import { expect } from "vitest";
import type { EngramId } from "../../src/kernel/index.ts";
import type { EngramStore, StoredEngram } from "../../src/memory/engram-store.ts";
import { acknowledgement, vectorFor } from "../../src/testing/engram-contract-samples.ts";
import type { EngramCase } from "./engram-place.ts";
import { ada, drawn, direction } from "../../src/testing/engram-samples.ts";
import { storeChild, type StoreChild } from "../../src/testing/store-contract-child.ts";
import { needed } from "../../src/testing/store-place.ts";
import { upTo } from "../../src/testing/store-samples.ts";

const WRITERS = 4;
const model = "sim/vectors";

/** How much must have been acknowledged before each of two writers is killed. */
const KILLS = [90, 300];

const reportsOf = (children: readonly StoreChild[]): string[] =>
  children.flatMap(({ reports }) =>
    reports.flatMap((report) => (report.is === "acknowledged" ? report.ids : [])),
  );

const killsCase: EngramCase = {
  title: "loses nothing acknowledged when two of four processes that remember are killed",
  timeoutMs: 60_000,
  run: async (place) => {
    const open = needed(place.child, "child");
    await using opened = await place.open();
    const writers = upTo(WRITERS).map((number) => storeChild(open, { task: "remember", number }));
    try {
      await Promise.all(writers.map((writer) => writer.reported("ready")));
      for (const writer of writers) writer.start();
      const victims = writers.slice(0, KILLS.length);
      const survivors = writers.slice(KILLS.length);
      for (const [index, victim] of victims.entries()) {
        const due = KILLS[index] ?? 0;
        await expect
          .poll(() => reportsOf(writers).length, { timeout: 30_000, interval: 3 })
          .toBeGreaterThan(due);
        // Searched while others write, so that what is held in memory has to follow.
        await opened.engrams.nearest(ada, { model, vector: vectorFor("1/0/1"), limit: 3 });
        victim.kill();
      }
      for (const survivor of survivors) survivor.finish();
      expect(await Promise.all(victims.map((victim) => victim.ended))).toEqual(victims.map(() => "SIGKILL"));
      expect(await Promise.all(survivors.map((survivor) => survivor.ended))).toEqual(survivors.map(() => 0));
    } finally {
      await Promise.all(writers.map((writer) => writer[Symbol.asyncDispose]()));
    }
    await place.integrity?.();
    const acknowledged = reportsOf(writers);
    expect(acknowledged.length).toBeGreaterThan(KILLS.at(-1) ?? 0);
    await verify(opened.engrams, acknowledged);
    await using anew = await place.open();
    await verify(anew.engrams, acknowledged);
  },
};

async function verify(engrams: EngramStore, acknowledged: readonly string[]): Promise<void> {
  const all = await everything(engrams);
  const found = new Set(
    all.flatMap(({ engram, annotations, embedded }) => [
      acknowledgement("put", engram.id),
      ...annotations.map(() => acknowledgement("annotated", engram.id)),
      ...embedded.map(() => acknowledgement("embedded", engram.id)),
    ]),
  );
  expect(acknowledged.filter((what) => !found.has(what))).toEqual([]);
  expect(all.filter(({ annotations }) => annotations.length > 1)).toEqual([]);
  const ids = all.filter(({ embedded }) => embedded.length > 0).map(({ engram }) => engram.id);
  expect(await engrams.vectors(ada, { model, ids })).toEqual(new Map(ids.map((id) => [id, vectorFor(id)])));
  const vector = direction(drawn(1), { dimensions: 64 });
  const near = await engrams.nearest(ada, { model, vector, limit: all.length });
  expect(near.map(({ id }) => id).sort()).toEqual([...ids].sort());
}

/** In pages, newest first. */
async function everything(engrams: EngramStore): Promise<readonly StoredEngram[]> {
  const all: StoredEngram[] = [];
  for (let before: EngramId | undefined; ; before = all.at(-1)?.engram.id) {
    const page = await engrams.list(ada, { limit: 200, before });
    all.push(...page);
    if (page.length < 200) return all;
  }
}

/** What several processes may do to one store's engrams. */
export const engramProcessCases: readonly EngramCase[] = [killsCase];
