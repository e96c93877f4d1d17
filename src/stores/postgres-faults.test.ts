import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { isFault } from "../kernel/index.ts";
import { engram, engramId } from "../testing/engram-samples.ts";
import { LOCAL, byClient, byOpening, deliberation, note, opening, upTo } from "../testing/store-samples.ts";
import { findServer, query } from "../../test/support/postgres-server.ts";
import { openPostgres } from "./postgres.ts";

const id = deliberation("d1");
const server = await findServer();
let made = 0;

/** A schema of its own, and a role of its own that may have so many connections. */
async function somewhere(url: string, connections = -1) {
  const name = `parley_fault_${process.pid}_${made++}`;
  await query(
    url,
    `create role ${name} login connection limit ${connections}; grant create on database ${database(url)} to ${name}`,
  );
  const own = new URL(url);
  own.username = name;
  return {
    name,
    url: own.href,
    with: (options: string) => `${own.href}?options=${encodeURIComponent(options)}`,
    [Symbol.asyncDispose]: async () => {
      await query(url, `drop schema if exists ${name} cascade`);
      await query(url, `drop owned by ${name}; drop role ${name}`);
    },
  };
}

const database = (url: string): string => new URL(url).pathname.slice(1);

const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  const fault: unknown = await work.catch((error: unknown) => error);
  return isFault(fault, "store-unavailable") ? fault.details.why : `no fault: ${String(fault)}`;
};

