import { csvCell } from "../../reports/printable.ts";
import type { BenchRow } from "./row.ts";

/** The columns of `rows.csv`, with what stands in them. Unknown is empty; money is in US dollars. */
const COLUMNS: { readonly [name: string]: (row: BenchRow) => string | number | boolean | null } = {
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
export function rowsCsv(rows: readonly BenchRow[]): string {
  const lines = rows.map((row) =>
    Object.values(COLUMNS).map((read) => {
      const value = read(row);
      return typeof value === "string" ? csvCell(value) : String(value ?? "");
    }),
  );
  return `${[Object.keys(COLUMNS), ...lines].map((cells) => cells.join(",")).join("\n")}\n`;
}
