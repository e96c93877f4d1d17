import type { Judgement } from "./view.ts";
import type { Validation } from "./validation.ts";
import { summarizeVerdict } from "./validation.ts";
import type { Entry } from "../../kernel/index.ts";
import { labelledRows, type LabelledRow } from "../../reports/labelled-rows.ts";
import { oneLine } from "../../reports/printable.ts";
import { styleOf } from "../../reports/style.ts";
import { wrapped } from "../../reports/text-width.ts";
import { unpricedModels } from "../../reports/unpriced.ts";
import { pluralize } from "../../text/format.ts";
import { formatCost, formatFamily, formatTokens } from "../../reports/words.ts";

export type JudgeStyle = {
  /** Whether it may be styled: a terminal, and no `NO_COLOR`. */
  readonly color: boolean;
  /** Cells of a line. */
  readonly width: number;
  /** The models without a known price, as `unpricedModels` tells them. */
  readonly unpriced?: readonly string[];
};

type Figure = NonNullable<Validation["flipRate"]>;

/** A judge's figures, for a person: first of all, whether they are enough to judge it by, and no better than chance. Ends in a newline. */
export function validationText(validation: Validation, { color, width, unpriced = [] }: JudgeStyle): string {
  const style = styleOf(color);
  const narrow = Math.max(20, width);
  const { measured, why, simulated, labelled, kappa } = validation;
  const chance = measured ? chanceWords(kappa) : undefined;
  const warnings = [
    ...(measured ? [] : [`Not enough to judge it by: ${oneLine(why ?? "", 600)}.`]),
    ...(chance === undefined ? [] : [`${chance} on these items.`]),
    ...(simulated ? ["simulated models"] : []),
  ].flatMap((line) => wrapped(line, narrow).map(style.yellow));
  const rows: LabelledRow[] = [
    { label: "Judge", text: judgeWords(validation) },
    { label: "Asked", text: askedWords(validation) },
    { label: "Figures", table: [["", "", "95 % interval", "n"], ...figureRows(validation)] },
    ...noteRows(validation),
    { label: "Spent", text: spentWords(validation, unpriced) },
    { label: "Id", text: validation.id },
  ];
  const block = labelledRows(rows, { width: narrow, style });
  const head = [
    ...(measured ? wrapped(`Measured on ${pluralize(labelled, "labelled item")}.`, narrow) : []),
    ...warnings,
  ];
  return `${[...head, "", ...block].join("\n")}\n`;
}

/** What Cohen's kappa says where it is not above chance; undefined where it is, or has no interval. */
function chanceWords({ low, high }: Figure): string | undefined {
  if (low === null || high === null || low > 0) return undefined;
  return high < 0 ? "Worse than chance" : "No better than chance";
}

const judgeWords = ({ model, family }: Pick<Validation, "model" | "family">): string =>
  `${model}, ${family === null ? formatFamily(family) : `family ${family}`}`;

const askedWords = ({ kind, items, labelled, unread, form, rubric, repeat }: Validation): string =>
  [
    `${pluralize(items, kind === "grade" ? "answer" : "pair")}${kind === "preference" ? " in both orders" : ""}`,
    ...(repeat > 1 ? [`each prompt ${repeat} times`] : []),
    `form ${form}, rubric ${rubric}`,
    `${labelled} labelled and read${unread > 0 ? `, ${unread} without a verdict` : ""}`,
  ].join("; ");

function figureRows(validation: Validation): string[][] {
  const { accuracy, kappa, weightedKappa, flipRate, positionLean, lengthLean } = validation;
  const points = validation.kind === "grade" ? " points" : "";
  const rows: (string[] | undefined)[] = [
    row("accuracy", accuracy, share),
    row("kappa", kappa, plain),
    weightedKappa ? row("kappa, quadratic", weightedKappa, plain) : undefined,
    flipRate ? row("flips with order", flipRate, share) : undefined,
    positionLean ? row("lean to the first", positionLean, signed) : undefined,
    lengthLean ? row("lean to the longer", lengthLean.all, signed) : undefined,
    lengthLean && lengthLean.ties.n > 0 ? row("  on label ties", lengthLean.ties, signed) : undefined,
    lengthLean ? row("  of the labels", lengthLean.labels, signed) : undefined,
    row("repeats itself", validation.repeatability, share),
    row(`own family${points}`, validation.ownFamilyLean, signed),
  ];
  return rows.filter((one) => one !== undefined);
}

