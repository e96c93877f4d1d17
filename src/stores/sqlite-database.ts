import { accessSync, constants, statSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Fault, isFault } from "../kernel/index.ts";
import { errorCode, retryWhileBusy } from "./database.ts";
import type { SqliteConnection, SqliteDriver, SqliteReader, SqliteWriter } from "./sqlite-driver.ts";
import { APPLICATION_ID, SQLITE_MIGRATIONS as MIGRATIONS } from "./schema.ts";

/** How long others' reads may hold up the emptying of the log. */
const MAX_LOG_WAIT_MS = 2_000;

const CHECKPOINT = "pragma wal_checkpoint(truncate)";

/** Whether another connection holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  const code = errorCode(error);
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}

const KEPT = "nothing acknowledged was lost";

const FULL = `the disk is full; free space and try again: ${KEPT}`;
const READONLY = `it is read-only; make the file, its folder and the file system writable, then try again: ${KEPT}`;
const DENIED =
  "this user may not read and write it; change its owner or permissions, or set PARLEY_HOME to another folder";
const NO_FOLDER = "a part of the path is not a folder; set PARLEY_HOME to another folder";
const OPEN_FILES = "too many files are open; close some, or raise the limit of open files";

const GONE =
  "the file was deleted, moved or replaced while it was in use; put it back with its -wal file if you moved it, then resume the run, or ask again";

/** By the beginning of SQLite's extended result code, or by the operating system's error code. */
const WHY: readonly (readonly [code: string, why: string])[] = [
  ["SQLITE_FULL", FULL],
  ["ENOSPC", FULL],
  ["EDQUOT", FULL],
  ["SQLITE_READONLY", READONLY],
  ["EROFS", READONLY],
  ["SQLITE_PERM", DENIED],
  ["SQLITE_AUTH", DENIED],
  ["EACCES", DENIED],
  ["EPERM", DENIED],
  ["ENOTDIR", NO_FOLDER],
  ["EEXIST", NO_FOLDER],
  ["ENAMETOOLONG", "its path is too long; set PARLEY_HOME to a shorter one"],
  ["ELOOP", "its path has a link that leads back to itself; set PARLEY_HOME to another folder"],
  ["EMFILE", OPEN_FILES],
  ["ENFILE", OPEN_FILES],
  [
    "SQLITE_CANTOPEN",
    "it cannot be opened, though its permissions allow it; check how many files this user has open",
  ],
  ["EISDIR", "it is a folder, not a file; name a file in it"],
  ["SQLITE_NOTADB", "it is not a database; name another file, or move this one away"],
  [
    "SQLITE_CORRUPT",
    "the file is damaged; keep it and its -wal file, and restore a copy or try sqlite3's .recover on them",
  ],
  ["SQLITE_BUSY", `another process has kept it locked for 30 s; end that process and try again: ${KEPT}`],
  ["SQLITE_LOCKED", `another connection has kept it locked for 30 s; try again: ${KEPT}`],
  ["SQLITE_NOMEM", `there is no memory left; free some and try again: ${KEPT}`],
  [
    "SQLITE_IOERR",
    `the disk failed while reading or writing; check the disk and its free space, then try again: ${KEPT}`,
  ],
];

/** An error of the database or of the file system as a fault; anything else as it is. */
export function sqliteFault(error: unknown, path: string): Error {
  if (isFault(error)) return error;
  const plain = error instanceof Error ? error : new Error(String(error));
  const code = cannotOpen(plain) ? openingCode(path) : errorCode(plain);
  const why = WHY.find(([prefix]) => code.startsWith(prefix))?.[1];
  if (why !== undefined) return new Fault("store-unavailable", { where: path, why }, { cause: error });
  if (!code.startsWith("SQLITE_")) return plain;
  return new Fault(
    "store-unavailable",
    { where: path, why: `SQLite says: ${plain.message} (${code})` },
    { cause: error },
  );
}

/** libsql reports a failed open as a plain error. */
function cannotOpen(error: Error): boolean {
  return (
    errorCode(error).startsWith("SQLITE_CANTOPEN") ||
    errorCode(error) === "ENOENT" ||
    error.message.startsWith("ConnectionFailed")
  );
}

/** SQLite says only "cannot open", and Node "not there" of a folder that it may not make; the file system says why. */
function openingCode(path: string): string {
  try {
    if (statSync(path).isDirectory()) return "EISDIR";
    accessSync(path, constants.R_OK | constants.W_OK);
    return "SQLITE_CANTOPEN";
  } catch (error) {
    const code = errorCode(error);
    const folder = dirname(path);
    return code === "ENOENT" && folder !== path ? folderCode(folder) : code;
  }
}

