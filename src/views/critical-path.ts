import { callOf, type Entry, type StepKey } from "../kernel/index.ts";

/**
 * The longest chain of model calls that had to wait for each other, in milliseconds of their recorded
 * latencies: the longest path through the steps' recorded `after`. What a fork adopted takes no time, and
 * neither do reactions, which nothing waits for.
 */
export function criticalPathMs(entries: readonly Entry[]): number {
  const steps = new Map<StepKey, { readonly ms: number; readonly after: readonly StepKey[] }>();
  for (const entry of entries) {
    const { origin } = entry;
    if (origin.by !== "protocol" && origin.by !== "adopted") continue;
    const ms = origin.by === "protocol" ? (callOf(entry)?.latencyMs ?? 0) : 0;
    steps.set(origin.step, { ms: ms + (steps.get(origin.step)?.ms ?? 0), after: origin.after });
  }
  const ends = new Map<StepKey, number>();
  // A step is recorded after those that it comes after, so their ends are known when it is reached.
  for (const [key, { ms, after }] of steps)
    ends.set(key, ms + Math.max(0, ...after.map((earlier) => ends.get(earlier) ?? 0)));
  return Math.round(Math.max(0, ...ends.values()));
}
