import { METRIC_NAMES, type EvaluationReport } from "./view.ts";
import { oneLine } from "../../reports/printable.ts";

// CSV-1. A record is one line of nine cells, whatever a debate is called (RFC 4180).
// CSV-2. No cell is a formula to a spreadsheet (OWASP, "CSV Injection").

/** The first line of every file of evaluations, as Dialectic (0.7) writes it; without its line end. */
export const EVALUATION_CSV_HEADER = ["debate", ...Object.values(METRIC_NAMES)].map(cell).join(",");

/** A debate's averages as a record under that header, two decimals each, nothing where there is none; without its line end. */
export function evaluationCsv(
  { evaluation: { functional_completeness, non_functional }, overall_score }: EvaluationReport,
  debate: string,
): string {
  const averages = [
    functional_completeness,
    non_functional.performance_scalability,
    non_functional.security,
    non_functional.maintainability_evolvability,
    non_functional.regulatory_compliance,
    non_functional.testability,
    non_functional.requirements_fulfillment,
    { average_score: overall_score },
  ];
  return [
    cell(debate),
    ...averages.map(({ average_score: score }) => (score === null ? "" : score.toFixed(2))),
  ].join(",");
}

/** A text as one cell: what a spreadsheet would compute gets an apostrophe in front. */
function cell(text: string): string {
  const line = oneLine(text, 300);
  const plain = /^[=+\-@]/.test(line) ? `'${line}` : line;
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
