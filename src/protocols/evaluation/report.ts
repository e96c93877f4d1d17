import { METRIC_NAMES, type EvaluationReport } from "./view.ts";
import { block, bullets, inline, section, table } from "../../reports/markdown.ts";
import { pluralize } from "../../text/format.ts";
import { formatCost, formatFamily, formatTokens } from "../../reports/words.ts";

type Metric = keyof typeof METRIC_NAMES;
type Scored = EvaluationReport["agents"][string];

/**
 * An evaluation as a markdown document: what a reader should know first, then the scores, then what each evaluator says.
 * `unpriced` names the models without a known price. No foreign text can change the document's structure. Ends in a newline.
 */
export function evaluationMarkdown(report: EvaluationReport, unpriced: readonly string[] = []): string {
  const { debate, simulated, warnings, evaluators, agents } = report;
  const parts = [
    `# Evaluation of ${inline(debate, 200) || "a debate"}`,
    simulated ? "**simulated models**" : "",
    statusPart(report),
    section("**Warnings**", bullets(warnings.map((warning) => warning.slice(0, 1_000)))),
    scoreTable(report),
    section(
      "## Evaluators",
      table(
        ["Id", "Name", "Model", "Family", "Scores"],
        evaluators.map(({ id, name, model, family, skipped }) => [
          id,
          name,
          model,
          formatFamily(family),
          skipped === null ? "given" : "left out",
        ]),
      ),
    ),
    ...Object.entries(agents).map(([id, given]) => evaluatorPart(id, given)),
    `${[spentWords(report, unpriced), `id ${report.id}`].join("; ")}.`,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const statusPart = ({ status, why, agents, evaluators }: EvaluationReport): string => {
  const read = `${Object.keys(agents).length} of ${pluralize(evaluators.length, "evaluator")} gave scores.`;
  return status === "answered"
    ? read
    : `${read} ${inline(`${status}${why === null ? "" : `: ${why}`}`, 600)}`;
};

/** The averages, how far they lie apart where several evaluators gave one, and each evaluator's own. */
function scoreTable({ evaluation, overall_score, spread, agents }: EvaluationReport): string {
  const given = Object.entries(agents);
  const several = given.length > 1;
  const { functional_completeness, non_functional } = evaluation;
  const averages = { functional_completeness, ...non_functional, overall: { average_score: overall_score } };
  const rows = METRICS.map((metric) => {
    const range = spread[metric];
    return [
      METRIC_NAMES[metric],
      scoreText(averages[metric].average_score),
      ...(several ? [range ? `${range.low}–${range.high}` : ABSENT] : []),
      ...(several ? given.map(([, one]) => figure(scoresOf(one)[metric])) : []),
    ];
  });
  const heads = ["Metric", "Average", ...(several ? ["Spread", ...given.map(([id]) => inline(id, 60))] : [])];
  return table(heads, rows);
}

// Object.keys forgets which keys these are.
const METRICS = Object.keys(METRIC_NAMES) as readonly Metric[];

/** What Dialectic's tables say where there is no score. */
const ABSENT = "N/A";
const scoreText = (score: number | null): string => (score === null ? ABSENT : score.toFixed(2));
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
function evaluatorPart(id: string, given: Scored): string {
  const { evaluation, overall_summary } = given;
  const { functional_completeness, non_functional } = evaluation;
  const reasons = { functional_completeness, ...non_functional };
  const said = METRICS.flatMap((metric) => {
    if (metric === "overall" || reasons[metric].reasoning === "") return [];
    const { score, reasoning } = reasons[metric];
    return [`${METRIC_NAMES[metric]}, ${figure(score)}: ${reasoning.replaceAll(/\s+/g, " ")}`];
  });
  return section(
    `## ${inline(id, 100)}`,
    bullets(said),
    section("Strengths", quoted(overall_summary.strengths)),
    section("Weaknesses", quoted(overall_summary.weaknesses)),
  );
}

const quoted = (text: string): string => (text === "" ? "" : block(text));

const spentWords = (
  { calls, tokens, cost }: Pick<EvaluationReport, "calls" | "tokens" | "cost">,
  unpriced: readonly string[],
): string =>
  `Spent: ${[pluralize(calls, "call"), formatTokens(tokens), formatCost(cost, unpriced)].join("; ")}`;
