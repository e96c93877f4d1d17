import type { GradePairs, MemoryAblation, RightPairs, SideTotal } from "./report.ts";
import {
  formatDifference,
  formatEstimate,
  MIN_BENCH_TASKS,
  MIN_DISCORDANT,
  formatPValue,
} from "../../protocol/report-words.ts";
import { SIGNIFICANT } from "../../../../stats/proportions.ts";
import { labelledRows, type LabelledRow } from "../../../../reports/labelled-rows.ts";
import type { TextStyle } from "../../../../reports/answer.ts";
import { oneLine } from "../../../../reports/printable.ts";
import { styleOf } from "../../../../reports/style.ts";
import { wrap } from "../../../../reports/text-width.ts";
import { pluralize, formatBill, formatNumber } from "../../../../text/format.ts";

/** Formats a memory ablation for a terminal. Ends in a newline. */
export function memoryAblationText(report: MemoryAblation, { color, width }: TextStyle): string {
  const style = styleOf(color);
  const most = Math.max(20, width);
  const rows: LabelledRow[] = [
    { label: "Setup", text: describeSetup(report) },
    { label: "Retrieved", text: describeRetrieval(report) },
    ...pairRows("Correct", report.right, rightCells),
    ...pairRows("Graded", report.grades, gradeCells),
    { label: "Usage", table: usageTable(report) },
    ...judgeRows(report),
  ];
  const warnings = [
    ...(report.simulated ? ["Simulated models: the results say nothing about real models."] : []),
    ...(report.complete ? [] : [describeMissing(report)]),
  ];
  return `${[
    ...wrap(describeResult(report), most).map(style.bold),
    ...warnings.flatMap((line) => wrap(line, most).map(style.yellow)),
    "",
    ...labelledRows(rows, { width: most, style }),
  ].join("\n")}\n`;
}

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

const tooFew = (n: number): string =>
  `${pluralize(n, "question")} are not enough (${MIN_BENCH_TASKS} required)`;

/** Whether memory changes accuracy, or why the test does not show it. */
function describeAccuracy({ n, p, onlyWith, onlyWithout }: RightPairs): string {
  if (n < MIN_BENCH_TASKS) return tooFew(n);
  if (p < SIGNIFICANT) return onlyWith > onlyWithout ? "memory helps" : "memory harms";
  return onlyWith + onlyWithout < MIN_DISCORDANT
    ? `underpowered: only ${pluralize(onlyWith + onlyWithout, "discordant question")}`
    : "no significant difference";
}

function describeGrades({ n, difference }: GradePairs): string {
  if (difference === null || n < MIN_BENCH_TASKS) return tooFew(n);
  if (difference.low > 0) return "memory helps";
  return difference.high < 0 ? "memory harms" : "no significant difference";
}

function describeMissing({ tasks, with: one, without: other }: MemoryAblation): string {
  const failed = one.failed + other.failed;
  return `Not complete: finished with memory ${one.finished}, without ${other.finished} of ${tasks.count}${failed > 0 ? `; ${pluralize(failed, "answer")} failed without a reply` : ""}. Only questions that both sides finished count.`;
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

type PairCells = { readonly cells: Readonly<Record<string, string | number>>; readonly difference: string };

const rightCells = ({ both, onlyWith, onlyWithout, neither, ...pairs }: RightPairs): PairCells => ({
  cells: { both, "only with": onlyWith, "only without": onlyWithout, neither },
  difference: `difference in points ${formatDifference(pairs.difference)}, p ${formatPValue(pairs)}`,
});

const formatMean = (value: number | null) => (value === null ? "–" : value.toFixed(2));

const gradeCells = ({ higher, alike, lower, difference, ...means }: GradePairs): PairCells => ({
  cells: {
    ...{ with: formatMean(means.with), without: formatMean(means.without) },
    ...{ higher, equal: alike, lower },
  },
  difference: `mean difference ${formatDifference(difference, { decimals: 2, scale: 1 })}`,
});

/** A table and a line of differences: for all pairs, and for those where anything was retrieved if these are not all. */
function pairRows<P extends { readonly n: number }>(
  label: string,
  { all, recalled }: { readonly all: P; readonly recalled: P },
  tell: (pairs: P) => PairCells,
): LabelledRow[] {
  if (all.n === 0) return [];
  const sets = [
    ["all", all] as const,
    ...(recalled.n === all.n ? [] : [["where retrieved", recalled] as const]),
  ];
  const table = sets.map(([name, pairs]) => [name, pairs.n, ...Object.values(tell(pairs).cells)].map(String));
  const differences = sets.filter(([, { n }]) => n > 0);
  return [
    { label, table: [["", "n", ...Object.keys(tell(all).cells)], ...table] },
    ...differences.map(([name, pairs]) => ({ label: "", text: `${name}: ${tell(pairs).difference}` })),
  ];
}

function usageTable({ with: one, without: other }: MemoryAblation): string[][] {
  const row = (name: string, { finished, accuracy, calls, tokens, usd }: SideTotal): string[] => [
    ...[name, String(finished), formatEstimate(accuracy), formatNumber(calls)],
    ...[formatCount(tokens.in), formatCount(tokens.out), usd === null ? "unknown" : formatBill({ usd })],
  ];
  const heads = ["", "done", "correct (95 %)", "calls", "input", "output", "cost"];
  return [heads, row("with", one), row("without", other)];
}

const formatCount = (value: number | null): string => (value === null ? "unknown" : formatNumber(value));

function judgeRows({ judge }: MemoryAblation): LabelledRow[] {
  if (!judge) return [];
  const { calls, tokens, cost } = judge;
  const unread = judge.answers - judge.read;
  const took = `${pluralize(calls, "call")}, ${formatCount(tokens.in)} input + ${formatCount(tokens.out)} output tokens, ${formatBill({ usd: cost.usd })}`;
  const graded = `${pluralize(judge.read, "grade")} of ${pluralize(judge.answers, "distinct answer")}`;
  const text = `${oneLine(judge.model, 200)}, rubric ${oneLine(judge.rubric, 60)}: ${graded}; ${took}; run ${judge.id}`;
  const why = `${pluralize(unread, "answer")} without a grade: ${oneLine(judge.why ?? "", 300)}`;
  return [{ label: "Judge", text }, ...(unread > 0 ? [{ label: "", text: why }] : [])];
}
