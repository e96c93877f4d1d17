import {
  BEGINNING,
  isEvent,
  isFault,
  StepKey,
  type Cursor,
  type DeliberationId,
  type Entry,
  type Event,
  type EventId,
} from "../kernel/index.ts";
import { openLedger } from "./budget.ts";
import type { DriveContext } from "./drive.ts";
import { digestOf } from "./digest.ts";
import { Halt } from "./halt.ts";
import { createHistory } from "./history.ts";
import type { AnyReactor } from "./reactor.ts";
import { createSteps } from "./steps.ts";

// X1. The events of one deliberation reach a reactor in their order, one at a time; those of different ones, sixteen at a time.
// X2. The cursor never passes an event whose reaction has not finished; a crash repeats reactions, and their steps are recalled.
// X3. One worker runs a reactor at a time, the one that its lease names, for as long as it renews the lease.
// X4. A reaction that throws is tried again, then noted; it stops neither the reactor nor anybody's answer.
// X5. Adopted events trigger nothing; neither do a reactor's own, nor the notes of failed reactions, so no failure feeds itself.
// X6. A store that is away for a while stops no reactor: it begins again at its cursor.

const AT_ONCE = 16;
const LEASE_MS = 15_000;
const TRIES = 5;
/** The topic of the note that a reaction leaves which could not be made. */
const FAILED = "reaction-failed";

export type ReactionsContext = Omit<DriveContext, "protocols" | "follower"> & {
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
      if (await store.lease(leaseOf(reactor), worker, LEASE_MS)) await serve(context, reactor, options);
    } catch (error) {
      if (!isFault(error, "store-unavailable")) throw error; // X6
    }
    await world.sleep(LEASE_MS / 5, signal);
  }
  await store.release(leaseOf(reactor), worker);
}

/**
 * Reacts to one deliberation's own events, and to the reactions' own, until there is nothing left to react to:
 * what a command does that opened it and is about to exit. A reactor that another worker runs is left to it.
 */
export async function drain(
  context: ReactionsContext,
  id: DeliberationId,
  { worker, signal }: Pick<ReactOptions, "worker" | "signal">,
): Promise<void> {
  const { store } = context;
  const mine: { readonly reactor: AnyReactor; readonly held: Held; readonly done: Set<EventId> }[] = [];
  for (const reactor of context.reactors) {
    if (await store.lease(leaseOf(reactor), worker, LEASE_MS))
      mine.push({ reactor, held: hold(context, reactor, { worker, signal }), done: new Set() });
  }
  try {
    for (let busy = true; busy;) {
      const entries = await store.read(id);
      const rounds = mine.map(async ({ reactor, held, done }) => {
        const due = entries.filter((entry) => wants(reactor, entry) && !done.has(entry.id));
        for (const entry of due) {
          if (held.signal.aborted) return false;
          await reaction(context, { reactor, entry, signal: held.signal });
          done.add(entry.id);
        }
        return due.length > 0;
      });
      busy = (await Promise.all(rounds)).some(Boolean);
    }
  } finally {
    await Promise.all(mine.map(({ held }) => held.end()));
    await Promise.all(mine.map(({ reactor }) => store.release(leaseOf(reactor), worker)));
  }
}

type Held = {
  /** Aborts when the lease is lost, or with the worker. */
  readonly signal: AbortSignal;
  lose(): void;
  /** Stops renewing. */
  end(): Promise<void>;
};

