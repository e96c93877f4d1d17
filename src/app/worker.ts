import { leaseHolder, linkAbort, type Engine } from "../engine/index.ts";
import {
  isFault,
  isIntermediate,
  reactorLease,
  type DeliberationId,
  type Entry,
  type Fault,
  type Store,
  type World,
} from "../kernel/index.ts";

export type Worker = {
  readonly store: Pick<Store, "end" | "leases" | "subscribe">;
  readonly engine: Pick<Engine, "react">;
  readonly world: Pick<World, "sleep">;
  /** The name of this process in leases. */
  readonly worker: string;
};

export type WorkerOptions = {
  readonly signal: AbortSignal;
  /** A reactor that has never run starts at the beginning of the journal, instead of now. */
  readonly backfill: boolean;
  /** Receives the outcome of each reaction of the reactors that this worker runs. */
  readonly onReaction?: (outcome: Entry) => void;
  /** Receives each deliberation that cannot be read, once, with the reason. Its reactions are left out. */
  readonly onUnreadable?: (id: DeliberationId, fault: Fault) => void;
};

/** The delay before an unavailable store is tried again. */
const STORE_RETRY_MS = 1_000;

/**
 * Runs every reactor for all deliberations of the store until `signal` aborts.
 * @returns the number of reactions passed to `onReaction`
 * @throws Fault of the store, except `store-unavailable`
 */
export async function runWorker(
  worker: Worker,
  { signal: outer, backfill, onReaction, onUnreadable }: WorkerOptions,
): Promise<number> {
  const link = linkAbort(outer);
  const hearing = onReaction ? hearReactions(worker, onReaction, link.signal) : Promise.resolve(0);
  hearing.catch(() => undefined); // rethrown below
  try {
    await worker.engine.react({
      ...{ worker: worker.worker, signal: outer, backfill },
      ...(onUnreadable && { onUnreadable }),
    });
    link.abort();
    return await hearing;
  } finally {
    link.abort();
    link.release();
    await hearing.catch(() => undefined); // it must end before the store is closed
  }
}

async function hearReactions(
  { store, worker, world }: Worker,
  onReaction: (outcome: Entry) => void,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  let at = await store.end();
  const isOwn = async ({ origin }: Entry): Promise<boolean> =>
    origin.by === "reactor" && (await leaseHolder(store, reactorLease(origin.reactor))) === worker;
  while (!signal.aborted)
    try {
      for await (const batch of store.subscribe(at, signal))
        for (const entry of batch) {
          at = entry.cursor;
          if (
            entry.type === "unreadable" ||
            entry.origin.by !== "reactor" ||
            isIntermediate(entry) ||
            !(await isOwn(entry))
          )
            continue;
          count += 1;
          onReaction(entry);
        }
    } catch (error) {
      if (!isFault(error, "store-unavailable")) throw error;
      await world.sleep(STORE_RETRY_MS, signal);
    }
  return count;
}
