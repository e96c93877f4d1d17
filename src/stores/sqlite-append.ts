import { HEAD_COLUMNS, decideGroup, type EventBatch, type Decision, type BatchLookup } from "./batch.ts";
import { EVENT_COLUMNS } from "./row.ts";
import type { SqliteWriter } from "./sqlite-driver.ts";

/** The statements that begin a transaction and record batches in it, on the writing connection. */
export async function prepareAppend(writer: SqliteWriter) {
  // One row for the whole group: what costs is the way from SQLite to JavaScript.
  const lookup = await writer.prepare(`
    select (select coalesce(max(cursor), 0) from deliberation) as last, json_group_array(json_array(
      k.key, d.organization, d.seq, d.status,
      exists (select 1 from event e where e.deliberation = k.value ->> 0 and e.origin_key = k.value ->> 1 and e.place = 0)
    )) as found
    from json_each(?) as k left join deliberation d on d.id = k.value ->> 0`);
  const insert = await writer.prepare(
    `insert into event (${EVENT_COLUMNS.join(", ")}) values (${EVENT_COLUMNS.map(() => "?").join(", ")})`,
  );
  const openHead = await writer.prepare(
    `insert into deliberation (${HEAD_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const moveHead = await writer.prepare(
    "update deliberation set seq = ?2, status = ?3, cursor = ?4 where id = ?1",
  );
  // In this thread, because it only takes the lock: nothing is read from the disk or written to it.
  const begin = await writer.prepare("begin immediate");

  const lookUp = (batches: readonly EventBatch[]) => {
    const keys = batches.map(({ id, key }) => [id, key]);
    // The select above names these columns, and makes these arrays.
    const { last, found } = lookup.get([JSON.stringify(keys)]) as { last: number; found: string };
    const rows = (JSON.parse(found) as SqliteLookupRow[]).sort(([a], [b]) => a - b);
    // What it tells of a head is null together.
    const toLookup = ([, organization, seq, status, recorded]: SqliteLookupRow) =>
      ({ organization, seq, status, recorded: recorded === 1 }) as BatchLookup;
    return { end: last, found: rows.map(toLookup) };
  };

  return {
    begin: (): void => void begin.run([]),
    /** The decisions stand in the order of the batches, whose rows are written. */
    record(batches: readonly EventBatch[], at: string): readonly Decision[] {
      if (batches.length === 0) return [];
      const { decisions, rows, opened, moved } = decideGroup(batches, lookUp(batches), at);
      for (const row of rows) insert.run(row);
      for (const head of opened) openHead.run(head);
      for (const head of moved) moveHead.run(head);
      return decisions;
    },
  };
}

type SqliteLookupRow = readonly [
  place: number,
  organization: string | null,
  seq: number | null,
  status: string | null,
  recorded: number,
];