/** Renews a lease that is held; to lose it, or not to reach the store, is to stop. X3 */
function hold(
  { store, world }: ReactionsContext,
  reactor: AnyReactor,
  { worker, signal: outer }: Pick<ReactOptions, "worker" | "signal">,
): Held {
  const own = new AbortController();
  const lose = () => own.abort(new Halt("interrupted"));
  const signal = AbortSignal.any([outer, own.signal]);
  const renewing = (async () => {
    for (;;) {
      await world.sleep(LEASE_MS / 3, signal);
      if (signal.aborted) return;
      if (!(await store.lease(leaseOf(reactor), worker, LEASE_MS).catch(() => false))) return lose();
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

/** One lease's worth of one reactor's work. */
async function serve(context: ReactionsContext, reactor: AnyReactor, options: ReactOptions): Promise<void> {
  const { store } = context;
  const start = await store.cursor(reactor.name);
  const from = start ?? (options.backfill ? BEGINNING : await store.end());
  if (start === undefined && !(await store.advance(reactor.name, undefined, from))) return;

  const held = hold(context, reactor, options);
  const { signal } = held;
  const unfinished = new Set<Cursor>();
  const chains = new Map<DeliberationId, Promise<void>>();
  const slots = createSlots(AT_ONCE);
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
        const to = unfinished.size > 0 ? ((Math.min(...unfinished) - 1) as Cursor) : seen; // X2
        if (signal.aborted || to <= at) return;
        if (await store.advance(reactor.name, at, to)) at = to;
        else held.lose(); // X3
      })
      .catch(fail);
    return advancing;
  };
  const begin = (entry: Entry): Promise<void> => {
    unfinished.add(entry.cursor);
    const before = chains.get(entry.deliberation) ?? Promise.resolve();
    const chain = before // X1
      .then(() => slots.take(() => reaction(context, { reactor, entry, signal })))
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
        if (!wants(reactor, entry)) continue;
        const chain = begin(entry).finally(() => under.delete(chain));
        under.add(chain);
      }
      await advance();
      while (under.size >= AT_ONCE * 4) await Promise.race(under); // bounds what is held in memory
    }
  } finally {
    await held.end();
    await Promise.all([...under, advancing]);
  }
  if (failure) throw failure.error;
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

const leaseOf = (reactor: AnyReactor): string => `reactor/${reactor.name}`;

/** X5 */
const wants = (reactor: AnyReactor, entry: Entry): boolean => {
  const { origin } = entry;
  // `includes` is asked about a wider type than the array's own.
  if (!(reactor.on as readonly string[]).includes(entry.type) || origin.by === "adopted") return false;
  if (origin.by !== "reactor") return true;
  return origin.reactor !== reactor.name && !(isEvent(entry, "note-taken") && entry.data.topic === FAILED);
};

type Due = { readonly reactor: AnyReactor; readonly entry: Entry; readonly signal: AbortSignal };

/** Finishes, noted failures included, unless `signal` aborts. */
async function reaction(context: ReactionsContext, { reactor, entry, signal: held }: Due): Promise<void> {
  const signal = AbortSignal.any([held]); // of its own: Node takes many listeners on one for a leak
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptReaction(context, { reactor, entry, signal });
    } catch (error) {
      if (signal.aborted) return;
      if (attempt >= TRIES) return noteFailure(context, { reactor, entry, error }); // X4
      await context.world.sleep(2 ** (attempt - 1) * 1_000, signal);
    }
  }
}

async function attemptReaction(context: ReactionsContext, { reactor, entry, signal }: Due): Promise<void> {
  const { store, models, frames, world } = context;
  const id = entry.deliberation;
  const history = createHistory(store, id);
  await history.catchUp();
  const ignore = () => undefined;
  const run = createSteps(
    {
      id,
      journal: store,
      history,
      models,
      frames,
      ledger: await openLedger({ id, budget: {}, reservations: store, now: world.now }, []),
      world,
      originOf: (step) => ({ by: "reactor", reactor: reactor.name, event: entry.id, ...step }),
      replay: false,
      watch: { started: ignore, ended: ignore, waiting: () => ignore, used: ignore },
    },
    signal,
  );
  // `wants` has admitted the entry's type, which is what the reactor's own `react` takes.
  await reactor.react(entry as Event<never>, { run, history: history.entries() });
}

async function noteFailure(
  { store }: ReactionsContext,
  { reactor, entry, error }: { reactor: AnyReactor; entry: Entry; error: unknown },
): Promise<void> {
  const why = error instanceof Error ? error.message : String(error);
  const step = StepKey.parse("failed");
  await store.append(
    entry.deliberation,
    [
      {
        type: "note-taken",
        data: {
          topic: FAILED,
          reason: why.slice(0, 1_000),
          body: { event: entry.id, tries: TRIES },
        },
      },
    ],
    {
      by: "reactor",
      reactor: reactor.name,
      event: entry.id,
      step,
      digest: digestOf({ event: entry.id }),
      after: [],
    },
  );
}
