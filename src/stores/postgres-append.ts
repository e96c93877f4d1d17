import { HEAD_COLUMNS, decideGroup, type EventBatch, type Decision, type BatchLookup } from "./batch.ts";
import { transaction, type PostgresDatabase } from "./postgres-database.ts";
import { EVENT_COLUMNS, EVENT_TYPES } from "./row.ts";

// APPEND-1. The advisory lock is taken before the look-up's snapshot and given back after the commit is visible, so what a look-up saw
//     still holds when its rows go in, and cursors become visible in their order. Else: an append is recorded twice.

type PostgresLookupRow = BatchLookup & { readonly last: number };

/** Records a group of batches in one transaction of four round trips; the decisions stand in their order. */
export function recordGroup(
  database: PostgresDatabase,
  batches: readonly EventBatch[],
  at: string,
): Promise<readonly Decision[]> {
  return transaction(database.pool, database.lock, async (client) => {
    const { rows: found } = await client.query<PostgresLookupRow>({
      text: lookUpSql(database.table),
      values: [batches.map((batch) => batch.id), batches.map((batch) => batch.key)],
    });
    const { decisions, rows, opened, moved } = decideGroup(batches, { found, end: found[0]?.last ?? 0 }, at);
    if (rows.length > 0) {
      await client.query({
        text: recordSql(database.table),
        values: [
          ...columnArrays(rows, EVENT_COLUMN_TYPES),
          ...columnArrays(opened, OPENED_TYPES),
          ...columnArrays(moved, HEAD_TYPES),
        ],
      });
    }
    return decisions;
  });
}

function lookUpSql(table: PostgresDatabase["table"]): string {
  return `
  select d.organization, d.seq, d.status, (select coalesce(max(cursor), 0) from ${table("deliberation")}) as last,
    exists (
      select from ${table("event")} e where e.deliberation = k.id and e.origin_key = k.origin_key and e.place = 0
    ) as recorded
  from unnest($1::text[], $2::text[]) with ordinality as k (id, origin_key, number)
  left join ${table("deliberation")} d on d.id = k.id
  order by k.number`;
}

const EVENT_COLUMN_TYPES = Object.values(EVENT_TYPES);
const HEAD_TYPES = ["text", "integer", "text", "bigint"] as const;
const OPENED_TYPES = [...HEAD_TYPES, "bigint", "text", "text", "text", "text", "text"] as const;

function arrays(types: readonly string[], from: number): string {
  return `unnest(${types.map((type, index) => `$${from + index}::${type}[]`).join(", ")})`;
}

function recordSql(table: PostgresDatabase["table"]): string {
  const afterEvents = EVENT_COLUMN_TYPES.length + 1;
  return `
    with recorded as (
      insert into ${table("event")} (${EVENT_COLUMNS.join(", ")}) select * from ${arrays(EVENT_COLUMN_TYPES, 1)}
    ), opened as (
      insert into ${table("deliberation")} (${HEAD_COLUMNS}) select * from ${arrays(OPENED_TYPES, afterEvents)}
    )
    update ${table("deliberation")} d set seq = moved.seq, status = moved.status, cursor = moved.cursor
    from ${arrays(HEAD_TYPES, afterEvents + OPENED_TYPES.length)} as moved (id, seq, status, cursor)
    where d.id = moved.id`;
}

function columnArrays(rows: readonly (readonly unknown[])[], types: readonly string[]): unknown[][] {
  return types.map((_, index) => rows.map((row) => row[index]));
}
