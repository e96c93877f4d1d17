import { existsSync } from "node:fs";
import { basename } from "node:path";
import { toAbsolute } from "../config/paths.ts";
import { displayPath, MEGABYTE, readTextFile } from "../config/text-file.ts";
import { Fault } from "../kernel/index.ts";
import { DebateRecord } from "../protocols/debate/view/record.ts";
import { debateRecord, isDebate } from "../protocols/debate/view/debated.ts";
import { dialecticRecord } from "../interop/dialectic/record.ts";
import type { Io } from "./command.ts";
import { entriesOf, type Stored } from "./session.ts";

/** A debate, and what tables call it: its id, or its file's name without `.json`. */
export type NamedDebate = { readonly record: DebateRecord; readonly name: string };

const MOST_BYTES = 32 * MEGABYTE;

/**
 * The debate that an id or a file names: a file is what exists, or is written as paths are, and holds a result of
 * Dialectic's or what `parley report --json` printed.
 * @throws Fault `configuration`, `deliberation-missing` for what is no debate
 */
export async function namedDebate(
  io: Io,
  stored: Pick<Stored, "store">,
  named: string,
): Promise<NamedDebate> {
  const inFile = debateInFile(io, named);
  if (inFile) return inFile;
  const entries = await entriesOf(stored, named);
  if (!isDebate(entries)) {
    const next = `parley show ${displayPath(named)} --all tells what it is`;
    throw new Fault("configuration", { why: `${displayPath(named)} is not a debate`, next });
  }
  const record = debateRecord(entries);
  return { record, name: record.id };
}

/** The debate in a file, where a file is named; it needs no store. @throws Fault `configuration` for what is no debate */
export const debateInFile = (io: Io, named: string): NamedDebate | undefined =>
  isFile(named, io) ? { record: recordInFile(named, io), name: basename(named, ".json") } : undefined;

const isFile = (named: string, io: Io): boolean =>
  named !== "" && (/[/\\]|\.json$/i.test(named) || existsSync(toAbsolute(named, io)));

function recordInFile(file: string, io: Io): DebateRecord {
  const name = displayPath(file);
  const text = readTextFile({ path: toAbsolute(file, io), kind: "debate", maxBytes: MOST_BYTES });
  const json = parsed(text, name);
  const printed = DebateRecord.safeParse(json);
  if (printed.success) return printed.data;
  const read = dialecticRecord(json);
  if (read.ok) return read.record;
  throw noDebate(`${name} is not a debate: ${read.reason}`);
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw noDebate(`${name} is not JSON`);
  }
}

const noDebate = (why: string): Fault<"configuration"> =>
  new Fault("configuration", {
    why,
    next: "name a result file of Dialectic's, or the id of a debate (parley list)",
  });
