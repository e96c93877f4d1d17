/** Time as the caller sees it. `now` is in milliseconds since the epoch and never goes back. */
export type Clock = {
  readonly now: () => number;
  /** Calls `run` once, `ms` from now, unless the function that it returns is called first. */
  readonly after: (ms: number, run: () => void) => () => void;
};

/** The longest a timer of the platform can be set to; a longer wait would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves `ms` from now, or as soon as `signal` aborts. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener("abort", done);
  });
}

export type Watch = ReturnType<typeof createWatch>;

/** `timeoutMs` is the call's own time, which may be held; `withinMs` counts all the time that passes. */
export type WatchLimits = {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly withinMs?: number | undefined;
};

type EndOfCall = "cancelled" | "timed-out" | "out-of-time";

/** Everything that can end one call from outside, in one signal: the caller's abort, the deadlines, `close`. */
export function createWatch(clock: Clock, { signal, timeoutMs, withinMs = Infinity }: WatchLimits) {
  const controller = new AbortController();
  const own: AbortSignal = controller.signal; // named, so that a declaration file can name it
  const overallMs = clock.now() + withinMs;
  let deadlineMs = clock.now() + timeoutMs;
  /** What is left of its own time, while that is held. */
  let heldMs: number | null = null;
  let why: EndOfCall | null = null;
  const stop = (reason: EndOfCall): void => {
    if (why !== null) return;
    why = reason;
    controller.abort();
  };
  const cancel = (): void => stop("cancelled");
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel);
  const timer = (ms: number, reason: EndOfCall) =>
    Number.isFinite(ms) ? clock.after(ms, () => stop(reason)) : () => undefined;
  let cancelTimer = timer(timeoutMs, "timed-out");
  const cancelOverall = timer(withinMs, "out-of-time");
  return {
    signal: own,
    /** What ended the call, or null while nothing has. The first reason stays. */
    stopped: () => why,
    leftMs: () => Math.min(heldMs ?? deadlineMs - clock.now(), overallMs - clock.now()),
    /** Stops the call's own time until `goOn`. */
    hold: (): void => {
      if (heldMs !== null) return;
      cancelTimer();
      heldMs = deadlineMs - clock.now();
    },
    goOn: (): void => {
      if (heldMs === null) return;
      deadlineMs = clock.now() + heldMs;
      cancelTimer = timer(heldMs, "timed-out");
      heldMs = null;
    },
    /** Resolves `ms` from now, or as soon as the call is stopped. */
    sleep: (ms: number) => sleep(clock, ms, controller.signal),
    cancel,
    /** Ends the watching; must be called once the call is over. */
    dispose: (): void => {
      cancelTimer();
      cancelOverall();
      signal.removeEventListener("abort", cancel);
    },
  };
}

/** What runs under watches until it is closed, which cancels all of it and whatever comes later. */
export function createWatches(clock: Clock) {
  const watches = new Set<Watch>();
  let closed = false;
  return {
    async run<T>(limits: WatchLimits, body: (watch: Watch) => Promise<T>): Promise<T> {
      const watch = createWatch(clock, limits);
      watches.add(watch);
      if (closed) watch.cancel();
      try {
        return await body(watch);
      } finally {
        watches.delete(watch);
        watch.dispose();
      }
    },
    close(): void {
      closed = true;
      for (const watch of watches) watch.cancel();
    },
  };
}
