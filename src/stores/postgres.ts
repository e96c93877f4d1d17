import type pg from "pg";
import { WORD_ENGRAMS } from "../memory/query.ts";
import {
  type EventBatch,
  HEAD_COLUMNS,
  decideGroup,
  type Decision,
  type BatchLookup,
  EVENT_COLUMNS,
  EVENT_TYPES,
} from "./batch.ts";
import { createTranslator, type Database, type SqlDialect, type Statements, type Value } from "./database.ts";
import { groupQueue, type Sized } from "./group-queue.ts";
import { type OpenedStore, createStore } from "./store.ts";
import {
  openDatabase,
  transaction,
  type PostgresDatabase,
  isTransient,
  postgresFault,
  type PostgresOptions,
} from "./postgres-database.ts";

/**
 * A store in a schema of a PostgreSQL database that many machines may use at once. Lease times are the
 * server's clock.
 * @throws Fault `store-unavailable`, `schema-newer`, `configuration`
 */
export async function openPostgres(
  url: string,
  { now = Date.now, ...options }: PostgresOptions & { readonly now?: () => number } = {},
): Promise<OpenedStore> {
  return createStore(postgresDatabase(await openDatabase(url, options), now), now);
}

const DIALECT: SqlDialect = {
  list: (column, order, where) =>
    `coalesce(json_agg(${column} order by ${order})${where === undefined ? "" : ` filter (where ${where})`}, '[]')::text`,
  among: (column, parameter, type) => `${column} = any(${parameter}::${type}[])`,
  isLive: "e.live",
  now: () => "now()",
  until: (seconds) => `now() + make_interval(secs => ${seconds})`,
  words: {
    column: ", words",
    value: ", case when live then array_to_tsvector($10::text[]) end",
    add: () => Promise.resolve(),
    async drop(to, engram) {
      await to.run("update @engram set words = null where number = $1", engram);
    },
  },
  async matching(from, { scope, words, limit, without }) {
    // Weights as those of `bestMatches`.
    const rows = await from.all<{ name: string }>(
      `with hit as (
         select asked.word, found.number, found.name, found.conversation
         from unnest($2::text[]) as asked (word), lateral (
           select e.number, e.name, e.conversation from @engram e
           where e.scope = $1 and e.words @@ asked.word::tsquery order by e.number desc limit ${WORD_ENGRAMS}
         ) as found
       ), weight as (
         select word, ln(1 + ${WORD_ENGRAMS}::float8 / count(*)) as weight from hit group by word
       )
       select name from hit join weight using (word)
       where $3::text is null or conversation is distinct from $3
       group by number, name order by sum(weight) desc, number desc limit $4`,
      scope,
      // A word is letters and digits, so the quotes are its end.
      words.map((word) => `'${word}'`),
      without,
      limit,
    );
    return rows.map(({ name }) => name);
  },
};

function postgresDatabase(opened: PostgresDatabase, now: () => number): Database {
  const { pool, table, location, repeatable } = opened;
  const translate = createTranslator((sql) =>
    sql.replaceAll(/@(?=\w)(\w+)/g, (_, name: string) => table(name)),
  );

  /** Without a name: behind a connection pooler, the next query may be on a connection that does not know it. */
  const query = <Row extends object>(
    client: pg.Pool | pg.PoolClient,
    sql: string,
    values: readonly Value[],
  ): Promise<pg.QueryResult<Row>> => {
    const { text, values: count } = translate(sql);
    return client.query<Row>({ text, values: values.slice(0, count) });
  };
  const statements = (client: pg.PoolClient): Statements => ({
    all: async <Row extends object>(sql: string, ...values: Value[]) =>
      (await query<Row>(client, sql, values)).rows,
    first: async <Row extends object>(sql: string, ...values: Value[]) =>
      (await query<Row>(client, sql, values)).rows[0],
    run: async (sql, ...values) => (await query(client, sql, values)).rowCount ?? 0,
  });

  const queue = groupQueue(
    (batches: readonly EventBatch[]) =>
      // A group whose connection broke is offered again: what it recorded is found by its origins.
      repeatable(() => recordGroup(opened, batches, new Date(now()).toISOString())),
    (error) => !isTransient(error),
  );
  const jobs = groupQueue(
    // A write of engrams that is repeated finds what it wrote, as an append does.
    (group: readonly (Sized & { readonly run: (to: Statements) => Promise<unknown> })[]) =>
      repeatable(() =>
        transaction(pool, opened.engramLock, async (client) => {
          const results: unknown[] = [];
          for (const { run } of group) results.push(await run(statements(client)));
          return results;
        }),
      ),
    (error) => !isTransient(error),
  );
  const all = async <Row extends object>(sql: string, ...values: Value[]): Promise<readonly Row[]> =>
    (await repeatable(() => query<Row>(pool, sql, values))).rows;

  return {
    location,
    dialect: DIALECT,
    // Polling, because NOTIFY takes a lock of the whole server at commit and needs polling beside it anyway for when its
    // connection breaks.
    pollMs: 40,
    all,
    first: async <Row extends object>(sql: string, ...values: Value[]) => (await all<Row>(sql, ...values))[0],
    // Each of these may be done twice: a second reservation counts as a lost attempt, a cursor that has moved as lost.
    run: async (sql, ...values) => (await repeatable(() => query(pool, sql, values))).rowCount ?? 0,
    // A queue gives each job its own result.
    transaction: <T>(size: number, run: (to: Statements) => Promise<T>) =>
      jobs.add({ size, run }) as Promise<T>,
    // What is deleted is gone from every answer; from the server's files with its next VACUUM.
    erase: (run) =>
      repeatable(() =>
        transaction(pool, `${opened.engramLock}; ${opened.lock}`, (client) => run(statements(client))),
      ),
    append: (batch) => queue.add(batch),
    fault: (error) => postgresFault(error, location),
    async close() {
      await queue.idle();
      await jobs.idle();
      await pool.end();
    },
  };
}

// APPEND-1. The advisory lock is taken before the look-up's snapshot and given back after the commit is visible, so what a look-up saw
//     still holds when its rows go in, and cursors become visible in their order. Else: an append is recorded twice.

type PostgresLookupRow = BatchLookup & { readonly last: number };

/** Records a group of batches in one transaction of four round trips; the decisions stand in their order. */
function recordGroup(
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
    if (rows.length > 0)
      await client.query({
        text: recordSql(database.table),
        values: [
          ...columnArrays(rows, EVENT_COLUMN_TYPES),
          ...columnArrays(opened, OPENED_TYPES),
          ...columnArrays(moved, HEAD_TYPES),
        ],
      });
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
