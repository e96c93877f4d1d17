/** Stops a drive without an error. It is an abort reason and a rejection inside the engine, and never leaves it. */
export class Halt extends Error {
  override readonly name = "Halt";
  readonly why: HaltReason;
  constructor(why: HaltReason) {
    super(`halted: ${why}`);
    this.why = why;
  }
}

/**
 * `interrupted`: the caller aborted. `closed`: another process closed the deliberation. `recorded`: another process
 * recorded the step first, or the phase's roster was recorded without this straggler. `unrecorded`: the scope may only
 * recall steps, and this one is not recorded.
 */
export type HaltReason = "interrupted" | "closed" | "recorded" | "unrecorded";

export const isHalt = (error: unknown, why: HaltReason): boolean =>
  error instanceof Halt && error.why === why;

/** A signal with its own `abort` that also aborts with an outer signal. */
export type LinkedAbort = {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** Removes the listener from the outer signal; must be called when the work ends. */
  release(): void;
};

/**
 * Like `AbortSignal.any` of a new controller and `outer`, at a thirtieth of its cost (measured: 24 µs, and weak
 * references for the garbage collector). The caller must release it, and `outer` must allow a listener per running step.
 */
export function linkAbort(outer: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const { signal } = controller;
  const forward = () => controller.abort(outer.reason);
  if (outer.aborted) forward();
  else outer.addEventListener("abort", forward);
  return {
    signal,
    abort: (reason) => controller.abort(reason),
    release: () => outer.removeEventListener("abort", forward),
  };
}
