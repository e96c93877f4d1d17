import { LRUCache } from "lru-cache";
import type { AppContext } from "../app/context.ts";
import type { Parley } from "../app/parley.ts";
import { loadResult } from "../app/result.ts";
import {
  DeliberationId,
  Fault,
  forgettingsOf,
  isEvent,
  type Entry,
  type Principal,
} from "../kernel/index.ts";
import { hasPeople, veilEntries } from "../views/veil.ts";

/** The process as a caller sees it who may read alone; what a route needs beyond that, it has asked for. */
export const readingContext = (parley: Parley, principal: Principal): AppContext =>
  parley.context({}, { principal, needs: "read" });

/** An id that a deliberation may have; what is none is as missing as one that nobody has. */
export const missing = (id: string) => new Fault("deliberation-missing", { id: id.slice(0, 40) });

const MAX_KEPT = 2_000;
const MAX_KEPT_BYTES = 64_000_000;

/** A result as it is sent. `etag`: after which event, and how many requests. */
export type EncodedResult = { readonly seq: number; readonly etag: string; readonly bytes: Buffer };

/** How many lists and figures over all runs are kept. */
const MAX_LISTS = 200;

/** Results as they are sent, each encoded once for as long as nothing more is recorded. */
export function createResults(parley: Parley) {
  const lists = new LRUCache<string, { readonly stamp: string; readonly bytes: Promise<Buffer> }>({
    max: MAX_LISTS,
  });
  const kept = new LRUCache<string, EncodedResult>({
    ...{ max: MAX_KEPT, maxSize: MAX_KEPT_BYTES },
    sizeCalculation: ({ bytes }) => bytes.length + 1,
  });
  return {
    /** What `make` gives of an organization's runs, as it is sent: made once for as long as nothing is recorded or forgotten. */
    async ofAll(principal: Principal, name: string, make: () => Promise<unknown>): Promise<Buffer> {
      const { store } = readingContext(parley, principal).process;
      const key = `${principal.organization} ${name}`;
      const forgotten = await store.cursor(forgettingsOf(principal.organization));
      const stamp = `${await store.end()}-${forgotten ?? 0}`; // what comes from here on makes the next one anew
      const known = lists.get(key);
      if (known?.stamp === stamp) return known.bytes;
      const bytes = make().then((made) => Buffer.from(JSON.stringify(made)));
      lists.set(key, { stamp, bytes });
      bytes.catch(() => lists.delete(key));
      return bytes;
    },
    /** @throws Fault `deliberation-missing`, also for another organization's (the same words) */
    async of(principal: Principal, given: string): Promise<EncodedResult> {
      const { store, protocols } = readingContext(parley, principal);
      const id = DeliberationId.safeParse(given).data;
      if (id === undefined) throw missing(given);
      const key = `${principal.organization}/${id}`;
      const known = kept.get(key);
      // Read before the events: a request that comes between the two makes the next one anew.
      const sent = (await store.reservations(id)).reduce((sum, { calls }) => sum + calls, 0);
      const isSame = known?.etag === `"${known?.seq}-${sent}"`;
      if (isSame && (await store.read(id, known.seq)).length === 0) return known;
      const entries = await store.read(id);
      const result = await loadResult(protocols, entries);
      if (!result) throw missing(given);
      const seq = entries.at(-1)?.seq ?? 0;
      const made = { seq, etag: `"${seq}-${sent}"`, bytes: Buffer.from(JSON.stringify(result)) };
      kept.set(key, made);
      return made;
    },
  };
}
export type Results = ReturnType<typeof createResults>;

/** All events of a deliberation. @throws Fault `deliberation-missing`, also for another organization's (the same words) */
export async function readAll(
  parley: Parley,
  principal: Principal,
  given: string,
): Promise<{ readonly id: DeliberationId; readonly entries: readonly Entry[] }> {
  const id = DeliberationId.safeParse(given).data;
  const entries = id === undefined ? [] : await readingContext(parley, principal).store.read(id);
  if (id === undefined || entries.length === 0) throw missing(given);
  return { id, entries };
}

/** Reads at most `limit` events with `seq > after`, as they may be shown (VEIL-1), in order. */
export type ReadShown = (after: number, limit?: number) => Promise<readonly Entry[]>;

/**
 * A reader of a deliberation's events. Only where a person takes part does it read all of them.
 * @throws Fault `deliberation-missing`, also for another organization's (the same words)
 */
export async function shownReader(parley: Parley, principal: Principal, given: string): Promise<ReadShown> {
  const id = DeliberationId.safeParse(given).data;
  const { store } = readingContext(parley, principal);
  const [opened] = id === undefined ? [] : await store.read(id, 0, 1);
  if (id === undefined || opened === undefined) throw missing(given);
  if (isEvent(opened, "deliberation-opened") && !hasPeople(opened.data))
    return (after, limit) => store.read(id, after, limit);
  const all = veilEntries(await store.read(id));
  return (after, limit) =>
    Promise.resolve(all.filter(({ seq }) => seq > after).slice(0, limit ?? all.length));
}

/** Between two events that are wanted, so many others are read with them. */
const MAX_GAP = 16;

/** The events with these seqs, in order, without those that there are not or that are hidden. */
export async function readOnly(read: ReadShown, seqs: readonly number[]): Promise<readonly Entry[]> {
  const wanted = new Set(seqs);
  const ranges: { readonly first: number; last: number }[] = [];
  for (const seq of [...wanted].sort((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range && seq - range.last <= MAX_GAP) range.last = seq;
    else ranges.push({ first: seq, last: seq });
  }
  const parts = await Promise.all(ranges.map(({ first, last }) => read(first - 1, last - first + 1)));
  // Where events are hidden, a range may reach into the next one.
  return [...new Map(parts.flat().map((entry) => [entry.seq, entry])).values()].filter(({ seq }) =>
    wanted.has(seq),
  );
}
