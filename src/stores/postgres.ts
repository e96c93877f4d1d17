import { Cursor, DeliberationId, Fault, type Lease, type Reservation } from "../kernel/index.ts";
import { batchOf, outcomeOf } from "./batch.ts";
import { groupQueue } from "./group-queue.ts";
import type { OpenedStore } from "./opened-store.ts";
import { SUBSCRIPTION_EVENTS, follow, poller } from "./poller.ts";
import { recordGroup } from "./postgres-append.ts";
import { openDatabase, type PostgresDatabase } from "./postgres-database.ts";
import { runEngramJobs, type EngramJob } from "./postgres-engram-writes.ts";
import { postgresEngrams } from "./postgres-engrams.ts";
import { isLost, postgresFault } from "./postgres-faults.ts";
import { EVENT_COLUMNS, entryOfRow, escaped, originColumn, unescaped, type EventRow } from "./row.ts";
import { outstandingQuery, summaryOf, type SummaryRow } from "./summary.ts";
import { cachedTexts } from "./text-cache.ts";

/**
 * How often another process's commits are looked for, while somebody subscribes. Polling, because NOTIFY
 * takes a lock of the whole server at commit and needs polling beside it anyway for when its connection breaks.
 */
const POLL_MS = 40;

type Value = string | number | boolean | null | readonly (string | number)[];

/**
 * A store in a schema of a PostgreSQL database that many machines may use at once. Lease times are the
 * server's clock.
 *
 * @throws Fault `store-unavailable`, `schema-newer`, `configuration`
 */
export async function openPostgres(
  url: string,
  { schema = "parley", now = Date.now }: { schema?: string; now?: () => number } = {},
): Promise<OpenedStore> {
  return postgresStore(await openDatabase(url, schema), now);
}

