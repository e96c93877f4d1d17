import { averagesOf, METRIC_NAMES, type EvaluationReport } from "./view.ts";
import { EVALUATION_METRICS } from "../../replies/evaluation.ts";
import { oneLine } from "../../reports/printable.ts";

// CSV-1. A record is one line of nine cells, whatever a debate is called (RFC 4180).
// CSV-2. No cell is a formula to a spreadsheet (OWASP, "CSV Injection").

/** The first line of every file of evaluations, as Dialectic (0.7) writes it; without its line end. */
export const EVALUATION_CSV_HEADER = ["debate", ...Object.values(METRIC_NAMES)].map(cell).join(",");

/** A debate's averages as a record under that header, two decimals each, nothing where there is none; without its line end. */
export function evaluationCsv(report: EvaluationReport, debate: string): string {
  const averages = averagesOf(report);
  const scores = EVALUATION_METRICS.map((metric) => averages[metric].average_score?.toFixed(2) ?? "");
  return [cell(debate), ...scores].join(",");
}

/** A text as one cell: what a spreadsheet would compute gets an apostrophe in front. */
function cell(text: string): string {
  const line = oneLine(text, 300);
  const plain = /^[=+\-@]/.test(line) ? `'${line}` : line;
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
