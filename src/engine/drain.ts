import { setMaxListeners } from "node:events";
import {
  isEvent,
  reactorLease,
  type DeliberationId,
  type Entry,
  type EventId,
  type Progress,
} from "../kernel/index.ts";
import { openingOf } from "./drive.ts";
import type { Follower } from "./follower.ts";
import { Halt, linkAbort } from "./halt.ts";
import { createHistory } from "./history.ts";
import { hasReacted, makeReaction, type ReactionContext } from "./reaction.ts";
import { holdLease, isHeldByOther, LEASE_POLL_MS, type HeldLease } from "./reactions.ts";
import {
  isEnabledFor,
  loadReactors,
  needsReaction,
  type Reactors,
  tryReactorSettings,
  type AnyReactor,
  type PinnedSettings,
} from "./reactor.ts";

// A drain ends when no event needs a reaction, including the events of reactions, and the drive has ended.
// If a worker runs a reactor for the whole store, the drain waits for its reactions, for a minute at most. It also waits for another
// process that drains this deliberation. It takes over when the lease expires or is lost.
// A drain holds a reactor's lease only while it reacts, so that rival drains never wait for each other.

export type DrainContext = ReactionContext & {
  readonly reactors: Reactors;
  readonly follower: Follower;
  readonly progress: Progress;
};

export type DrainOptions = {
  /** Names this process in leases. */
  readonly worker: string;
  readonly signal: AbortSignal;
  /** The drain continues until this settles and reacts to new events; without it, it reacts to the recorded ones. */
  readonly until?: Promise<unknown>;
  /** Receives every entry of the deliberation once, including those of reactions. */
  readonly onEntry?: (entry: Entry) => void;
};

/** How long a drain's lease outlives its process: after a crash, the next command waits this long. */
const DRAIN_LEASE_MS = 6_000;
/** How long a drain waits for a worker's reactions before it leaves them to the worker. */
const MAX_WORKER_WAIT_MS = 60_000;

/** Runs the reactions to one deliberation's events, for a process that opened it and is about to exit. */
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
  const enabled = reactors.filter((reactor) => isEnabledFor(reactor, opening));
  const drained = await Promise.all(
    enabled.map(async (reactor) => createDrained(reactor, await tryReactorSettings(store, reactor, opening))),
  );
  const bell = createBell();
  history.listen(bell.ring);
  const unfollow = until ? follower.follow(id, history) : () => undefined;
  let driven = until === undefined;
  const ended = until?.catch(() => undefined).then(() => ((driven = true), bell.ring()));
  const isDone = () =>
    driven && drained.every(({ idleAt }) => idleAt === bell.rung() || idleAt === "stopped");
  setMaxListeners(0, outer);
  const stop = linkAbort(outer);
  const { signal } = stop;
  setMaxListeners(0, signal);

  /** Waits for new events; true when all reactors are done. */
  const idle = async (item: Drained, rung: number, wait: () => Promise<void>): Promise<boolean> => {
    item.idleAt = rung;
    if (isDone()) bell.wake();
    else await wait();
    return isDone();
  };
  /** Reacts until nothing is left to react to, or the lease is lost. */
  const reactAll = async (item: Drained, held: HeldLease): Promise<void> => {
    while (!held.signal.aborted) {
      await history.catchUp();
      const entry = nextEntry(item, history.entries());
      if (!entry) return;
      await makeReaction(context, { reactor: item.reactor, entry, signal: held.signal });
      if (!held.signal.aborted) item.done.add(entry.id);
      bell.ring(); // other reactors may subscribe to its events
    }
  };
  /** Waits for a worker's reactions until all reactors are done (true) or the worker has lost its lease (false). */
  const awaitWorker = async (item: Drained): Promise<boolean> => {
    const from = world.now();
    while (!signal.aborted && (await isServed(item.reactor))) {
      const rung = bell.rung();
      await history.catchUp();
      const isPending = world.now() - from < MAX_WORKER_WAIT_MS && isBehind(item, history.entries());
      if (isPending) await world.sleep(LEASE_POLL_MS, signal);
      else if (rung === bell.rung() && (await idle(item, rung, () => world.sleep(LEASE_POLL_MS, signal))))
        return true;
    }
    return false;
  };
  const isServed = (reactor: AnyReactor): Promise<boolean> =>
    isHeldByOther(progress, reactorLease(reactor.name), worker);
  const reactAndRelease = async (item: Drained, held: HeldLease): Promise<void> => {
    try {
      await reactAll(item, held);
    } finally {
      await held.end();
      await progress.release(reactorLease(item.reactor.name, id), worker);
    }
  };
  const serve = async (item: Drained): Promise<void> => {
    const name = reactorLease(item.reactor.name, id);
    try {
      while (!signal.aborted) {
        const rung = bell.rung();
        await history.catchUp();
        if (!nextEntry(item, history.entries())) {
          if (rung === bell.rung() && (await idle(item, rung, () => bell.next(rung, signal)))) return;
        } else if (await isServed(item.reactor)) {
          if (await awaitWorker(item)) return;
        } else if (await progress.lease(name, worker, DRAIN_LEASE_MS)) {
          const held = holdLease({ progress, world }, { name, ttlMs: DRAIN_LEASE_MS }, { worker, signal });
          await reactAndRelease(item, held);
        } else {
          item.idleAt = null;
          await world.sleep(LEASE_POLL_MS, signal); // another process drains it, or died and its lease will expire
        }
      }
    } finally {
      item.idleAt = "stopped";
      bell.ring();
    }
  };
  const serving = drained.map(serve);
  try {
    await Promise.all(serving);
    if (!outer.aborted) await ended;
  } finally {
    // Stop all work before the caller closes the store.
    stop.abort(new Halt("interrupted"));
    await Promise.allSettled(serving);
    stop.release();
    unfollow();
  }
}

