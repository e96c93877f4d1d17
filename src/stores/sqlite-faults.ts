import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { Fault, isFault } from "../kernel/index.ts";

/** Whether another connection holds the lock that was asked for. */
export const isBusy = (error: unknown): boolean => {
  const code = codeOf(error);
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
};

const KEPT = "nothing acknowledged was lost";

const FULL = `the disk is full; free space and run the same command again: ${KEPT}`;
const READONLY = `it is read-only; make the file, its folder and the file system writable, then run again: ${KEPT}`;
const DENIED =
  "this user may not read and write it; change its owner or permissions, or set PARLEY_HOME to another folder";
const NO_FOLDER = "a part of the path is not a folder; set PARLEY_HOME to another folder";

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
  ["SQLITE_BUSY", `another process has kept it locked for 30 s; end that process and run again: ${KEPT}`],
  ["SQLITE_LOCKED", `another connection has kept it locked for 30 s; run again: ${KEPT}`],
  ["SQLITE_NOMEM", `there is no memory left; free some and run again: ${KEPT}`],
  [
    "SQLITE_IOERR",
    `the disk failed while reading or writing; check the disk and its free space, then run again: ${KEPT}`,
  ],
];

/** An error of the database or of the file system as a fault; anything else as it is. */
export function sqliteFault(error: unknown, path: string): Error {
  if (isFault(error)) return error;
  const plain = error instanceof Error ? error : new Error(String(error));
  const code = cannotOpen(plain) ? openingCode(path) : codeOf(plain);
  const why = WHY.find(([prefix]) => code.startsWith(prefix))?.[1];
  if (why !== undefined) return new Fault("store-unavailable", { where: path, why }, { cause: error });
  if (!code.startsWith("SQLITE_")) return plain;
  return new Fault(
    "store-unavailable",
    { where: path, why: `SQLite says: ${plain.message} (${code})` },
    { cause: error },
  );
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** libsql reports a failed open as a plain error. */
const cannotOpen = (error: Error): boolean =>
  codeOf(error).startsWith("SQLITE_CANTOPEN") ||
  codeOf(error) === "ENOENT" ||
  error.message.startsWith("ConnectionFailed");

/** SQLite says only "cannot open", and Node "not there" of a folder that it may not make; the file system says why. */
function openingCode(path: string): string {
  try {
    if (statSync(path).isDirectory()) return "EISDIR";
    accessSync(path, constants.R_OK | constants.W_OK);
    return "SQLITE_CANTOPEN";
  } catch (error) {
    const code = codeOf(error);
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
    const code = codeOf(error);
    return code === "ENOENT" && dirname(folder) !== folder ? folderCode(dirname(folder)) : code;
  }
}
