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
  type DeliberationId,
  type CheckedEvent,
  type Entry,
  type EventId,
  type NewEvent,
  type OrganizationId,
  type Origin,
} from "../kernel/index.ts";
import { escapeText, originColumn } from "./row.ts";

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
