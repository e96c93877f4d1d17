import { unpricedModels } from "../../../reports/words.ts";
import { extname } from "node:path";
import { displayPath } from "../../../config/text-file.ts";
import { openEvaluation } from "../app/evaluation.ts";
import { callOf, isEvent, type Entry } from "../../../kernel/index.ts";
import {
  describeStatus,
  EVALUATION_CSV_HEADER,
  evaluationCsv,
  evaluationMarkdown,
  evaluationTable,
} from "../protocol/evaluation/report.ts";
import {
  sectionOf,
  evaluatorIn,
  lostEvaluations,
  type EvaluationReport,
} from "../protocol/evaluation/view.ts";
import { jsonText, oneLine } from "../../../reports/printable.ts";
import { formatDuration } from "../../../text/format.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import { readDebate, type NamedDebate } from "../app/exports.ts";
import { debateRecord, isDebate } from "../protocol/debate/view/debated.ts";
import { veilEntries } from "../../../views/veil.ts";
import { Fault, type OrganizationStore } from "../../../kernel/index.ts";
import { EXIT } from "../../../cli/exits.ts";
import { noteEarlyEnd, runLab } from "../../../cli/lab-job.ts";
import type { EVAL } from "./index.ts";
import { appendCsv, checkCsv, checkOutput, writeText } from "../../../cli/output-file.ts";
import { readEntries, withParley } from "../../../cli/session.ts";

/** Has independent evaluators score a debate's solution; exit 7 where no scores could be read. */
export const evaluate = (io: Io, { models, ...options }: Values<typeof EVAL>): Promise<number> =>
  withParley(io, options, async (context) => {
    const { config, mapModels, again, quiet } = options;
    const file = options.output === undefined ? undefined : checkTarget(options.output, io);
    const { record, name } = await findDebate(io, context, options.debate);
    const opened = await openEvaluation(context, { record, place: io, config, models, mapModels, again });
    const note = (line: string | undefined) =>
      quiet || line === undefined ? undefined : io.output.note(line);
    for (const warning of opened.notes) note(warning);
    if (opened.state !== "closed")
      note(`Asking ${opened.evaluators.map((one) => `${one.id} (${one.model})`).join(", ")}`);
    const run = await runLab(io, context, {
      ...opened,
      quiet,
      done: "Already evaluated",
      progress: () => ({ event: (entry) => note(progressLine(entry)), stop: () => undefined }),
      lost: lostEvaluations,
    });
    const { entries, exit } = run;
    const report = sectionOf(entries);
    if (!report || exit === EXIT.interrupted) return exit;
    const unpriced = unpricedModels(entries);
    // A table and a file are read without what stands beside them on the screen.
    for (const warning of report.warnings) io.output.note(`Warning: ${oneLine(warning, 600)}`);
    if (report.simulated) io.output.note("simulated models");
    if (file) writeReport(io, report, { ...file, name, unpriced });
    if (!file || options.json) {
      await print(io, { json: options.json, value: report }, () => evaluationTable(report));
      note(`${describeStatus(report)} Details: parley show ${report.id} --details`);
    }
    noteEarlyEnd(io, run, "other evaluators, or --again");
    return exit;
  });

/** What became of an evaluator, in a line; undefined for what is no evaluator's. */
function progressLine(entry: Entry): string | undefined {
  const id = evaluatorIn(entry);
  const call = callOf(entry);
  if (id === undefined || !call) return undefined;
  const took = entry.origin.by === "adopted" ? "reused" : formatDuration(call.latencyMs);
  return isEvent(entry, "degradation-noted")
    ? `${id}: no scores: ${oneLine(entry.data.why, 300)} (${took})`
    : `${id}: scores received (${took})`;
}

/** By a file's ending: the whole as a document or data, or a row of averages; a file of any other gets what stdout gets. */
const FORMATS = ["md", "json", "csv"] as const;
type Target = { readonly file: string; readonly format: (typeof FORMATS)[number] | "table" };

/** The file to write to, checked before anything is asked. @throws Fault `configuration` */
function checkTarget(file: string, io: Io): Target {
  const format = FORMATS.find((one) => extname(file).toLowerCase() === `.${one}`) ?? "table";
  if (format === "csv") checkCsv({ file, header: EVALUATION_CSV_HEADER }, io);
  else checkOutput(file, io);
  return { file, format };
}

function writeReport(
  io: Io,
  report: EvaluationReport,
  { file, format, name, unpriced }: Target & { readonly name: string; readonly unpriced: readonly string[] },
): void {
  if (Object.keys(report.agents).length === 0)
    return io.output.note(`${displayPath(file)} is left as it is: there are no scores`);
  if (format === "json") return writeText(file, jsonText(report), io);
  if (format === "md") return writeText(file, evaluationMarkdown(report, unpriced), io);
  if (format === "table") return writeText(file, evaluationTable(report), io);
  appendCsv({ file, header: EVALUATION_CSV_HEADER }, evaluationCsv(report, name), io);
}

/**
 * The debate that an id or a file names: a file is what exists, or is written as paths are, and holds a result of
 * Dialectic's or what `parley export --format debate` printed.
 * @throws Fault `configuration`, `deliberation-missing` for what is no debate
 */
async function findDebate(
  io: Io,
  stored: { readonly store: OrganizationStore },
  name: string,
): Promise<NamedDebate> {
  const inFile = readDebate(name, io);
  if (inFile) return inFile;
  const entries = veilEntries(await readEntries(stored, name));
  if (!isDebate(entries)) {
    const next = `parley show ${displayPath(name)} --details, which tells what it is`;
    throw new Fault("configuration", { why: `${displayPath(name)} is not a debate`, next });
  }
  const record = debateRecord(entries);
  return { record, name: record.id };
}
