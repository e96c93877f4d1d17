import type { PendingSeat } from "../contract/runs.ts";
import {
  isEvent,
  seatRequest,
  timeOf,
  workOf,
  type Entry,
  type Event,
  type StepKey,
} from "../kernel/index.ts";

/** The seats that wait for people, in the order in which they were opened; none of a closed run. */
export function pendingSeats(entries: readonly Entry[]): readonly PendingSeat[] {
  const fold = seatFold();
  for (const entry of entries) fold.take(entry);
  return fold.read();
}

/** The same, entry by entry. */
export function seatFold() {
  /** By the client request that answers it. */
  const open = new Map<string, PendingSeat>();
  // A fork copies what people answered before it comes to the steps that asked them.
  const steps = new Set<StepKey>();
  const requests = new Set<string>();
  let isClosed = false;
  return {
    take(entry: Entry): void {
      const { origin, type } = entry;
      if (type === "deliberation-closed") isClosed = true;
      if (origin.by === "client") {
        requests.add(origin.request);
        open.delete(origin.request);
      } else if ("step" in origin) {
        steps.add(origin.step);
        if (open.size > 0) open.delete(seatRequest(origin.step));
      }
      if (!isEvent(entry, "seat-opened")) return;
      const request = seatRequest(entry.data.step);
      if (!steps.has(entry.data.step) && !requests.has(request)) open.set(request, seatOf(entry));
    },
    read: (): readonly PendingSeat[] => (isClosed ? [] : [...open.values()]),
    isOpen: (): boolean => !isClosed && open.size > 0,
  };
}

function seatOf(entry: Event<"seat-opened">): PendingSeat {
  const { step, person, limitMs } = entry.data;
  const { of: work = step, round = null } = workOf(entry) ?? {};
  // Formatting a recorded time reads no clock.
  // oxlint-disable-next-line no-restricted-globals
  const until = limitMs === null ? null : new Date(timeOf(entry) + limitMs).toISOString();
  return { step, person, work, round, since: entry.at, until };
}
