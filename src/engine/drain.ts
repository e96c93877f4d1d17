import {
  reactorLease,
  type DeliberationId,
  type Entry,
  type EventId,
  type Progress,
} from "../kernel/index.ts";
import { openingOf } from "./drive.ts";
import type { Follower } from "./follower.ts";
import { Halt } from "./halt.ts";
import { createHistory } from "./history.ts";
import { hasReacted, makeReaction, type ReactionContext } from "./reaction.ts";
import { holdLease, isHeldByOther, LEASE_POLL_MS, type HeldLease } from "./reactions.ts";
import {
  isEnabledFor,
  loadReactors,
  needsReaction,
  type Reactors,
  subscribesTo,
  tryReactorSettings,
  type AnyReactor,
  type PinnedSettings,
} from "./reactor.ts";

// DRAIN-1. Each reactor goes on by itself: none waits for what another is at.
// DRAIN-2. It ends when nothing is left to react to, reactions' own events included, and whoever drives has ended.
// DRAIN-3. A reactor that a worker runs for the whole store is left to it, and its answers are waited for, a minute at most; so is
//     one that another process drains here. Whose lease runs out or is lost is taken over.

export type DrainContext = ReactionContext & {
  readonly reactors: Reactors;
  readonly follower: Follower;
  readonly progress: Progress;
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
/** How long a drain waits for a worker's reactions; after that they are the worker's own business. */
const MAX_WORKER_WAIT_MS = 60_000;

/** Reacts to one deliberation's events, for a command that opened it and is about to exit. */
export async function drain(
  context: DrainContext,
  id: DeliberationId,
  { worker, signal: outer, until, onEntry }: DrainOptions,
): Promise<void> {
  const { follower, progress, store, world } = context;
  const history = createHistory(store, id);
  if (onEntry) history.listen(onEntry);
  await history.catchUp();
  const { data: opening } = openingOf(history, id);
  const reactors = await loadReactors(context.reactors, (name) => opening.reactions?.[name] !== undefined);
  const mine = reactors.filter((reactor) => isEnabledFor(reactor, opening)).map(createDrained);
  const bell = createBell();
  history.listen(bell.ring);
  const unfollow = until ? follower.follow(id, history) : () => undefined;
  let driven = until === undefined;
  const ended = until?.catch(() => undefined).then(() => ((driven = true), bell.ring()));
  const over = () => driven && mine.every(({ quietAt }) => quietAt === bell.rung() || quietAt === "gone"); // DRAIN-2
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
  const attend = async (one: Drained, held: HeldLease): Promise<boolean> => {
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
    const settings = await tryReactorSettings(store, one.reactor, opening);
    while (!signal.aborted && (await isServed(one.reactor))) {
      const rung = bell.rung();
      await history.catchUp();
      const owed =
        world.now() - from < MAX_WORKER_WAIT_MS && isBehind(one.reactor, settings, history.entries());
      if (owed) await world.sleep(LEASE_POLL_MS, signal);
      else if (rung === bell.rung() && (await rest(one, rung, () => world.sleep(LEASE_POLL_MS, signal))))
        return true;
    }
    return false;
  };
  const isServed = (reactor: AnyReactor): Promise<boolean> =>
    isHeldByOther(progress, reactorLease(reactor.name), worker);
  const attended = async (one: Drained, held: HeldLease): Promise<boolean> => {
    try {
      return await attend(one, held);
    } finally {
      await held.end();
      await progress.release(reactorLease(one.reactor.name, id), worker);
    }
  };
  const serve = async (one: Drained): Promise<void> => {
    const name = reactorLease(one.reactor.name, id);
    try {
      while (!signal.aborted) {
        if (await isServed(one.reactor)) {
          if (await lookOn(one)) return; // DRAIN-3
        } else if (await progress.lease(name, worker, DRAIN_LEASE_MS)) {
          const held = holdLease({ progress, world }, { name, ttlMs: DRAIN_LEASE_MS }, { worker, signal });
          if (await attended(one, held)) return;
        } else {
          one.quietAt = null;
          await world.sleep(LEASE_POLL_MS, signal); // whoever has it is at the same work, or has died of it
        }
      }
    } finally {
      one.quietAt = "gone";
      bell.ring();
    }
  };
  const serving = mine.map(serve); // DRAIN-1
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
  entries.find((entry) => subscribesTo(reactor, entry) && !done.has(entry.id));

/** Whether a reactor has to answer an event and the journal does not hold its answer. */
function isBehind(reactor: AnyReactor, settings: PinnedSettings, entries: readonly Entry[]): boolean {
  return entries.some(
    (entry, index) =>
      needsReaction(reactor, entry, { before: entries.slice(0, index + 1), settings }) &&
      !hasReacted(reactor, entry, entries),
  );
}

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
