import * as z from "zod";
import { upcast } from "./upcast.ts";
import { Origin } from "./origin.ts";
import { Json, type DeliberationId } from "./ids.ts";
import { Fault, isFault, isUnreadable } from "./fault.ts";
import { isEventType } from "./event-types.ts";
import { EVENT_SCHEMA, parseEvent, type NewEvent } from "./event.ts";
import type { Entry, Envelope, UnreadableEvent } from "./envelope.ts";
import { canonical } from "./canonical.ts";

/** The maximum size of an event's data as UTF-8. */
export const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** An event as stores keep it. */
export type EncodedEvent = { readonly type: string; readonly schema: number; readonly data: string };

/** An event on its way into a store. `event` is what a reader will get. */
export type CheckedEvent = EncodedEvent & { readonly event: NewEvent };

const checkedEvents = new WeakSet<NewEvent>();

/** Marks an event that its schema has just parsed or that was recorded before, so that `encodeEvent` does not parse it again. */
export function checkedEvent(event: NewEvent): NewEvent {
  checkedEvents.add(event);
  return event;
}

/** Encodes an event for a store: every store writes through it. @throws Fault `event-invalid`, `event-too-large` */
export function encodeEvent(event: NewEvent): CheckedEvent {
  const data = validly(event.type, () =>
    canonical((checkedEvents.has(event) ? event : parseEvent(event)).data),
  );
  // UTF-8 has at most three bytes per UTF-16 unit, so short texts need no counting.
  const bytes = data.length * 3 > MAX_EVENT_BYTES ? utf8Bytes(data) : 0;
  if (bytes > MAX_EVENT_BYTES) throw new Fault("event-too-large", { type: event.type, bytes });
  return { type: event.type, schema: EVENT_SCHEMA, data, event: readBack(event.type, data) };
}

/**
 * Skips the schema, which would double the cost of an append. The text differs from the checked event only in undefined
 * members, which are gone, and in lone surrogates, which became U+FFFD; no schema of the vocabulary depends on either.
 */
const readBack = (type: NewEvent["type"], data: string): NewEvent =>
  // The text was written from an event of this type.
  ({ type, data: JSON.parse(data) as unknown }) as NewEvent;

/** A row of an event table, as a database driver returns it. `data` and `origin` are JSON text. */
export type StoredEvent = Omit<Envelope, "origin"> & EncodedEvent & { readonly origin: string };

/**
 * Decodes a stored event: parses and upcasts it. Every store reads through it. An unknown type becomes `unknown`.
 * @param read the row's origin, where the store has parsed it
 * @throws Fault `schema-newer`, `journal-damaged`
 */
export function decodeEntry(row: StoredEvent, read?: Origin): Entry {
  if (row.schema > EVENT_SCHEMA)
    throw new Fault("schema-newer", { what: `event ${row.id}`, found: row.schema, known: EVENT_SCHEMA });
  return decodePart(row, () => {
    const { id, deliberation, seq, cursor, at } = row;
    const recorded = {
      type: row.type,
      data: JSON.parse(row.data) as unknown,
      origin: read ?? Origin.parse(JSON.parse(row.origin)),
    };
    const { type, data, origin } = row.schema < EVENT_SCHEMA ? upcast(recorded) : recorded;
    const envelope = { id, deliberation, seq, cursor, at, origin };
    if (!isEventType(row.type))
      return { type: "unknown", data: { type: row.type, data: Json.parse(data) }, ...envelope };
    return { ...parseEvent({ type, data }), ...envelope };
  });
}

/** Decodes a stored event for a subscription, which goes on where one event cannot be read. */
export function feedEntry(
  decode: () => Entry,
  { deliberation, cursor }: Pick<Envelope, "deliberation" | "cursor">,
): Entry | UnreadableEvent {
  try {
    return decode();
  } catch (fault) {
    if (!isUnreadable(fault)) throw fault;
    return { type: "unreadable", deliberation, cursor, fault };
  }
}

