import {
  FIRST_CURSOR,
  isFault,
  reactorLease,
  type Cursor,
  type DeliberationId,
  type Entry,
  type Store,
  type Progress,
  type World,
} from "../kernel/index.ts";
import { subscribesTo, type AnyReactor } from "./reactor.ts";
import { makeReaction, type ReactionContext } from "./reaction.ts";
import { Halt } from "./halt.ts";

// REACT-1. The events of one deliberation reach a reactor in their order, one at a time; those of different ones, sixteen at a time.
// REACT-2. The cursor never passes an event whose reaction has not finished; a crash repeats reactions, and their steps are recalled.
// REACT-3. One worker runs a reactor at a time, the one that its lease names, for as long as it renews the lease.
// REACT-4. A reaction that throws is tried again, then noted; it stops neither the reactor nor anybody's answer.
// REACT-5. Adopted events trigger nothing. Neither do a reactor's own events, nor the notes of reactions that failed or had nothing
//     to say, so that no note feeds itself.
// REACT-6. A store that is away for a while stops no reactor: it begins again at its cursor.

/** How many deliberations a reactor works on at the same time. */
const MAX_CONCURRENCY = 16;

/** Over every organization's deliberations. */
export type ReactionsContext = Omit<ReactionContext, "store"> & {
  readonly store: Store;
  readonly reactors: readonly AnyReactor[];
};

export type ReactOptions = {
  /** Names this worker in leases. */
  readonly worker: string;
  readonly signal: AbortSignal;
  /** A reactor that has never run begins at the start of the journal, instead of now. */
  readonly backfill?: boolean;
};

/**
 * Runs every reactor until `signal` aborts; one whose lease another worker holds waits for it.
 * @throws Fault what the store throws, but for `store-unavailable`
 */
export async function react(context: ReactionsContext, options: ReactOptions): Promise<void> {
  const own = new AbortController();
  const signal = AbortSignal.any([options.signal, own.signal]);
  await Promise.all(
    context.reactors.map((reactor) =>
      attend(context, reactor, { ...options, signal }).catch((error: unknown) => {
        own.abort(new Halt("interrupted"));
        throw error;
      }),
    ),
  );
}

async function attend(context: ReactionsContext, reactor: AnyReactor, options: ReactOptions): Promise<void> {
  const { store, world } = context;
  const { worker, signal } = options;
  while (!signal.aborted) {
    try {
      if (await store.lease(reactorLease(reactor.name), worker, WORKER_LEASE_MS))
        await serve(context, reactor, options);
    } catch (error) {
      if (!isFault(error, "store-unavailable")) throw error; // REACT-6
    }
    await world.sleep(WORKER_LEASE_MS / 5, signal);
  }
  await store.release(reactorLease(reactor.name), worker);
}

/** One lease's worth of one reactor's work. */
async function serve(context: ReactionsContext, reactor: AnyReactor, options: ReactOptions): Promise<void> {
  const { store } = context;
  const start = await store.cursor(reactor.name);
  const from = start ?? (options.backfill ? FIRST_CURSOR : await store.end());
  if (start === undefined && !(await store.advance(reactor.name, undefined, from))) return;

  const held = holdLease(
    { progress: store, world: context.world },
    { name: reactorLease(reactor.name), ttlMs: WORKER_LEASE_MS },
    options,
  );
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

  /** One after the other: a store may answer two that are under way in either order. */
  const advance = () => {
    advancing = advancing
      .then(async () => {
        // Between two cursors that the store gave.
        const to = unfinished.size > 0 ? ((Math.min(...unfinished) - 1) as Cursor) : seen; // REACT-2
        if (signal.aborted || to <= at) return;
        if (await store.advance(reactor.name, at, to)) at = to;
        else held.lose(); // REACT-3
      })
      .catch(fail);
    return advancing;
  };
  const begin = (entry: Entry): Promise<void> => {
    unfinished.add(entry.cursor);
    const before = chains.get(entry.deliberation) ?? Promise.resolve();
    const chain = before // REACT-1
      .then(() =>
        slots.take(async () => {
          await awaitDrain(context, reactorLease(reactor.name, entry.deliberation), { ...options, signal });
          const organization = await store.findOrganization(entry.deliberation);
          if (organization === undefined) return;
          await makeReaction({ ...context, store: store.for(organization) }, { reactor, entry, signal });
        }),
      )
      .then(() => void (signal.aborted || unfinished.delete(entry.cursor)))
      .then(advance)
      .catch(fail)
      .finally(() => {
        if (chains.get(entry.deliberation) === chain) chains.delete(entry.deliberation);
      });
    chains.set(entry.deliberation, chain);
    return chain;
  };

  const under = new Set<Promise<void>>();
  try {
    for await (const batch of store.subscribe(from, signal)) {
      for (const entry of batch) {
        seen = entry.cursor;
        if (!subscribesTo(reactor, entry)) continue; // REACT-5
        const chain = begin(entry).finally(() => under.delete(chain));
        under.add(chain);
      }
      await advance();
      while (under.size >= MAX_CONCURRENCY * 4) await Promise.race(under); // bounds what is held in memory
    }
  } finally {
    await held.end();
    await Promise.all([...under, advancing]);
  }
  if (failure) throw failure.error;
}

/** Resolves when no other process drains this reactor there: whoever does is at the same work. */
async function awaitDrain(
  { store, world }: ReactionsContext,
  name: string,
  { worker, signal }: ReactOptions,
): Promise<void> {
  while (!signal.aborted && (await isHeldByOther(store, name, worker)))
    await world.sleep(LEASE_POLL_MS, signal);
}

/** At most `count` at work at once; the others wait their turn. */
function createSlots(count: number) {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async take(work: () => Promise<void>): Promise<void> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve)); // a leaver hands its slot over
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

/** How long the lease of a worker for the whole store outlives the worker. */
const WORKER_LEASE_MS = 15_000;
/** How often a process that waits for somebody else's reactions looks whether the lease is free. */
export const LEASE_POLL_MS = 250;

/** Who holds this lease now; undefined where nobody does. */
export async function leaseHolder(
  progress: Pick<Progress, "leases">,
  name: string,
): Promise<string | undefined> {
  return (await progress.leases(name)).find((lease) => lease.name === name)?.holder;
}

/** Whether somebody other than this worker holds the lease. */
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

/** Renews a lease that is held. Whoever loses it, or cannot reach the store, has to stop. */
export function holdLease(
  { progress, world }: { readonly progress: Pick<Progress, "lease">; readonly world: World },
  { name, ttlMs }: { readonly name: string; readonly ttlMs: number },
  { worker, signal: outer }: { readonly worker: string; readonly signal: AbortSignal },
): HeldLease {
  const own = new AbortController();
  const lose = () => own.abort(new Halt("interrupted"));
  const signal = AbortSignal.any([outer, own.signal]);
  const renewing = (async () => {
    for (;;) {
      await world.sleep(ttlMs / 3, signal);
      if (signal.aborted) return;
      if (!(await progress.lease(name, worker, ttlMs).catch(() => false))) return lose();
    }
  })();
  return {
    signal,
    lose,
    end() {
      lose();
      return renewing;
    },
  };
}
