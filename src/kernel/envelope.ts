import type { EventType, NewEvent } from "./event.ts";
import type { Cursor, DeliberationId, EventId } from "./ids.ts";
import type { Json } from "./json.ts";
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
