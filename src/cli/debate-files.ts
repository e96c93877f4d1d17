import { Fault, type DeliberationId, type OrganizationStore } from "../kernel/index.ts";
import { debateRecord, isDebate } from "../protocols/debate/view/debated.ts";
import { resultOf } from "../views/result.ts";
import type { Io } from "./command.ts";
import { checkedReport, reportText } from "./debate-report.ts";
import { checkedOutput, writeText } from "./text-output.ts";

/** What of a debate is written beside what is printed: the solution or the whole of it, and a report. */
export type DebateFiles = { readonly output: string | undefined; readonly report: string | undefined };

/** The files that `-o` and `--report` name, checked before anything is asked. @throws Fault `configuration` */
export function debateFiles(flags: Readonly<Record<string, unknown>>, io: Io): DebateFiles {
  const { output, report } = flags;
  const files = {
    output: typeof output === "string" ? checkedOutput(output, io) : undefined,
    report: typeof report === "string" ? checkedReport(report, { flag: "--report", io }) : undefined,
  };
  if (files.output !== undefined && files.report !== undefined && files.output === files.report) {
    throw new Fault("configuration", {
      why: "--output and --report name one file",
      next: "name two",
    });
  }
  return files;
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
    if (output.endsWith(".json")) writeText(output, `${JSON.stringify(record, undefined, 2)}\n`, io);
    else if (answer != null) writeText(output, `${answer}\n`, io);
    else io.output.note(`${output} is not written: there is no solution yet; give -o again when you go on`);
  }
  if (report !== undefined) writeText(report, reportText(record, report), io);
}
