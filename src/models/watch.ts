import { sleep, type Clock } from "./clock.ts";

/** Everything that can end one call from outside, in one signal: the caller's abort, the deadline, `close`. */
export type Watch = {
  readonly signal: AbortSignal;
  /** What ended the call, or null while nothing has. The first reason stays. */
  stopped(): "cancelled" | "timed-out" | null;
  leftMs(): number;
  /** Resolves `ms` from now, or as soon as the call is stopped. */
  sleep(ms: number): Promise<void>;
  cancel(): void;
  /** Ends the watching; must be called once the call is over. */
  dispose(): void;
};

export const createWatch = (
  clock: Clock,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Watch => {
  const controller = new AbortController();
  const deadlineMs = clock.now() + timeoutMs;
  let why: "cancelled" | "timed-out" | null = null;
  const stop = (reason: "cancelled" | "timed-out"): void => {
    if (why !== null) return;
    why = reason;
    controller.abort();
  };
  const cancel = (): void => stop("cancelled");
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel);
  const cancelTimer = clock.after(timeoutMs, () => stop("timed-out"));
  return {
    signal: controller.signal,
    stopped: () => why,
    leftMs: () => deadlineMs - clock.now(),
    sleep: (ms) => sleep(clock, ms, controller.signal),
    cancel,
    dispose: () => {
      cancelTimer();
      signal.removeEventListener("abort", cancel);
    },
  };
};
