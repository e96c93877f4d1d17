import { extname } from "node:path";
import { exportsOf, runText } from "../app/export.ts";
import { exportsIn } from "../app/registry.ts";
import { loadShown } from "../app/result.ts";
import { Fault, isFault, type DeliberationId, type OrganizationStore } from "../kernel/index.ts";
import { resultOf } from "../views/result.ts";
import { veilEntries } from "../views/veil.ts";
import { type Io } from "./command.ts";
import { checkOutput, writeInFolders } from "./output-file.ts";

const isPage = (file: string): boolean => extname(file).toLowerCase() === ".html";

/** The path to write a report to, in Markdown unless its ending says otherwise. @throws Fault `configuration` for one that cannot be written to */
const checkReport = (file: string, io: Io): string =>
  checkOutput(/\.(?:md|html)$/i.test(file) ? file : `${file}.md`, io, { makesFolders: true });

/** What of a run is written beside what is printed: the answer or the whole of it, and a report. */
type RunFiles = {
  readonly output: string | undefined;
  /** Of the whole of it; undefined for its record. */
  readonly format: string | undefined;
  readonly report: string | undefined;
};

/** The files that `-o` and `--report` name, checked before anything is asked. @throws Fault `configuration` */
export function runFiles({ output, format, report }: RunFiles, io: Io): RunFiles {
  if (format !== undefined && (output === undefined || !isWhole(output))) {
    const why = `--format ${format} is for a whole run, which --output writes to a .json file`;
    throw new Fault("configuration", { why, next: `-o run.json --format ${format}` });
  }
  const files = {
    format: format === "parley" ? undefined : format,
    output: output === undefined ? undefined : checkOutput(output, io, { makesFolders: true }),
    report: report === undefined ? undefined : checkReport(report, io),
  };
  if (files.output === undefined || files.output !== files.report) return files;
  throw new Fault("configuration", { why: "--output and --report name one file", next: "name two" });
}

/** Writes a run as it stands into the files that were asked for; a solution only where there is one. */
export async function writeRunFiles(
  io: Io,
  { store, id }: { readonly store: OrganizationStore; readonly id: DeliberationId },
  { output, format, report }: RunFiles,
): Promise<void> {
  if (output === undefined && report === undefined) return;
  const entries = veilEntries(await store.read(id));
  const own = exportsOf(exportsIn(io.features ?? []), entries);
  if (!own) return io.output.note("Nothing is written: runs of this protocol are written by parley export");
  const exported = await own.load();
  const textIn = (form: string) => exported.text({ store, entries }, form);
  if (output !== undefined) {
    const answer = resultOf(entries)?.answer;
    if (isWhole(output)) writeInFolders(output, await textIn(format ?? own.record), io);
    else if (answer != null) writeInFolders(output, `${answer}\n`, io);
    else io.output.note(`${output} is not written: there is no solution yet. Try: -o again when you resume`);
  }
  if (report === undefined) return;
  try {
    const text = isPage(report)
      ? runText(entries, await loadShown(io.protocols, entries, store), "html")
      : await textIn("md");
    writeInFolders(report, text, io);
  } catch (error) {
    if (!isFault(error, "configuration")) throw error;
    // The run is recorded, and its report can be written at any time.
    io.output.note(`Warning: the report is not written: ${error.details.why}`);
    io.output.note(`Try: parley export ${id} --output FILE`);
  }
}

const isWhole = (output: string): boolean => /\.json$/i.test(output);
