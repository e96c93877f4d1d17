import type { Estimate } from "../../../contract/figures.ts";
import { SIGNIFICANT } from "../../../stats/proportions.ts";
import { formatNumber, formatUsd } from "../../../text/format.ts";

// How a bench is put into words and axes. The figures are those of a report, of which a page knows no more than it shows.

/** What a plot needs of an arm; costs are means per question, null where a call did not report them. */
export type PlottedArm = {
  readonly name: string;
  readonly accuracy: Estimate;
  readonly perQuestion: {
    readonly calls: number | null;
    readonly tokensIn: number | null;
    readonly tokensOut: number | null;
    readonly usd: number | null;
  };
};

type PairFigures = {
  readonly first: string;
  readonly second: string;
  readonly n: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly adjusted: number;
};
type DifferenceFigures = { readonly value: number; readonly low: number; readonly high: number } | null;
type PreferenceFigures = Record<"n" | "won" | "lost" | "adjusted", number> & { readonly arm: string };
type FlipFigures = Readonly<Record<"n" | "rightToWrong" | "wrongToRight" | "p", number>>;

/** With fewer questions, an interval is too wide to tell arms apart. */
export const MIN_BENCH_TASKS = 20;

/** A share as a percentage with one decimal: so few questions do not support more. */
export const formatShare = (share: number | null): string =>
  share === null ? "–" : (share * 100).toFixed(1);

/** `70.0 % (57.5–80.1)`; a dash where nothing is measured. */
export const formatEstimate = ({ value, low, high }: Omit<Estimate, "n">): string =>
  value === null ? "–" : `${formatShare(value)} % (${formatShare(low)}–${formatShare(high)})`;

/** A p-value with three decimals; a dash without observations. */
export const formatPValue = ({ n, p }: { readonly n: number; readonly p: number }): string =>
  n === 0 ? "–" : p <= 0.001 ? "≤0.001" : p.toFixed(3);

/** A difference with its sign and interval, by default in percentage points: `+3.3 (−6.2 to +12.7)`. */
export function formatDifference(
  difference: DifferenceFigures,
  { decimals, scale }: { readonly decimals: number; readonly scale: number } = { decimals: 1, scale: 100 },
): string {
  if (difference === null) return "–";
  const signed = (value: number): string => {
    const text = (value * scale).toFixed(decimals);
    if (Number(text) === 0) return (0).toFixed(decimals);
    return text.startsWith("-") ? `−${text.slice(1)}` : `+${text}`;
  };
  return `${signed(difference.value)} (${signed(difference.low)} to ${signed(difference.high)})`;
}

/** With fewer discordant questions, McNemar's test cannot reach 0.05. */
export const MIN_DISCORDANT = 6;

/** Which of two arms is better, or why the test does not show it. */
export function describePair({ first, second, n, onlyFirst, onlySecond, adjusted }: PairFigures): string {
  if (n === 0) return "no common questions yet";
  if (adjusted < SIGNIFICANT) return `${onlyFirst > onlySecond ? first : second} is better`;
  return onlyFirst + onlySecond < MIN_DISCORDANT ? "underpowered" : "no significant difference";
}

/** Which of two arms a judge prefers, or why the test does not show it. */
export function describePreference({
  arm,
  against,
  n,
  won,
  lost,
  adjusted,
}: PreferenceFigures & { readonly against: string }): string {
  if (n === 0) return "no common answers yet";
  if (adjusted < SIGNIFICANT) return `${won > lost ? arm : against} is preferred`;
  return won + lost < MIN_DISCORDANT ? "underpowered" : "no significant preference";
}

/** How many answers are right after deliberation. */
export const countRightAfter = (
  flips: Readonly<
    Record<"controlRight" | "rightToWrong" | "wrongToRight" | "rightToNone" | "noneToRight", number>
  >,
): number =>
  flips.controlRight - flips.rightToWrong - flips.rightToNone + flips.wrongToRight + flips.noneToRight;

