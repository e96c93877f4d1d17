import { createHash } from "node:crypto";
import { Cursor, DeliberationId, Origin, entryOf, eventId, originKey, type Entry } from "../kernel/index.ts";

/** One row of the event table, the same in every database. `cursor` and `seq` are whole numbers; the rest is text. */
export type EventRow = {
  readonly cursor: number;
  readonly deliberation: string;
  readonly seq: number;
  /** From `originColumn`. */
  readonly origin_key: string;
  /** Place within the origin's batch, from 0. */
  readonly place: number;
  readonly type: string;
  readonly schema: number;
  readonly at: string;
  /** JSON text. */
  readonly origin: string;
  /** Canonical JSON text. */
  readonly data: string;
};

export const EVENT_COLUMNS = [
  "cursor",
  "deliberation",
  "seq",
  "origin_key",
  "place",
  "type",
  "schema",
  "at",
  "origin",
  "data",
] as const satisfies readonly (keyof EventRow)[];

const LONGEST_KEY = 600;

/**
 * An origin key as a column: JSON's escapes keep apart what a database would truncate at or refuse (NUL) or
 * merge (lone surrogates), and a key that is too long for an index entry (Postgres: 2,704 bytes) ends in its
 * SHA-256. The quotation mark before the digest cannot stand in an escaped key, so no short key equals a long one.
 */
export function originColumn(key: string): string {
  const escaped = JSON.stringify(key).slice(1, -1);
  if (escaped.length <= LONGEST_KEY) return escaped;
  return `${escaped.slice(0, LONGEST_KEY)}"${createHash("sha256").update(escaped).digest("hex")}`;
}

/**
 * @throws Fault `schema-newer`, `event-invalid`
 */
export function entryOfRow(row: EventRow): Entry {
  const deliberation = DeliberationId.parse(row.deliberation);
  const key = originKey(Origin.parse(JSON.parse(row.origin)));
  return entryOf({
    id: eventId(deliberation, key, row.place),
    deliberation,
    seq: row.seq,
    cursor: Cursor.parse(row.cursor),
    at: row.at,
    type: row.type,
    schema: row.schema,
    data: row.data,
    origin: row.origin,
  });
}

/** Text that a database could not hold as it is (NUL, lone surrogates) as text that any can. */
export const escaped = (text: string): string => JSON.stringify(text);

/** The inverse of `escaped`. */
export const unescaped = (text: string): string => String(JSON.parse(text));
