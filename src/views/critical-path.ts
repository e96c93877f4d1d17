import { callOf, type Entry, type StepKey } from "../kernel/index.ts";

/**
 * The longest chain of model calls that had to wait for each other, in milliseconds of their recorded
 * latencies: the longest path through the steps' recorded `after`. What a fork adopted takes no time, and
 * neither do reactions, which nothing waits for.
 */
export function criticalPathMs(entries: readonly Entry[]): number {
  const fold = criticalPathFold();
  for (const entry of entries) fold.take(entry);
  return fold.read();
}

/** The same, entry by entry: `read` gives what all entries taken so far come to. */
export function criticalPathFold() {
  const steps = new Map<StepKey, { readonly ms: number; readonly endMs: number }>();
  let longestMs = 0;
  return {
    take(entry: Entry): void {
      const { origin } = entry;
      if (origin.by !== "protocol" && origin.by !== "adopted") return;
      const ownMs = origin.by === "protocol" ? (callOf(entry)?.latencyMs ?? 0) : 0;
      const ms = ownMs + (steps.get(origin.step)?.ms ?? 0);
      // A step is recorded after those that it comes after, so their ends are known when it is reached.
      let endMs = ms;
      for (const earlier of origin.after) endMs = Math.max(endMs, ms + (steps.get(earlier)?.endMs ?? 0));
      steps.set(origin.step, { ms, endMs });
      longestMs = Math.max(longestMs, endMs);
    },
    read: (): number => Math.round(longestMs),
  };
}
