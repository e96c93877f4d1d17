import { Cursor, DeliberationId, Fault, type Reservation, type Store } from "../kernel/index.ts";
import { batchOf, decide, outcomeOf, type Batch, type Decision } from "./batch.ts";
import { groupQueue, type Sized } from "./group-queue.ts";
import { patiently } from "./patience.ts";
import { SUBSCRIPTION_EVENTS, follow, poller } from "./poller.ts";
import { EVENT_COLUMNS, entryOfRow, escaped, originColumn, unescaped, type EventRow } from "./row.ts";
import { openDatabase, type SqliteDatabase } from "./sqlite-database.ts";
import { isBusy, sqliteFault } from "./sqlite-faults.ts";
import { outstandingQuery, summaryOf, type SummaryRow } from "./summary.ts";
import { cachedTexts } from "./text-cache.ts";

// S1. Every write is part of one `begin immediate … commit`, so it has the file's only write lock: what a
//     look-up saw still holds when its rows go in, and cursors are handed out in commit order.
// S2. A result is given out after `commit` returned, which with WAL and `synchronous=full` is after the fsync.
// S3. Reads have a connection of their own and see committed rows only.

/** How often another process's commits are looked for, while somebody subscribes. */
const POLL_MS = 25;

type Job = Sized & { readonly run: () => unknown };

/**
 * A store in one file that many processes may use at once. Lease times are this machine's clock.
 *
 * @param path a file, made with its folder where missing, or `:memory:`
 * @throws Fault `store-unavailable`, `schema-newer`
 */
export async function openSqlite(
  path: string,
  { now = Date.now }: { now?: () => number } = {},
): Promise<Store> {
  return sqliteStore(await openDatabase(path), now);
}

/** The store on an open database, which it closes when it is disposed of. */
export async function sqliteStore(database: SqliteDatabase, now: () => number): Promise<Store> {
  const { path, reader, writer } = database;
  const write = await patiently(() => prepareWrites(database), isBusy);
  let closed = false;

  const unavailable = (why: string) => new Fault("store-unavailable", { where: path, why });

  const commit = async (jobs: readonly Job[]): Promise<readonly unknown[]> => {
    await patiently(write.begin, isBusy);
    try {
      const results = jobs.map((job) => job.run());
      await writer.exec("commit");
      return results;
    } catch (error) {
      if (writer.inTransaction) await writer.exec("rollback");
      throw error;
    }
  };
  const queue = groupQueue(commit, (error) => !isBusy(error));

  const inTransaction = async <T>(run: () => T, size = 0): Promise<T> => {
    if (closed) throw unavailable("it was closed");
    try {
      // A queue gives each job its own result.
      return (await queue.add({ size, run })) as T;
    } catch (error) {
      throw sqliteFault(error, path);
    }
  };

  /** `Row` is what the select names; nobody else writes these tables. */
  const ask = <Row>(sql: string) => {
    let statement: ReturnType<typeof reader.prepare> | undefined;
    return async (...values: (string | number | null)[]): Promise<readonly Row[]> => {
      if (closed) throw unavailable("it was closed");
      try {
        return (await patiently(() => (statement ??= reader.prepare(sql)).all(...values), isBusy)) as Row[];
      } catch (error) {
        throw sqliteFault(error, path);
      }
    };
  };

  const events = EVENT_COLUMNS.join(", ");
  const readAll = ask<EventRow>(
    `select ${events} from event where deliberation = ? and seq > ? order by seq`,
  );
  const recordedRows = ask<EventRow>(
    `select ${events} from event where deliberation = ? and origin_key = ? order by place`,
  );
  const readAfter = ask<EventRow>(
    `select ${events} from event where cursor > ? order by cursor limit ${SUBSCRIPTION_EVENTS}`,
  );
  const lastCursor = ask<{ last: number }>("select coalesce(max(cursor), 0) as last from event");
  // As one row: a process that drives many deliberations asks for all of them five times a second.
  const headsAfter = ask<{ cursor: number | null; heads: string }>(
    "select max(cursor) as cursor, json_group_array(json_array(id, seq)) as heads from deliberation where cursor > ?",
  );
  const page =
    "opened < coalesce((select opened from deliberation where id = ?), ?) order by opened desc limit ?";
  const listAll = ask<SummaryRow>(`select * from deliberation where organization = ? and ${page}`);
  const listSeries = ask<SummaryRow>(
    `select * from deliberation where organization = ? and series = ? and ${page}`,
  );
  const reactorCursor = ask<{ cursor: number }>("select cursor from reactor where name = ?");
  const content = ask<{ content: string }>("select content from content where digest = ?");
  const outstanding = ask<Reservation>(outstandingQuery("?"));

  const end = async () => Cursor.parse((await lastCursor())[0]?.last ?? 0);
  const subscribers = poller(end, POLL_MS);

  const texts = cachedTexts({
    putText: (digest, text) => inTransaction(() => write.putText(digest, escaped(text)), text.length),
    async text(digest) {
      const [row] = await content(digest);
      if (!row) throw new Fault("text-missing", { digest });
      return unescaped(row.content);
    },
  });

  return {
    where: path,
    async append(id, newEvents, origin) {
      const batch = batchOf(id, newEvents, origin);
      const at = new Date(now()).toISOString();
      const decision = await inTransaction(() => write.append(batch, at), batch.size);
      const appended = await outcomeOf(batch, decision, recordedRows);
      const last = appended.ok ? appended.events.at(-1) : undefined;
      if (last) subscribers.reached(last.cursor);
      return appended;
    },
    read: async (id, after = 0) => (await readAll(id, after)).map(entryOfRow),
    subscribe: (after, signal) =>
      follow(after, signal, {
        readAfter: async (cursor) => (await readAfter(cursor)).map(entryOfRow),
        poller: subscribers,
      }),
    async changed(after) {
      const [found] = await headsAfter(after);
      // The select above makes them.
      const pairs = JSON.parse(found?.heads ?? "[]") as [id: string, seq: number][];
      const heads = pairs.map(([id, seq]) => ({ deliberation: DeliberationId.parse(id), seq }));
      return { cursor: Cursor.parse(found?.cursor ?? after), heads };
    },
    end,
    async list({ organization, series, before, limit }) {
      const from = before ?? null;
      const beyondAll = before === undefined ? Number.MAX_SAFE_INTEGER : 0;
      const rows =
        series === undefined
          ? await listAll(organization, from, beyondAll, limit)
          : await listSeries(organization, series, from, beyondAll, limit);
      return rows.map(summaryOf);
    },
    async cursor(reactor) {
      const [row] = await reactorCursor(reactor);
      return row && Cursor.parse(row.cursor);
    },
    advance: (reactor, from, to) => inTransaction(() => write.advance(reactor, from, to)),
    lease: (name, holder, ttlMs) => inTransaction(() => write.lease(name, holder, { nowMs: now(), ttlMs })),
    release: (name, holder) => inTransaction(() => write.release(name, holder)),
    ...texts,
    reserve: (id, origin, amount) => inTransaction(() => write.reserve(id, originColumn(origin), amount)),
    async outstanding(id) {
      const [sum] = await outstanding(id);
      return { calls: sum?.calls ?? 0, tokens: sum?.tokens ?? 0, usd: sum?.usd ?? 0 };
    },
    async [Symbol.asyncDispose]() {
      if (closed) return;
      closed = true;
      await queue.idle();
      subscribers.stop(unavailable("it was closed"));
      await database.close();
    },
  };
}

