import * as z from "zod";
import { callOf, isEvent, type Entry } from "../kernel/index.ts";
import { stepParts } from "./progress.ts";
import { spent, type Spent } from "./spending.ts";

/** One rung of a climb: what work it was, what it came to, and what its calls took. */
export type RungView = {
  /** As step keys name the work: `draft`, `comparison`, `revision`, `review`, `synthesis`. */
  readonly rung: string;
  /** What it came to, in words; null where nothing was decided after it. */
  readonly reason: string | null;
  readonly spent: Spent;
};

const Note = z.object({ rung: z.string(), next: z.string().nullable() });

/** The rungs that a deliberation climbed, from the lowest, with what each cost; empty where it took no decisions to climb. */
export function ladder(entries: readonly Entry[]): RungView[] {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const participants = opened?.data.participants ?? [];
  const reasons = new Map<string, string[]>();
  const rungs: string[] = [];
  const climbed = (rung: string) => {
    if (!rungs.includes(rung)) rungs.push(rung);
  };
  for (const entry of entries) {
    if (!isEvent(entry, "note-taken") || entry.data.topic !== "ladder") continue;
    const note = Note.safeParse(entry.data.body);
    if (!note.success) continue;
    const { rung, next } = note.data;
    climbed(rung);
    if (next !== null) climbed(next);
    reasons.set(rung, [...(reasons.get(rung) ?? []), entry.data.reason]);
  }
  if (rungs.length === 0) return [];
  const calls = entries.flatMap((entry) => {
    const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
    return call && "step" in entry.origin
      ? [{ work: stepParts(entry.origin.step, participants).work, call }]
      : [];
  });
  // What a last rung leads to without a decision of its own: a review's synthesis.
  for (const { work } of calls) climbed(work);
  return rungs.map((rung) => ({
    rung,
    reason: reasons.get(rung)?.join("; ") ?? null,
    spent: spent(calls.filter(({ work }) => work === rung).map(({ call }) => call)),
  }));
}
