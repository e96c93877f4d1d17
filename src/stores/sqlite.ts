import { resolve } from "node:path";
import {
  type EventBatch,
  type Decision,
  HEAD_COLUMNS,
  decideGroup,
  type BatchLookup,
  EVENT_COLUMNS,
} from "./batch.ts";
import {
  createTranslator,
  yieldToOthers,
  type Database,
  type SqlDialect,
  type Statements,
  type Value,
  retryWhileBusy,
} from "./database.ts";
import { groupQueue, type Sized } from "./group-queue.ts";
import { type OpenedStore, createStore } from "./store.ts";
import type { SqlValue, Statement, SqliteWriter } from "./sqlite-driver.ts";
import { openDatabase, type SqliteConnections, isBusy, sqliteFault } from "./sqlite-database.ts";

// SQLITE-1. Every write is part of one `begin immediate … commit`, so it has the file's only write lock: what a look-up saw still holds
//     when its rows go in, and cursors are handed out in commit order. Else: an append is recorded twice.
// SQLITE-2. A result is given out after `commit` returned, which with WAL and `synchronous=full` is after the fsync. Else: power cuts lose
//     it.
// SQLITE-3. Reads have a connection of their own and see committed rows only. Else: a reader sees events that are then rolled back.
// SQLITE-4. Nothing is acknowledged that was written to a file which is no longer at the store's path, and nothing read from it is given
//     out: what a refused append left there, its repeat would take for recorded. Else: runs are lost with that file.

/**
 * A store in one file that many processes may use at once. Lease times are this machine's clock.
 * @param path a file, made with its folder where missing, or `:memory:`
 * @throws Fault `store-unavailable`, `schema-newer`
 */
export async function openSqlite(
  path: string,
  { now = Date.now }: { now?: () => number } = {},
): Promise<OpenedStore> {
  return sqliteStore(await openDatabase(path), now);
}

/** The store on open connections, which it closes when it is disposed of. */
export async function sqliteStore(connections: SqliteConnections, now: () => number): Promise<OpenedStore> {
  return createStore(await sqliteDatabase(connections, now), now);
}

const DIALECT: SqlDialect = {
  list: (column, order, where) =>
    `json_group_array(${column} order by ${order})${where === undefined ? "" : ` filter (where ${where})`}`,
  among: (column, parameter) => `${column} in (select value from json_each(${parameter}))`,
  isLive: "e.live = 1",
  now: (clock) => clock,
  until: (_seconds, end) => end,
  words: {
    column: "",
    value: "",
    async add(to, engram, words) {
      await to.run("insert into @engram_words (rowid, words) values ($1, $2)", engram, words.join(" "));
    },
    async drop(to, engram) {
      await to.run("delete from @engram_words where rowid = $1", engram);
    },
  },
  async matching(from, { organization, user, scope, words, limit, without }) {
    const excluded = await from.all<{ number: number }>(
      "select number from @engram where scope = $1 and conversation = $2",
      scope,
      without,
    );
    const isExcluded = new Set(excluded.map(({ number }) => number));
    const { bestMatches, WORD_ENGRAMS } = await import("../memory/query.ts");
    const having: number[][] = [];
    for (const word of words) {
      const row = await from.first<{ numbers: string }>(
        `select json_group_array(number) as numbers from (
           select rowid as number from @engram_words where engram_words match $1
           order by rowid desc limit ${WORD_ENGRAMS}
         )`,
        // A word is letters and digits, so the quotes are its end.
        `"${word}"`,
      );
      // The select above makes it.
      having.push(JSON.parse(row?.numbers ?? "[]") as number[]);
      await yieldToOthers();
    }
    const best = bestMatches(having, limit + isExcluded.size).filter((number) => !isExcluded.has(number));
    const wanted = best.slice(0, limit);
    const rows = await from.all<{ number: number; name: string }>(
      `select e.number, e.name from @engram e join @engram_scope s on s.number = e.scope
       where s.organization = $1 and s.user_id = $2 and e.live = 1
         and e.number in (select value from json_each($3))`,
      organization,
      user,
      wanted,
    );
    const names = new Map(rows.map(({ number, name }) => [number, name]));
    return wanted.flatMap((number) => names.get(number) ?? []);
  },
};

/** `$1` is `?1` here, and a table is known by its name. */
const translate = createTranslator((sql) => sql.replaceAll("$", "?").replaceAll(/@(?=\w)/g, ""));

