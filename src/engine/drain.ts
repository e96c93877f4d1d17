import type { DeliberationId, Entry, EventId } from "../kernel/index.ts";
import { openingOf } from "./drive.ts";
import type { Follower } from "./follower.ts";
import { createHistory } from "./history.ts";
import { makeReaction, type ReactionContext } from "./reaction.ts";
import { hold, leaseName, type Held } from "./reactor-lease.ts";
import { listensTo, takesPart, type AnyReactor } from "./reactor.ts";

// N1. Each reactor goes on by itself: none waits for what another is at.
// N2. It ends when nothing is left to react to, reactions' own events included, and whoever drives has ended.
// N3. A reactor that a worker runs for the whole store is left to it; one that another process drains here is waited for.

export type DrainContext = ReactionContext & {
  readonly reactors: readonly AnyReactor[];
  readonly follower: Follower;
};

export type DrainOptions = {
  /** Names this process in leases. */
  readonly worker: string;
  readonly signal: AbortSignal;
  /** Goes on at least until this has settled, and answers what is recorded meanwhile; by default it answers what there is. */
  readonly until?: Promise<unknown>;
  /** Hears every entry of the deliberation once, reactions' own as they are recorded. */
  readonly onEntry?: (entry: Entry) => void;
};

/** How long a drained reactor's lease outlives its process, milliseconds: so long a command waits that goes on after a crash. */
const DRAIN_LEASE_MS = 6_000;

/** Reacts to one deliberation's events, for a command that opened it and is about to exit. */
export async function drain(
  context: DrainContext,
  id: DeliberationId,
  { worker, signal, until, onEntry }: DrainOptions,
): Promise<void> {
  const { follower, store, world } = context;
  const history = createHistory(store, id);
  if (onEntry) history.listen(onEntry);
  await history.catchUp();
  const { data: opening } = openingOf(history, id);
  const leases = await store.leases("reactor/");
  const served = (reactor: AnyReactor) =>
    leases.some(({ name, holder }) => name === leaseName(reactor) && holder !== worker);
  const mine = context.reactors
    .filter((reactor) => takesPart(reactor, opening) && !served(reactor)) // N3
    .map(createDrained);
  const bell = createBell();
  history.listen(bell.ring);
  const unfollow = until ? follower.follow(id, history) : () => undefined;
  let driven = until === undefined;
  const ended = until?.catch(() => undefined).then(() => ((driven = true), bell.ring()));
  const over = () => driven && mine.every(({ quietAt }) => quietAt === bell.rung() || quietAt === "gone"); // N2

  const attend = async (one: Drained, held: Held): Promise<void> => {
    while (!held.signal.aborted) {
      const rung = bell.rung();
      await history.catchUp();
      const entry = dueOf(one, history.entries());
      if (entry) {
        await makeReaction(context, { reactor: one.reactor, entry, signal: held.signal });
        one.done.add(entry.id);
        bell.ring(); // what it said is for others to hear
        continue;
      }
      if (rung !== bell.rung()) continue;
      one.quietAt = rung;
      if (over()) bell.wake();
      else await bell.next(rung, held.signal);
      if (over()) return;
    }
  };
  const serve = async (one: Drained): Promise<void> => {
    const name = leaseName(one.reactor, id);
    // Whoever has it is at the same work, or has died of it.
    while (!signal.aborted && !(await store.lease(name, worker, DRAIN_LEASE_MS)))
      await world.sleep(500, signal);
    const held = hold(context, { name, ttlMs: DRAIN_LEASE_MS }, { worker, signal });
    try {
      await attend(one, held);
    } finally {
      one.quietAt = "gone";
      bell.ring();
      await held.end();
      await store.release(name, worker);
    }
  };
  try {
    await Promise.all(mine.map(serve)); // N1
    if (!signal.aborted) await ended;
  } finally {
    unfollow();
  }
}

type Drained = {
  readonly reactor: AnyReactor;
  readonly done: Set<EventId>;
  /** By which ring of the bell it had nothing left to do. */
  quietAt: number | "gone" | null;
};

const createDrained = (reactor: AnyReactor): Drained => ({ reactor, done: new Set(), quietAt: null });

const dueOf = ({ reactor, done }: Drained, entries: readonly Entry[]): Entry | undefined =>
  entries.find((entry) => listensTo(reactor, entry) && !done.has(entry.id));

/** Wakes everybody who waits for news. */
function createBell() {
  let count = 0;
  let wake: () => void = () => undefined;
  let waiting = new Promise<void>((resolve) => (wake = resolve));
  const wakeAll = () => {
    wake();
    waiting = new Promise<void>((resolve) => (wake = resolve));
  };
  return {
    rung: () => count,
    ring() {
      count += 1;
      wakeAll();
    },
    /** Without news. */
    wake: wakeAll,
    /** Resolves with the first ring after `rung`, when somebody wakes all, or when `signal` aborts. */
    async next(rung: number, signal: AbortSignal): Promise<void> {
      if (count !== rung || signal.aborted) return;
      let stop: () => void = () => undefined;
      const aborted = new Promise<void>((resolve) => {
        stop = resolve;
        signal.addEventListener("abort", stop, { once: true });
      });
      await Promise.race([waiting, aborted]);
      signal.removeEventListener("abort", stop);
    },
  };
}