const row = (name: string, { value, low, high, n }: Figure, words: (value: number) => string): string[] => [
  name,
  value === null ? "unknown" : words(value),
  low === null || high === null ? "" : `${words(low)} to ${words(high)}`,
  String(n),
];

const share = (value: number): string => `${(100 * value).toFixed(0)} %`;
const plain = (value: number): string => value.toFixed(2);
const signed = (value: number): string => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(2)}`;

/** What a reader would otherwise take a figure for. */
function noteRows({ kind, repeatability, ownFamilyLean, simulated }: Validation): LabelledRow[] {
  const notes = [
    kind === "preference"
      ? "Leans: -0.50 to +0.50, 0 is none. A verdict that changes with the order counts as a tie."
      : "Accuracy counts exact grades; kappa takes chance agreement away.",
    repeatability.n === 0 ? "Repeats: not asked; --repeat 2 asks every prompt twice." : "",
    ownFamilyLean.n === 0 && !simulated ? "Own family: the rows name no authors of that family." : "",
  ].filter(Boolean);
  return notes.map((text, index) => ({ label: index === 0 ? "Notes" : "", text }));
}

const spentWords = (
  { calls, tokens, cost }: Pick<Validation, "calls" | "tokens" | "cost">,
  unpriced: readonly string[],
): string => [pluralize(calls, "call"), formatTokens(tokens), formatCost(cost, unpriced)].join("; ");

/** So much of a judge's words is shown; all of them are in the journal. */
const FEEDBACK_CHARACTERS = 2_000;

/** Grades, or a preference in both orders, for a person; `names` are those of the answers, in the order given. Ends in a newline. */
export function judgementText(
  judgement: Judgement,
  names: readonly string[],
  { color, width, unpriced = [] }: JudgeStyle,
): string {
  const style = styleOf(color);
  const narrow = Math.max(20, width);
  const head = judgement.simulated ? [style.yellow("simulated models"), ""] : [];
  const rows: LabelledRow[] = [
    ...(judgement.kind === "grade" ? gradeRows(judgement.grades, names) : preferenceRows(judgement, names)),
    {
      label: "Judge",
      text: `${judgeWords(judgement)}; form ${judgement.form}, rubric ${judgement.rubric}`,
    },
    { label: "Spent", text: spentWords(judgement, unpriced) },
    { label: "Id", text: judgement.id },
  ];
  return `${[...head, ...labelledRows(rows, { width: narrow, style })].join("\n")}\n`;
}

const gradeRows = (
  grades: Extract<Judgement, { kind: "grade" }>["grades"],
  names: readonly string[],
): LabelledRow[] =>
  grades.flatMap(({ score, feedback, why }, index) => [
    {
      label: "Grade",
      text: `${names[index] ?? `answer ${index + 1}`}: ${score === null ? "none" : `${score} of 5`}`,
    },
    { label: "", text: score === null ? `not read: ${why ?? ""}` : words(feedback) },
  ]);

function preferenceRows(
  { winner, orderSensitive, reason, why, orders }: Extract<Judgement, { kind: "preference" }>,
  names: readonly string[],
): LabelledRow[] {
  const called = (side: string): string => `${side} (${names[side === "A" ? 0 : 1] ?? `answer ${side}`})`;
  const verdict = (side: string | null, reasonWhy: string | null): string =>
    side === null ? `not read: ${reasonWhy ?? ""}` : side === "tie" ? "a tie" : called(side);
  const sensitive = orderSensitive === true ? "; the verdict depends on the order" : "";
  return [
    { label: "Better", text: `${verdict(winner, why)}${sensitive}` },
    { label: "", text: winner === null ? "" : words(reason) },
    ...orders.map((order, index) => ({
      label: index === 0 ? "Orders" : "",
      text: `${order.shown.join(" first, then ")}: ${verdict(order.winner, order.why)}`,
    })),
  ];
}

const words = (text: string): string => oneLine(text, FEEDBACK_CHARACTERS);

/** A judge's deliberation for a person: its validation where its items are labelled, else its verdicts; undefined for any other. */
export function judgeReport(
  entries: readonly Entry[],
  style: Omit<JudgeStyle, "unpriced">,
): string | undefined {
  const verdict = summarizeVerdict(entries);
  if (!verdict) return undefined;
  const whole = { ...style, unpriced: unpricedModels(entries) };
  return "measured" in verdict ? validationText(verdict, whole) : judgementText(verdict, [], whole);
}
