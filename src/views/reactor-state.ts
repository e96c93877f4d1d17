import * as z from "zod";
import { Reactors } from "../contract/knowledge.ts";
import { shorten } from "../replies/gist.ts";
import {
  Cursor,
  type DeliberationId,
  type EventId,
  isEvent,
  isIntermediate,
  readReactorLease,
  timeOf,
  type Entry,
  type EventType,
  type Lease,
} from "../kernel/index.ts";

// A reactor's state is a fold over the journal, beside who holds which lease now; no reactor keeps one.
// An event is behind from its recording until its reactor has ended a reaction to it on the journal. A reply, a tool's result, and what was
// recalled on the way end none.
// What a worker of the whole store has gone by is nobody's work any more: it stays behind, and is counted as passed.
// To see an event again changes nothing but the count of what was said.

const MAX_REASON_LENGTH = 1_000;

/** Why an entry records a failure, at most 1,000 characters; null where it does not. */
export function failureIn(entry: Entry): string | null {
  if (isEvent(entry, "grade-given") && entry.data.score === null)
    return shorten(entry.data.why ?? "no reason was recorded", MAX_REASON_LENGTH);
  if (isEvent(entry, "reaction-failed"))
    return shorten(`${entry.data.code}: ${entry.data.why}`, MAX_REASON_LENGTH);
  return null;
}

/** One reactor at one moment. `cursor`: how far the worker of the whole store has got; null where none has ever run. */
export const ReactorState = Reactors.shape.reactors.element.extend({ cursor: Cursor.nullable() });
export type ReactorState = z.infer<typeof ReactorState>;

/** The state of all reactors at one moment. */
export const WatchReport = z.strictObject({
  /** ISO 8601 in UTC. */
  at: z.string(),
  /** The place of the last event on the journal. */
  end: Cursor,
  /** How many deliberations were looked at. */
  deliberations: z.int().nonnegative(),
  reactors: z.array(ReactorState),
});
export type WatchReport = z.infer<typeof WatchReport>;

/** What a view has to know of a reactor. */
export type WatchedReactor = {
  readonly name: string;
  /** What it does while it answers an event of this type, in a word. */
  workOn(type: EventType): string;
  /** Whether it has to answer an entry; `before`: what its deliberation's journal held up to and including it. */
  needsReaction(entry: Entry, before: readonly Entry[]): boolean;
};

/** What no journal tells. */
export type ReactorMoment = {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Those that have not run out, `reactor/NAME` and `reactor/NAME/DELIBERATION`. */
  readonly leases: readonly Lease[];
  /** By reactor. */
  readonly cursors: ReadonlyMap<string, Cursor>;
};

type Due = {
  readonly deliberation: DeliberationId;
  readonly event: EventId;
  readonly type: EventType;
  readonly cursor: Cursor;
  readonly atMs: number;
};

type Kept = {
  readonly reactor: WatchedReactor;
  readonly due: Map<EventId, Due>;
  said: number;
  lastSaid: ({ readonly cursor: Cursor } & NonNullable<ReactorState["lastSaid"]>) | null;
  lastError: (NonNullable<ReactorState["lastError"]> & { readonly cursor: Cursor }) | null;
};

/** A live view that is fed and read by one owner. It keeps no entries, only what is due. */
export function reactorsView(reactors: readonly WatchedReactor[]) {
  const all = reactors.map((reactor): Kept => ({
    reactor,
    due: new Map(),
    said: 0,
    lastSaid: null,
    lastError: null,
  }));
  return {
    /**
     * The next entry of its deliberation; `before`: the journal up to and including it, in order. What has been seen is seen
     * again with `counted: false`.
     */
    event(entry: Entry, before: readonly Entry[], { counted } = { counted: true }): void {
      for (const kept of all) {
        if (entry.type !== "unknown" && kept.reactor.needsReaction(entry, before))
          kept.due.set(entry.id, dueOf(entry));
        if (entry.origin.by !== "reactor" || entry.origin.reactor !== kept.reactor.name) continue;
        if (!isIntermediate(entry)) kept.due.delete(entry.origin.event);
        if (counted) hear(kept, entry, failureIn(entry));
      }
    },
    /** In the order of the reactors. */
    read: (moment: ReactorMoment): readonly ReactorState[] => all.map((kept) => stateOf(kept, moment)),
  };
}

const dueOf = (entry: Exclude<Entry, { type: "unknown" }>): Due => ({
  deliberation: entry.deliberation,
  event: entry.id,
  type: entry.type,
  cursor: entry.cursor,
  atMs: timeOf(entry),
});

/** Deliberations may be seen in any order; the last thing said is the last on the journal. */
function hear(kept: Kept, entry: Entry, why: string | null): void {
  const { deliberation, id: event, at, cursor } = entry;
  const type = entry.type === "unknown" ? entry.data.type : entry.type;
  kept.said += 1;
  if (kept.lastSaid === null || cursor > kept.lastSaid.cursor)
    kept.lastSaid = { deliberation, event, type, at, failed: why !== null, cursor };
  if (why !== null && (kept.lastError === null || cursor > kept.lastError.cursor))
    kept.lastError = { deliberation, at, why, cursor };
}

function stateOf({ reactor, due, said, lastSaid, lastError }: Kept, moment: ReactorMoment): ReactorState {
  const { name } = reactor;
  const cursor = moment.cursors.get(name) ?? null;
  const leases = moment.leases.flatMap(({ name: lease, holder }) => {
    const read = readReactorLease(lease);
    return read?.reactor === name ? [{ ...read, holder }] : [];
  });
  const worker = leases.find(({ deliberation }) => deliberation === undefined)?.holder ?? null;
  const drained = new Set(leases.flatMap(({ deliberation }) => deliberation ?? []));
  const behind = [...due.values()].sort((a, b) => a.cursor - b.cursor);
  const isPassed = (one: Due) => cursor !== null && one.cursor <= cursor && !drained.has(one.deliberation);
  const waiting = behind.filter((one) => !isPassed(one));
  const atWork = waiting.find((one) => worker !== null || drained.has(one.deliberation));
  const at = atWork ?? waiting[0];
  const state = atWork
    ? reactor.workOn(atWork.type)
    : at
      ? "receiving"
      : lastSaid?.failed === true
        ? "error"
        : "idle";
  const oldest = behind.reduce<number | null>((least, { atMs }) => Math.min(least ?? atMs, atMs), null);
  return {
    reactor: name,
    state,
    at: at ? { deliberation: at.deliberation, event: at.event, type: at.type } : null,
    behind: behind.length,
    passed: behind.length - waiting.length,
    // Of a clock that goes behind the recorder's.
    oldestMs: oldest === null ? null : Math.max(0, Math.round(moment.now - oldest)),
    servedBy: { worker, drains: drained.size },
    said,
    lastSaid: lastSaid && withoutCursor(lastSaid),
    lastError: lastError && withoutCursor(lastError),
    cursor,
  };
}

const withoutCursor = <T extends { readonly cursor: Cursor }>({ cursor: _cursor, ...rest }: T) => rest;

/** Whether two moments of one reactor differ in more than time, and in how far a worker has read. */
export function isChanged(one: ReactorState, other: ReactorState): boolean {
  const lasting = ({ oldestMs: _oldest, cursor: _cursor, ...rest }: ReactorState) => JSON.stringify(rest);
  return lasting(one) !== lasting(other);
}
