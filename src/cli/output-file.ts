import { randomUUID } from "node:crypto";
import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { toAbsolute } from "../config/paths.ts";
import { displayPath } from "../config/text-file.ts";
import { type Fault, isFault, refusal } from "../kernel/index.ts";
import type { Io } from "./command.ts";

// OUTFILE-2. A file is written whole or not at all: into a new one beside it, which then takes its place. Else: the old file is destroyed.

/**
 * The absolute path of a file that is to be written later; with `makesFolders` folders above it may be missing, which
 * `writeInFolders` makes.
 * @throws Fault `configuration`
 */
export function checkOutput(file: string, io: Io, { makesFolders = false } = {}): string {
  const path = toAbsolute(file, io);
  let isFolder = false;
  try {
    const folder = makesFolders ? existingAbove(path) : dirname(path);
    if (makesFolders && !statSync(folder).isDirectory()) throw unwritable(path, "ENOTDIR");
    accessSync(folder, constants.W_OK);
    isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    throw isFault(error, "configuration") ? error : unwritable(path, error);
  }
  if (isFolder) throw unwritable(path, "EISDIR");
  return path;
}

/** The nearest thing above a path that exists. */
function existingAbove(path: string): string {
  const above = dirname(path);
  return above === path || existsSync(above) ? above : existingAbove(above);
}

/** As `writeText`, in folders that it makes where they are missing. @throws Fault `configuration` */
export function writeInFolders(file: string, text: string, io: Io): void {
  const path = toAbsolute(file, io);
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw unwritable(path, error);
  }
  writeText(path, text, io);
}

/** Writes a file, and says where. @throws Fault `configuration` where that cannot be done (OUTFILE-2) */
export function writeText(file: string, text: string, io: Io): void {
  const path = toAbsolute(file, io);
  const beside = fileBeside(path);
  try {
    writeFileSync(beside, text, { flag: "wx" });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw unwritable(path, error);
  }
  io.output.note(`Written: ${path}`);
}

/** As `writeText`, in pieces; nothing is written where `write` resolves to false. @throws Fault `configuration` (OUTFILE-2) */
export async function writePieces(
  path: string,
  write: (put: (text: string) => Promise<void>) => Promise<boolean>,
): Promise<void> {
  const attempt = async <T>(action: () => T | Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw unwritable(path, error);
    }
  };
  const beside = fileBeside(path);
  try {
    const file = await attempt(() => open(beside, "wx"));
    let isWhole: boolean;
    try {
      isWhole = await write((text) => attempt(() => file.writeFile(text)));
    } finally {
      await file.close();
    }
    if (isWhole) await attempt(() => renameSync(beside, path));
  } finally {
    rmSync(beside, { force: true });
  }
}

const fileBeside = (path: string): string =>
  join(dirname(path), `.${basename(path).slice(0, 60)}.${randomUUID()}`);

export const unwritable = (
  path: string,
  error: unknown,
  next = "name a file in an existing folder that you may write to",
): Fault<"configuration"> => refusal(`${path} cannot be written (${codeOf(error)})`, next);

const codeOf = (error: unknown): string =>
  typeof error === "string"
    ? error
    : error instanceof Error && "code" in error
      ? String(error.code)
      : "unknown";

/** A CSV file that records are added to, under one header for all of them. */
export type Csv = { readonly file: string; readonly header: string };

/** Refuses a file that records cannot be added to. @throws Fault `configuration` for one that has another header */
export function checkCsv(csv: Csv, io: Io): void {
  checkOutput(csv.file, io);
  csvEnding(csv, io);
}

/**
 * Adds a record, and the header before it where the file is new or empty; both in one write, so that those who add at once
 * do not mix their lines.
 * @throws Fault `configuration` as `checkCsv` does
 */
export function appendCsv(csv: Csv, record: string, io: Io): void {
  const { before, lineEnd } = csvEnding(csv, io);
  try {
    appendFileSync(toAbsolute(csv.file, io), `${before}${record}${lineEnd}`);
  } catch (error) {
    throw unusable(csv.file, error);
  }
  io.output.note(`Added to ${toAbsolute(csv.file, io)}`);
}

/** How an existing file continues: what has to be written before a record. */
function csvEnding({ file, header }: Csv, io: Io): { readonly lineEnd: string; readonly before: string } {
  const text = readCsv(file, io);
  if (text.trim() === "") return { lineEnd: "\n", before: `${header}\n` };
  const [first = ""] = text.split(/\r?\n/, 1);
  if (first !== header)
    throw refusal(
      `${displayPath(file)} has another header: ${displayPath(first)}`,
      "name another file; records are only added to a file of the same columns",
    );
  const lineEnd = text.startsWith(`${header}\r\n`) ? "\r\n" : "\n";
  return { lineEnd, before: text.endsWith("\n") ? "" : lineEnd };
}

/** What a file has, without its byte order mark; nothing where there is none. */
function readCsv(file: string, io: Io): string {
  try {
    return new TextDecoder().decode(readFileSync(toAbsolute(file, io)));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw unusable(file, error);
  }
}

const unusable = (file: string, error: unknown): Fault<"configuration"> =>
  refusal(
    `${displayPath(file)} cannot be added to (${codeOf(error)})`,
    "name a file that you may read and write",
  );
