import pg from "pg";
import { describe, expect, it } from "vitest";
import { FIRST_CURSOR, Digest, OrganizationId, isFault } from "../kernel/index.ts";
import { ada, engram, engramId, grade } from "../testing/engram-samples.ts";
import { NEW_SUMS, NEW_SUMS_AFTER, OLD_PARTS, OLD_SUMS, oldSums } from "../../test/support/old-sums.ts";
import { findServer, query } from "../../test/support/postgres-server.ts";
import { engramStoreContract } from "../../test/support/engram-store-contract.ts";
import { storeContract } from "../testing/store-contract.ts";
import { collect, type StorePlace } from "../testing/store-place.ts";
import {
  LOCAL,
  byClient,
  byOpening,
  deliberation,
  feedback,
  note,
  opening,
  upTo,
} from "../testing/store-samples.ts";
import type { OpenedStore } from "./store.ts";
import { POSTGRES_MIGRATIONS as MIGRATIONS } from "./schema.ts";
import { openPostgres } from "./postgres.ts";
import { bundledStore } from "../../test/support/store-child.ts";

const bundled = await bundledStore(new URL("./postgres.ts", import.meta.url));

const id = deliberation("d1");

let schemas = 0;

type PostgresPlace = Omit<StorePlace, "open"> & {
  readonly schema: string;
  readonly lock: string;
  open(): Promise<OpenedStore>;
};

async function postgresPlace(url: string): Promise<PostgresPlace> {
  const schema = `parley_test_${process.pid}_${schemas++}`;
  const drop = async () => void (await query(url, `drop schema if exists ${schema} cascade`));
  await drop();
  const lock = `select pg_advisory_xact_lock(hashtext('parley append'), hashtext('${schema}'))`;
  return {
    schema,
    lock,
    open: () => openPostgres(url, { schema }),
    child: { ...bundled, export: "openPostgres", args: [url, { schema }] },
    holdWrites: async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`begin; ${lock}`);
      return { release: () => client.end() };
    },
    dataAtRest: async (name) => {
      const rows = await query(url, `select data from ${schema}.event where deliberation = $1 order by seq`, [
        name,
      ]);
      return rows.map((row) => String(row["data"]));
    },
    alter: async (name, seq, row) => {
      const set = Object.keys(row ?? {}).map((column, index) => `${column} = $${index + 3}`);
      const change = row ? `update ${schema}.event set ${set.join(", ")}` : `delete from ${schema}.event`;
      const values = [name, seq, ...Object.values(row ?? {})];
      await query(url, `${change} where deliberation = $1 and seq = $2`, values);
    },
    [Symbol.asyncDispose]: drop,
  };
}

const server = await findServer();

