import type { World } from "../kernel/index.ts";

export type TimeLimit = { readonly ms: number; readonly world: World; readonly signal: AbortSignal };

export type TimedResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: "late" | "given-up" }
  | { readonly ok: false; readonly why: "failed"; readonly error: unknown };

/**
 * What `work` comes to within `ms`, or why it does not; never rejects, also where `work` throws or heeds no signal.
 * The signal that it gets is aborted once nobody waits for it any more.
 */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { ms, world, signal }: TimeLimit,
): Promise<TimedResult<T>> {
  if (signal.aborted) return { ok: false, why: "given-up" };
  const own = new AbortController();
  const giveUp = () => own.abort();
  signal.addEventListener("abort", giveUp, { once: true });
  const done = async (): Promise<TimedResult<T>> => {
    try {
      return { ok: true, value: await work(own.signal) };
    } catch (error) {
      return own.signal.aborted ? { ok: false, why: "given-up" } : { ok: false, why: "failed", error };
    }
  };
  // Sleeping ends with the abort too, whether of the caller or of ourselves.
  const late = async (): Promise<TimedResult<T>> => {
    await world.sleep(ms, own.signal);
    return { ok: false, why: signal.aborted ? "given-up" : "late" };
  };
  try {
    return await Promise.race([done(), late()]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    own.abort();
  }
}
