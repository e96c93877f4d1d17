import {
  Cursor,
  Fault,
  admit,
  eventId,
  isFault,
  originKey,
  outlivesClosing,
  encodeEvent,
  type Appended,
  DeliberationId,
  type CheckedEvent,
  type Entry,
  type EventId,
  type NewEvent,
  OrganizationId,
  Origin,
  SeriesId,
  decodeEntry,
  decodePart,
  feedEntry,
  type Summary,
  type UnreadableEvent,
} from "../kernel/index.ts";
import { createHash } from "node:crypto";

// BATCH-1. Nothing is written that could not be read back: every event and its origin passed their schemas, and what is given out is what
//     the row says. Else: a run cannot be read any more.
// BATCH-2. A batch is looked up by its origin first; only a batch that was never recorded is numbered. Before either it is known that the
//     deliberation, where there is one, is of the batch's organization (STORE-1). Else: a repeated append is recorded twice.
// BATCH-3. `seq` follows the head row, `cursor` the last event of the store; both were read under the write lock. Else: events overwrite
//     each other, or followers miss them.

// Within a group each batch sees what those before it did.

/** What the head row of a deliberation keeps for lists; all of it can be rebuilt from the events. */
type OpeningColumns = {
  readonly organization: string;
  readonly series: string | null;
  /** As `escaped` writes them, because both are free text. */
  readonly protocol: string;
  readonly question: string;
};

/** A batch that passed every check that needs no database. */
export type EventBatch = {
  readonly id: DeliberationId;
  /** Whose part of the store it was given to. */
  readonly organization: OrganizationId;
  /** From `originColumn`. */
  readonly key: string;
  readonly origin: Origin;
  readonly events: readonly (CheckedEvent & { readonly id: EventId })[];
  readonly outlivesClosing: boolean;
  readonly opening: OpeningColumns | undefined;
  readonly outcome: string | undefined;
  /** UTF-16 units of data, for bounding a group. */
  readonly size: number;
};

/** @throws Fault `event-invalid`, `event-too-large` */
export function prepareBatch(
  { id, organization }: { readonly id: DeliberationId; readonly organization: OrganizationId },
  events: readonly NewEvent[],
  origin: Origin,
): EventBatch {
  try {
    const parsed = admit(events, origin);
    const key = originKey(parsed);
    const data = events.map((event, place) => ({ ...encodeEvent(event), id: eventId(id, key, place) }));
    return {
      id,
      organization,
      key: originColumn(key),
      origin: parsed,
      events: data,
      outlivesClosing: outlivesClosing(events, origin),
      opening: openingColumns(events, organization),
      outcome: events.flatMap((event) =>
        event.type === "deliberation-closed" ? [event.data.outcome] : [],
      )[0],
      size: data.reduce((sum, event) => sum + event.data.length, 0),
    };
  } catch (error) {
    if (isFault(error)) throw error;
    // An id that is too long, an origin of another shape, nesting deeper than the stack.
    const why = error instanceof Error ? error.message : String(error);
    throw new Fault("event-invalid", { type: events[0]?.type ?? "none", why }, { cause: error });
  }
}

function openingColumns([first]: readonly NewEvent[], own: OrganizationId): OpeningColumns | undefined {
  if (first?.type !== "deliberation-opened") return undefined;
  const { organization, series, protocol, question } = first.data;
  if (organization !== own) {
    const why = `it is of the organization ${organization}, and this part of the store is ${own}'s`;
    throw new Fault("event-invalid", { type: first.type, why });
  }
  const start = question.slice(0, 200);
  // Half of a surrogate pair at the cut is left out rather than shown as a replacement character.
  const whole = start.isWellFormed() || !question.isWellFormed() ? start : start.slice(0, -1);
  return {
    organization,
    series: series?.id ?? null,
    protocol: escapeText(protocol.name),
    question: escapeText(whole),
  };
}

/** What becomes of a batch; `recorded`: what its origin recorded is to be read back, after the transaction. */
export type Decision = Appended | "recorded";

/** A deliberation's head row; `status` is `open` or a closing's outcome. */
type HeadState = { readonly organization: string; readonly seq: number; readonly status: string };

/** What the store holds of one batch of a group. */
export type BatchLookup = { readonly recorded: boolean } & (HeadState | { readonly seq: null });

/** A head row as the group leaves it; `opened`: of a deliberation that the group opens, its first cursor and what lists show. */
type MovedHead = HeadState & {
  readonly cursor: number;
  readonly opened?: OpeningColumns & { readonly at: number };
};

type ValueRow = (string | number | null)[];

export type GroupDecision = {
  /** In the order of the batches. */
  readonly decisions: readonly Decision[];
  /** Events to be inserted, their values in the order of `EVENT_COLUMNS`. */
  readonly rows: readonly ValueRow[];
  /** Heads to be inserted, in the order of `HEAD_COLUMNS`, and those that move: the first four of them. */
  readonly opened: readonly ValueRow[];
  readonly moved: readonly ValueRow[];
};

export const HEAD_COLUMNS =
  "id, seq, status, cursor, opened, opened_at, organization, series, protocol, question";

/**
 * What becomes of the batches of one transaction, which look up once and write once: the one place that says so, for every
 * database.
 * @param found in the order of the batches, and the last cursor of the store; read under the write lock
 */
export function decideGroup(
  batches: readonly EventBatch[],
  { found, end: before }: { readonly found: readonly BatchLookup[]; readonly end: number },
  at: string,
): GroupDecision {
  const rows: ValueRow[] = [];
  const heads = new Map<string, MovedHead>();
  const recorded = new Set<string>();
  let end = before;
  const decide = (batch: EventBatch, index: number): Decision => {
    const { id, organization, key, origin } = batch;
    const row = found[index];
    const head = heads.get(id);
    const standing = head ?? (row && row.seq !== null ? row : undefined);
    if (standing && (standing.organization !== organization || standing.status === "forgotten"))
      return { ok: false, reason: "missing" }; // FORGET-2
    if (row?.recorded === true || recorded.has(`${id} ${key}`)) return "recorded";
    const opened = standing ? head?.opened : batch.opening && { ...batch.opening, at: end + 1 };
    if (!standing && !opened) return { ok: false, reason: "missing" };
    if (standing && standing.status !== "open" && !batch.outlivesClosing)
      return { ok: false, reason: "closed" };
    let seq = standing?.seq ?? 0;
    const originText = JSON.stringify(origin);
    const events = batch.events.map(({ event, id: eventId, type, schema, data }, place): Entry => {
      seq += 1;
      end += 1;
      rows.push([end, id, seq, key, place, type, schema, at, originText, data]);
      return { ...event, id: eventId, deliberation: id, seq, cursor: Cursor.parse(end), at, origin };
    });
    recorded.add(`${id} ${key}`);
    const status = batch.outcome ?? standing?.status ?? "open";
    heads.set(id, { organization, seq, status, cursor: end, ...(opened && { opened }) });
    return { ok: true, fresh: true, events };
  };
  const decisions = batches.map(decide);
  const opened: ValueRow[] = [];
  const moved: ValueRow[] = [];
  for (const [id, { seq, status, cursor, opened: own }] of heads) {
    const head = [id, seq, status, cursor];
    if (own) opened.push([...head, own.at, at, own.organization, own.series, own.protocol, own.question]);
    else moved.push(head);
  }
  return { decisions, rows, opened, moved };
}

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
