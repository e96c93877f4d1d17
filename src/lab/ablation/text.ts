import type { GradePairs, MemoryAblation, RightPairs, SideTotal } from "./report.ts";
import { formatDifference, formatEstimate, MIN_DISCORDANT, formatPValue } from "../../reports/bench-words.ts";
import { labelledRows, type LabelledRow } from "../../reports/labelled-rows.ts";
import type { TextStyle } from "../../reports/answer.ts";
import { oneLine } from "../../reports/printable.ts";
import { styleOf } from "../../reports/style.ts";
import { wrapped } from "../../reports/text-width.ts";
import { pluralize, formatNumber, formatUsd } from "../../text/format.ts";

/** With fewer pairs, no effect is reported. */
const MIN_PAIRS = 20;
const SIGNIFICANT = 0.05;

/** Formats a memory ablation for a terminal. Ends in a newline. */
export function memoryAblationText(report: MemoryAblation, { color, width }: TextStyle): string {
  const style = styleOf(color);
  const most = Math.max(20, width);
  const rows: LabelledRow[] = [
    { label: "Setup", text: describeSetup(report) },
    { label: "Retrieved", text: describeRetrieval(report) },
    ...pairRows(report.right, RIGHT),
    ...pairRows(report.grades, GRADES),
    { label: "Usage", table: usageTable(report) },
    ...judgeRows(report),
  ];
  const warnings = [
    ...(report.simulated ? ["Simulated models: the results say nothing about real models."] : []),
    ...describeMissing(report),
  ];
  return `${[
    ...wrapped(describeResult(report), most).map(style.bold),
    ...warnings.flatMap((line) => wrapped(line, most).map(style.yellow)),
    "",
    ...labelledRows(rows, { width: most, style }),
  ].join("\n")}\n`;
}

/** The result in a sentence. */
function describeResult({ right, grades, recalled }: MemoryAblation): string {
  if (right.all.n + grades.all.n === 0) return "There is nothing to compare yet.";
  if (recalled.any === 0)
    return "Memory retrieved nothing for any of these questions: both sides were asked the same, and any difference is chance.";
  const parts = [
    ...(right.all.n > 0 ? [`by known answers, ${describeAccuracy(right.all)}`] : []),
    ...(grades.all.n > 0 ? [`by the judge, ${describeGrades(grades.all)}`] : []),
  ].join("; ");
  return `${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`;
}

/** Whether memory changes accuracy, or why the test does not show it. */
function describeAccuracy({ n, p, onlyWith, onlyWithout }: RightPairs): string {
  if (n < MIN_PAIRS) return `${pluralize(n, "question")} are not enough (${MIN_PAIRS} required)`;
  if (p < SIGNIFICANT) return onlyWith > onlyWithout ? "memory helps" : "memory harms";
  return onlyWith + onlyWithout < MIN_DISCORDANT
    ? `underpowered: only ${pluralize(onlyWith + onlyWithout, "discordant question")}`
    : "no significant difference";
}

function describeGrades({ n, difference }: GradePairs): string {
  if (difference === null || n < MIN_PAIRS)
    return `${pluralize(n, "question")} are not enough (${MIN_PAIRS} required)`;
  if (difference.low > 0) return "memory helps";
  return difference.high < 0 ? "memory harms" : "no significant difference";
}

function describeMissing({ complete, tasks, with: one, without: other }: MemoryAblation): string[] {
  if (complete) return [];
  const failed = one.failed + other.failed;
  return [
    `Not complete: finished with memory ${one.finished}, without ${other.finished} of ${tasks.count}${failed > 0 ? `; ${pluralize(failed, "answer")} failed without a reply` : ""}. Only questions that both sides finished count.`,
  ];
}

function describeSetup({ model, tasks, user, seed }: MemoryAblation): string {
  const unknown = tasks.count - tasks.known;
  return [
    `${oneLine(model, 200)} with the memory of ${user}, and without`,
    `${pluralize(tasks.count, "question")} of ${oneLine(tasks.file, 200)}${unknown > 0 ? `, ${formatNumber(unknown)} without a known answer` : ""}`,
    seed === null ? "random seeds" : `seed ${oneLine(seed, 60)}`,
  ].join("; ");
}

