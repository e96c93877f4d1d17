import { FIRST_CURSOR, type Cursor, type Entry } from "../kernel/index.ts";

// POLL-1. A cursor is known here only when it is committed, and commits are in cursor order: to wait for "beyond my last one" misses
//     nothing. Else: followers and workers miss events for good.
// What is known before a read has been read by it, whatever of it is given out: a subscriber to a part of the events goes on from there,
// and neither reads what is others' again nor is woken by it.
// POLL-2. Between a subscriber's empty read and its wait nothing is lost, because waiting starts by comparing with the furthest cursor
//     known. Else: a follower sleeps on an event that is there.

type WaitingSubscriber = {
  readonly after: Cursor;
  readonly wake: () => void;
  readonly fail: (reason: unknown) => void;
};

export type Poller = ReturnType<typeof poller>;

/**
 * One poll for all subscribers of a store, running only while one waits.
 * @param end asks the database for the place of its last committed event
 */
export function poller(end: () => Promise<Cursor>, intervalMs: number) {
  const waiting = new Set<WaitingSubscriber>();
  let known = FIRST_CURSOR;
  let polling: Promise<void> | undefined;
  let stopped: Error | undefined;

  const reached = (cursor: Cursor) => {
    if (cursor > known) known = cursor;
    for (const one of waiting) if (known > one.after) one.wake();
  };

  const poll = async (): Promise<void> => {
    while (waiting.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
      if (waiting.size === 0) break;
      try {
        reached(await end());
      } catch (error) {
        for (const one of waiting) one.fail(error);
      }
    }
    polling = undefined;
  };

  return {
    /** The furthest cursor that is known to be committed. */
    known: () => known,
    /** This process has committed up to here: wakes without asking. */
    reached,
    /** Resolves when the store has gone beyond `after`, or when `signal` aborts; rejects when the store cannot be asked. */
    beyond: (after: Cursor, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (stopped) return reject(stopped);
        // Not at once, so that a subscriber whose database went back in time does not hold the event loop.
        if (known > after || signal.aborted) return setImmediate(resolve);
        const leave = () => {
          waiting.delete(one);
          signal.removeEventListener("abort", one.wake);
        };
        const one: WaitingSubscriber = {
          after,
          wake: () => {
            leave();
            resolve();
          },
          fail: (reason) => {
            leave();
            // The reason is the store's own error, handed on as it is.
            reject(reason instanceof Error ? reason : new Error(String(reason)));
          },
        };
        waiting.add(one);
        signal.addEventListener("abort", one.wake);
        polling ??= poll();
      }),
    /** Rejects all who wait, now and later. */
    stop: (reason: Error) => {
      stopped = reason;
      for (const one of waiting) one.fail(reason);
    },
  };
}

/** As many events as one read of a subscription takes. */
export const SUBSCRIPTION_EVENTS = 500;

/** A store's subscription: catches up, then follows, in one order. `readAfter` gives committed events in cursor order. */
export async function* follow<T extends Pick<Entry, "cursor">>(
  from: Cursor,
  signal: AbortSignal,
  store: { readonly readAfter: (after: Cursor) => Promise<readonly T[]>; readonly poller: Poller },
): AsyncIterable<readonly T[]> {
  let after = from;
  while (!signal.aborted) {
    const known = store.poller.known();
    const entries = await store.readAfter(after);
    // Aborted during the read.
    if (signal.aborted) return;
    after = entries.at(-1)?.cursor ?? after;
    if (entries.length < SUBSCRIPTION_EVENTS && known > after) after = known;
    if (entries.length === 0) await store.poller.beyond(after, signal);
    else yield entries;
  }
}