type Drained = {
  readonly reactor: AnyReactor;
  readonly settings: PinnedSettings;
  /** The entries that it has reacted to or need not react to. */
  readonly done: Set<EventId>;
  /** The bell's count when the reactor last had nothing to do. */
  idleAt: number | "stopped" | null;
};

const createDrained = (reactor: AnyReactor, settings: PinnedSettings): Drained => ({
  reactor,
  settings,
  done: new Set(),
  idleAt: null,
});

const needs = ({ reactor, settings }: Drained, entries: readonly Entry[], index: number): boolean => {
  const entry = entries[index];
  return (
    entry !== undefined && needsReaction(reactor, entry, { before: entries.slice(0, index + 1), settings })
  );
};

/** The first entry that this process has not reacted to; whether others did is known only from the journal's steps. */
function nextEntry(item: Drained, entries: readonly Entry[]): Entry | undefined {
  return entries.find(({ id }, index) => {
    if (item.done.has(id)) return false;
    if (needs(item, entries, index)) return true;
    item.done.add(id);
    return false;
  });
}

/** True if an event of a deliberation needs a reaction that is not recorded. */
export async function owesReactions(
  { reactors, store }: Pick<DrainContext, "reactors" | "store">,
  id: DeliberationId,
): Promise<boolean> {
  const entries = await store.read(id);
  const [opened] = entries;
  if (!opened || !isEvent(opened, "deliberation-opened")) return false;
  const { data: opening } = opened;
  const loaded = await loadReactors(reactors, (name) => opening.reactions?.[name] !== undefined);
  const owed = loaded.map(async (reactor) =>
    isBehind(createDrained(reactor, await tryReactorSettings(store, reactor, opening)), entries),
  );
  return (await Promise.all(owed)).includes(true);
}

/** True if an event needs a reaction that the journal does not hold. */
const isBehind = (item: Drained, entries: readonly Entry[]): boolean =>
  entries.some((entry, index) => needs(item, entries, index) && !hasReacted(item.reactor, entry, entries));

/** Wakes the reactors that wait for new events. */
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
    /** Wakes all waiters without counting a ring. */
    wake: wakeAll,
    /** Resolves at the first ring after `rung`, at a `wake`, or when `signal` aborts. */
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
