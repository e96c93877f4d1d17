import type { ReportBlock, ReportPart } from "../../../../kernel/index.ts";
import { part, table, words } from "../../../../reports/part.ts";
import { oneLine } from "../../../../reports/printable.ts";
import { formatFamily } from "../../../../reports/words.ts";
import { pluralize } from "../../../../text/format.ts";
import type { Judgement, JudgeSection, Validation } from "./view.ts";

export const isVerdict = true;

/** A judge's metrics or verdicts; `names` are those of the answers, in the order given. */
export function sectionParts(
  section: JudgeSection,
  _result?: unknown,
  names: readonly string[] = [],
): ReportPart[] {
  if ("measured" in section) return validationParts(section);
  const verdict = section.kind === "grade" ? [gradesPart(section, names)] : preferenceParts(section, names);
  return [...verdict, part("Judge", words(describeJudge(section)))];
}

type Figure = NonNullable<Validation["flipRate"]>;

/** First of all, whether the metrics are enough to judge the judge by, and no better than chance. */
function validationParts(validation: Validation): ReportPart[] {
  const { measured, why, labelled, kappa } = validation;
  const chance = measured ? chanceWords(kappa) : undefined;
  const warning = (text: string): ReportBlock => ({ kind: "warning", title: "", text });
  return [
    part(
      "",
      ...(measured ? [] : [warning(`Not enough data: ${oneLine(why ?? "", 600)}.`)]),
      ...(chance === undefined ? [] : [warning(`${chance} on these items.`)]),
      ...(measured ? [words(`Measured on ${pluralize(labelled, "labeled item")}.`)] : []),
    ),
    part("Judge", words(describeJudge(validation)), words(describeWork(validation))),
    part(
      "Metrics",
      table(["Metric", "Value", "95 % interval", "n"], metricRows(validation)),
      ...notesOf(validation).map(words),
    ),
  ];
}

/** What Cohen's kappa says where it is not above chance; undefined where it is, or has no interval. */
function chanceWords({ low, high }: Figure): string | undefined {
  if (low === null || high === null || low > 0) return undefined;
  return high < 0 ? "Worse than chance" : "No better than chance";
}

const describeJudge = ({ model, family, form, rubric }: JudgeSection): string =>
  `${model}, ${family === null ? formatFamily(family) : `family ${family}`}; form ${form}, rubric ${rubric}`;

const describeWork = ({ kind, items, labelled, unread, repeat }: Validation): string =>
  [
    `${pluralize(items, kind === "grade" ? "answer" : "pair")}${kind === "preference" ? " in both orders" : ""}`,
    ...(repeat > 1 ? [`each prompt ${repeat} times`] : []),
    `${labelled} labeled and read${unread > 0 ? `, ${unread} without a verdict` : ""}`,
  ].join("; ");

function metricRows(validation: Validation): string[][] {
  const { accuracy, kappa, weightedKappa, flipRate, positionLean, lengthLean } = validation;
  const unit = validation.kind === "grade" ? " (points)" : "";
  const rows: (string[] | undefined)[] = [
    metricRow("accuracy", accuracy, share),
    metricRow("kappa", kappa, plain),
    weightedKappa ? metricRow("kappa, quadratic", weightedKappa, plain) : undefined,
    flipRate ? metricRow("position inconsistency", flipRate, share) : undefined,
    positionLean ? metricRow("position bias", positionLean, formatSigned) : undefined,
    lengthLean ? metricRow("length bias", lengthLean.all, formatSigned) : undefined,
    lengthLean && lengthLean.ties.n > 0
      ? metricRow("  on label ties", lengthLean.ties, formatSigned)
      : undefined,
    lengthLean ? metricRow("  of the labels", lengthLean.labels, formatSigned) : undefined,
    metricRow("test-retest consistency", validation.repeatability, share),
    metricRow(`self-preference bias${unit}`, validation.ownFamilyLean, formatSigned),
  ];
  return rows.filter((one) => one !== undefined);
}

const metricRow = (
  name: string,
  { value, low, high, n }: Figure,
  format: (value: number) => string,
): string[] => [
  name,
  value === null ? "unknown" : format(value),
  low === null || high === null ? "" : `${format(low)} to ${format(high)}`,
  String(n),
];

const share = (value: number): string => `${(100 * value).toFixed(0)} %`;
const plain = (value: number): string => value.toFixed(2);
const formatSigned = (value: number): string => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(2)}`;

/** What a reader would otherwise take a metric for. */
const notesOf = ({ kind, repeatability, ownFamilyLean, simulated, repeat }: Validation): string[] =>
  [
    kind === "preference"
      ? "Biases range from -0.50 to +0.50; 0 is none. A verdict that changes with the order counts as a tie."
      : "Accuracy counts exact scores; kappa corrects for chance agreement.",
    repeatability.n === 0 && repeat === 1 ? "Test-retest consistency: each prompt was asked once." : "",
    ownFamilyLean.n === 0 && !simulated
      ? "Self-preference bias: no row names an author of the judge's family."
      : "",
  ].filter(Boolean);

/** Characters of a judge's words that are shown; all of them are in the journal. */
const MAX_FEEDBACK_LENGTH = 2_000;
const quoteFeedback = (text: string): ReportBlock => words(oneLine(text, MAX_FEEDBACK_LENGTH));

const gradesPart = (
  { grades }: Extract<Judgement, { kind: "grade" }>,
  names: readonly string[],
): ReportPart =>
  part(
    "Scores",
    ...grades.flatMap(({ score, feedback, why }, index) => {
      const name = names[index] ?? `answer ${index + 1}`;
      if (score === null) return [words(`${name}: no score: ${why ?? ""}`)];
      return [words(`${name}: ${score}/5`), quoteFeedback(feedback)];
    }),
  );

function preferenceParts(
  { winner, orderSensitive, reason, why, orders }: Extract<Judgement, { kind: "preference" }>,
  names: readonly string[],
): ReportPart[] {
  const called = (side: string): string => `${side} (${names[side === "A" ? 0 : 1] ?? `answer ${side}`})`;
  const verdict = (side: string | null, reasonWhy: string | null): string =>
    side === null ? `unreadable: ${reasonWhy ?? ""}` : side === "tie" ? "tie" : called(side);
  const sensitive =
    orderSensitive === true ? "; position inconsistency: the verdict depends on the order" : "";
  return [
    part(
      "Better",
      words(`${verdict(winner, why)}${sensitive}`),
      ...(winner === null ? [] : [quoteFeedback(reason)]),
    ),
    part(
      "Orders",
      ...orders.map((order) =>
        words(`${order.shown.join(" first, then ")}: ${verdict(order.winner, order.why)}`),
      ),
    ),
  ];
}
