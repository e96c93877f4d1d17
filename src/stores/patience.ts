/**
 * How a store waits for a lock that another process holds: by asking again, never by letting the database
 * block the thread (measured: a blocking wait of 1.2 s with eight processes, every token stream stalled).
 */
const MAX_PAUSE_MS = 25;

/** Longer than any honest transaction, shorter than a person waits. */
const MAX_WAIT_MS = 30_000;

export type Patience = {
  /** The longest pause, milliseconds. */
  readonly maxPauseMs?: number;
  /** How long to go on after the first refusal, milliseconds. */
  readonly maxWaitMs?: number;
};

/**
 * Tries until `attempt` is not refused as busy. Pauses have full jitter and grow, so that many processes do
 * not ask in step.
 * @throws whatever `attempt` throws that is not busy; the busy error itself after `maxWaitMs`, 30 s by default
 */
export async function retryWhileBusy<T>(
  attempt: () => T | Promise<T>,
  isBusy: (error: unknown) => boolean,
  { maxPauseMs = MAX_PAUSE_MS, maxWaitMs = MAX_WAIT_MS }: Patience = {},
): Promise<T> {
  let refusedMs: number | undefined;
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      refusedMs ??= performance.now();
      if (!isBusy(error) || performance.now() - refusedMs > maxWaitMs) throw error;
      const pauseMs = Math.random() * Math.min(maxPauseMs, 2 ** Math.min(tries, 10));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
