import * as z from "zod";
import { upcast } from "./upcast.ts";
import { Origin } from "./origin.ts";
import { Json } from "./ids.ts";
import { Fault } from "./fault.ts";
import { EVENT_SCHEMA, isEventType, parseEvent, type NewEvent } from "./event.ts";
import type { Entry, Envelope } from "./envelope.ts";
import { canonical } from "./canonical.ts";

/** An event's data at rest may have this many bytes of UTF-8. */
export const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** An event as every store keeps it. */
export type EncodedEvent = { readonly type: string; readonly schema: number; readonly data: string };

/** An event on its way into a store. `event` is what a reader will find. */
export type CheckedEvent = EncodedEvent & { readonly event: NewEvent };

const checkedEvents = new WeakSet<NewEvent>();

/** An event that its schema has just read or that was recorded before: the door into a store believes it. */
export function checkedEvent(event: NewEvent): NewEvent {
  checkedEvents.add(event);
  return event;
}

/**
 * The one door into a store: the event's data as canonical JSON text, and the event as that text says it.
 * @throws Fault `event-invalid`, `event-too-large`
 */
export function encodeEvent(event: NewEvent): CheckedEvent {
  const data = validly(event.type, () =>
    canonical((checkedEvents.has(event) ? event : parseEvent(event)).data),
  );
  // A UTF-8 form has at most three bytes per UTF-16 unit, so short texts need no counting.
  const bytes = data.length * 3 > MAX_EVENT_BYTES ? utf8Bytes(data) : 0;
  if (bytes > MAX_EVENT_BYTES) throw new Fault("event-too-large", { type: event.type, bytes });
  return { type: event.type, schema: EVENT_SCHEMA, data, event: readBack(event.type, data) };
}

/**
 * What was parsed before it was written needs no second parsing, which would cost as much as all the rest of an
 * append: the text says the same, but for members that were undefined, and for lone surrogates, which became U+FFFD; no
 * schema of the vocabulary tells those two apart.
 */
const readBack = (type: NewEvent["type"], data: string): NewEvent =>
  // The event that was parsed, with that proviso.
  ({ type, data: JSON.parse(data) as unknown }) as NewEvent;

/** A row of an event table, as a driver gives it. `data` and `origin` are JSON text. */
export type StoredEvent = Omit<Envelope, "origin"> & EncodedEvent & { readonly origin: string };

/**
 * The one door out of a store: parses and upcasts. An unknown type is kept as `unknown`.
 * @throws Fault `schema-newer`, `event-invalid`
 */
export function decodeEntry(row: StoredEvent): Entry {
  if (row.schema > EVENT_SCHEMA)
    throw new Fault("schema-newer", { what: `event ${row.id}`, found: row.schema, known: EVENT_SCHEMA });
  return validly(row.type, () => {
    const { id, deliberation, seq, cursor, at } = row;
    const recorded = {
      type: row.type,
      data: JSON.parse(row.data) as unknown,
      origin: Origin.parse(JSON.parse(row.origin)),
    };
    const { type, data, origin } = row.schema < EVENT_SCHEMA ? upcast(recorded) : recorded;
    const envelope = { id, deliberation, seq, cursor, at, origin };
    if (!isEventType(row.type))
      return { type: "unknown", data: { type: row.type, data: Json.parse(data) }, ...envelope };
    return { ...parseEvent({ type, data }), ...envelope };
  });
}

/** Whatever `work` throws becomes the one fault; so does nesting that is deeper than the stack, which nothing could read back. */
function validly<T>(type: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why =
      error instanceof z.ZodError
        ? z.prettifyError(error)
        : error instanceof Error
          ? error.message
          : String(error);
    throw new Fault("event-invalid", { type, why });
  }
}

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/**
 * What every store refuses before it looks at anything: a malformed origin, an empty batch, an opening that is not alone at
 * the start under the origin `open`, a closing that is not last under the origin `close`.
 * @returns the origin as its schema reads it
 * @throws Fault `event-invalid`
 */
export function admit(events: readonly NewEvent[], origin: Origin): Origin {
  const parsed = Origin.safeParse(origin);
  if (!parsed.success) {
    throw new Fault("event-invalid", { type: events[0]?.type ?? "none", why: "its origin is malformed" });
  }
  if (events.length === 0)
    throw new Fault("event-invalid", { type: "none", why: "a batch holds at least one event" });
  events.forEach(({ type }, index) => {
    const opens = type === "deliberation-opened";
    const closes = type === "deliberation-closed";
    if (opens !== (origin.by === "open" && index === 0)) {
      throw new Fault("event-invalid", {
        type,
        why: "an opening is the first event, under the origin `open`",
      });
    }
    if (closes !== (origin.by === "close" && index === events.length - 1)) {
      throw new Fault("event-invalid", {
        type,
        why: "a closing is the last event, under the origin `close`",
      });
    }
  });
  return parsed.data;
}

/** Whether a closed deliberation still takes this batch: a reaction, or a person's feedback. */
export const outlivesClosing = (events: readonly NewEvent[], origin: Origin): boolean =>
  origin.by === "reactor" ||
  (origin.by === "client" && events.every((event) => event.type === "feedback-given"));
