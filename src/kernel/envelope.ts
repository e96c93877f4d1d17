import type { EventType } from "./event-types.ts";
import type { NewEvent } from "./event.ts";
import type { Fault, Unreadable } from "./fault.ts";
import type { Cursor, DeliberationId, EventId, Json } from "./ids.ts";
import type { Call } from "./model.ts";
import type { Origin } from "./origin.ts";

/** The fields that the journal adds to an accepted event. */
export type Envelope = {
  readonly id: EventId;
  readonly deliberation: DeliberationId;
  /** Position within the deliberation, from 1. */
  readonly seq: number;
  readonly cursor: Cursor;
  /** When it was recorded, by the recorder's clock: ISO 8601 in UTC. */
  readonly at: string;
  readonly origin: Origin;
  /** Of an opening only: the requests of the steps that, as far as they were read with it, do not account for all of them. */
  readonly sent?: readonly SentRequests[];
};

/** How many requests were sent for the step of an origin key. */
export type SentRequests = {
  readonly origin: string;
  readonly calls: number;
  readonly model: string | null;
  /** The participant or role that asked. */
  readonly speaker: string | null;
};

/** A recorded event; `Event<"answer-given">` narrows to one member. */
export type Event<T extends EventType = EventType> = T extends EventType
  ? Readonly<Extract<NewEvent, { type: T }>> & Envelope
  : never;

/** An event of a type that this version does not know. It is kept, exported unchanged and skipped by folds. */
export type UnknownEvent = {
  readonly type: "unknown";
  readonly data: { readonly type: string; readonly data: Json };
} & Envelope;

/** An entry read from a journal. */
export type Entry = Event | UnknownEvent;

/** An event that a subscription cannot give out, with the reason. Reading its deliberation throws the same fault. */
export type UnreadableEvent = { readonly type: "unreadable"; readonly fault: Fault<Unreadable> } & Pick<
  Envelope,
  "deliberation" | "cursor"
>;

export const isEvent = <T extends EventType>(entry: Entry, ...types: readonly T[]): entry is Event<T> =>
  // `includes` accepts only the array's own element type.
  (types as readonly string[]).includes(entry.type);

export const callOf = (entry: Entry): Call | undefined =>
  entry.type !== "unknown" && "call" in entry.data ? entry.data.call : undefined;

/** How many requests a step's first event accounts for: its call's, but one at least unless the budget refused it. */
export function requestsCovered(entry: Entry): number {
  const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
  const isRefused = call?.ok === false && call.failure.code === "over-budget" && call.attempts === 0;
  return isRefused || entry.origin.by === "adopted" ? 0 : Math.max(1, call?.attempts ?? 1);
}

/** A journal, from its opening, which names the requests that none of these events accounts for. */
export function withSent(
  entries: readonly Entry[],
  steps: readonly (SentRequests & { readonly recorded: number | null })[],
): readonly Entry[] {
  const [opened, ...rest] = entries;
  const covered = (seq: number | null) => {
    const entry = seq === null ? undefined : entries[seq - 1];
    return entry ? requestsCovered(entry) : 0;
  };
  const sent = steps
    .filter(({ calls, recorded }) => calls > covered(recorded))
    .map(({ origin, calls, model, speaker }) => ({ origin, calls, model, speaker }));
  return opened && sent.length > 0 ? [{ ...opened, sent }, ...rest] : entries;
}

/** An envelope's time in milliseconds since 1970. */
// Parsing a recorded time reads no clock.
// oxlint-disable-next-line no-restricted-globals
export const timeOf = ({ at }: Pick<Envelope, "at">): number => Date.parse(at);

/** True if a reaction continues after this entry of its own: a tool turn, the first of two orders, or a lookup. */
export function isIntermediate(entry: Entry): boolean {
  if (isEvent(entry, "degradation-noted"))
    return "work" in entry.origin && ["summary", "tool"].includes(entry.origin.work?.kind ?? "");
  return isEvent(entry, "reply-received", "tool-called", "engrams-recalled", "turns-chosen", "summary-made");
}

/** The name of a reactor's lease, for the whole store or for one deliberation. */
export function reactorLease(reactor: string, id?: DeliberationId): string {
  return `reactor/${reactor}${id === undefined ? "" : `/${id}`}`;
}

/** The reactor and the deliberation that a lease is for; undefined for any other lease. */
export function readReactorLease(
  name: string,
): { readonly reactor: string; readonly deliberation: DeliberationId | undefined } | undefined {
  const [kind, reactor, id] = name.split("/");
  if (kind !== "reactor" || reactor === undefined) return undefined;
  // A lease of a deliberation is named by its id.
  return { reactor, deliberation: id as DeliberationId | undefined };
}
