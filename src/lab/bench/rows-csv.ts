import type { BenchRow } from "../../contract/bench.ts";
import { csvHeader, csvLines, type CsvColumns } from "../../reports/csv.ts";

/** The columns of `rows.csv`, with what stands in them. Unknown is empty; money is in US dollars. */
const COLUMNS: CsvColumns<BenchRow> = {
  arm: ({ arm }) => arm,
  task: ({ task }) => task,
  kind: ({ kind }) => kind,
  outcome: ({ outcome }) => outcome,
  finished: ({ finished }) => finished,
  failed: ({ failed }) => failed,
  answer: ({ answer }) => answer,
  right: ({ right }) => right,
  control_answer: ({ control }) => control?.answer ?? null,
  control_right: ({ control }) => control?.right ?? null,
  drafts: ({ drafts }) => drafts.length,
  drafts_right: ({ drafts }) => drafts.filter(({ right }) => right).length,
  calls: ({ calls }) => calls,
  tokens_in: ({ tokens }) => tokens.in,
  tokens_out: ({ tokens }) => tokens.out,
  steps: ({ steps }) =>
    steps
      .map(({ kind, calls, tokens }) => `${kind} ${calls}/${tokens.in ?? ""}/${tokens.out ?? ""}`)
      .join("; "),
  latency_ms: ({ latencyMs }) => latencyMs,
  usd: ({ usd }) => usd,
  deliberation: ({ deliberations }) => deliberations.at(-1) ?? null,
};

/** The rows of a bench for a spreadsheet or a data frame, one a line under a header; `steps` is `kind calls/in/out`. */
export const rowsCsv = (rows: readonly BenchRow[]): string => csvHeader(COLUMNS) + csvLines(COLUMNS, rows);
