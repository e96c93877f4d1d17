import { Cursor, DeliberationId, Fault, type Lease, type Reservation } from "../kernel/index.ts";
import { batchOf, outcomeOf, type Batch, type Decision } from "./batch.ts";
import { groupQueue, type Sized } from "./group-queue.ts";
import type { OpenedStore } from "./opened-store.ts";
import { patiently } from "./patience.ts";
import { SUBSCRIPTION_EVENTS, follow, poller } from "./poller.ts";
import { EVENT_COLUMNS, entryOfRow, escaped, originColumn, unescaped, type EventRow } from "./row.ts";
import { openDatabase, type SqlValue, type SqliteDatabase } from "./sqlite-database.ts";
import { prepareEngramWrites } from "./sqlite-engram-writes.ts";
import { sqliteEngrams } from "./sqlite-engrams.ts";
import { isBusy, sqliteFault } from "./sqlite-faults.ts";
import { prepareWrites } from "./sqlite-writes.ts";
import { outstandingQuery, summaryOf, type SummaryRow } from "./summary.ts";
import { cachedTexts } from "./text-cache.ts";

// S1. Every write is part of one `begin immediate … commit`, so it has the file's only write lock: what a
//     look-up saw still holds when its rows go in, and cursors are handed out in commit order.
// S2. A result is given out after `commit` returned, which with WAL and `synchronous=full` is after the fsync.
// S3. Reads have a connection of their own and see committed rows only.

/** How often another process's commits are looked for, while somebody subscribes. */
const POLL_MS = 25;

/** A batch to be appended, together with the others of its group, or anything else that is written. */
type Job = Sized & ({ readonly batch: Batch } | { readonly run: () => unknown });

/**
 * A store in one file that many processes may use at once. Lease times are this machine's clock.
 *
 * @param path a file, made with its folder where missing, or `:memory:`
 * @throws Fault `store-unavailable`, `schema-newer`
 */
export async function openSqlite(
  path: string,
  { now = Date.now }: { now?: () => number } = {},
): Promise<OpenedStore> {
  return sqliteStore(await openDatabase(path), now);
}

/** The store on an open database, which it closes when it is disposed of. */
export async function sqliteStore(database: SqliteDatabase, now: () => number): Promise<OpenedStore> {
  const { path, reader, writer } = database;
  const write = await patiently(() => prepareWrites(database), isBusy);
  const writeEngrams = await patiently(() => prepareEngramWrites(database), isBusy);
  let closed = false;

  const unavailable = (why: string) => new Fault("store-unavailable", { where: path, why });

  const commit = async (jobs: readonly Job[]): Promise<readonly unknown[]> => {
    await patiently(write.begin, isBusy);
    try {
      const batches = jobs.flatMap((job) => ("batch" in job ? [job.batch] : []));
      const decisions = write.append(batches, new Date(now()).toISOString()).values();
      const results = jobs.map((job) => ("batch" in job ? decisions.next().value : job.run()));
      await writer.exec("commit");
      return results;
    } catch (error) {
      if (writer.inTransaction) await writer.exec("rollback");
      throw error;
    }
  };
  const queue = groupQueue(commit, (error) => !isBusy(error));

  const committed = async <T>(job: Job): Promise<T> => {
    if (closed) throw unavailable("it was closed");
    try {
      // A queue gives each job its own result.
      return (await queue.add(job)) as T;
    } catch (error) {
      throw sqliteFault(error, path);
    }
  };
  const inTransaction = <T>(run: () => T, size = 0): Promise<T> => committed({ size, run });

  /** `Row` is what the select names; nobody else writes these tables. */
  const ask = <Row>(sql: string) => {
    let statement: ReturnType<typeof reader.prepare> | undefined;
    return async (...values: SqlValue[]): Promise<readonly Row[]> => {
      if (closed) throw unavailable("it was closed");
      try {
        return (await patiently(() => (statement ??= reader.prepare(sql)).all(values), isBusy)) as Row[];
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
  const leasesBeginning = ask<Lease>(
    "select name, holder from lease where substr(name, 1, length(?1)) = ?1 and until > ?2 order by name",
  );
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
      const decision = await committed<Decision>({ size: batch.size, batch });
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
    leases: (prefix) => leasesBeginning(prefix, now()),
    ...texts,
    reserve: (id, origin, amount) => inTransaction(() => write.reserve(id, originColumn(origin), amount)),
    async outstanding(id) {
      const [sum] = await outstanding(id);
      return { calls: sum?.calls ?? 0, tokens: sum?.tokens ?? 0, usd: sum?.usd ?? 0 };
    },
    engrams: sqliteEngrams({ ask, inTransaction, write: writeEngrams }),
    async [Symbol.asyncDispose]() {
      if (closed) return;
      closed = true;
      await queue.idle();
      subscribers.stop(unavailable("it was closed"));
      await database.close();
    },
  };
}
