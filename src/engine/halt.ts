/**
 * Why a drive goes no further without anything being wrong. It travels as an abort reason and as a
 * rejection inside the engine, and never leaves it.
 */
export class Halt extends Error {
  override readonly name = "Halt";
  readonly why: HaltReason;
  constructor(why: HaltReason) {
    super(`halted: ${why}`);
    this.why = why;
  }
}

/**
 * `interrupted`: the caller's signal. `closed`: somebody else closed the deliberation. `recorded`: a
 * rival recorded the step first, or the roster of a phase that a straggler is part of was recorded.
 * `unrecorded`: only recalling was allowed, and there is nothing to recall.
 */
export type HaltReason = "interrupted" | "closed" | "recorded" | "unrecorded";

export const isHalt = (error: unknown, why: HaltReason): boolean =>
  error instanceof Halt && error.why === why;
