import { expect, it } from "vitest";
import type { Parley } from "../app/parley.ts";
import {
  DeliberationId,
  Fault,
  OrganizationId,
  Principal,
  type NewEvent,
  type Store,
} from "../kernel/index.ts";
import { openSqlite } from "../stores/sqlite.ts";
import { byClient, byClosing, closing, LOCAL, note, opening } from "../testing/store-samples.ts";
import { createDrives } from "./drives.ts";

// DRIVES-1: what a server reads to find what it has to drive, and how soon after a store has come back.
// DRIVES-5: what it forgets that another server has left.

const principal = Principal.parse({ organization: LOCAL, user: "local", scopes: ["read", "write"] });
const READS = new Set<string | symbol>(["end", "listAll", "leases"]);
const OUTAGE_MS = 30_000;
const MINUTE_MS = 60_000;
const PATIENCE = { timeout: 20_000, interval: 5 };

/** Drives over a store with a clock of its own. Each drive ends at once, as waiting for a person; `ending` is called while it does. */
async function drivesOver(count: number, ending = async (_id: DeliberationId): Promise<void> => undefined) {
  const store = await openSqlite(":memory:");
  const own = store.for(LOCAL);
  const idOf = (nth: number) => DeliberationId.parse(`d${nth}`);
  const open = (nth: number) => own.append(idOf(nth), [opening("?")], { by: "open", request: `api/${nth}` });
  for (let nth = 0; nth < count; nth += 1) await open(nth);
  const clock = { nowMs: 0 };
  const driven: string[] = [];
  const forgotten: (readonly [id: string, by: string])[] = [];
  const seen = { statements: 0, rows: 0, outages: 0, failed: 0 };
  const watched = new Proxy<Store>(store, {
    get(of, name) {
      const method: unknown = Reflect.get(of, name);
      if (typeof method !== "function" || !READS.has(name)) return method;
      return async (...given: unknown[]) => {
        if (seen.failed < seen.outages) {
          seen.failed += 1;
          clock.nowMs += OUTAGE_MS;
          throw new Fault("store-unavailable", { where: "there", why: "no server answers there" });
        }
        seen.statements += 1;
        const found: unknown = await Reflect.apply(method, of, given);
        if (Array.isArray(found)) seen.rows += found.length;
        return found;
      };
    },
  });
  const stopped = new AbortController();
  const pauses: number[] = [];
  const world = {
    now: () => clock.nowMs,
    id: () => "id",
    async sleep(ms: number, signal: AbortSignal) {
      // Others sleep between two renewals of a lease.
      if (signal === stopped.signal) {
        pauses.push(ms);
        clock.nowMs += ms;
        if (driven.length > 0) stopped.abort();
      }
      await new Promise(setImmediate);
    },
  };
  const parley = {
    context: () => ({ process: { store: watched }, worker: "here", world }),
    async resume(id: DeliberationId) {
      driven.push(id);
      const outcome = async () => {
        await ending(id);
        // The next drive has that answer, and waits for another one.
        const isFirst = driven.filter((one) => one === id).length === 1;
        return { status: "waiting", waiting: { requests: [isFirst ? "seat/draft" : "seat/review"] } };
      };
      return { outcome };
    },
    read: (id: DeliberationId, { principal: by }: { principal: Principal }) =>
      store.for(by.organization).read(id),
    async forget(id: DeliberationId, { principal: by }: { principal: Principal }) {
      if (id === DeliberationId.parse("busy")) throw new Error("busy");
      forgotten.push([id, `${by.organization}/${by.user}`]);
    },
  } as unknown as Parley; // all that drives use of it
  const drives = createDrives({ parley, principal, adopts: "store", most: 64, log: () => undefined });
  /** Sweeps, waits for what that began, and says what it took. */
  const sweep = async () => {
    const before = { ...seen, driven: driven.length };
    await drives.sweep();
    const { statements, rows } = seen;
    await expect.poll(() => drives.count(), PATIENCE).toEqual({ running: 0, waiting: 0 });
    return {
      statements: statements - before.statements,
      rows: rows - before.rows,
      driven: driven.slice(before.driven),
    };
  };
  return { store, own, idOf, open, seen, pauses, stopped, driven, forgotten, clock, drives, sweep };
}