describe.skipIf("because" in server)("PostgreSQL as it is run elsewhere", () => {
  const url = "url" in server ? server.url : "";

  it.each(["serializable", "repeatable read", "read committed", "read uncommitted"])(
    "works where the default isolation is %s",
    async (isolation) => {
      await using place = await somewhere(url);
      const address = place.with(`-c default_transaction_isolation=${isolation.replace(" ", "\\ ")}`);
      const stores = await Promise.all(upTo(6).map(() => openPostgres(address, { schema: place.name })));
      await stores[0]?.for(LOCAL).append(id, [opening("?")], byOpening);
      await Promise.all(
        stores.flatMap((store, index) => [
          ...upTo(8).map((n) => store.for(LOCAL).append(id, [note(n)], byClient(`${index}-${n}`))),
          ...upTo(4).map((n) => store.for(LOCAL).append(id, [note(n)], byClient(`shared-${n}`))),
          ...upTo(4).map(() => store.lease("reactor/x", `w${index}`, 1_000)),
          store.engrams.put(engram(`e${index}`), engramId(`e${index}`)),
        ]),
      );
      expect(await stores[0]?.for(LOCAL).read(id)).toHaveLength(1 + 6 * 8 + 4);
      for (const store of stores) await store[Symbol.asyncDispose]();
    },
  );

  it.each([1, 2, 3])("waits for a place where there are %i connections for six processes", async (limit) => {
    await using place = await somewhere(url, limit);
    const work = upTo(6).map(async (n) => {
      const store = await openPostgres(place.url, { schema: place.name, connections: 2 });
      await store.for(LOCAL).append(deliberation(`d${n}`), [opening("?")], byOpening);
      await Promise.all(
        upTo(5).map((m) => store.for(LOCAL).append(deliberation(`d${n}`), [note(m)], byClient(`${m}`))),
      );
      expect(await store.for(LOCAL).read(deliberation(`d${n}`))).toHaveLength(6);
      await store[Symbol.asyncDispose]();
    });
    await Promise.all(work);
  });

  it("says that the server has no place when it has waited for one", async () => {
    await using place = await somewhere(url, 1);
    const only = new pg.Client({ connectionString: place.url });
    await only.connect();
    const opened = openPostgres(place.url, { schema: place.name, maxWaitMs: 300 });
    expect(await reasonOf(opened)).toMatch(/no connection left.*store-connections.*max_connections/);
    await only.end();
  });

  it("says that its own connections are busy, not that no server answers", async () => {
    await using place = await somewhere(url);
    const store = await openPostgres(place.url, { schema: place.name, connections: 1, maxWaitMs: 300 });
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    const blocker = new pg.Client({ connectionString: url });
    await blocker.connect();
    await blocker.query(`begin; lock table ${place.name}.event`);
    const slow = store.for(LOCAL).read(id);
    expect(await reasonOf(store.for(LOCAL).list({ limit: 1 }))).toMatch(
      /all connections have been busy.*store-connections/,
    );
    await blocker.query("commit");
    expect(await slow).toHaveLength(1);
    await blocker.end();
    await store[Symbol.asyncDispose]();
  });

  it("uses no more connections than it may", async () => {
    await using place = await somewhere(url);
    const store = await openPostgres(place.url, { schema: place.name, connections: 3 });
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    const reads = Promise.all(upTo(100).map(() => store.for(LOCAL).read(id)));
    const [row] = await query(url, "select count(*)::int as n from pg_stat_activity where usename = $1", [
      place.name,
    ]);
    await reads;
    expect(row?.["n"]).toBeLessThanOrEqual(3);
    await store[Symbol.asyncDispose]();
  });

  it("goes on, and records everything once, while its connections are ended again and again", async () => {
    await using place = await somewhere(url);
    const store = await openPostgres(place.url, { schema: place.name });
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    let over = false;
    const ending = (async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      let ended = 0;
      while (!over) {
        const sql = "select pg_terminate_backend(pid) from pg_stat_activity where usename = $1";
        ended += (await client.query(sql, [place.name])).rows.length;
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      await client.end();
      return ended;
    })();
    for (const n of upTo(60)) {
      await Promise.all([
        store.for(LOCAL).append(id, [note(n)], byClient(`${n}`)),
        store.for(LOCAL).read(id),
        store.lease("reactor/x", "w", 1_000),
        store.engrams.put(engram(`e${n}`), engramId(`e${n}`)),
      ]);
    }
    over = true;
    expect(await ending).toBeGreaterThan(10);
    expect((await store.for(LOCAL).read(id)).map(({ seq }) => seq)).toEqual(upTo(61));
    await store[Symbol.asyncDispose]();
  }, 90_000);

  it.each([1, 2, 3])(
    "goes on when a connection ends between two queries of a transaction, %i times",
    async (times) => {
      await using place = await somewhere(url);
      const store = await openPostgres(place.url, { schema: place.name });
      const ask = Reflect.get(pg.Client.prototype, "query") as (...args: unknown[]) => Promise<unknown>;
      let cuts = 0;
      const cutAfter = async (client: pg.Client, args: unknown[]): Promise<unknown> => {
        const result = await ask.apply(client, args);
        if (!String(args[0]).trimStart().startsWith("begin") || cuts >= times) return result;
        cuts += 1;
        await query(url, "select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [
          place.name,
        ]);
        await new Promise((resolve) => setTimeout(resolve, 50)); // the end arrives while nothing is asked
        return result;
      };
      const cutting = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
        this: pg.Client,
        ...args: unknown[]
      ): unknown {
        return cutAfter(this, args);
      });
      await store.for(LOCAL).append(id, [opening("?")], byOpening);
      cutting.mockRestore();
      expect(cuts).toBe(times);
      expect(await store.for(LOCAL).read(id)).toHaveLength(1);
      await store[Symbol.asyncDispose]();
    },
  );

  it("prepares no named statement, which a pooler's next connection would not know", async () => {
    await using place = await somewhere(url);
    const asked = vi.spyOn(pg.Client.prototype, "query");
    const store = await openPostgres(place.url, { schema: place.name });
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    await Promise.all([store.for(LOCAL).read(id), store.lease("reactor/x", "w", 1_000), store.end()]);
    await store.engrams.put(engram("a"), engramId("a"));
    await store.for(LOCAL).list({ limit: 1 });
    await store[Symbol.asyncDispose]();
    const named = asked.mock.calls.filter(([config]) => typeof config === "object" && "name" in config);
    expect([asked.mock.calls.length > 8, named]).toEqual([true, []]);
    asked.mockRestore();
  });
});