if ("because" in server) {
  process.stderr.write(`skipped: the PostgreSQL store, because ${server.because}\n`);
  describe.skip(`the PostgreSQL store (skipped: ${server.because})`, () => {
    it("keeps the store contract", () => undefined);
  });
} else {
  const { url } = server;
  storeContract("the PostgreSQL store", () => postgresPlace(url), { describe, expect, it });

  engramStoreContract("the PostgreSQL store", () => postgresPlace(url));

  describe("the PostgreSQL store", () => {
    it("APPEND-1: shows a subscription nothing beyond a slow transaction, and then everything in order", async () => {
      await using place = await postgresPlace(url);
      await using store = await place.open();
      await store.for(LOCAL).append(id, [opening("?")], byOpening);
      const slow = new pg.Client({ connectionString: url });
      await slow.connect();
      await slow.query(`begin; ${place.lock}`);
      await slow.query(`
        insert into ${place.schema}.event (cursor, deliberation, seq, origin_key, place, type, schema, at, origin, data)
        select 2, deliberation, 2, 'client/slow', 0, 'feedback-given', schema, at,
          '{"by":"client","request":"slow"}', '{"thumb":"up"}'
        from ${place.schema}.event where cursor = 1`);
      await slow.query(`update ${place.schema}.deliberation set seq = 2, cursor = 2 where id = 'd1'`);
      const quick = store.for(LOCAL).append(id, [note("quick")], byClient("quick"));
      const following = collect(store, FIRST_CURSOR, (entries) => entries.length >= 3);
      await expect.poll(() => waitingForLock(url), { timeout: 5_000, interval: 10 }).toBe(true);
      expect(await store.end()).toBe(1);
      await slow.query("commit");
      await slow.end();
      await quick;
      expect((await following).map((entry) => [entry.cursor, entry.id])).toEqual([
        [1, "d1/open#0"],
        [2, "d1/client/slow#0"],
        [3, "d1/client/quick#0"],
      ]);
    });

    it("GROUP-3: fails alone what the database refuses, not what was grouped with it", async () => {
      await using place = await postgresPlace(url);
      await using store = await place.open();
      await store.for(LOCAL).append(id, [opening("?")], byOpening);
      await query(url, `alter table ${place.schema}.event add check (type <> 'feedback-given')`);
      const outcomes = await Promise.allSettled(
        upTo(10).map((n) => store.for(LOCAL).append(id, [n === 5 ? feedback : note(n)], byClient(`${n}`))),
      );
      expect(outcomes.map((outcome) => outcome.status === "rejected")).toEqual(upTo(10).map((n) => n === 5));
      expect((await store.for(LOCAL).read(id)).map((entry) => entry.seq)).toEqual(upTo(10));
    });

    it("goes on, and records once, when its connections are cut while an append waits", async () => {
      await using place = await postgresPlace(url);
      await using store = await place.open();
      await store.for(LOCAL).append(id, [opening("?")], byOpening);
      const lock = await place.holdWrites?.();
      const waiting = store.for(LOCAL).append(id, [note(1)], byClient("waiting"));
      await expect.poll(() => waitingForLock(url), { timeout: 5_000, interval: 10 }).toBe(true);
      await query(
        url,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley' and wait_event = 'advisory'",
      );
      await lock?.release();
      expect(await waiting).toMatchObject({ ok: true });
      expect(await store.for(LOCAL).read(id)).toHaveLength(2);
    });

    it("commits durably on a server that is set to acknowledge before it has written", async () => {
      await using place = await postgresPlace(url);
      const lazily = `${url}${url.includes("?") ? "&" : "?"}options=-c%20synchronous_commit%3Doff`;
      await using store = await openPostgres(lazily, { schema: place.schema });
      await store.for(LOCAL).append(id, [opening("?")], byOpening);
      await query(
        url,
        `create function ${place.schema}.durable() returns trigger language plpgsql as
         $$ begin if current_setting('synchronous_commit') = 'off' then raise 'not durable'; end if; return new; end $$;
         create trigger durable before insert on ${place.schema}.event
         for each row execute function ${place.schema}.durable()`,
      );
      expect(await store.for(LOCAL).append(id, [note(1)], byClient("a"))).toMatchObject({ ok: true });
    });

    it("opens a store of the first version, keeps its events and makes the tables, whoever is first", async () => {
      await using place = await postgresPlace(url);
      const { schema } = place;
      const today = await place.open();
      await today.for(LOCAL).append(id, [opening("?"), note(1)], byOpening);
      await today[Symbol.asyncDispose]();
      await query(
        url,
        `alter schema ${schema} rename to ${schema}_today; create schema ${schema};
         create table ${schema}.version (version integer not null); insert into ${schema}.version values (1);
         set search_path to ${schema}; ${MIGRATIONS[0]};
         insert into event select * from ${schema}_today.event;
         insert into deliberation
         select id, organization, series, protocol, question, opened, opened_at, status, seq, cursor
         from ${schema}_today.deliberation;
         drop schema ${schema}_today cascade`,
      );
      const rivals = await Promise.all(upTo(4).map(() => place.open()));
      const puts = await Promise.all(
        rivals.map(({ engrams }) => engrams.put(engram("a", { summary: "zebra" }), engramId("a"))),
      );
      expect(puts.filter(Boolean)).toHaveLength(1);
      for (const rival of rivals) {
        expect((await rival.for(LOCAL).read(id)).map((entry) => entry.id)).toEqual([
          "d1/open#0",
          "d1/open#1",
        ]);
        expect(await rival.engrams.matching(ada, { words: ["zebra"], limit: 3 })).toEqual(["a"]);
        await rival[Symbol.asyncDispose]();
      }
    });

    it("STORE-2: gives each organization the texts that its openings pin, whoever migrates first", async () => {
      await using place = await postgresPlace(url);
      const { schema } = place;
      const [local, acme] = ["local", "acme"].map((name) => OrganizationId.parse(name));
      if (!local || !acme) throw new Error("two organizations are needed");
      const digest = (digit: string) => Digest.parse(digit.repeat(64));
      const today = await place.open();
      for (const [name, organization] of [
        ["d1", local],
        ["d2", acme],
      ] as const) {
        const event = opening('nul \0, "quotes"', { organization });
        if (event.type !== "deliberation-opened") throw new Error("an opening was asked for");
        const templates = { own: digest(organization === local ? "a" : "b"), shared: digest("c") };
        const data = { ...event.data, templates };
        await today.for(organization).append(deliberation(name), [{ ...event, data }], byOpening);
      }
      await today[Symbol.asyncDispose]();
      const secondVersion = async (only: string) =>
        query(
          url,
          `create schema ${schema}_old;
           create table ${schema}_old.version (version integer not null); insert into ${schema}_old.version values (2);
           set search_path to ${schema}_old; ${MIGRATIONS[0]}; ${MIGRATIONS[1]};
           insert into event select * from ${schema}.event where deliberation ~ '${only}';
           insert into deliberation select id, organization, series, protocol, question, opened, opened_at, status, seq, cursor
           from ${schema}.deliberation where id ~ '${only}';
           insert into content select repeat(digit, 64), '"' || digit || '"' from unnest(array['a','b','c','f']) digit`,
        );
      const texts = async () => {
        await using store = await openPostgres(url, { schema: `${schema}_old` });
        const read = (organization: OrganizationId) =>
          Promise.all(
            [..."abcf"].map((digit) =>
              store
                .for(organization)
                .text(digest(digit))
                .catch((error: unknown) => (isFault(error, "text-missing") ? "." : String(error))),
            ),
          );
        return [(await read(local)).join(""), (await read(acme)).join("")];
      };
      await secondVersion(".");
      expect(await Promise.all(upTo(8).map(texts))).toEqual(upTo(8).map(() => ["a.c.", ".bc."]));
      await query(url, `drop schema ${schema}_old cascade`);
      await secondVersion("d2");
      expect(await texts()).toEqual(["....", "abcf"]);
      await query(url, `drop schema ${schema}_old cascade`);
    });

    it("makes anew the sums of a store that added to them and took from them", async () => {
      await using place = await postgresPlace(url);
      const before = await place.open();
      await before.for(LOCAL).projection.put(OLD_PARTS);
      await before[Symbol.asyncDispose]();
      await query(url, `set search_path to ${place.schema}; ${OLD_SUMS} update version set version = 9`);
      await using store = await place.open();
      const { projection } = store.for(LOCAL);
      expect(await oldSums(projection)).toEqual(NEW_SUMS);
      expect(await oldSums(projection, "2026-02-02")).toEqual(NEW_SUMS_AFTER);
    });

    it("ENGRAM-1: goes on, and annotates once, when its connections are cut while engrams wait", async () => {
      await using place = await postgresPlace(url);
      await using store = await place.open();
      await store.engrams.put(engram("a"), engramId("a"));
      const blocker = new pg.Client({ connectionString: url });
      await blocker.connect();
      await blocker.query(`begin; ${place.lock.replace("parley append", "parley engrams")}`);
      const target = { ...ada, id: engramId("a") };
      const waiting = store.engrams.annotate(target, grade("g"));
      await expect.poll(() => waitingForLock(url), { timeout: 5_000, interval: 10 }).toBe(true);
      await query(
        url,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley' and wait_event = 'advisory'",
      );
      await blocker.end();
      expect(await waiting).toEqual({ state: "annotated", lapsed: [] });
      expect((await store.engrams.get(ada, [target.id]))[0]?.annotations).toEqual([grade("g")]);
    });

    it("refuses a store of a newer version", async () => {
      await using place = await postgresPlace(url);
      await (await place.open())[Symbol.asyncDispose]();
      await query(url, `update ${place.schema}.version set version = 99`);
      const fault: unknown = await place.open().catch((error: unknown) => error);
      expect(isFault(fault, "schema-newer") && fault.details).toMatchObject({ found: 99 });
    });

    it("says in plain words why a server cannot be used, and never a password", async () => {
      const { host, pathname } = new URL(url);
      const faults = await Promise.all(
        [
          "postgres://ada:s3cret@127.0.0.1:1/test",
          "postgres://ada:s3cret@no-such-host.invalid/test",
          `postgres://nobody_of_this_name:s3cret@${host}${pathname}`,
          "postgres://ada:s3cret@[::/test",
        ].map((wrong) => openPostgres(wrong).catch((error: unknown) => error)),
      );
      for (const fault of faults) {
        expect(isFault(fault, "store-unavailable")).toBe(true);
        expect(String(fault)).not.toContain("s3cret");
      }
      expect(faults.map(String)).toEqual([
        expect.stringMatching(/127\.0\.0\.1:1\/test.*no server answers there/),
        expect.stringMatching(/no server answers there/),
        expect.stringMatching(/refused the user or the password/),
        expect.stringMatching(/not an address of a PostgreSQL server/),
      ]);
    });
  });
}

async function waitingForLock(url: string): Promise<boolean> {
  const sql = "select 1 from pg_stat_activity where application_name = 'parley' and wait_event = 'advisory'";
  return (await query(url, sql)).length > 0;
}
