import { existsSync } from "node:fs";
import { basename, extname } from "node:path";
import { toAbsolute } from "../config/paths.ts";
import { displayPath, MEGABYTE, readTextFile } from "../config/text-file.ts";
import { dialecticRecord } from "../interop/dialectic/record.ts";
import { Fault, type DeliberationId, type OrganizationStore } from "../kernel/index.ts";
import { debateHtml } from "../protocols/debate/report/html.ts";
import { debateMarkdown } from "../protocols/debate/report/markdown.ts";
import { debateRecord, isDebate } from "../protocols/debate/view/debated.ts";
import { DebateRecord } from "../protocols/debate/view/record.ts";
import { resultOf } from "../views/result.ts";
import { jsonText, type Io } from "./command.ts";
import { checkOutput, writeText } from "./output-file.ts";
import { readEntries, type Stored } from "./session.ts";

const FORMATS: { readonly [extension: string]: ((record: DebateRecord) => string) | undefined } = {
  ".md": debateMarkdown,
  ".html": debateHtml,
};

const formatOf = (file: string) => FORMATS[extname(file).toLowerCase()];

/** A debate in the format that a file's name asks for, or else as markdown. */
export const reportText = (record: DebateRecord, file: string): string =>
  (formatOf(file) ?? debateMarkdown)(record);

/** The path to write a report to, checked before anything is read. @throws Fault `configuration` */
export function checkReport(file: string, flag: "--output" | "--report", io: Io): string {
  if (formatOf(file)) return checkOutput(file, io);
  const why = `${flag} ${displayPath(file)} names no format`;
  throw new Fault("configuration", { why, next: `let it end in ${Object.keys(FORMATS).join(" or ")}` });
}

/** What of a debate is written beside what is printed: the solution or the whole of it, and a report. */
type DebateFiles = { readonly output: string | undefined; readonly report: string | undefined };

/** The files that `-o` and `--report` name, checked before anything is asked. @throws Fault `configuration` */
export function debateFiles({ output, report }: DebateFiles, io: Io): DebateFiles {
  const files = {
    output: output === undefined ? undefined : checkOutput(output, io),
    report: report === undefined ? undefined : checkReport(report, "--report", io),
  };
  if (files.output === undefined || files.output !== files.report) return files;
  throw new Fault("configuration", { why: "--output and --report name one file", next: "name two" });
}

/** Writes a debate as it stands into the files that were asked for; a solution only where there is one. */
export async function writeDebate(
  io: Io,
  { store, id }: { readonly store: OrganizationStore; readonly id: DeliberationId },
  { output, report }: DebateFiles,
): Promise<void> {
  if (output === undefined && report === undefined) return;
  const entries = await store.read(id);
  if (!isDebate(entries)) return io.output.note("Nothing is written: it is not a debate");
  const record = debateRecord(entries);
  if (output !== undefined) {
    const answer = resultOf(entries)?.answer;
    if (output.endsWith(".json")) writeText(output, jsonText(record), io);
    else if (answer != null) writeText(output, `${answer}\n`, io);
    else io.output.note(`${output} is not written: there is no solution yet. Try: -o again when you resume`);
  }
  if (report !== undefined) writeText(report, reportText(record, report), io);
}

/** A debate, and what tables call it: its id, or its file's name without `.json`. */
type NamedDebate = { readonly record: DebateRecord; readonly name: string };

const MAX_BYTES = 32 * MEGABYTE;

/**
 * The debate that an id or a file names: a file is what exists, or is written as paths are, and holds a result of
 * Dialectic's or what `parley report --json` printed.
 * @throws Fault `configuration`, `deliberation-missing` for what is no debate
 */
export async function findDebate(io: Io, stored: Pick<Stored, "store">, name: string): Promise<NamedDebate> {
  const inFile = readDebate(io, name);
  if (inFile) return inFile;
  const entries = await readEntries(stored, name);
  if (!isDebate(entries)) {
    const next = `parley show ${displayPath(name)} --all, which tells what it is`;
    throw new Fault("configuration", { why: `${displayPath(name)} is not a debate`, next });
  }
  const record = debateRecord(entries);
  return { record, name: record.id };
}

/** The debate in a file, where a file is named; it needs no store. @throws Fault `configuration` for what is no debate */
export const readDebate = (io: Io, name: string): NamedDebate | undefined =>
  name !== "" && (/[/\\]|\.json$/i.test(name) || existsSync(toAbsolute(name, io)))
    ? { record: recordInFile(name, io), name: basename(name, ".json") }
    : undefined;

function recordInFile(file: string, io: Io): DebateRecord {
  const name = displayPath(file);
  const text = readTextFile({ path: toAbsolute(file, io), kind: "debate", maxBytes: MAX_BYTES });
  const refusal = (why: string) =>
    new Fault("configuration", {
      why,
      next: "name a result file of Dialectic's, or the id of a debate (parley list)",
    });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw refusal(`${name} is not JSON`);
  }
  const printed = DebateRecord.safeParse(json);
  if (printed.success) return printed.data;
  const read = dialecticRecord(json);
  if (read.ok) return read.record;
  throw refusal(`${name} is not a debate: ${read.reason}`);
}