it("begins again where an answer came while the drive ended, and not for what else came", async () => {
  const { store, own, idOf, driven, sweep } = await drivesOver(2, async (id) => {
    const request = id === idOf(0) ? "seat/draft" : "seat/other";
    await own.append(id, [note("came")], byClient(request));
  });
  await using _closed = store;
  await sweep();
  expect(driven.toSorted()).toEqual([idOf(0), idOf(0), idOf(1)]);
});

it("of 1,000 open deliberations that wait, a sweep reads none but those that have changed", async () => {
  const { store, own, idOf, open, sweep } = await drivesOver(1_000);
  await using _closed = store;
  expect((await sweep()).driven).toEqual(Array.from({ length: 1_000 }, (_, nth) => `d${nth}`));
  expect(await sweep()).toEqual({ statements: 1, rows: 0, driven: [] });
  await own.append(idOf(7), [note(1)], byClient("a")); // an answer
  await own.append(idOf(8), [closing], byClosing);
  await open(1_000);
  expect(await sweep()).toEqual({ statements: 4, rows: 3, driven: ["d7", "d1000"] });
  expect(await sweep()).toEqual({ statements: 1, rows: 0, driven: [] });
});

it("looks again within seconds, however long a sweep hung on a store that was away", async () => {
  const { store, drives, seen, pauses, stopped, driven } = await drivesOver(24);
  await using _closed = store;
  seen.outages = 20;
  await drives.keep(2_000, stopped.signal);
  expect(seen.failed).toBe(20);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000);
  await expect.poll(() => driven, PATIENCE).toHaveLength(24);
});

it("DRIVES-5: forgets ten minutes after its end what its client wants forgotten, and nothing else", async () => {
  const { store, forgotten, clock, drives } = await drivesOver(0);
  await using _closed = store;
  const acme = OrganizationId.parse("acme");
  const record = async (name: string, more: object, { isOver = true, organization = LOCAL } = {}) => {
    const own = store.for(organization);
    const { type, data } = opening("?", { organization });
    const opened = { type, data: { ...data, ...more } } as NewEvent; // fields of an opening
    await own.append(DeliberationId.parse(name), [opened], { by: "open", request: `api/${name}` });
    if (isOver) await own.append(DeliberationId.parse(name), [closing], byClosing);
  };
  const client = { key: "k", body: "0".repeat(64) };
  const unkept = { client: { ...client, echo: { store: false } } };
  await record("busy", unkept);
  await record("mine", { ...unkept, user: "ana" });
  await record("theirs", unkept, { organization: acme });
  await record("kept", { client: { ...client, echo: { store: true } } });
  await record("inside", { client: { ...client, echo: { text: { store: false } } } });
  await record("waits", unkept, { isOver: false });
  await record("long", unkept, { isOver: false });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const endMs = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await store.for(LOCAL).append(DeliberationId.parse("long"), [closing], byClosing);
  /** Looks once, so many minutes after the end. */
  const at = async (minutes: number) => {
    clock.nowMs = endMs + minutes * MINUTE_MS;
    const control = new AbortController();
    const kept = drives.keep(2_000, control.signal);
    control.abort();
    await kept;
    return forgotten.splice(0);
  };
  const due = [
    ["mine", "local/ana"],
    ["theirs", "acme/local"],
  ];
  expect(await at(8.9)).toEqual([]);
  expect(await at(10)).toEqual(due);
  expect(await at(10.9)).toEqual([]); // it looks once a minute
  expect(await at(11)).toEqual([...due, ["long", "local/local"]]); // here, nothing is really forgotten
});