function postgresStore(database: PostgresDatabase, now: () => number): OpenedStore {
  const { where, pool, table } = database;
  let closed = false;

  const unavailable = (why: string) => new Fault("store-unavailable", { where, why });

  const guarded = async <T>(action: () => Promise<T>): Promise<T> => {
    if (closed) throw unavailable("it was closed");
    try {
      return await action();
    } catch (error) {
      throw postgresFault(error, where);
    }
  };
  /** What can be done twice is done again when the connection broke, once. */
  const repeatable = <T>(action: () => Promise<T>): Promise<T> =>
    action().catch((error: unknown) => {
      if (!isLost(error)) throw error;
      return action();
    });

  /** `Row` is what the select names; nobody else writes these tables. */
  const ask =
    <Row extends object>(name: string, text: string) =>
    (...values: readonly Value[]): Promise<readonly Row[]> =>
      guarded(
        async () => (await repeatable(() => pool.query<Row>({ name, text, values: [...values] }))).rows,
      );
  /** Resolves to whether a row was written. */
  const tell =
    (name: string, text: string) =>
    (...values: readonly Value[]): Promise<boolean> =>
      guarded(async () => (await pool.query({ name, text, values: [...values] })).rowCount === 1);

  const events = `select ${EVENT_COLUMNS.join(", ")} from ${table("event")}`;
  const readAll = ask<EventRow>("read", `${events} where deliberation = $1 and seq > $2 order by seq`);
  const recordedRows = ask<EventRow>(
    "recorded",
    `${events} where deliberation = $1 and origin_key = $2 order by place`,
  );
  const readAfter = ask<EventRow>(
    "after",
    `${events} where cursor > $1 order by cursor limit ${SUBSCRIPTION_EVENTS}`,
  );
  const lastCursor = ask<{ last: number }>(
    "end",
    `select coalesce(max(cursor), 0) as last from ${table("event")}`,
  );
  const headsAfter = ask<{ id: string; seq: number; cursor: number }>(
    "heads",
    `select id, seq, cursor from ${table("deliberation")} where cursor > $1 order by cursor`,
  );
  const heads = `select * from ${table("deliberation")} where organization = $1`;
  const page = `opened < coalesce((select opened from ${table("deliberation")} where id = $2), $3)`;
  const listAll = ask<SummaryRow>("list", `${heads} and ${page} order by opened desc limit $4`);
  const listSeries = ask<SummaryRow>(
    "series",
    `${heads} and ${page} and series = $5 order by opened desc limit $4`,
  );
  const leasesBeginning = ask<Lease>(
    "leases",
    `select name, holder from ${table("lease")} where left(name, length($1)) = $1 and until > now() order by name collate "C"`,
  );
  const reactorCursor = ask<{ cursor: number }>(
    "cursor",
    `select cursor from ${table("reactor")} where name = $1`,
  );
  const firstCursor = tell(
    "first",
    `insert into ${table("reactor")} (name, cursor) values ($1, $2) on conflict do nothing`,
  );
  const nextCursor = tell(
    "next",
    `update ${table("reactor")} set cursor = $2 where name = $1 and cursor = $3`,
  );
  const takeLease = tell(
    "lease",
    `insert into ${table("lease")} as held (name, holder, until) values ($1, $2, now() + make_interval(secs => $3))
     on conflict (name) do update set holder = excluded.holder, until = excluded.until
     where held.holder = excluded.holder or held.until <= now()`,
  );
  const dropLease = tell("release", `delete from ${table("lease")} where name = $1 and holder = $2`);
  const content = ask<{ content: string }>(
    "text",
    `select content from ${table("content")} where digest = $1`,
  );
  const putContent = tell(
    "put",
    `insert into ${table("content")} (digest, content) values ($1, $2) on conflict do nothing`,
  );
  const addReservation = tell(
    "reserve",
    `insert into ${table("reservation")} (deliberation, origin_key, calls, tokens, usd) values ($1, $2, $3, $4, $5)`,
  );
  const outstanding = ask<Reservation>("outstanding", outstandingQuery("$1", table));

  const queue = groupQueue(
    (batches: readonly ReturnType<typeof batchOf>[]) =>
      // A group whose connection broke is offered again: what it recorded is found by its origins.
      repeatable(() => recordGroup(database, batches, new Date(now()).toISOString())),
    (error) => !isLost(error),
  );
  // A write of engrams that is repeated finds what it wrote, as an append does.
  const engramQueue = groupQueue(
    (jobs: readonly EngramJob[]) => repeatable(() => runEngramJobs(database, jobs)),
    (error) => !isLost(error),
  );
  const end = async () => Cursor.parse((await lastCursor())[0]?.last ?? 0);
  const subscribers = poller(end, POLL_MS);

  const texts = cachedTexts({
    putText: async (digest, text) => void (await putContent(digest, escaped(text))),
    async text(digest) {
      const [row] = await content(digest);
      if (!row) throw new Fault("text-missing", { digest });
      return unescaped(row.content);
    },
  });

  return {
    where,
    async append(id, newEvents, origin) {
      const batch = batchOf(id, newEvents, origin);
      const decision = await guarded(() => queue.add(batch));
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
      const rows = await headsAfter(after);
      const changed = rows.map(({ id, seq }) => ({ deliberation: DeliberationId.parse(id), seq }));
      return { cursor: Cursor.parse(rows.at(-1)?.cursor ?? after), heads: changed };
    },
    end,
    async list({ organization, series, before, limit }) {
      const from = [
        organization,
        before ?? null,
        before === undefined ? Number.MAX_SAFE_INTEGER : 0,
        limit,
      ] as const;
      return (series === undefined ? await listAll(...from) : await listSeries(...from, series)).map(
        summaryOf,
      );
    },
    async cursor(reactor) {
      const [row] = await reactorCursor(reactor);
      return row && Cursor.parse(row.cursor);
    },
    advance: (reactor, from, to) =>
      from === undefined ? firstCursor(reactor, to) : nextCursor(reactor, to, from),
    lease: (name, holder, ttlMs) => takeLease(name, holder, ttlMs / 1_000),
    release: async (name, holder) => void (await dropLease(name, holder)),
    leases: (prefix) => leasesBeginning(prefix),
    ...texts,
    reserve: async (id, origin, { calls, tokens, usd }) =>
      void (await addReservation(id, originColumn(origin), calls, tokens, usd)),
    async outstanding(id) {
      const [sum] = await outstanding(id);
      return { calls: sum?.calls ?? 0, tokens: sum?.tokens ?? 0, usd: sum?.usd ?? 0 };
    },
    engrams: postgresEngrams({
      database,
      ask,
      // A queue gives each job its own result.
      committed: <T>(job: EngramJob<T>) => guarded(() => engramQueue.add(job)) as Promise<T>,
    }),
    async [Symbol.asyncDispose]() {
      if (closed) return;
      closed = true;
      await queue.idle();
      await engramQueue.idle();
      subscribers.stop(unavailable("it was closed"));
      await pool.end();
    },
  };
}
