/** Time as the caller sees it. `now` is in milliseconds since the epoch and never goes back. */
export type Clock = {
  readonly now: () => number;
  /** Calls `run` once, `ms` from now, unless the function that it returns is called first. */
  readonly after: (ms: number, run: () => void) => () => void;
};

/** The longest a timer of the platform can be set to; a longer wait would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), longestTimerMs));
    return () => clearTimeout(timer);
  },
};

/** Resolves `ms` from now, or as soon as `signal` aborts. */
export const sleep = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener("abort", done);
  });
