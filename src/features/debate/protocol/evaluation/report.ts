import type { ReportPart } from "../../../../kernel/index.ts";
import { partMarkdown } from "../../../../reports/markdown.ts";
import { csvCell, inline } from "../../../../reports/printable.ts";
import { part, points, quote, table, words } from "../../../../reports/part.ts";
import { formatCost, formatFamily, formatTokens } from "../../../../reports/words.ts";
import { pluralize } from "../../../../text/format.ts";
import { EVALUATION_METRICS } from "../../../../replies/evaluation.ts";
import { averagesOf, METRIC_NAMES, type EvaluationReport } from "./view.ts";

type Scored = EvaluationReport["agents"][string];

/**
 * An evaluation as a markdown document: what a reader should know first, then the scores, then what each evaluator says.
 * `unpriced` names the models without a known price. No foreign text can change the document's structure. Ends in a newline.
 */
export function evaluationMarkdown(report: EvaluationReport, unpriced: readonly string[] = []): string {
  const { debate, simulated, calls, tokens, id } = report;
  const usage = [pluralize(calls, "call"), formatTokens(tokens), formatCost(report, unpriced)].join(" · ");
  const parts = [
    `# Evaluation of ${inline(debate, 200) || "a debate"}`,
    simulated ? "**simulated models**" : "",
    ...sectionParts(report).map((one) => partMarkdown(one, { level: 2 })),
    `Usage: ${usage} · run ${id}`,
  ];
  return `${parts.filter((one) => one !== "").join("\n\n")}\n`;
}

/** The averages alone, as one markdown table with a column for each metric; `N/A` where there is none. Ends in a newline. */
export function evaluationTable(report: EvaluationReport): string {
  const averages = averagesOf(report);
  const cells = EVALUATION_METRICS.map((metric) => averages[metric].average_score?.toFixed(2) ?? ABSENT);
  const rows = [EVALUATION_METRICS.map((metric) => METRIC_NAMES[metric]), cells.map(() => "---"), cells];
  return rows.map((row) => `| ${row.join(" | ")} |\n`).join("");
}

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

export const isVerdict = true;

/** The scores, who gave them, and what each evaluator says. */
export function sectionParts(report: EvaluationReport): ReportPart[] {
  const { warnings, evaluators, agents } = report;
  return [
    part("", words(describeStatus(report))),
    part("Warnings", points(warnings.map((warning) => warning.slice(0, 1_000)))),
    part("Scores", scoreTable(report)),
    part(
      "Evaluators",
      table(
        ["Id", "Name", "Model", "Family", "Scores"],
        evaluators.map(({ id, name, model, family, skipped }) => [
          id,
          name,
          model,
          formatFamily(family),
          skipped === null ? "yes" : "none",
        ]),
      ),
    ),
    ...Object.entries(agents).map(([id, given]) => evaluatorPart(id, given)),
  ];
}

/** How many gave scores, and how it ended where that was not well. */
export const describeStatus = ({ status, why, agents, evaluators }: EvaluationReport): string => {
  const read = `${Object.keys(agents).length} of ${pluralize(evaluators.length, "evaluator")} gave scores.`;
  return status === "answered" ? read : `${read} ${status}${why === null ? "" : `: ${why}`}`.slice(0, 600);
};

/** The averages, how far they lie apart where several evaluators gave one, and each evaluator's own. */
function scoreTable(report: EvaluationReport) {
  const { spread, agents } = report;
  const given = Object.entries(agents);
  const isSeveral = given.length > 1;
  const averages = averagesOf(report);
  const rows = EVALUATION_METRICS.map((metric) => {
    const range = spread[metric];
    const average = averages[metric].average_score;
    return [
      METRIC_NAMES[metric],
      average === null ? ABSENT : average.toFixed(2),
      ...(isSeveral ? [range ? `${range.low}–${range.high}` : ABSENT] : []),
      ...(isSeveral ? given.map(([, one]) => figure(rowsOf(one)[metric].score)) : []),
    ];
  });
  const several = isSeveral ? ["Spread", ...given.map(([id]) => inline(id, 60))] : [];
  return table(["Metric", "Average", ...several], rows);
}

/** What Dialectic's tables say where there is no score. */
const ABSENT = "N/A";

const figure = (score: number | null): string => (score === null ? ABSENT : String(score));

const rowsOf = ({ evaluation, overall_summary }: Scored) => ({
  functional_completeness: evaluation.functional_completeness,
  ...evaluation.non_functional,
  overall: { score: overall_summary.overall_score, reasoning: "" },
});

/** What one evaluator says, its reasons in the order of the metrics. */
function evaluatorPart(id: string, given: Scored): ReportPart {
  const rows = rowsOf(given);
  const reasoned = EVALUATION_METRICS.flatMap((metric) => {
    const { score, reasoning } = rows[metric];
    if (reasoning === "") return [];
    return [`${METRIC_NAMES[metric]}, ${figure(score)}: ${reasoning.replaceAll(/\s+/g, " ")}`];
  });
  const quoted = (heading: string, text: string): ReportPart =>
    part(heading, ...(text === "" ? [] : [quote(text)]));
  const { strengths, weaknesses } = given.overall_summary;
  return {
    heading: id,
    blocks: [points(reasoned)],
    parts: [quoted("Strengths", strengths), quoted("Weaknesses", weaknesses)],
  };
}
