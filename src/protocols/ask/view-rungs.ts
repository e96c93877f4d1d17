import { callOf, isEvent, workOf, type Entry } from "../../kernel/index.ts";
import { spent, type Spent } from "../../views/spending.ts";

/** One rung of a climb: what work it was, what it came to, and what its calls took. */
export type RungView = {
  /** As step keys name the work: `draft`, `comparison`, `revision`, `review`, `synthesis`. */
  readonly rung: string;
  /** What it came to, in words; null where nothing was decided after it. */
  readonly reason: string | null;
  readonly spent: Spent;
};

/** The rungs that a deliberation climbed, from the lowest, with what each cost; empty where it took no decisions to climb. */
export function rungsIn(entries: readonly Entry[]): RungView[] {
  const reasons = new Map<string, string[]>();
  const rungs: string[] = [];
  const climbed = (rung: string) => {
    if (!rungs.includes(rung)) rungs.push(rung);
  };
  for (const entry of entries) {
    if (!isEvent(entry, "rung-decided")) continue;
    const { rung, next, reason } = entry.data;
    climbed(rung);
    if (next !== null) climbed(next);
    reasons.set(rung, [...(reasons.get(rung) ?? []), reason]);
  }
  if (rungs.length === 0) return [];
  const calls = entries.flatMap((entry) => {
    const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
    const work = workOf(entry)?.kind;
    return call && work !== undefined ? [{ work, call }] : [];
  });
  // What a last rung leads to without a decision of its own: a review's synthesis.
  for (const { work } of calls) climbed(work);
  return rungs.map((rung) => ({
    rung,
    reason: reasons.get(rung)?.join("; ") ?? null,
    spent: spent(calls.filter(({ work }) => work === rung).map(({ call }) => call)),
  }));
}
