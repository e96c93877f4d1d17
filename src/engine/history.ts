import { originKey, type DeliberationId, type Entry, type Journal } from "../kernel/index.ts";

// An entry is added once, whether it comes from the append that recorded it or from a read.
// HIST-2. All entries up to `upTo` are known. A read starts there, so it finds other processes' events between our own. Else: events of
//     another process are missed, and their calls paid again.
// Listeners receive every entry once; the entries of one read come in seq order.
// HIST-4. A catch-up returns everything that was recorded before it was called: it never shares a read that started earlier. Else: a step
//     decides without an event that is recorded already.

/** One driver's growing copy of a deliberation's journal, from its own appends and from reads. */
export interface History {
  readonly upTo: number;
  /** Returns the batch recorded under an origin key, in index order. */
  batch(origin: string): readonly Entry[] | undefined;
  add(entries: readonly Entry[]): void;
  /** Reads what other processes recorded before this call. Calls during a read share the next read. */
  catchUp(): Promise<void>;
  /** Returns all known entries in seq order. */
  entries(): readonly Entry[];
  listen(listener: (entry: Entry) => void): () => void;
  /** Calls `recorded` when the origin records, if it has not yet. Returns a function that cancels this. */
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
      if (entry.type === "reply-stopped") continue; // STOP-1
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
    const current = journal
      .read(id, upTo)
      .then(add)
      .finally(() => {
        if (reading === current) reading = undefined;
      });
    reading = current;
    return current;
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
      const callbacks = expected.get(origin) ?? new Set();
      expected.set(origin, callbacks.add(recorded));
      return () => {
        callbacks.delete(recorded);
        if (callbacks.size === 0 && expected.get(origin) === callbacks) expected.delete(origin);
      };
    },
  };
}
