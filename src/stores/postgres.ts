import type pg from "pg";
import { WORD_ENGRAMS } from "../memory/query.ts";
import type { EventBatch } from "./batch.ts";
import { createTranslator, type Database, type SqlDialect, type Statements, type Value } from "./database.ts";
import { groupQueue, type Sized } from "./group-queue.ts";
import { type OpenedStore, createStore } from "./store.ts";
import { recordGroup } from "./postgres-append.ts";
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
 *
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

type PostgresJob = Sized & { readonly run: (to: Statements) => Promise<unknown> };

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
    (group: readonly PostgresJob[]) =>
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
