import { averagesOf, METRIC_NAMES, type EvaluationReport } from "./view.ts";
import { EVALUATION_METRICS } from "../../replies/evaluation.ts";
import { csvCell } from "../../reports/printable.ts";

/** The first line of every file of evaluations, as Dialectic (0.7) writes it; without its line end. */
export const EVALUATION_CSV_HEADER = ["debate", ...Object.values(METRIC_NAMES)]
  .map((name) => csvCell(name))
  .join(",");

/** A debate's averages as a record under that header, two decimals each, nothing where there is none; without its line end. */
export function evaluationCsv(report: EvaluationReport, debate: string): string {
  const averages = averagesOf(report);
  const scores = EVALUATION_METRICS.map((metric) => averages[metric].average_score?.toFixed(2) ?? "");
  return [csvCell(debate), ...scores].join(",");
}
