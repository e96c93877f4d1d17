import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { FIRST_CURSOR, isFault } from "../kernel/index.ts";
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
import type { SqliteReader, SqliteWriter } from "./sqlite-driver.ts";
import { openDatabase } from "./sqlite-database.ts";
import { openSqlite, sqliteStore } from "./sqlite.ts";
import { bundledStore } from "../../test/support/store-child.ts";

const bundled = await bundledStore(new URL("./sqlite.ts", import.meta.url));

const id = deliberation("d1");

/** A store's file in a folder of its own. */
async function sqlitePlace(): Promise<
  Omit<StorePlace, "open"> & { readonly path: string; open(): Promise<OpenedStore> }
> {
  const folder = await mkdtemp(join(tmpdir(), "parley-sqlite-"));
  const path = join(folder, "new", "parley.db");
  const use = <T>(action: (database: Database.Database) => T): T => {
    const database = new Database(path);
    try {
      return action(database);
    } finally {
      database.close();
    }
  };
  return {
    path,
    open: () => openSqlite(path),
    child: { ...bundled, export: "openSqlite", args: [path] },
    integrity: async () => {
      const found = await Promise.resolve(
        use((database) => database.prepare("pragma integrity_check").all()),
      );
      if (JSON.stringify(found) !== '[{"integrity_check":"ok"}]') throw new Error(JSON.stringify(found));
    },
    holdWrites: () => {
      const database = new Database(path);
      database.exec("begin immediate");
      const release = () => {
        database.exec("rollback");
        database.close();
        return Promise.resolve();
      };
      return Promise.resolve({ release });
    },
    dataAtRest: (id) => {
      const rows = use((database) =>
        database.prepare("select data from event where deliberation = ? order by seq").all(id),
      );
      // The select names its one column.
      return Promise.resolve((rows as { data: string }[]).map((row) => row.data));
    },
    alter: (id, seq, row) => {
      const set = Object.keys(row ?? {}).map((column) => `${column} = ?`);
      const change = row ? `update event set ${set.join(", ")}` : "delete from event";
      use((database) =>
        database
          .prepare(`${change} where deliberation = ? and seq = ?`)
          .run(...Object.values(row ?? {}), id, seq),
      );
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A store in memory is its one opening, however often it is asked for; it ends with the place. */
function inMemory() {
  const opened = openSqlite(":memory:");
  const shared = async (): Promise<OpenedStore> => {
    const store = await opened;
    return { ...store, [Symbol.asyncDispose]: () => Promise.resolve() };
  };
  return Promise.resolve({
    open: shared,
    [Symbol.asyncDispose]: async () => (await opened)[Symbol.asyncDispose](),
  });
}

storeContract("the SQLite store", sqlitePlace, { describe, expect, it });

engramStoreContract("the SQLite store", sqlitePlace);

engramStoreContract("the SQLite store in memory", inMemory, {
  skip: [
    {
      because: "it lives in one process",
      tests: ["loses nothing acknowledged when two of four processes that remember are killed"],
    },
  ],
});

storeContract("the SQLite store in memory", inMemory, {
  describe,
  expect,
  it,
  skip: [
    {
      because: "it lives in one process",
      tests: [
        "lets many processes make and open a new store at once, and one of them record a contested step",
        "loses nothing acknowledged when half of the writing processes are killed",
        "waits for a held lock without holding the event loop",
        "keeps data at rest as canonical JSON",
        "keeps an event of a type that it does not know",
        "refuses to read a deliberation that cannot be read, and follows all others",
      ],
    },
    { because: "the place closes it", tests: ["refuses to be used after it was closed"] },
  ],
});

describe("the SQLite store", () => {
  it("SQLITE-2: writes ahead and syncs every commit (WAL, synchronous=FULL), and never blocks on a lock", async () => {
    await using place = await sqlitePlace();
    const database = await openDatabase(place.path);
    const pragma = async (connection: SqliteWriter | SqliteReader, name: string) => {
      const statement = await connection.prepare(`pragma ${name}`);
      // Of a pragma's one row the first column is its value.
      return Object.values(statement.get([]) as object)[0] as unknown;
    };
    for (const connection of [database.writer, database.reader]) {
      expect(await pragma(connection, "journal_mode")).toBe("wal");
      expect(await pragma(connection, "synchronous")).toBe(2);
      expect(await pragma(connection, "busy_timeout")).toBe(0);
    }
    await database.close();
  });

  it("leaves the whole store in its one file when it is closed", async () => {
    await using place = await sqlitePlace();
    const store = await place.open();
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    const log = `${place.path}-wal`;
    expect((await stat(log)).size).toBeGreaterThan(0);
    await store[Symbol.asyncDispose]();
    expect((await stat(log)).size).toBe(0);
  });

  it("SQLITE-2: asks the disk to sync at least once for each append that it acknowledges", async (context) => {
    await using place = await sqlitePlace();
    const counted = await countSyncs(place.path, 40);
    if ("because" in counted) {
      process.stderr.write(`skipped: counting syncs, because ${counted.because}\n`);
      return context.skip(counted.because);
    }
    // Opening takes a few as well; without FULL there would be no others.
    expect(counted.syncs).toBeGreaterThanOrEqual(40);
    expect(counted.syncs).toBeLessThan(60);
  });

  it("SQLITE-3: shows nobody what is not committed, and GROUP-3: fails alone what the database refuses", async () => {
    await using place = await sqlitePlace();
    await using store = await place.open();
    const database = new Database(place.path);
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    database.exec(`create trigger refusal before insert on event when new.type = 'feedback-given'
      begin select raise(abort, 'no feedback today'); end`);
    const outcomes = await Promise.allSettled(
      upTo(10).map((n) =>
        store.for(LOCAL).append(id, [note(n), n === 5 ? feedback : note(n)], byClient(`${n}`)),
      ),
    );
    expect(outcomes.map((outcome) => outcome.status === "rejected")).toEqual(upTo(10).map((n) => n === 5));
    expect(String(outcomes[4]?.status === "rejected" && outcomes[4].reason)).toContain("no feedback today");
    expect((await store.for(LOCAL).read(id)).map((entry) => entry.seq)).toEqual(upTo(19));
    database.close();
  });

  it("commits what is appended in one tick together, at most 64 at once", async () => {
    await using place = await sqlitePlace();
    const database = await openDatabase(place.path);
    const { writer } = database;
    let commits = 0;
    const counting = {
      prepare: (sql: string) => writer.prepare(sql),
      exec: (sql: string) => {
        commits += sql === "commit" ? 1 : 0;
        return writer.exec(sql);
      },
      get inTransaction() {
        return writer.inTransaction;
      },
    };
    await using store = await sqliteStore(
      { ...database, close: () => database.close(), writer: counting },
      Date.now,
    );
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    await Promise.all(upTo(128).map((n) => store.for(LOCAL).append(id, [note(n)], byClient(`${n}`))));
    expect(commits).toBe(3);
  });

  it("finds what has changed by its place, not by walking through all that was opened", async () => {
    await using place = await sqlitePlace();
    const database = await openDatabase(place.path);
    const asked: string[] = [];
    const reader: SqliteReader = {
      prepare(sql) {
        asked.push(sql);
        return database.reader.prepare(sql);
      },
    };
    await using store = await sqliteStore({ ...database, reader, close: () => database.close() }, Date.now);
    await store.listAll({
      limit: 9,
      after: FIRST_CURSOR,
      before: id,
      requests: { prefixes: ["api/"], hidden: false },
    });
    const plan = database.reader.prepare(`explain query plan ${asked.at(-1)}`).all([9, 0, 0, "api/"]);
    expect(JSON.stringify(plan)).toContain("deliberation_by_cursor");
  });

  it("catches up in batches", async () => {
    await using place = await sqlitePlace();
    await using store = await place.open();
    await store.for(LOCAL).append(id, [opening("?"), ...upTo(1_199).map(note)], byOpening);
    const stop = new AbortController();
    const sizes: number[] = [];
    for await (const batch of store.subscribe(FIRST_CURSOR, stop.signal)) {
      if (sizes.push(batch.length) === 3) stop.abort();
    }
    expect(sizes).toEqual([500, 500, 200]);
  });

  it("wakes everybody who waits by one poll, and fails them when it is closed", async () => {
    await using place = await sqlitePlace();
    await using other = await place.open();
    const store = await place.open();
    const subscriptions = upTo(20).map(() => collect(store, FIRST_CURSOR, (entries) => entries.length > 0));
    await other.for(LOCAL).append(id, [opening("?")], byOpening);
    for (const entries of await Promise.all(subscriptions)) expect(entries).toHaveLength(1);
    const forever = collect(store, await store.end(), () => false);
    const failure = forever.catch((error: unknown) => error);
    await store.for(LOCAL).read(id);
    await store[Symbol.asyncDispose]();
    expect(isFault(await failure, "store-unavailable")).toBe(true);
  });
});

/** How often a process that appends `appends` times, one after the other, asks for a sync. */
async function countSyncs(path: string, appends: number): Promise<{ syncs: number } | { because: string }> {
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `
    const { openSqlite } = await import(${module("./sqlite.ts")});
    const { byClient, byOpening, note, opening } = await import(${module("../testing/store-samples.ts")});
    const store = await openSqlite(${JSON.stringify(path)});
    await store.for("local").append("d1", [opening("?")], byOpening);
    for (let n = 1; n < ${appends}; n++) await store.for("local").append("d1", [note(n)], byClient(String(n)));`;
  const trace = join(dirname(dirname(path)), "trace");
  const node = [process.execPath, "--import", "tsx", "--input-type=module", "--eval", script];
  try {
    await promisify(execFile)("strace", ["-f", "-e", "trace=fsync,fdatasync", "-o", trace, ...node]);
  } catch (error) {
    if (/ENOENT|ptrace/i.test(String(error))) return { because: "strace is missing here or may not be used" };
    throw error;
  }
  return {
    syncs: (await readFile(trace, "utf8")).split("\n").filter((line) => /f(data)?sync\(/.test(line)).length,
  };
}
