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
import { toEntry, escapeText, originColumn, type EventRow } from "./row.ts";

// BATCH-1. Nothing is written that could not be read back: every event and its origin passed their schemas, and what is given out is what the row says.
// BATCH-2. A batch is looked up by its origin first; only a batch that was never recorded is numbered.
//     Before either it is known that the deliberation, where there is one, is of the batch's organization (STORE-1).
// BATCH-3. `seq` follows the head row, `cursor` the last event of the store; both were read under the write lock.

// BATCH-4. Within a group each batch sees what those before it did.

/** What the head row of a deliberation keeps for lists; all of it can be rebuilt from the events. */
export type OpeningColumns = {
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

/** A deliberation's head row; `status` is `open` or a closing's outcome. */
export type HeadState = { readonly organization: string; readonly seq: number; readonly status: string };

/**
 * `recorded`: the origin's batch is to be read back, after the transaction. `fresh`: `rows` are to be
 * inserted and the head row becomes `standing`.
 */
export type Decision =
  | { readonly kind: "recorded" }
  | { readonly kind: "refused"; readonly reason: "missing" | "closed" }
  | {
      readonly kind: "fresh";
      readonly rows: readonly EventRow[];
      readonly entries: readonly Entry[];
      readonly standing: HeadState;
    };

/** What becomes of a batch: the one place that says so, for every database. */
function decide(
  batch: EventBatch,
  state: { readonly standing: HeadState | undefined; readonly recorded: boolean; readonly end: number },
  at: string,
): Decision {
  const { standing, recorded, end } = state;
  if (standing && standing.organization !== batch.organization) return { kind: "refused", reason: "missing" };
  if (recorded) return { kind: "recorded" };
  if (!standing && !batch.opening) return { kind: "refused", reason: "missing" };
  if (standing && standing.status !== "open" && !batch.outlivesClosing)
    return { kind: "refused", reason: "closed" };
  const before = standing?.seq ?? 0;
  const origin = JSON.stringify(batch.origin);
  const placed = batch.events.map(({ event, id, type, schema, data }, place) => {
    return { event, id, type, schema, data, place, seq: before + place + 1, cursor: end + place + 1 };
  });
  const { id: deliberation, organization, key: origin_key } = batch;
  return {
    kind: "fresh",
    rows: placed.map(({ type, schema, data, place, seq, cursor }) => {
      return { cursor, deliberation, seq, origin_key, place, type, schema, at, origin, data };
    }),
    entries: placed.map(({ event, id, seq, cursor }): Entry => {
      return { ...event, id, deliberation, seq, cursor: Cursor.parse(cursor), at, origin: batch.origin };
    }),
    standing: {
      organization,
      seq: before + placed.length,
      status: batch.outcome ?? standing?.status ?? "open",
    },
  };
}

/**
 * What a decision comes to, once its transaction is committed.
 * @param recordedRows reads the batch that an origin recorded, in order
 */
export async function toAppended(
  batch: EventBatch,
  decision: Decision,
  recordedRows: (id: string, key: string) => Promise<readonly EventRow[]>,
): Promise<Appended> {
  switch (decision.kind) {
    case "refused":
      return { ok: false, reason: decision.reason };
    case "fresh":
      return { ok: true, fresh: true, events: decision.entries };
    case "recorded":
      return { ok: true, fresh: false, events: (await recordedRows(batch.id, batch.key)).map(toEntry) };
  }
}

/** What the store holds of one batch of a group. */
export type BatchLookup = { readonly recorded: boolean } & (HeadState | { readonly seq: null });

/** A head row as the group leaves it; `opened` is the first cursor of a deliberation that the group opens. */
export type MovedHead = HeadState & {
  readonly cursor: number;
  readonly opened?: { readonly cursor: number; readonly batch: EventBatch };
};

export type GroupDecision = {
  /** In the order of the batches. */
  readonly decisions: readonly Decision[];
  readonly rows: readonly EventRow[];
  /** By deliberation, those that the group moves. */
  readonly heads: ReadonlyMap<string, MovedHead>;
};

/**
 * What becomes of the batches of one transaction, which look up once and write once.
 * @param found in the order of the batches, and the last cursor of the store; read under the write lock
 */
export function decideGroup(
  batches: readonly EventBatch[],
  { found, end: before }: { readonly found: readonly BatchLookup[]; readonly end: number },
  at: string,
): GroupDecision {
  const decisions: Decision[] = [];
  const rows: EventRow[] = [];
  const heads = new Map<string, MovedHead>();
  const recorded = new Set<string>();
  let end = before;
  batches.forEach((batch, index) => {
    const row = found[index];
    const origin = `${batch.id} ${batch.key}`;
    const head = heads.get(batch.id);
    const standing = head ?? (row && row.seq !== null ? row : undefined);
    const earlier = row?.recorded === true || recorded.has(origin);
    const decision = decide(batch, { standing, recorded: earlier, end }, at);
    decisions.push(decision);
    if (decision.kind !== "fresh") return;
    const opened = standing ? head?.opened : { cursor: end + 1, batch };
    end += decision.rows.length;
    rows.push(...decision.rows);
    recorded.add(origin);
    heads.set(batch.id, { ...decision.standing, cursor: end, ...(opened && { opened }) });
  });
  return { decisions, rows, heads };
}
