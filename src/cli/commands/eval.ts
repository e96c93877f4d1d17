import { extname } from "node:path";
import { openEvaluation } from "../../lab/eval/evaluation.ts";
import { displayPath } from "../../config/text-file.ts";
import { Fault } from "../../kernel/index.ts";
import { evaluationOf, type EvaluationReport } from "../../protocols/evaluation/view.ts";
import { EVALUATION_CSV_HEADER, evaluationCsv } from "../../protocols/evaluation/report-csv.ts";
import { evaluationMarkdown } from "../../protocols/evaluation/report.ts";
import { oneLine } from "../../reports/printable.ts";
import { unpricedModels } from "../../reports/unpriced.ts";
import type { CommandModule, Io } from "../command.ts";
import { appendCsv, checkCsv } from "../csv-output.ts";
import { EXIT } from "../exits.ts";
import { namedDebate } from "../recorded-debate.ts";
import { withParley } from "../session.ts";
import { checkedOutput, writeText } from "../text-output.ts";
import { endedEarly, runEvaluation } from "./eval-run.ts";
import { textFlag } from "./judge-run.ts";

/** `parley eval --debate ID|FILE`: independent evaluators score a debate's solution; exit 7 where none could be read. */
export const run: CommandModule["run"] = (io, _args, flags) =>
  withParley(io, flags, async (parley) => {
    const quiet = flags["quiet"] === true;
    const output = outputIn(textFlag(flags, "output"), io);
    const { record, name } = await namedDebate(io, parley, textFlag(flags, "debate") ?? "");
    const opened = await openEvaluation(parley, {
      record,
      place: io,
      config: textFlag(flags, "config"),
      models: Array.isArray(flags["model"]) ? flags["model"].map(String) : undefined,
      mapModels: textFlag(flags, "mapModels"),
      again: flags["again"] === true,
    });
    if (!quiet) for (const note of opened.notes) io.output.note(note);
    const { entries, exit } = await runEvaluation(io, parley, { opened, quiet });
    const report = evaluationOf(entries);
    if (!report || exit === EXIT.interrupted) return exit;
    const printing = { name, output, json: flags["json"] === true, unpriced: unpricedModels(entries) };
    await print(io, report, printing);
    const early = endedEarly(entries);
    if (early !== undefined) io.output.note(early);
    return exit;
  });

type Output = { readonly file: string; readonly format: Format };
const FORMATS = ["md", "json", "csv"] as const;
type Format = (typeof FORMATS)[number];

/** Before anything is asked: whoever names a file that cannot be written shall know at once. @throws Fault `configuration` */
function outputIn(file: string | undefined, io: Io): Output | undefined {
  if (file === undefined) return undefined;
  const format = FORMATS.find((one) => extname(file).toLowerCase() === `.${one}`);
  if (!format) {
    const why = `--output ${displayPath(file)} names no format`;
    throw new Fault("configuration", { why, next: "let it end in .md, .json or .csv" });
  }
  if (format === "csv") checkCsv({ file, header: EVALUATION_CSV_HEADER }, io);
  else checkedOutput(file, io);
  return { file, format };
}

type Printing = {
  /** The debate's, in a table of many. */
  readonly name: string;
  readonly output: Output | undefined;
  readonly json: boolean;
  readonly unpriced: readonly string[];
};

async function print(
  io: Io,
  report: EvaluationReport,
  { name, output, json, unpriced }: Printing,
): Promise<void> {
  const text = `${JSON.stringify(report, undefined, 2)}\n`;
  if (output) {
    // A file is read without what stands beside it on the screen.
    for (const warning of report.warnings) io.output.note(`Warning: ${oneLine(warning, 600)}`);
    if (report.simulated) io.output.note("simulated models");
    write(io, report, { ...output, text, name, unpriced });
  }
  if (json) await io.output.result(text);
  else if (!output) await io.output.result(evaluationMarkdown(report, unpriced));
}

type Writing = Output & Pick<Printing, "name" | "unpriced"> & { readonly text: string };

function write(io: Io, report: EvaluationReport, { file, format, text, name, unpriced }: Writing): void {
  if (Object.keys(report.agents).length === 0)
    return io.output.note(`${displayPath(file)} is left as it is: there are no scores`);
  if (format === "json") return writeText(file, text, io);
  if (format === "md") return writeText(file, evaluationMarkdown(report, unpriced), io);
  appendCsv({ file, header: EVALUATION_CSV_HEADER }, evaluationCsv(report, name), io);
}
