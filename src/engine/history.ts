import { originKey, type DeliberationId, type Entry, type Journal } from "../kernel/index.ts";

// HIST-1. An entry is added once, whoever brings it: the append that made it, or a read.
// HIST-2. `upTo` is the highest seq below which nothing is missing; a read starts there, so a rival's events between ours are found.
// HIST-3. Listeners hear every entry once, the ones of a single read in seq order.
// HIST-4. A catch-up knows all that was recorded before it was asked for: it never shares a read that began earlier.

/** What one driver knows of one deliberation: it only grows, by its own appends and by reading the journal. */
export interface History {
  readonly upTo: number;
  /** The whole batch recorded under an origin key, in index order. */
  batch(origin: string): readonly Entry[] | undefined;
  add(entries: readonly Entry[]): void;
  /** Reads what others recorded before this call. Calls made while a read is under way share the one after it. */
  catchUp(): Promise<void>;
  /** In seq order. */
  entries(): readonly Entry[];
  listen(listener: (entry: Entry) => void): () => void;
  /** Calls back when the origin records, if it has not; the returned function forgets the wish. */
  expect(origin: string, recorded: () => void): () => void;
}

export function createHistory(journal: Pick<Journal, "read">, id: DeliberationId): History {
  const bySeq = new Map<number, Entry>();
  const batches = new Map<string, Entry[]>();
  const listeners = new Set<(entry: Entry) => void>();
  const expected = new Map<string, Set<() => void>>();
  let upTo = 0;
  let reading: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  const add = (entries: readonly Entry[]) => {
    const fresh = entries.filter((entry) => !bySeq.has(entry.seq));
    for (const entry of fresh) {
      bySeq.set(entry.seq, entry);
      const key = originKey(entry.origin);
      const batch = batches.get(key);
      if (batch) batch.push(entry);
      else batches.set(key, [entry]);
    }
    while (bySeq.has(upTo + 1)) upTo += 1;
    for (const entry of fresh) for (const listener of listeners) listener(entry);
    for (const entry of fresh) for (const recorded of expected.get(originKey(entry.origin)) ?? []) recorded();
  };

  const read = (): Promise<void> => {
    const mine = journal
      .read(id, upTo)
      .then(add)
      .finally(() => {
        if (reading === mine) reading = undefined;
      });
    reading = mine;
    return mine;
  };

  return {
    get upTo() {
      return upTo;
    },
    batch: (origin) => batches.get(origin),
    add,
    catchUp() {
      if (!reading) return read();
      const later = () => {
        queued = undefined;
        return read();
      };
      queued ??= reading.then(later, later); // HIST-4
      return queued;
    },
    entries: () => [...bySeq.values()].sort((a, b) => a.seq - b.seq),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    expect(origin, recorded) {
      const wishes = expected.get(origin) ?? new Set();
      expected.set(origin, wishes.add(recorded));
      return () => {
        wishes.delete(recorded);
        if (wishes.size === 0 && expected.get(origin) === wishes) expected.delete(origin);
      };
    },
  };
}