/** Why nothing can be made in a folder, or in the nearest one above it that is there. */
function folderCode(folder: string): string {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return "SQLITE_CANTOPEN";
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" && dirname(folder) !== folder ? folderCode(dirname(folder)) : code;
  }
}

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
export type SqliteConnections = {
  readonly path: string;
  readonly writer: SqliteWriter & { readonly inTransaction: boolean };
  readonly reader: SqliteReader;
  /** What was written is at the path. @throws Fault `store-unavailable` where another file is, or none */
  assertInPlace(): void;
  /**
   * Writes the log into the file and cuts it to nothing. Never fails: where others read it for seconds, or the disk is
   * full, the next opening or closing does it.
   */
  emptyLog(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens a store's file, making the folder (0700), the file (0600) and its tables where they are missing.
 * `:memory:` is a store that ends with the object.
 * @throws Fault `store-unavailable`, `schema-newer`
 */
export async function openDatabase(path: string, load = loadLibsql): Promise<SqliteConnections> {
  try {
    const inMemory = path === ":memory:";
    const driver = await load().catch((error: unknown) => withoutLibsql(path, error));
    if (!inMemory) createPrivately(path);
    const reader = driver.reader(path);
    const writer = inMemory ? reader : driver.writer(path);
    const emptyLog = async (maxWaitMs = MAX_LOG_WAIT_MS): Promise<void> => {
      if (inMemory) return;
      const attempt = async () => {
        const checkpoint = await writer.prepare(CHECKPOINT);
        const [found] = (await checkpoint.all([])) as { busy: number }[]; // SQLite names it
        if (found?.busy !== 0) throw Object.assign(new Error("the log is in use"), { code: "SQLITE_BUSY" });
      };
      await retryWhileBusy(attempt, isBusy, { maxWaitMs }).catch(() => undefined);
    };
    const close = async () => {
      try {
        // So that the file alone is the whole store when nobody has it open: libsql does not do it by itself. Not
        // prepared, because libsql keeps a file open until its statements are collected.
        await writer.exec(CHECKPOINT);
      } catch {
        // Another process is at work, or the disk is full: the log stays, and the next opening reads it.
      }
      reader.close();
      if (!inMemory) writer.close();
    };
    const assertInPlace = inMemory ? () => undefined : watchPlace(path);
    const database = { path, reader, writer, assertInPlace, emptyLog, close };
    try {
      // The busy timeout is 0 from the start: even the first opening waits without blocking.
      for (const connection of inMemory ? [writer] : [writer, reader])
        await retryWhileBusy(() => configure(connection, inMemory), isBusy);
      await retryWhileBusy(() => migrate(database), isBusy);
      // What is deleted is overwritten.
      await writer.exec("pragma secure_delete = on");
      // A process that was killed left the log, and in it what it had deleted. (FORGET-3)
      if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size) await emptyLog(0);
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
export function makeFolder(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path), mode);
    makeFolder(path, mode);
  }
}

/** Never opens a file that exists: closing it would drop the locks that this process holds on it (POSIX). */
function createPrivately(path: string): void {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** What throws where another file, an empty one or none has come to the path of one that is open. */
function watchPlace(path: string): () => void {
  const absolute = resolve(path); // the working folder may change
  const look = () => statSync(absolute, { bigint: true, throwIfNoEntry: false });
  const opened = look();
  return () => {
    const now = look();
    if (!now || now.size === 0n || now.ino !== opened?.ino || now.dev !== opened.dev)
      throw new Fault("store-unavailable", { where: path, why: GONE });
  };
}

async function loadLibsql(): Promise<SqliteDriver> {
  const [{ default: Database }, { default: AsyncDatabase }] = await Promise.all([
    import("libsql"),
    import("libsql/promise"),
  ]);
  return {
    // libsql types a statement's values as arguments; in one array it takes them as well (index.js), and does not copy them.
    reader: (path) => new Database(path) as unknown as SqliteConnection,
    // libsql types its promise variant as `any` and forgets `inTransaction`.
    writer: (path) => new AsyncDatabase(path, {}) as unknown as SqliteConnection,
  };
}

/** @throws Fault `store-unavailable` where Node has no SQLite either */
async function withoutLibsql(where: string, cause: unknown): Promise<SqliteDriver> {
  const { nodeDriver, unusableWhy } = await import("./sqlite-driver.ts");
  const driver = nodeDriver();
  if (driver === null) throw new Fault("store-unavailable", { where, why: unusableWhy(cause) }, { cause });
  return driver;
}

async function configure(connection: SqliteWriter, inMemory: boolean): Promise<void> {
  await connection.exec("pragma busy_timeout = 0");
  if (!inMemory) await connection.exec("pragma journal_mode = wal");
  await connection.exec("pragma synchronous = full");
}

async function migrate({ reader, writer, path }: SqliteConnections): Promise<void> {
  const versionOf = () => {
    const found = readNumber(reader, "pragma user_version");
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

function refuseForeign(reader: SqliteReader, path: string): void {
  // In this order, because another process may be making the tables now: both come with one commit.
  if (readNumber(reader, "select count(*) from sqlite_schema") === 0) return;
  if (readNumber(reader, "pragma application_id") === APPLICATION_ID) return;
  const why = "it is another program's database; name another file";
  throw new Fault("store-unavailable", { where: path, why });
}

/** The first column of the first row. */
function readNumber(reader: SqliteReader, sql: string): number {
  const [row] = reader.prepare(sql).all([]);
  const [value] = typeof row === "object" && row !== null ? Object.values(row) : [];
  return Number(value);
}
