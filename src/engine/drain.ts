import { isOnTheWay, type DeliberationId, type Entry, type EventId } from "../kernel/index.ts";
import { openingOf } from "./drive.ts";
import type { Follower } from "./follower.ts";
import { Halt } from "./halt.ts";
import { createHistory } from "./history.ts";
import { makeReaction, type ReactionContext } from "./reaction.ts";
import { hold, leaseName, type Held } from "./reactor-lease.ts";
import { listensTo, owes, takesPart, type AnyReactor } from "./reactor.ts";

// N1. Each reactor goes on by itself: none waits for what another is at.
// N2. It ends when nothing is left to react to, reactions' own events included, and whoever drives has ended.
// N3. A reactor that a worker runs for the whole store is left to it, and its answers are waited for, a minute at most; so is
//     one that another process drains here. Whose lease runs out or is lost is taken over.

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
/** How often a drain looks whether a lease is free, and whether another's work is done. */
const LOOK_MS = 250;
/** So long a worker's reactions are waited for; after that they are the worker's own business. */
const WORKER_MS = 60_000;

/** Reacts to one deliberation's events, for a command that opened it and is about to exit. */
export async function drain(
  context: DrainContext,
  id: DeliberationId,
  { worker, signal: outer, until, onEntry }: DrainOptions,
): Promise<void> {
  const { follower, store, world } = context;
  const history = createHistory(store, id);
  if (onEntry) history.listen(onEntry);
  await history.catchUp();
  const { data: opening } = openingOf(history, id);
  const mine = context.reactors.filter((reactor) => takesPart(reactor, opening)).map(createDrained);
  const bell = createBell();
  history.listen(bell.ring);
  const unfollow = until ? follower.follow(id, history) : () => undefined;
  let driven = until === undefined;
  const ended = until?.catch(() => undefined).then(() => ((driven = true), bell.ring()));
  const over = () => driven && mine.every(({ quietAt }) => quietAt === bell.rung() || quietAt === "gone"); // N2
  const own = new AbortController();
  const signal = AbortSignal.any([outer, own.signal]);

  /** Waits for news where there is nothing to do; true when everybody is done. */
  const rest = async (one: Drained, rung: number, until: () => Promise<void>): Promise<boolean> => {
    one.quietAt = rung;
    if (over()) bell.wake();
    else await until();
    return over();
  };
  /** Until everybody is done, or the lease is lost. */
  const attend = async (one: Drained, held: Held): Promise<boolean> => {
    while (!held.signal.aborted) {
      const rung = bell.rung();
      await history.catchUp();
      const entry = dueOf(one, history.entries());
      if (entry) {
        await makeReaction(context, { reactor: one.reactor, entry, signal: held.signal });
        if (!held.signal.aborted) one.done.add(entry.id);
        bell.ring(); // what it said is for others to hear
      } else if (rung === bell.rung() && (await rest(one, rung, () => bell.next(rung, held.signal))))
        return true;
    }
    return false;
  };
  /** Until everybody is done, the worker's answers included, or it is no longer the worker's to give them. */
  const lookOn = async (one: Drained): Promise<boolean> => {
    const from = world.now();
    while (!signal.aborted && (await isServed(one.reactor))) {
      const rung = bell.rung();
      await history.catchUp();
      const owed = world.now() - from < WORKER_MS && isBehind(one.reactor, history.entries());
      if (owed) await world.sleep(LOOK_MS, signal);
      else if (rung === bell.rung() && (await rest(one, rung, () => world.sleep(LOOK_MS, signal))))
        return true;
    }
    return false;
  };
  const isServed = async (reactor: AnyReactor): Promise<boolean> => {
    const name = leaseName(reactor);
    return (await store.leases(name)).some((lease) => lease.name === name && lease.holder !== worker);
  };
  const attended = async (one: Drained, held: Held): Promise<boolean> => {
    try {
      return await attend(one, held);
    } finally {
      await held.end();
      await store.release(leaseName(one.reactor, id), worker);
    }
  };
  const serve = async (one: Drained): Promise<void> => {
    const name = leaseName(one.reactor, id);
    try {
      while (!signal.aborted) {
        if (await isServed(one.reactor)) {
          if (await lookOn(one)) return; // N3
        } else if (await store.lease(name, worker, DRAIN_LEASE_MS)) {
          const held = hold(context, { name, ttlMs: DRAIN_LEASE_MS }, { worker, signal });
          if (await attended(one, held)) return;
        } else {
          one.quietAt = null;
          await world.sleep(LOOK_MS, signal); // whoever has it is at the same work, or has died of it
        }
      }
    } finally {
      one.quietAt = "gone";
      bell.ring();
    }
  };
  const serving = mine.map(serve); // N1
  try {
    await Promise.all(serving);
    if (!outer.aborted) await ended;
  } finally {
    // Nothing goes on over a store that its owner is about to close.
    own.abort(new Halt("interrupted"));
    await Promise.allSettled(serving);
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

/** Whether a reactor owes an answer that the journal does not hold. */
const isBehind = (reactor: AnyReactor, entries: readonly Entry[]): boolean =>
  entries.some(
    (entry, index) =>
      owes(reactor, entry, entries.slice(0, index + 1)) &&
      !entries.some(
        (said) =>
          said.origin.by === "reactor" &&
          said.origin.reactor === reactor.name &&
          said.origin.event === entry.id &&
          !isOnTheWay(said),
      ),
  );

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