/** Values as libsql takes them: arrays as JSON, booleans as numbers. */
function toSqlValues(values: readonly Value[], count: number): SqlValue[] {
  const taken: SqlValue[] = [];
  for (const value of values.slice(0, count))
    if (typeof value === "boolean") taken.push(Number(value));
    else if (value === null || typeof value !== "object") taken.push(value);
    else taken.push(value instanceof Uint8Array ? Buffer.from(value) : JSON.stringify(value));
  return taken;
}

/** A batch to be appended, together with the others of its group, or anything else that is written. */
type SqliteJob = Sized & { readonly erases?: boolean } & (
    { readonly batch: EventBatch } | { readonly run: (to: Statements) => Promise<unknown> }
  );

async function sqliteDatabase(
  { path, reader, writer, assertInPlace, emptyLog, close }: SqliteConnections,
  now: () => number,
): Promise<Database> {
  const append = await retryWhileBusy(() => prepareAppend(writer), isBusy);

  const prepared = new Map<string, Statement>();
  const statementOf = async (text: string): Promise<Statement> => {
    const known = prepared.get(text) ?? (await writer.prepare(text));
    prepared.set(text, known);
    return known;
  };
  // The rows of these three are what the selects name; nobody else writes these tables.
  const inTransaction: Statements = {
    async all<Row extends object>(sql: string, ...values: Value[]) {
      const { text, values: count } = translate(sql);
      return (await (await statementOf(text)).all(toSqlValues(values, count))) as readonly Row[];
    },
    async first<Row extends object>(sql: string, ...values: Value[]) {
      const { text, values: count } = translate(sql);
      return (await statementOf(text)).get(toSqlValues(values, count)) as Row | undefined;
    },
    async run(sql, ...values) {
      const { text, values: count } = translate(sql);
      return (await statementOf(text)).run(toSqlValues(values, count)).changes;
    },
  };

  const commit = async (jobs: readonly SqliteJob[]): Promise<readonly unknown[]> => {
    await retryWhileBusy(append.begin, isBusy);
    try {
      const batches = jobs.flatMap((job) => ("batch" in job ? [job.batch] : []));
      const decisions = append.record(batches, new Date(now()).toISOString()).values();
      const results: unknown[] = [];
      for (const job of jobs)
        results.push("batch" in job ? decisions.next().value : await job.run(inTransaction));
      await writer.exec("commit");
      assertInPlace(); // SQLITE-4
      if (jobs.some(({ erases }) => erases)) await emptyLog();
      return results;
    } catch (error) {
      if (writer.inTransaction) await writer.exec("rollback");
      throw error;
    }
  };
  const queue = groupQueue(commit, (error) => !isBusy(error));
  // A queue gives each job its own result.
  const transaction = <T>(size: number, run: (to: Statements) => Promise<T>) =>
    queue.add({ size, run }) as Promise<T>;

  const selects = new Map<string, ReturnType<typeof reader.prepare>>();
  const all = async <Row extends object>(sql: string, ...values: Value[]): Promise<readonly Row[]> => {
    const { text, values: count } = translate(sql);
    assertInPlace(); // SQLITE-4
    return retryWhileBusy(() => {
      const select = selects.get(text) ?? reader.prepare(text);
      selects.set(text, select);
      return select.all(toSqlValues(values, count)) as readonly Row[];
    }, isBusy);
  };

  return {
    location: path === ":memory:" ? path : resolve(path),
    dialect: DIALECT,
    pollMs: 25,
    all,
    first: async <Row extends object>(sql: string, ...values: Value[]) => (await all<Row>(sql, ...values))[0],
    run(sql, ...values) {
      let size = 0;
      for (const value of values) if (typeof value === "string") size += value.length;
      return transaction(size, (to) => to.run(sql, ...values));
    },
    transaction,
    append: (batch) => queue.add({ size: batch.size, batch }) as Promise<Decision>,
    erase: <T>(run: (to: Statements) => Promise<T>) =>
      queue.add({ size: 0, run, erases: true }) as Promise<T>,
    fault: (error) => sqliteFault(error, path),
    async close() {
      await queue.idle();
      await close();
    },
  };
}

/** The statements that begin a transaction and record batches in it, on the writing connection. */
async function prepareAppend(writer: SqliteWriter) {
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