/** The statements of the writing connection; each is called inside a transaction. */
async function prepareWrites({ writer }: SqliteDatabase) {
  const lookup = await writer.prepare(`
    select d.seq, d.status, (select coalesce(max(cursor), 0) from event) as last,
      exists (select 1 from event e where e.deliberation = k.id and e.origin_key = k.origin_key and e.place = 0) as recorded
    from (select ? as id, ? as origin_key) as k left join deliberation d on d.id = k.id`);
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

  return {
    begin: (): void => void begin.run(),
    append(batch: Batch, at: string): Decision {
      // The select above names these columns.
      const found = lookup.get(batch.id, batch.key) as LookupRow;
      const standing = found.seq === null ? undefined : { seq: found.seq, status: found.status };
      const decision = decide(batch, { standing, recorded: found.recorded === 1, end: found.last }, at);
      if (decision.kind !== "fresh") return decision;
      for (const row of decision.rows) insert.run(...EVENT_COLUMNS.map((column) => row[column]));
      const { seq, status } = decision.standing;
      const last = found.last + decision.rows.length;
      if (standing || !batch.opening) moveHead.run(seq, status, last, batch.id);
      else {
        const { organization, series, protocol, question } = batch.opening;
        openHead.run(
          batch.id,
          seq,
          status,
          last,
          found.last + 1,
          at,
          organization,
          series,
          protocol,
          question,
        );
      }
      return decision;
    },
    advance: (reactor: string, from: number | undefined, to: number): boolean =>
      (from === undefined ? firstCursor.run(reactor, to) : nextCursor.run(to, reactor, from)).changes === 1,
    lease: (name: string, holder: string, { nowMs, ttlMs }: { nowMs: number; ttlMs: number }): boolean =>
      lease.run(name, holder, nowMs + ttlMs, nowMs).changes === 1,
    release: (name: string, holder: string): void => void release.run(name, holder),
    putText: (digest: string, text: string): void => void putText.run(digest, text),
    reserve: (id: string, origin: string, { calls, tokens, usd }: Reservation): void =>
      void reserve.run(id, origin, calls, tokens, usd),
  };
}

type LookupRow =
  | { readonly seq: number; readonly status: string; readonly last: number; readonly recorded: number }
  | { readonly seq: null; readonly last: number; readonly recorded: number };
