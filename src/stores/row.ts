import { createHash } from "node:crypto";
import {
  Cursor,
  DeliberationId,
  OrganizationId,
  Origin,
  SeriesId,
  decodeEntry,
  decodePart,
  eventId,
  feedEntry,
  originKey,
  type Entry,
  type Summary,
  type UnreadableEvent,
} from "../kernel/index.ts";

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

/** The event table's columns, in their order, with their types as an array of PostgreSQL's. */
export const EVENT_TYPES: Readonly<Record<keyof EventRow, "bigint" | "integer" | "text">> = {
  cursor: "bigint",
  deliberation: "text",
  seq: "integer",
  origin_key: "text",
  place: "integer",
  type: "text",
  schema: "integer",
  at: "text",
  origin: "text",
  data: "text",
};
// The record has these keys and no others.
export const EVENT_COLUMNS = Object.keys(EVENT_TYPES) as (keyof EventRow)[];

/** The largest number of the column `seq`. */
export const MAX_SEQ = 2 ** 31 - 1;

const MAX_KEY_LENGTH = 600;

/**
 * An origin key as a column: JSON's escapes keep apart what a database would truncate at or refuse (NUL) or
 * merge (lone surrogates), and a key that is too long for an index entry (Postgres: 2,704 bytes) ends in its digest
 * (SHA-256). The quotation mark before the digest cannot stand in an escaped key, so no short key equals a long one.
 */
export function originColumn(key: string): string {
  const escapeText = JSON.stringify(key).slice(1, -1);
  if (escapeText.length <= MAX_KEY_LENGTH) return escapeText;
  return `${escapeText.slice(0, MAX_KEY_LENGTH)}"${createHash("sha256").update(escapeText).digest("hex")}`;
}

/** The inverse of `originColumn`; a key that was too long stays as the column has it, and is like no other. */
export const originOf = (column: string): string =>
  column.length > MAX_KEY_LENGTH ? column : unescapeText(`"${column}"`);

/** @throws Fault `schema-newer`, `journal-damaged` */
export function toEntry(row: EventRow): Entry {
  const { deliberation, origin_key: column, place, ...stored } = row;
  const named = decodePart(row, () => {
    const id = DeliberationId.parse(deliberation);
    const origin = Origin.parse(JSON.parse(row.origin));
    const key = originKey(origin);
    if (originColumn(key) !== column) throw new Error("its origin is not the one that it was recorded under");
    return {
      origin,
      names: { deliberation: id, id: eventId(id, key, place), cursor: Cursor.parse(row.cursor) },
    };
  });
  return decodeEntry({ ...stored, ...named.names }, named.origin);
}

/** A row of a subscription. */
export const toFeedEntry = (row: EventRow): Entry | UnreadableEvent =>
  // A damaged id names no deliberation that anybody could read.
  feedEntry(() => toEntry(row), {
    deliberation: row.deliberation as DeliberationId,
    cursor: Cursor.parse(row.cursor),
  });

/** Text that a database could not hold as it is (NUL, lone surrogates) as text that any can. */
export function escapeText(text: string): string {
  return JSON.stringify(text);
}

/** The inverse of `escaped`. */
export function unescapeText(text: string): string {
  return String(JSON.parse(text));
}

/** A head row as a list needs it. */
export type SummaryRow = {
  readonly id: string;
  readonly organization: string;
  readonly series: string | null;
  readonly protocol: string;
  readonly question: string;
  readonly opened_at: string;
  readonly status: string;
  readonly seq: number;
};

export function toSummary(row: SummaryRow): Summary {
  return {
    id: DeliberationId.parse(row.id),
    organization: OrganizationId.parse(row.organization),
    series: row.series === null ? null : SeriesId.parse(row.series),
    protocol: unescapeText(row.protocol),
    question: unescapeText(row.question),
    openedAt: row.opened_at,
    status: row.status,
    seq: row.seq,
  };
}
