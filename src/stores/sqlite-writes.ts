import type { Reservation } from "../kernel/index.ts";
import type { Batch, Decision } from "./batch.ts";
import { decideAll, type Head, type Lookup } from "./group.ts";
import { EVENT_COLUMNS } from "./row.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

/** The statements of the writing connection; each is called inside a transaction. */
export async function prepareWrites({ writer }: SqliteDatabase) {
  // One row for the whole group: what costs is the way from SQLite to JavaScript.
  const lookup = await writer.prepare(`
    select (select coalesce(max(cursor), 0) from event) as last, json_group_array(json_array(
      k.key, d.seq, d.status,
      exists (select 1 from event e where e.deliberation = k.value ->> 0 and e.origin_key = k.value ->> 1 and e.place = 0)
    )) as found
    from json_each(?) as k left join deliberation d on d.id = k.value ->> 0`);
  const insert = await writer.prepare(
    `insert into event (${EVENT_COLUMNS.join(", ")}) values (${EVENT_COLUMNS.map(() => "?").join(", ")})`,
  );
  const openHead = await writer.prepare(`
    insert into deliberation (id, seq, status, cursor, opened, opened_at, organization, series, protocol, question)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const moveHead = await writer.prepare(
    "update deliberation set seq = ?, status = ?, cursor = ? where id = ?",
  );
  // In this thread, because it only takes the lock: nothing is read from the disk or written to it.
  const begin = await writer.prepare("begin immediate");
  const firstCursor = await writer.prepare(
    "insert into reactor (name, cursor) values (?, ?) on conflict do nothing",
  );
  const nextCursor = await writer.prepare("update reactor set cursor = ? where name = ? and cursor = ?");
  const lease = await writer.prepare(`
    insert into lease (name, holder, until) values (?1, ?2, ?3)
    on conflict (name) do update set holder = excluded.holder, until = excluded.until
    where lease.holder = excluded.holder or lease.until <= ?4`);
  const release = await writer.prepare("delete from lease where name = ? and holder = ?");
  const putText = await writer.prepare(
    "insert into content (digest, content) values (?, ?) on conflict do nothing",
  );
  const reserve = await writer.prepare(
    "insert into reservation (deliberation, origin_key, calls, tokens, usd) values (?, ?, ?, ?, ?)",
  );

  const lookUp = (batches: readonly Batch[]) => {
    const keys = batches.map(({ id, key }) => [id, key]);
    // The select above names these columns, and makes these arrays.
    const { last, found } = lookup.get([JSON.stringify(keys)]) as { last: number; found: string };
    const rows = JSON.parse(found) as LookupRow[];
    return { end: last, found: rows.sort(([a], [b]) => a - b).map(lookupOf) };
  };
  const writeHead = (id: string, { seq, status, cursor, opened }: Head, at: string): void => {
    if (!opened?.batch.opening) return void moveHead.run([seq, status, cursor, id]);
    const { organization, series, protocol, question } = opened.batch.opening;
    const first = [id, seq, status, cursor, opened.cursor, at];
    openHead.run([...first, organization, series, protocol, question]);
  };

  return {
    begin: (): void => void begin.run([]),
    /** The decisions stand in the order of the batches, whose rows are written. */
    append(batches: readonly Batch[], at: string): readonly Decision[] {
      if (batches.length === 0) return [];
      const { decisions, rows, heads } = decideAll(batches, lookUp(batches), at);
      for (const row of rows) insert.run(EVENT_COLUMNS.map((column) => row[column]));
      for (const [id, head] of heads) writeHead(id, head, at);
      return decisions;
    },
    advance: (reactor: string, from: number | undefined, to: number): boolean =>
      (from === undefined ? firstCursor.run([reactor, to]) : nextCursor.run([to, reactor, from])).changes ===
      1,
    lease: (name: string, holder: string, { nowMs, ttlMs }: { nowMs: number; ttlMs: number }): boolean =>
      lease.run([name, holder, nowMs + ttlMs, nowMs]).changes === 1,
    release: (name: string, holder: string): void => void release.run([name, holder]),
    putText: (digest: string, text: string): void => void putText.run([digest, text]),
    reserve: (id: string, origin: string, { calls, tokens, usd }: Reservation): void =>
      void reserve.run([id, origin, calls, tokens, usd]),
  };
}

type LookupRow = readonly [place: number, seq: number | null, status: string | null, recorded: number];

const lookupOf = ([, seq, status, recorded]: LookupRow): Lookup =>
  seq === null || status === null
    ? { seq: null, recorded: recorded === 1 }
    : { seq, status, recorded: recorded === 1 };
