import { isEvent, seatRequest, timeOf, workOf, type Entry, type StepKey } from "../kernel/index.ts";

/** A step that waits for a person. */
export type PendingSeat = {
  readonly step: StepKey;
  /** The user who is asked. */
  readonly person: string;
  /** The kind of work: `draft`, `review`, `synthesis`, …. */
  readonly work: string;
  readonly round: number | null;
  /** ISO 8601 in UTC. */
  readonly since: string;
  /** When the seat's time is up, in ISO 8601; null for no limit. */
  readonly until: string | null;
};

/** The seats that wait for people, in the order in which they were opened; none of a closed run. */
export function pendingSeats(entries: readonly Entry[]): readonly PendingSeat[] {
  if (entries.some(({ type }) => type === "deliberation-closed")) return [];
  const ended = new Set(
    entries.flatMap(({ origin }) =>
      origin.by === "client" ? [origin.request] : "step" in origin ? [seatRequest(origin.step)] : [],
    ),
  );
  return entries.flatMap((entry) => {
    if (!isEvent(entry, "seat-opened") || ended.has(seatRequest(entry.data.step))) return [];
    const { step, person, limitMs } = entry.data;
    const { of: work = step, round = null } = workOf(entry) ?? {};
    // Formatting a recorded time reads no clock.
    // oxlint-disable-next-line no-restricted-globals
    const until = limitMs === null ? null : new Date(timeOf(entry) + limitMs).toISOString();
    return [{ step, person, work, round, since: entry.at, until }];
  });
}
