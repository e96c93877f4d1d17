import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs";
import { toAbsolute } from "../config/paths.ts";
import { displayPath } from "../config/text-file.ts";
import { Fault } from "../kernel/index.ts";
import type { Io } from "./command.ts";
import { checkedOutput } from "./text-output.ts";

/** A CSV file that records are added to, under one header for all of them. */
export type Csv = { readonly file: string; readonly header: string };

/** How an existing file goes on: what has to be written before a record. */
type Ending = { readonly lineEnd: string; readonly before: string };

/**
 * Refuses a file that records cannot be added to, before anything is asked for.
 * @throws Fault `configuration` for one that cannot be written, or that has another header
 */
export function checkCsv(csv: Csv, io: Io): void {
  checkedOutput(csv.file, io);
  endingOf(csv, io);
}

/**
 * Adds a record, and the header before it where the file is new or empty; both in one write, so that those who add at once
 * do not mix their lines.
 * @throws Fault `configuration` as `checkCsv` does
 */
export function appendCsv(csv: Csv, record: string, io: Io): void {
  const { before, lineEnd } = endingOf(csv, io);
  try {
    appendFileSync(toAbsolute(csv.file, io), `${before}${record}${lineEnd}`);
  } catch (error) {
    throw unusable(csv.file, error);
  }
  io.output.note(`Added to ${toAbsolute(csv.file, io)}`);
}

function endingOf({ file, header }: Csv, io: Io): Ending {
  const head = headOf(file, header.length, io);
  if (head === undefined) return { lineEnd: "\n", before: `${header}\n` };
  const [first = ""] = head.text.split(/\r?\n/);
  if (first !== header) {
    throw new Fault("configuration", {
      why: `${displayPath(file)} has another header: ${displayPath(first)}`,
      next: "name another file; records are only added to a file of the same columns",
    });
  }
  const lineEnd = head.text.startsWith(`${header}\r\n`) ? "\r\n" : "\n";
  return { lineEnd, before: head.ended ? "" : lineEnd };
}

/** The beginning of a file, long enough for its header, and whether its last line is ended; undefined where it has none. */
function headOf(
  file: string,
  longest: number,
  io: Io,
): { readonly text: string; readonly ended: boolean } | undefined {
  let opened: number | undefined;
  try {
    opened = openSync(toAbsolute(file, io), "r");
    const { size } = fstatSync(opened);
    // A byte order mark before it, four bytes a character at most, and its line end.
    const bytes = Buffer.alloc(Math.min(size, 3 + 4 * longest + 2));
    const last = Buffer.alloc(1);
    readSync(opened, bytes, 0, bytes.length, 0);
    if (size > 0) readSync(opened, last, 0, 1, size - 1);
    const text = new TextDecoder().decode(bytes);
    return text.trim() === "" ? undefined : { text, ended: last.toString() === "\n" };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw unusable(file, error);
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

const unusable = (file: string, error: unknown): Fault<"configuration"> =>
  new Fault("configuration", {
    why: `${displayPath(file)} cannot be added to (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`,
    next: "name a file that you may read and write",
  });
