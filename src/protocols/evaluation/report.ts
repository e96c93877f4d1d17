import type { ReportPart } from "../../kernel/index.ts";
import { inline, partMarkdown } from "../../reports/markdown.ts";
import { part, points, table, words } from "../../reports/part.ts";
import { formatCost, formatFamily, formatTokens } from "../../reports/words.ts";
import { pluralize } from "../../text/format.ts";
import { METRIC_NAMES, type EvaluationReport } from "./view.ts";

type Metric = keyof typeof METRIC_NAMES;
type Scored = EvaluationReport["agents"][string];

/**
 * An evaluation as a markdown document: what a reader should know first, then the scores, then what each evaluator says.
 * `unpriced` names the models without a known price. No foreign text can change the document's structure. Ends in a newline.
 */
export function evaluationMarkdown(report: EvaluationReport, unpriced: readonly string[] = []): string {
  const { debate, simulated, calls, tokens, cost, id } = report;
  const usage = [pluralize(calls, "call"), formatTokens(tokens), formatCost(cost, unpriced)].join(" · ");
  const parts = [
    `# Evaluation of ${inline(debate, 200) || "a debate"}`,
    simulated ? "**simulated models**" : "",
    ...sectionParts(report).map((one) => partMarkdown(one, { level: 2 })),
    `Usage: ${usage} · run ${id}`,
  ];
  return `${parts.filter((one) => one !== "").join("\n\n")}\n`;
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

const describeStatus = ({ status, why, agents, evaluators }: EvaluationReport): string => {
  const read = `${Object.keys(agents).length} of ${pluralize(evaluators.length, "evaluator")} gave scores.`;
  return status === "answered" ? read : `${read} ${status}${why === null ? "" : `: ${why}`}`.slice(0, 600);
};

/** The averages, how far they lie apart where several evaluators gave one, and each evaluator's own. */
function scoreTable({ evaluation, overall_score, spread, agents }: EvaluationReport) {
  const given = Object.entries(agents);
  const isSeveral = given.length > 1;
  const { functional_completeness, non_functional } = evaluation;
  const averages = { functional_completeness, ...non_functional, overall: { average_score: overall_score } };
  const rows = METRICS.map((metric) => {
    const range = spread[metric];
    const average = averages[metric].average_score;
    return [
      METRIC_NAMES[metric],
      average === null ? ABSENT : average.toFixed(2),
      ...(isSeveral ? [range ? `${range.low}–${range.high}` : ABSENT] : []),
      ...(isSeveral ? given.map(([, one]) => figure(scoresOf(one)[metric])) : []),
    ];
  });
  const several = isSeveral ? ["Spread", ...given.map(([id]) => inline(id, 60))] : [];
  return table(["Metric", "Average", ...several], rows);
}

// Object.keys forgets which keys these are.
const METRICS = Object.keys(METRIC_NAMES) as readonly Metric[];

/** What Dialectic's tables say where there is no score. */
const ABSENT = "N/A";

const figure = (score: number | null): string => (score === null ? ABSENT : String(score));

const scoresOf = ({ evaluation, overall_summary }: Scored): { readonly [M in Metric]: number | null } => {
  const { functional_completeness, non_functional } = evaluation;
  return {
    functional_completeness: functional_completeness.score,
    performance_scalability: non_functional.performance_scalability.score,
    security: non_functional.security.score,
    maintainability_evolvability: non_functional.maintainability_evolvability.score,
    regulatory_compliance: non_functional.regulatory_compliance.score,
    testability: non_functional.testability.score,
    requirements_fulfillment: non_functional.requirements_fulfillment.score,
    overall: overall_summary.overall_score,
  };
};

/** What one evaluator says, its reasons in the order of the metrics. */
function evaluatorPart(id: string, { evaluation, overall_summary }: Scored): ReportPart {
  const { functional_completeness, non_functional } = evaluation;
  const reasons = { functional_completeness, ...non_functional };
  const reasoned = METRICS.flatMap((metric) => {
    if (metric === "overall" || reasons[metric].reasoning === "") return [];
    const { score, reasoning } = reasons[metric];
    return [`${METRIC_NAMES[metric]}, ${figure(score)}: ${reasoning.replaceAll(/\s+/g, " ")}`];
  });
  const quoted = (heading: string, text: string): ReportPart =>
    part(heading, ...(text === "" ? [] : [{ kind: "text", text } as const]));
  return {
    heading: id,
    blocks: [points(reasoned)],
    parts: [quoted("Strengths", overall_summary.strengths), quoted("Weaknesses", overall_summary.weaknesses)],
  };
}
