import { existsSync } from "node:fs";
import { basename, extname } from "node:path";
import { dialecticText, recordText, runText } from "../app/export.ts";
import { loadShown } from "../app/result.ts";
import { toAbsolute } from "../config/paths.ts";
import { displayPath, MEGABYTE, readTextFile } from "../config/text-file.ts";
import { dialecticRecord } from "../interop/dialectic/record.ts";
import { Fault, isFault, type DeliberationId, type OrganizationStore } from "../kernel/index.ts";
import { debateRecord, isDebate } from "../protocols/debate/view/debated.ts";
import { DebateRecord } from "../protocols/debate/view/record.ts";
import { resultOf } from "../views/result.ts";
import { type Io } from "./command.ts";
import { jsonText } from "../reports/printable.ts";
import { checkOutput, writeInFolders } from "./output-file.ts";
import { veiled } from "../views/veil.ts";
import { readEntries } from "./session.ts";

const isPage = (file: string): boolean => extname(file).toLowerCase() === ".html";

/** The path to write a report to, in Markdown unless its ending says otherwise. @throws Fault `configuration` for one that cannot be written to */
const checkReport = (file: string, io: Io): string =>
  checkOutput(/\.(?:md|html)$/i.test(file) ? file : `${file}.md`, io, { makesFolders: true });

/** What of a debate is written beside what is printed: the solution or the whole of it, and a report. */
type DebateFiles = {
  readonly output: string | undefined;
  /** Of the whole of it. */
  readonly format: "parley" | "dialectic" | undefined;
  readonly report: string | undefined;
};

/** The files that `-o` and `--report` name, checked before anything is asked. @throws Fault `configuration` */
export function debateFiles({ output, format, report }: DebateFiles, io: Io): DebateFiles {
  if (format !== undefined && (output === undefined || !isWhole(output))) {
    const why = `--format ${format} is for a whole debate, which --output writes to a .json file`;
    throw new Fault("configuration", { why, next: `-o debate.json --format ${format}` });
  }
  const files = {
    format,
    output: output === undefined ? undefined : checkOutput(output, io, { makesFolders: true }),
    report: report === undefined ? undefined : checkReport(report, io),
  };
  if (files.output === undefined || files.output !== files.report) return files;
  throw new Fault("configuration", { why: "--output and --report name one file", next: "name two" });
}

/** Writes a debate as it stands into the files that were asked for; a solution only where there is one. */
export async function writeDebate(
  io: Io,
  { store, id }: { readonly store: OrganizationStore; readonly id: DeliberationId },
  { output, format, report }: DebateFiles,
): Promise<void> {
  if (output === undefined && report === undefined) return;
  const entries = veiled(await store.read(id));
  if (!isDebate(entries)) return io.output.note("Nothing is written: it is not a debate");
  const record = debateRecord(entries);
  if (output !== undefined) {
    const answer = resultOf(entries)?.answer;
    if (isWhole(output))
      writeInFolders(
        output,
        format === "dialectic" ? await dialecticText(store, entries) : jsonText(record),
        io,
      );
    else if (answer != null) writeInFolders(output, `${answer}\n`, io);
    else io.output.note(`${output} is not written: there is no solution yet. Try: -o again when you resume`);
  }
  if (report === undefined) return;
  try {
    const text = isPage(report)
      ? runText(entries, await loadShown(io.protocols, entries, store), "html")
      : recordText(record, "md");
    writeInFolders(report, text, io);
  } catch (error) {
    if (!isFault(error, "configuration")) throw error;
    // The debate is recorded, and its report can be written at any time.
    io.output.note(`Warning: the report is not written: ${error.details.why}`);
    io.output.note(`Try: parley export ${id} --output FILE`);
  }
}

const isWhole = (output: string): boolean => /\.json$/i.test(output);

/** A debate, and what tables call it: its id, or its file's name without `.json`. */
type NamedDebate = { readonly record: DebateRecord; readonly name: string };

const MAX_BYTES = 32 * MEGABYTE;

/**
 * The debate that an id or a file names: a file is what exists, or is written as paths are, and holds a result of
 * Dialectic's or what `parley export --format debate` printed.
 * @throws Fault `configuration`, `deliberation-missing` for what is no debate
 */
export async function findDebate(
  io: Io,
  stored: { readonly store: OrganizationStore },
  name: string,
): Promise<NamedDebate> {
  const inFile = readDebate(io, name);
  if (inFile) return inFile;
  const entries = veiled(await readEntries(stored, name));
  if (!isDebate(entries)) {
    const next = `parley show ${displayPath(name)} --details, which tells what it is`;
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