/** Decodes a part of a stored event. @throws Fault `journal-damaged` in place of every error that is no Fault */
export function decodePart<T>(
  row: { readonly deliberation: string; readonly seq: number; readonly type: string },
  decode: () => T,
): T {
  const { deliberation: id, seq, type } = row;
  return withFault(
    (why) => new Fault("journal-damaged", { id, seq, why: `("${type}") is damaged: ${why}` }),
    decode,
  );
}

/**
 * Checks that a journal's entries with `seq > after` are complete. Every store reads through it.
 * @param head the `seq` of the deliberation's last recorded event
 * @throws Fault `journal-damaged`
 */
export function complete(
  entries: readonly Entry[],
  { id, after, head }: { readonly id: DeliberationId; readonly after: number; readonly head: number },
): readonly Entry[] {
  const gap = entries.findIndex(({ seq }, index) => seq !== after + index + 1);
  const missing = after + 1 + (gap < 0 ? entries.length : gap);
  if (gap >= 0 || missing <= head)
    throw new Fault("journal-damaged", { id, seq: missing, why: "is missing" });
  return entries;
}

/** Turns every error of `work` into a Fault, including the stack overflow of deeply nested data. */
const validly = <T>(type: string, work: () => T): T =>
  withFault((why) => new Fault("event-invalid", { type, why }), work);

function withFault<T>(fault: (why: string) => Fault, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isFault(error)) throw error;
    const why =
      error instanceof z.ZodError
        ? z.prettifyError(error)
        : error instanceof Error
          ? error.message
          : String(error);
    throw fault(why);
  }
}

/** The longest beginning of `text` that takes at most `bytes` bytes of an event's data. */
export function fitText(text: string, bytes: number): string {
  let left = bytes;
  for (let end = 0; end < text.length;) {
    const code = text.codePointAt(end) ?? 0;
    left -= jsonBytes(code);
    if (left < 0) return text.slice(0, end);
    end += code < 0x10000 ? 1 : 2;
  }
  return text;
}

/** How many bytes JSON takes for a character of a text; at most six for one that is escaped. */
const jsonBytes = (code: number): number =>
  code < 0x20 ? 6 : code === 0x22 || code === 0x5c ? 2 : utf8Length(code);

const utf8Length = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += utf8Length(character.codePointAt(0) ?? 0);
  return bytes;
}

/**
 * Checks a batch before a store accepts it. It rejects a malformed origin, an empty batch, an opening that is not the
 * first event under the origin `open`, and a closing that is not the last event under the origin `close`.
 * @returns the parsed origin
 * @throws Fault `event-invalid`
 */
export function admit(events: readonly NewEvent[], origin: Origin): Origin {
  const parsed = Origin.safeParse(origin);
  if (!parsed.success)
    throw new Fault("event-invalid", { type: events[0]?.type ?? "none", why: "its origin is malformed" });
  if (events.length === 0)
    throw new Fault("event-invalid", { type: "none", why: "a batch holds at least one event" });
  events.forEach(({ type }, index) => {
    const opens = type === "deliberation-opened";
    const closes = type === "deliberation-closed";
    if (opens !== (origin.by === "open" && index === 0))
      throw new Fault("event-invalid", {
        type,
        why: "an opening is the first event, under the origin `open`",
      });
    if (closes !== (origin.by === "close" && index === events.length - 1))
      throw new Fault("event-invalid", {
        type,
        why: "a closing is the last event, under the origin `close`",
      });
  });
  return parsed.data;
}

/** True if a closed deliberation still accepts this batch: a reaction, feedback, or what had come of a reply. */
export const outlivesClosing = (events: readonly NewEvent[], origin: Origin): boolean =>
  origin.by === "reactor" ||
  (origin.by === "client" && events.every(({ type }) => type === "feedback-given")) ||
  (origin.by === "protocol" && events.every(({ type }) => type === "reply-stopped"));