function describeRetrieval({ recalled: { n, any, engrams, facts, how } }: MemoryAblation): string {
  const parts = [
    ...(engrams > 0 ? [`answers for ${formatNumber(engrams)}`] : []),
    ...(facts > 0 ? [`pinned facts for ${formatNumber(facts)}`] : []),
  ];
  const by = how.length === 0 ? "" : `; search: ${how.map((one) => oneLine(one, 200)).join(", or ")}`;
  return `a result for ${formatNumber(any)} of ${pluralize(n, "question")}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}${by}`;
}

/** A table and a line of differences: for all pairs, and for those where anything was retrieved if these are not all. */
function pairRows<P extends RightPairs | GradePairs>(
  { all, recalled }: { readonly all: P; readonly recalled: P },
  { label, heads, cells, difference }: PairColumns<P>,
): LabelledRow[] {
  if (all.n === 0) return [];
  const sets = [
    { name: "all", pairs: all },
    ...(recalled.n === all.n ? [] : [{ name: "where retrieved", pairs: recalled }]),
  ];
  const lines = sets.map(({ name, pairs }) => [name, String(pairs.n), ...cells(pairs)]);
  return [
    { label, table: [["", "n", ...heads], ...lines] },
    ...sets
      .filter(({ pairs }) => pairs.n > 0)
      .map(({ name, pairs }) => ({ label: "", text: `${name}: ${difference(pairs)}` })),
  ];
}

type PairColumns<P> = {
  readonly label: string;
  readonly heads: readonly string[];
  readonly cells: (pairs: P) => readonly string[];
  readonly difference: (pairs: P) => string;
};

const RIGHT: PairColumns<RightPairs> = {
  label: "Correct",
  heads: ["both", "only with", "only without", "neither"],
  cells: ({ both, onlyWith, onlyWithout, neither }) => [both, onlyWith, onlyWithout, neither].map(String),
  difference: (pairs) =>
    `difference in points ${formatDifference(pairs.difference)}, p ${formatPValue(pairs)}`,
};

const formatMean = (value: number | null) => (value === null ? "–" : value.toFixed(2));

const GRADES: PairColumns<GradePairs> = {
  label: "Graded",
  heads: ["with", "without", "higher", "equal", "lower"],
  cells: (pairs) => [
    ...[pairs.with, pairs.without].map(formatMean),
    ...[pairs.higher, pairs.alike, pairs.lower].map(String),
  ],
  difference: ({ difference }) =>
    `mean difference ${formatDifference(difference, { decimals: 2, scale: 1 })}`,
};

function usageTable({ with: one, without: other }: MemoryAblation): string[][] {
  const row = (name: string, { finished, accuracy, calls, tokens, usd }: SideTotal): string[] => [
    name,
    String(finished),
    formatEstimate(accuracy),
    formatNumber(calls),
    formatCount(tokens.in),
    formatCount(tokens.out),
    formatUsage(usd),
  ];
  const heads = ["", "done", "correct (95 %)", "calls", "input", "output", "cost"];
  return [heads, row("with", one), row("without", other)];
}

const formatUsage = (usd: number | null): string =>
  usd === null ? "unknown" : usd === 0 ? "free" : formatUsd(usd);

const formatCount = (value: number | null): string => (value === null ? "unknown" : formatNumber(value));

function judgeRows({ judge }: MemoryAblation): LabelledRow[] {
  if (!judge) return [];
  const unread = judge.answers - judge.read;
  const { calls, tokens, cost } = judge;
  const took = [
    pluralize(calls, "call"),
    `${formatCount(tokens.in)} input + ${formatCount(tokens.out)} output tokens`,
    cost.usd === null ? "cost unknown" : formatUsage(cost.usd),
  ].join(", ");
  const graded = `${pluralize(judge.read, "grade")} of ${pluralize(judge.answers, "distinct answer")}`;
  const text = `${oneLine(judge.model, 200)}, rubric ${oneLine(judge.rubric, 60)}: ${graded}; ${took}; run ${judge.id}`;
  const why = `${pluralize(unread, "answer")} without a grade: ${oneLine(judge.why ?? "", 300)}`;
  return [{ label: "Judge", text }, ...(unread > 0 ? [{ label: "", text: why }] : [])];
}