/** Whether deliberation helped, or why the test does not show it. */
export function describeFlips({ n, rightToWrong, wrongToRight, p }: FlipFigures): string {
  const flips = rightToWrong + wrongToRight;
  if (n === 0) return "no majority of drafts to compare with";
  if (p < SIGNIFICANT) return wrongToRight > rightToWrong ? "deliberation helped" : "deliberation harmed";
  if (flips < MIN_DISCORDANT) return `underpowered: ${flips} changed`;
  return "no significant effect";
}

/** What the cost per question is counted in. */
export type BenchCostUnit = "usd" | "tokens" | "calls";

/** The cost per question, in a unit that all arms have. */
export type BenchCostAxis = { readonly unit: BenchCostUnit; readonly of: (arm: PlottedArm) => number | null };

/** US dollars where every arm's cost is known and any is not zero, else tokens, else calls. */
export function costAxis(arms: readonly PlottedArm[]): BenchCostAxis {
  const all = (of: BenchCostAxis["of"]) => arms.every((arm) => arm.accuracy.n === 0 || of(arm) !== null);
  const usd: BenchCostAxis["of"] = ({ perQuestion }) => perQuestion.usd;
  const tokens: BenchCostAxis["of"] = ({ perQuestion: { tokensIn, tokensOut } }) =>
    tokensIn === null || tokensOut === null ? null : tokensIn + tokensOut;
  if (all(usd) && arms.some((arm) => (usd(arm) ?? 0) > 0)) return { unit: "usd", of: usd };
  if (all(tokens)) return { unit: "tokens", of: tokens };
  return { unit: "calls", of: ({ perQuestion }) => perQuestion.calls };
}

/** The words and numbers of a plot, in a reader's language. */
export type BenchPlotWords = {
  readonly title: string;
  readonly subtitle: string;
  /** Stands where no arm has finished a question. */
  readonly nothing: string;
  readonly axis: { readonly [unit in BenchCostUnit]: string };
  readonly share: (share: number, digits: number) => string;
  readonly cost: (value: number, unit: BenchCostUnit) => string;
};

/** The words of documents, which are English. */
export const benchPlotWords = (isSimulated: boolean, tasks: number): BenchPlotWords => ({
  title: "Accuracy over cost",
  subtitle: `${isSimulated ? "simulated models · " : ""}${tasks} tasks · bars are 95 % Wilson intervals`,
  nothing: "No arm has finished a question yet",
  axis: { usd: "US dollars per question", tokens: "tokens per question", calls: "model calls per question" },
  share: (share, digits) => `${(share * 100).toFixed(digits)} %`,
  cost(value, unit) {
    if (unit === "usd") return formatUsd(value);
    if (unit === "tokens") return formatNumber(Math.round(value));
    return Number.isInteger(value) ? String(value) : value.toFixed(1);
  },
});
/** How an answer differs from what the run's own drafts elect: the verdict on these, and the one on the answer. */
export const CHANGES = ["right-wrong", "wrong-right", "right-none", "none-right"] as const;
export type BenchChange = (typeof CHANGES)[number];

/** `right`: null where no right answer is known. */
type MarkedAnswer = { readonly answer: string | null; readonly right: boolean | null };
/** `control`: what the run's own drafts elect. */
type ScoredRow = MarkedAnswer & {
  readonly arm: string;
  readonly finished: boolean;
  readonly control: MarkedAnswer | null;
};

/** Whether an answer is right, wrong or missing; `open` where no right answer is known. */
export const verdictOf = ({ answer, right }: MarkedAnswer): "right" | "wrong" | "none" | "open" =>
  right === null ? "open" : right ? "right" : answer === null ? "none" : "wrong";

/** What deliberating changed in a run; undefined where nothing counts as changed. */
export function changeOf({ finished, control, ...row }: Omit<ScoredRow, "arm">): BenchChange | undefined {
  if (!finished || control === null) return undefined;
  const change = `${verdictOf(control)}-${verdictOf(row)}`;
  return CHANGES.find((one) => one === change);
}

/** The runs of an arm; of a change, those alone. */
export const rowsOf = <R extends ScoredRow>(
  rows: readonly R[],
  arm: string,
  change: BenchChange | undefined,
): readonly R[] =>
  rows.filter((row) => row.arm === arm && (change === undefined || changeOf(row) === change));
