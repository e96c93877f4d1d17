import { setMaxListeners } from "node:events";
import {
  FIRST_CURSOR,
  isFault,
  isUnreadable,
  reactorLease,
  type Cursor,
  type DeliberationId,
  type Entry,
  type Fault,
  type Store,
  type Progress,
  type World,
} from "../kernel/index.ts";
import { subscribesTo, type AnyReactor } from "./reactor.ts";
import { makeReaction, type ReactionContext } from "./reaction.ts";
import { Halt, linkAbort } from "./halt.ts";

// A reactor receives one deliberation's events in order, one at a time, and works on up to sixteen deliberations at once.
// REACT-2. The cursor never passes an event whose reaction is unfinished. After a crash, reactions repeat and recall their steps. Else: an
//     answer is never graded or remembered.
// REACT-3. One worker at a time runs a reactor: the holder of its lease, for as long as it renews the lease. Else: both pay for a reaction.
// A reaction that throws is retried where that can help, then its failure is recorded. It stops neither the reactor nor an answer.
// REACT-5. Adopted events and copied events of clients trigger nothing. Neither do a reactor's own events, nor the engine's records of
//     reactions that failed or had nothing to say, so that no reaction triggers itself. Else: reactions spend without end.
// A deliberation that cannot be read, because it is damaged, a text that it pins is missing, or a newer version wrote to it, is passed over
// with its reason: the reactor goes on with all others, and its cursor with it.

/** How many deliberations a reactor works on concurrently. */
const MAX_CONCURRENCY = 16;

/** Reactions to the deliberations of all organizations. */
export type ReactionsContext = Omit<ReactionContext, "store"> & {
  readonly store: Store;
  readonly reactors: readonly AnyReactor[];
};

export type ReactOptions = {
  /** Names this worker in leases. */
  readonly worker: string;
  readonly signal: AbortSignal;
  /** A reactor that has never run starts at the beginning of the journal, instead of now. */
  readonly backfill?: boolean;
  /** Receives each deliberation that cannot be read, once, with the reason. Its reactions are left out. */
  readonly onUnreadable?: (id: DeliberationId, fault: Fault) => void;
};

/**
 * Runs every reactor until `signal` aborts. A reactor waits while another worker holds its lease.
 * @throws Fault of the store, except `store-unavailable`
 */
export async function react(context: ReactionsContext, options: ReactOptions): Promise<void> {
  const stop = linkAbort(options.signal);
  const { signal } = stop;
  setMaxListeners(0, signal);
  const unreadable = new Set<DeliberationId>();
  const onUnreadable = (id: DeliberationId, fault: Fault) => {
    if (!unreadable.has(id)) options.onUnreadable?.(id, fault);
    unreadable.add(id);
  };
  await Promise.all(
    context.reactors.map((reactor) =>
      runReactor(context, reactor, { ...options, signal, onUnreadable }).catch((error: unknown) => {
        stop.abort(new Halt("interrupted"));
        throw error;
      }),
    ),
  ).finally(stop.release);
}

const runReactor = (context: ReactionsContext, reactor: AnyReactor, options: ReactOptions): Promise<void> =>
  consume(context, options, {
    name: reactor.name,
    wants: (entry) => subscribesTo(reactor, entry), // REACT-5
    async take(entry, signal) {
      const { store } = context;
      await awaitDrain(context, reactorLease(reactor.name, entry.deliberation), { ...options, signal });
      const organization = await store.findOrganization(entry.deliberation);
      if (organization === undefined) return;
      await makeReaction({ ...context, store: store.for(organization) }, { reactor, entry, signal });
    },
  });

/** What takes events from a cursor of its own: each at least once, also over a kill, by one process at a time. */
export type Consumer = {
  readonly name: string;
  wants(entry: Entry): boolean;
  /** Resolves when the event is done with, or when `signal` aborts. */
  take(entry: Entry, signal: AbortSignal): Promise<void>;
};

type ConsumerContext = Pick<ReactionsContext, "store" | "world">;

/** Gives events to a consumer until `signal` aborts. @throws Fault of the store, except `store-unavailable` */
export async function consume(
  context: ConsumerContext,
  options: ReactOptions,
  consumer: Consumer,
): Promise<void> {
  const { store, world } = context;
  const { worker, signal } = options;
  const lease = reactorLease(consumer.name);
  while (!signal.aborted) {
    try {
      if (await store.lease(lease, worker, WORKER_LEASE_MS)) await serve(context, consumer, options);
    } catch (error) {
      if (!isFault(error, "store-unavailable")) throw error;
    }
    await world.sleep(WORKER_LEASE_MS / 5, signal);
  }
  await store.release(lease, worker);
}

