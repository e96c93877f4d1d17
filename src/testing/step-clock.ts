import type { World } from "../kernel/index.ts";

// Virtual time moves only in `advance` and `settle`, never by itself.
// Sleepers wake in the order of their times; of two with one time, the one that lay down first.
// Before time moves, everything that can happen without it has happened.

/** A world whose time stands still until a test moves it. Ids count up, so the same test gives the same ones. */
export interface StepClock extends World {
  /** Moves time on by `ms`, waking every sleeper on the way at its own time. */
  advance(ms: number): Promise<void>;
  /**
   * Moves time from sleeper to sleeper until `promise` settles, and gives what it settles to.
   * @throws Error when nobody sleeps and it does not settle, or when `limitMs` of virtual time have passed
   */
  settle<T>(promise: Promise<T>, limitMs?: number): Promise<T>;
  /** How many are asleep. */
  readonly asleep: number;
}

export type StepClockOptions = { readonly startMs?: number; readonly name?: string };

export function stepClock({ startMs = Date.UTC(2026, 0, 1), name = "id" }: StepClockOptions = {}): StepClock {
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  let nowMs = startMs;
  let ids = 0;

  const next = () => {
    let first: { readonly at: number; readonly wake: () => void } | undefined;
    for (const sleeper of sleepers) if (!first || sleeper.at < first.at) first = sleeper;
    return first;
  };
  const wakeNext = async (upTo: number): Promise<boolean> => {
    await quiet();
    const sleeper = next();
    if (!sleeper || sleeper.at > upTo) return false;
    nowMs = Math.max(nowMs, sleeper.at);
    sleepers.delete(sleeper);
    sleeper.wake();
    return true;
  };

  return {
    now: () => nowMs,
    id: () => `${name}${(ids += 1)}`,
    sleep(ms, signal) {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const sleeper = {
          at: nowMs + Math.max(0, ms),
          wake: () => {
            signal.removeEventListener("abort", cut);
            resolve();
          },
        };
        const cut = () => {
          sleepers.delete(sleeper);
          resolve();
        };
        sleepers.add(sleeper);
        signal.addEventListener("abort", cut, { once: true });
      });
    },
    async advance(ms) {
      const until = nowMs + ms;
      while (await wakeNext(until));
      nowMs = until;
      await quiet();
    },
    async settle(promise, limitMs = 3 * 3_600_000) {
      let settled = false;
      const note = () => void (settled = true);
      promise.then(note, note);
      const until = nowMs + limitMs;
      for (;;) {
        await quiet();
        if (settled) return promise;
        if (!(await wakeNext(until))) {
          await quiet();
          if (settled) return promise;
          throw new Error(
            `nothing is left to wait for, and the promise has not settled (${sleepers.size} asleep)`,
          );
        }
      }
    },
    get asleep() {
      return sleepers.size;
    },
  };
}

/** Lets everything run that is ready, and what that makes ready: three turns of the event loop. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
