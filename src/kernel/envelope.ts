import type { EventType, NewEvent } from "./event.ts";
import type { Cursor, DeliberationId, EventId, Json } from "./ids.ts";
import type { Call } from "./model.ts";
import type { Origin } from "./origin.ts";

/** What the journal adds when it accepts an event. */
export type Envelope = {
  readonly id: EventId;
  readonly deliberation: DeliberationId;
  /** 1-based place within the deliberation. */
  readonly seq: number;
  readonly cursor: Cursor;
  /** When it was recorded, ISO 8601 in UTC, by the recorder's clock. */
  readonly at: string;
  readonly origin: Origin;
};

/** A recorded event; `Event<"answer-given">` narrows to one member. */
export type Event<T extends EventType = EventType> = T extends EventType
  ? Readonly<Extract<NewEvent, { type: T }>> & Envelope
  : never;

/** An event of a type that this Parley does not know: kept, exported as it is, and skipped by folds. */
export type UnknownEvent = {
  readonly type: "unknown";
  readonly data: { readonly type: string; readonly data: Json };
} & Envelope;

/** What reading a journal gives. */
export type Entry = Event | UnknownEvent;

export const isEvent = <T extends EventType>(entry: Entry, ...types: readonly T[]): entry is Event<T> =>
  // `includes` is asked about a wider type than the array's own.
  (types as readonly string[]).includes(entry.type);

/** The model call that an entry was read from, if a model made it. */
export const callOf = (entry: Entry): Call | undefined =>
  entry.type !== "unknown" && "call" in entry.data ? entry.data.call : undefined;

/** An envelope's time in milliseconds since 1970. */
// Parsing a recorded time reads no clock.
// oxlint-disable-next-line no-restricted-globals
export const timeOf = ({ at }: Pick<Envelope, "at">): number => Date.parse(at);

/** Whether a reaction goes on after this entry of its own: a turn that calls tools, the first of two orders, what was looked up. */
export function isIntermediate(entry: Entry): boolean {
  return isEvent(entry, "reply-received", "tool-called", "engrams-recalled", "turns-chosen");
}

/** The name of the lease of whoever runs a reactor: for the whole store, or for one deliberation. */
export function reactorLease(reactor: string, id?: DeliberationId): string {
  return `reactor/${reactor}${id === undefined ? "" : `/${id}`}`;
}

/** The reactor and the deliberation that a lease is for; undefined for a lease of something else. */
export function readReactorLease(
  name: string,
): { readonly reactor: string; readonly deliberation: DeliberationId | undefined } | undefined {
  const [kind, reactor, id] = name.split("/");
  if (kind !== "reactor" || reactor === undefined) return undefined;
  // A lease of a deliberation is named by its id.
  return { reactor, deliberation: id as DeliberationId | undefined };
}

/** A view: a pure fold. No clock, no I/O, no randomness; the same events give the same state. */
export interface Projection<S> {
  readonly name: string;
  readonly initial: S;
  readonly on: { readonly [T in EventType]?: (state: S, event: Event<T>) => S };
}

export const defineProjection = <S>(projection: Projection<S>): Projection<S> => projection;

export function fold<S>(projection: Projection<S>, events: Iterable<Entry>, from: S = projection.initial): S {
  let state = from;
  for (const event of events) state = apply(projection, state, event);
  return state;
}

/** One event's worth of `fold`; live views use it on each arriving event. */
export function apply<S>(projection: Projection<S>, state: S, event: Entry): S {
  if (event.type === "unknown") return state;
  // TypeScript cannot correlate `on[event.type]` with `event`; the mapped type above guarantees it.
  const handler = projection.on[event.type] as ((state: S, event: Event) => S) | undefined;
  return handler ? handler(state, event) : state;
}