/** Serves one consumer for as long as its lease is held. */
async function serve(context: ConsumerContext, consumer: Consumer, options: ReactOptions): Promise<void> {
  const { store, world } = context;
  const { name } = consumer;
  const start = await store.cursor(name);
  const from = start ?? (options.backfill ? FIRST_CURSOR : await store.end());
  if (start === undefined && !(await store.advance(name, undefined, from))) return;

  const lease = { name: reactorLease(name), ttlMs: WORKER_LEASE_MS };
  const held = holdLease({ progress: store, world }, lease, options);
  const { signal } = held;
  const unfinished = new Set<Cursor>();
  const chains = new Map<DeliberationId, Promise<void>>();
  const slots = createSlots(MAX_CONCURRENCY);
  let seen = from;
  let at = from;
  let advancing = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
    held.lose();
  };

  /** Moves the cursor, one call at a time, because a store may answer concurrent calls in any order. */
  const advance = () => {
    advancing = advancing
      .then(async () => {
        // The result lies between two cursors of the store.
        const to = unfinished.size > 0 ? ((Math.min(...unfinished) - 1) as Cursor) : seen; // REACT-2
        if (signal.aborted || to <= at) return;
        if (await store.advance(name, at, to)) at = to;
        else held.lose(); // REACT-3
      })
      .catch(fail);
    return advancing;
  };
  const begin = (entry: Entry): Promise<void> => {
    unfinished.add(entry.cursor);
    const before = chains.get(entry.deliberation) ?? Promise.resolve();
    const chain = before
      .then(() => slots.take(() => consumer.take(entry, signal)))
      .catch((error: unknown) => {
        if (!isUnreadable(error)) throw error;
        options.onUnreadable?.(entry.deliberation, error);
      })
      .then(() => void (signal.aborted || unfinished.delete(entry.cursor)))
      .then(advance)
      .catch(fail)
      .finally(() => {
        if (chains.get(entry.deliberation) === chain) chains.delete(entry.deliberation);
      });
    chains.set(entry.deliberation, chain);
    return chain;
  };

  const running = new Set<Promise<void>>();
  try {
    for await (const batch of store.subscribe(from, signal)) {
      for (const entry of batch) {
        seen = entry.cursor;
        if (entry.type === "unreadable") {
          options.onUnreadable?.(entry.deliberation, entry.fault);
          continue;
        }
        if (!consumer.wants(entry)) continue;
        const chain = begin(entry).finally(() => running.delete(chain));
        running.add(chain);
      }
      await advance();
      while (running.size >= MAX_CONCURRENCY * 4) await Promise.race(running); // limits memory use
    }
  } finally {
    await held.end();
    await Promise.all([...running, advancing]);
  }
  if (failure) throw failure.error;
}

/** Resolves when no other process drains this reactor for the deliberation, because a drain does the same work. */
async function awaitDrain(
  { store, world }: ReactionsContext,
  name: string,
  { worker, signal }: ReactOptions,
): Promise<void> {
  while (!signal.aborted && (await isHeldByOther(store, name, worker)))
    await world.sleep(LEASE_POLL_MS, signal);
}

/** Limits concurrency to `count`; further work waits in order. */
function createSlots(count: number) {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async take(work: () => Promise<void>): Promise<void> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve)); // a finished job hands over its slot
      try {
        await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}

/** How long a worker's lease outlives the worker. */
const WORKER_LEASE_MS = 15_000;
/** How often a waiting process checks whether a lease is free. */
export const LEASE_POLL_MS = 250;

export async function leaseHolder(
  progress: Pick<Progress, "leases">,
  name: string,
): Promise<string | undefined> {
  return (await progress.leases(name)).find((lease) => lease.name === name)?.holder;
}

/** True if another worker holds the lease. */
export async function isHeldByOther(
  progress: Pick<Progress, "leases">,
  name: string,
  worker: string,
): Promise<boolean> {
  const holder = await leaseHolder(progress, name);
  return holder !== undefined && holder !== worker;
}

export type HeldLease = {
  /** Aborts when the lease is lost, or with the worker. */
  readonly signal: AbortSignal;
  lose(): void;
  /** Stops renewing. */
  end(): Promise<void>;
};

/** Renews a lease that is held. Its signal aborts when the lease is lost or, unless it is kept through faults, the store cannot be reached. */
export function holdLease(
  { progress, world }: { readonly progress: Pick<Progress, "lease">; readonly world: World },
  {
    name,
    ttlMs,
    isKeptThroughFaults = false,
  }: { readonly name: string; readonly ttlMs: number; readonly isKeptThroughFaults?: boolean },
  { worker, signal: outer }: { readonly worker: string; readonly signal: AbortSignal },
): HeldLease {
  const link = linkAbort(outer);
  const { signal } = link;
  const lose = () => link.abort(new Halt("interrupted"));
  const renewing = (async () => {
    for (;;) {
      await world.sleep(ttlMs / 3, signal);
      if (signal.aborted) return;
      if (!(await progress.lease(name, worker, ttlMs).catch(() => isKeptThroughFaults))) return lose();
    }
  })();
  return {
    signal,
    lose,
    end() {
      lose();
      link.release();
      return renewing;
    },
  };
}
