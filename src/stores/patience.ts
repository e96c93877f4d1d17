/**
 * How a store waits for a lock that another process holds: by asking again, never by letting the database
 * block the thread (measured: a blocking wait of 1.2 s with eight processes, every token stream stalled).
 */
const MAX_PAUSE_MS = 25;

/** Longer than any honest transaction, shorter than a person waits. */
const MAX_WAIT_MS = 30_000;

/**
 * Tries until `attempt` is not refused as busy. Pauses have full jitter and grow, so that many processes do
 * not ask in step.
 * @throws whatever `attempt` throws that is not busy; the busy error itself after 30 s
 */
export async function retryWhileBusy<T>(
  attempt: () => T | Promise<T>,
  isBusy: (error: unknown) => boolean,
): Promise<T> {
  const startMs = performance.now();
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() - startMs > MAX_WAIT_MS) throw error;
      const pauseMs = Math.random() * Math.min(MAX_PAUSE_MS, 2 ** Math.min(tries, 5));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
