import * as z from "zod";
import { canonical } from "./canonical.ts";
import type { Entry, Envelope } from "./envelope.ts";
import { EVENT_SCHEMA, NewEvent } from "./event.ts";
import { Fault } from "./fault.ts";
import { Json } from "./json.ts";
import { Origin } from "./origin.ts";

/** An event's data at rest may have this many bytes of UTF-8. */
export const EVENT_BYTES = 4 * 1024 * 1024;

/** An event as every store keeps it. */
export type Written = { readonly type: string; readonly schema: number; readonly data: string };

/** An event on its way into a store. `event` is what a reader will find. */
export type Admitted = Written & { readonly event: NewEvent };

/**
 * The one door into a store: the event's data as canonical JSON text, and the event as that text says it.
 * @throws Fault `event-invalid`, `event-too-large`
 */
export function written(event: NewEvent): Admitted {
  const data = validly(event.type, () => canonical(NewEvent.parse(event).data));
  // A UTF-8 form has at most three bytes per UTF-16 unit, so short texts need no counting.
  const bytes = data.length * 3 > EVENT_BYTES ? utf8Bytes(data) : 0;
  if (bytes > EVENT_BYTES) throw new Fault("event-too-large", { type: event.type, bytes });
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
export type Row = Omit<Envelope, "origin"> & Written & { readonly origin: string };

/**
 * The one door out of a store: parses and upcasts. An unknown type is kept as `unknown`.
 * @throws Fault `schema-newer`, `event-invalid`
 */
export function entryOf(row: Row): Entry {
  if (row.schema > EVENT_SCHEMA)
    throw new Fault("schema-newer", { what: `event ${row.id}`, found: row.schema, known: EVENT_SCHEMA });
  return validly(row.type, () => {
    const { id, deliberation, seq, cursor, at } = row;
    const envelope = { id, deliberation, seq, cursor, at, origin: Origin.parse(JSON.parse(row.origin)) };
    const data: unknown = JSON.parse(row.data);
    if (!KNOWN.has(row.type))
      return { type: "unknown", data: { type: row.type, data: Json.parse(data) }, ...envelope };
    return { ...NewEvent.parse({ type: row.type, data }), ...envelope };
  });
}

const KNOWN: ReadonlySet<string> = new Set(NewEvent.options.map((option) => option.shape.type.value));

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
