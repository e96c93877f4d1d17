import type { Clock } from "../../src/models/clock.ts";

type Timer = { readonly ms: number; readonly atMs: number; readonly run: () => void };

/** A clock that stands still until it is moved. Timers fire in the order of their times, then of their making. */
export type FakeClock = Clock & {
  advance(ms: number): void;
  /** Moves past the timer that was set for the fewest milliseconds; resolves when there was one of at most `mostMs`. */
  skip(mostMs: number): Promise<number>;
  pending(): readonly number[];
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const createFakeClock = (startMs = Date.UTC(2026, 0, 1)): FakeClock => {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  const soonest = (): Timer | null =>
    [...timers].reduce<Timer | null>((a, b) => (a === null || b.atMs < a.atMs ? b : a), null);
  const advance = (ms: number): void => {
    const untilMs = nowMs + ms;
    for (let timer = soonest(); timer !== null && timer.atMs <= untilMs; timer = soonest()) {
      timers.delete(timer);
      nowMs = timer.atMs;
      timer.run();
    }
    nowMs = untilMs;
  };
  return {
    now: () => nowMs,
    after: (ms, run) => {
      const timer = { ms, atMs: nowMs + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance,
    skip: async (mostMs) => {
      for (let turns = 0; turns < 100_000; turns += 1) {
        const timer = soonest();
        if (timer !== null && timer.ms <= mostMs) {
          advance(timer.atMs - nowMs);
          return timer.ms;
        }
        await turn();
      }
      throw new Error(`no timer of at most ${mostMs} ms was set`);
    },
    pending: () => [...timers].map(({ ms }) => ms),
  };
};
