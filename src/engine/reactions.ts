import { BEGINNING, isFault, type Cursor, type DeliberationId, type Entry } from "../kernel/index.ts";
import { Halt } from "./halt.ts";
import { makeReaction, type ReactionContext } from "./reaction.ts";
import { hold, LEASE_MS, leaseName } from "./reactor-lease.ts";
import { listensTo, type AnyReactor } from "./reactor.ts";

// X1. The events of one deliberation reach a reactor in their order, one at a time; those of different ones, sixteen at a time.
// X2. The cursor never passes an event whose reaction has not finished; a crash repeats reactions, and their steps are recalled.
// X3. One worker runs a reactor at a time, the one that its lease names, for as long as it renews the lease.
// X4. A reaction that throws is tried again, then noted; it stops neither the reactor nor anybody's answer.
// X5. Adopted events trigger nothing; neither do a reactor's own, nor the notes of failed reactions, so no failure feeds itself.
// X6. A store that is away for a while stops no reactor: it begins again at its cursor.

const AT_ONCE = 16;

export type ReactionsContext = ReactionContext & { readonly reactors: readonly AnyReactor[] };

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
      if (await store.lease(leaseName(reactor), worker, LEASE_MS)) await serve(context, reactor, options);
    } catch (error) {
      if (!isFault(error, "store-unavailable")) throw error; // X6
    }
    await world.sleep(LEASE_MS / 5, signal);
  }
  await store.release(leaseName(reactor), worker);
}

/** One lease's worth of one reactor's work. */
async function serve(context: ReactionsContext, reactor: AnyReactor, options: ReactOptions): Promise<void> {
  const { store } = context;
  const start = await store.cursor(reactor.name);
  const from = start ?? (options.backfill ? BEGINNING : await store.end());
  if (start === undefined && !(await store.advance(reactor.name, undefined, from))) return;

  const held = hold(context, { name: leaseName(reactor), ttlMs: LEASE_MS }, options);
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
      .then(() =>
        slots.take(async () => {
          await drained(context, leaseName(reactor, entry.deliberation), { ...options, signal });
          await makeReaction(context, { reactor, entry, signal });
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
        if (!listensTo(reactor, entry)) continue; // X5
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

/** How often a worker looks whether a drain has ended. */
const LOOK_MS = 500;

/** Resolves when no other process drains this reactor there: whoever does is at the same work. */
async function drained(
  { store, world }: ReactionsContext,
  name: string,
  { worker, signal }: ReactOptions,
): Promise<void> {
  const isHeld = async () =>
    (await store.leases(name)).some((lease) => lease.name === name && lease.holder !== worker);
  while (!signal.aborted && (await isHeld())) await world.sleep(LOOK_MS, signal);
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
