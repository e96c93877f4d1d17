import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import AsyncDatabase from "libsql/promise";
import { Fault } from "../kernel/index.ts";
import { patiently } from "./patience.ts";
import { isBusy, sqliteFault } from "./sqlite-faults.ts";
import { APPLICATION_ID, MIGRATIONS } from "./sqlite-schema.ts";

/** Bytes are given as a `Buffer`: what else libsql takes for bytes is not said. */
export type SqlValue = string | number | Buffer | null;

/** What this store uses of a libsql statement. Rows are typed by who wrote the select. Values in one array need no copying. */
export type Statement = {
  run(values: SqlValue[]): { readonly changes: number };
  /** The first row, or undefined. */
  get(values: SqlValue[]): unknown;
};

export type Reader = { prepare(sql: string): Statement & { all(values: SqlValue[]): unknown[] } };

/** `exec` may return a promise, and so may `prepare`; the statements are synchronous. */
export type Writer = { exec(sql: string): unknown; prepare(sql: string): Statement | Promise<Statement> };

/**
 * One file, two connections, because SQLite lets a connection do one thing at a time.
 *
 * The writer is `libsql/promise`: its `exec`, so COMMIT and every fsync, runs on a thread of its own,
 * while single statements, BEGIN among them, run in this one and touch memory only. Measured with each fsync slowed to 30 ms,
 * 8 events a commit: the synchronous API held the event loop for 115 ms at a time, this one for under 20 ms
 * at the same throughput; with a fast disk it costs 20 % of it (3,200 against 4,100 commits a second).
 * The reader is synchronous (reads wait for no disk sync and no writer in WAL) and never sees an open transaction.
 * In memory there is no disk to wait for, and one synchronous connection is both.
 */
export type SqliteDatabase = {
  readonly path: string;
  readonly writer: Writer & { readonly inTransaction: boolean };
  readonly reader: Reader;
  close(): Promise<void>;
};

/**
 * Opens a store's file, making the folder (0700), the file (0600) and its tables where they are missing.
 * `:memory:` is a store that ends with the object.
 * @throws Fault `store-unavailable`, `schema-newer`
 */
export async function openDatabase(path: string): Promise<SqliteDatabase> {
  try {
    const inMemory = path === ":memory:";
    if (!inMemory) createPrivately(path);
    const reader = synchronous(path);
    const writer = inMemory ? reader : asynchronous(path);
    const close = async () => {
      // So that the file alone is the whole store when nobody has it open: libsql does not do it by itself. Where
      // another process is at work, or the disk is full, the log stays and the next opening reads it.
      if (!inMemory)
        await Promise.resolve(writer.exec("pragma wal_checkpoint(truncate)")).catch(() => undefined);
      reader.close();
      if (!inMemory) writer.close();
    };
    const database = { path, reader, writer, close };
    try {
      // The busy timeout is 0 from the start: even the first opening waits without blocking.
      for (const connection of inMemory ? [writer] : [writer, reader]) {
        await patiently(() => configure(connection, inMemory), isBusy);
      }
      await patiently(() => migrate(database), isBusy);
      return database;
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    throw sqliteFault(error, path);
  }
}

/**
 * The folder and those above it. Not `recursive: true`: Node's own never returns where the file system refuses a
 * name in a folder that exists, as /proc does.
 */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    makeFolder(path);
  }
}

/** Never opens a file that exists: closing it would drop the locks that this process holds on it (POSIX). */
function createPrivately(path: string): void {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

type Connection = Writer & { readonly inTransaction: boolean; close(): void };

function synchronous(path: string): Connection & Reader {
  // libsql types a statement's values as arguments; in one array it takes them as well (index.js), and does not copy them.
  return new Database(path) as unknown as Connection & Reader;
}

function asynchronous(path: string): Connection {
  // libsql types its promise variant as `any` and forgets `inTransaction`.
  return new AsyncDatabase(path, {}) as unknown as Connection;
}

async function configure(connection: Writer, inMemory: boolean): Promise<void> {
  await connection.exec("pragma busy_timeout = 0");
  if (!inMemory) await connection.exec("pragma journal_mode = wal");
  await connection.exec("pragma synchronous = full");
}

async function migrate({ reader, writer, path }: SqliteDatabase): Promise<void> {
  const versionOf = () => {
    const found = numberFrom(reader, "pragma user_version");
    if (found <= MIGRATIONS.length) return found;
    throw new Fault("schema-newer", { what: `the store at ${path}`, found, known: MIGRATIONS.length });
  };
  refuseForeign(reader, path);
  if (versionOf() === MIGRATIONS.length) return;
  await writer.exec("begin immediate");
  try {
    // Asked again under the lock: another process may have been first.
    const steps = MIGRATIONS.slice(versionOf());
    for (const step of steps) await writer.exec(step);
    await writer.exec(
      `pragma application_id = ${APPLICATION_ID}; pragma user_version = ${MIGRATIONS.length}`,
    );
    await writer.exec("commit");
  } catch (error) {
    if (writer.inTransaction) await writer.exec("rollback");
    throw error;
  }
}

function refuseForeign(reader: Reader, path: string): void {
  // In this order, because another process may be making the tables now: both come with one commit.
  if (numberFrom(reader, "select count(*) from sqlite_schema") === 0) return;
  if (numberFrom(reader, "pragma application_id") === APPLICATION_ID) return;
  const why = "it is another program's database; name another file";
  throw new Fault("store-unavailable", { where: path, why });
}

/** The first column of the first row. */
function numberFrom(reader: Reader, sql: string): number {
  const [row] = reader.prepare(sql).all([]);
  const [value] = typeof row === "object" && row !== null ? Object.values(row) : [];
  return Number(value);
}
