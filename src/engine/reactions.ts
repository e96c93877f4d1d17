import { Fault, StepKey, type Cursor, type DeliberationId, type Entry, type Event } from "../kernel/index.ts";
import { openLedger } from "./budget.ts";
import type { DriveContext } from "./drive.ts";
import { digestOf } from "./digest.ts";
import { isHalt, Halt } from "./halt.ts";
import { createHistory } from "./history.ts";
import type { AnyReactor } from "./reactor.ts";
import { createSteps } from "./steps.ts";

// X1. The events of one deliberation reach a reactor in their order, one at a time; those of different ones, sixteen at a time.
// X2. The cursor never passes an event whose reaction has not finished; a crash repeats reactions, and their steps are recalled.
// X3. One worker runs a reactor at a time, the one that its lease names.
// X4. A reaction that throws is tried again, then noted; it stops neither the reactor nor anybody's answer.
// X5. Adopted events trigger nothing.

const AT_ONCE = 16;
const LEASE_MS = 15_000;
const TRIES = 5;

export type ReactionsContext = Omit<DriveContext, "protocols" | "follower"> & { readonly reactors: readonly AnyReactor[] };

export type ReactOptions = {
  /** Names this worker in leases. */
  readonly worker: string;
  readonly signal: AbortSignal;
  /** A reactor that has never run begins at the start of the journal, instead of now. */
  readonly backfill?: boolean;
};

/** Runs every reactor until `signal` aborts; one whose lease another worker holds waits for it. */
export async function react(context: ReactionsContext, options: ReactOptions): Promise<void> {
  await Promise.all(
    context.reactors.map(async (reactor) => {
      while (!options.signal.aborted) {
        if (await context.store.lease(leaseOf(reactor), options.worker, LEASE_MS)) await serve(context, reactor, options);
        await context.world.sleep(LEASE_MS / 5, options.signal);
      }
      await context.store.release(leaseOf(reactor), options.worker);
    }),
  );
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
  const done = new Set<string>();
  const mine: AnyReactor[] = [];
  for (const reactor of context.reactors) if (await context.store.lease(leaseOf(reactor), worker, LEASE_MS)) mine.push(reactor);
  try {
    for (;;) {
      const entries = await context.store.read(id);
      const due = mine.map((reactor) => entries.filter((entry) => wants(reactor, entry) && !done.has(`${reactor.name} ${entry.id}`)));
      if (due.every((events) => events.length === 0) || signal.aborted) return;
      await Promise.all(
        mine.map(async (reactor, index) => {
          for (const entry of due[index] ?? []) {
            await reaction(context, { reactor, entry, signal });
            done.add(`${reactor.name} ${entry.id}`);
          }
        }),
      );
    }
  } finally {
    await Promise.all(mine.map((reactor) => context.store.release(leaseOf(reactor), worker)));
  }
}

/** One lease's worth of one reactor's work. */
async function serve(context: ReactionsContext, reactor: AnyReactor, options: ReactOptions): Promise<void> {
  const { store, world } = context;
  const own = new AbortController();
  const signal = AbortSignal.any([options.signal, own.signal]);
  const start = await store.cursor(reactor.name);
  let at = start ?? (options.backfill ? (0 as Cursor) : await store.end());
  if (start === undefined && !(await store.advance(reactor.name, undefined, at))) return;

  const unfinished = new Set<Cursor>();
  const chains = new Map<DeliberationId, Promise<void>>();
  let seen = at;
  let free = AT_ONCE;
  const freed: (() => void)[] = [];

  const keepLease = async () => {
    while (!signal.aborted) {
      await world.sleep(LEASE_MS / 3, signal);
      if (!signal.aborted && !(await store.lease(leaseOf(reactor), options.worker, LEASE_MS))) own.abort(new Halt("interrupted")); // X3
    }
  };
  const advance = async () => {
    const lowest = unfinished.size > 0 ? Math.min(...unfinished) - 1 : seen;
    if (lowest <= at) return;
    const to = lowest as Cursor; // between two cursors that the store gave
    const from = at;
    at = to;
    if (!(await store.advance(reactor.name, from, to))) own.abort(new Halt("interrupted")); // X3
  };
  const slot = async () => {
    while (free === 0) await new Promise<void>((resolve) => freed.push(resolve));
    free -= 1;
  };
  const begin = (entry: Entry) => {
    unfinished.add(entry.cursor);
    const before = chains.get(entry.deliberation) ?? Promise.resolve();
    const chain = before.then(async () => {
      await slot();
      try {
        if (signal.aborted) return;
        await reaction(context, { reactor, entry, signal });
        if (!signal.aborted) unfinished.delete(entry.cursor); // X2
      } finally {
        free += 1;
        freed.shift()?.();
        if (chains.get(entry.deliberation) === chain) chains.delete(entry.deliberation);
      }
    });
    chains.set(entry.deliberation, chain);
    return chain.then(advance);
  };

  const lease = keepLease();
  const under: Promise<void>[] = [];
  try {
    for await (const batch of store.subscribe(at, signal)) {
      for (const entry of batch) {
        seen = entry.cursor;
        if (wants(reactor, entry)) under.push(begin(entry));
      }
      if (under.length > AT_ONCE * 4) await Promise.all(under.splice(0)); // bounds what is held in memory
      await advance();
    }
  } finally {
    own.abort(new Halt("interrupted"));
    await Promise.allSettled([...under, lease]);
  }
}

const leaseOf = (reactor: AnyReactor): string => `reactor/${reactor.name}`;

const wants = (reactor: AnyReactor, entry: Entry): boolean =>
  // `includes` is asked about a wider type than the array's own; X5.
  (reactor.on as readonly string[]).includes(entry.type) && entry.origin.by !== "adopted";

type Due = { readonly reactor: AnyReactor; readonly entry: Entry; readonly signal: AbortSignal };

async function reaction(context: ReactionsContext, { reactor, entry, signal }: Due): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptReaction(context, { reactor, entry, signal });
    } catch (error) {
      if (signal.aborted || isHalt(error, "interrupted")) return;
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
      watch: { started: ignore, ended: ignore, waiting: ignore, used: ignore },
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
  const why = error instanceof Fault || error instanceof Error ? error.message : String(error);
  const step = StepKey.parse("failed");
  await store.append(
    entry.deliberation,
    [{ type: "note-taken", data: { topic: "reaction-failed", reason: why.slice(0, 1_000), body: { event: entry.id, tries: TRIES } } }],
    { by: "reactor", reactor: reactor.name, event: entry.id, step, digest: digestOf({ event: entry.id }), after: [] },
  );
}
