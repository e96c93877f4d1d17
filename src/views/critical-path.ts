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

/** The seqs of the steps' entries on that chain. */
export function criticalPathSeqs(entries: readonly Entry[]): ReadonlySet<number> {
  const fold = criticalPathFold();
  for (const entry of entries) fold.take(entry);
  return fold.path();
}

/** A step with its own time, and the end of the longest chain that it ends; `before`: the step before it on that chain. */
type PathStep = {
  readonly ms: number;
  readonly endMs: number;
  readonly before: StepKey | undefined;
  readonly seqs: readonly number[];
};

/** The same, entry by entry: `read` and `path` give what all entries taken so far come to. */
export function criticalPathFold() {
  const steps = new Map<StepKey, PathStep>();
  let last: PathStep | undefined;
  return {
    take(entry: Entry): void {
      const { origin } = entry;
      if (origin.by !== "protocol" && origin.by !== "adopted") return;
      const ownMs = origin.by === "protocol" ? (callOf(entry)?.latencyMs ?? 0) : 0;
      const known = steps.get(origin.step);
      const ms = ownMs + (known?.ms ?? 0);
      // A step is recorded after those that it comes after, so their ends are known when it is reached.
      let endMs = ms;
      let before: StepKey | undefined;
      for (const earlier of origin.after) {
        const end = ms + (steps.get(earlier)?.endMs ?? 0);
        if (end < endMs || (end === endMs && before !== undefined)) continue;
        endMs = end;
        before = earlier;
      }
      const step = { ms, endMs, before, seqs: [...(known?.seqs ?? []), entry.seq] };
      steps.set(origin.step, step);
      if (!last || endMs >= last.endMs) last = step;
    },
    read: (): number => Math.round(last?.endMs ?? 0),
    path(): ReadonlySet<number> {
      const seqs = new Set<number>();
      for (let at = last; at; at = at.before === undefined ? undefined : steps.get(at.before))
        for (const seq of at.seqs) seqs.add(seq);
      return seqs;
    },
  };
}
