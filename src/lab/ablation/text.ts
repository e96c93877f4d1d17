import type { GradePairs, MemoryAblation, RightPairs, SideTotal } from "./report.ts";
import { formatDifference, formatEstimate, MIN_DISCORDANT, formatPValue } from "../bench/words.ts";
import { labelledRows, type LabelledRow } from "../../reports/labelled-rows.ts";
import type { MemoryStyle } from "../../reports/memory.ts";
import { oneLine } from "../../reports/printable.ts";
import { styleOf } from "../../reports/style.ts";
import { wrapped } from "../../reports/text-width.ts";
import { pluralize, formatNumber, formatUsd } from "../../text/format.ts";

/** With fewer pairs, no effect is reported. */
const MIN_PAIRS = 20;
const SIGNIFICANT = 0.05;

/** Formats a memory ablation for a terminal. Ends in a newline. */
export function memoryAblationText(report: MemoryAblation, { color, width }: MemoryStyle): string {
  const style = styleOf(color);
  const most = Math.max(20, width);
  const rows: LabelledRow[] = [
    { label: "Setup", text: askedWords(report) },
    { label: "Retrieved", text: recalledWords(report) },
    ...rightRows(report),
    ...gradeRows(report),
    { label: "Usage", table: tookTable(report) },
    ...judgeRows(report),
  ];
  const warnings = [
    ...(report.simulated ? ["Simulated models: the results say nothing about real models."] : []),
    ...unfinishedWords(report),
  ];
  return `${[
    ...wrapped(verdict(report), most).map(style.bold),
    ...warnings.flatMap((line) => wrapped(line, most).map(style.yellow)),
    "",
    ...labelledRows(rows, { width: most, style }),
  ].join("\n")}\n`;
}

/** The result in a sentence. */
function verdict({ right, grades, recalled }: MemoryAblation): string {
  if (right.all.n + grades.all.n === 0) return "There is nothing to compare yet.";
  if (recalled.any === 0)
    return "Memory retrieved nothing for any of these questions: both sides were asked the same, and any difference is chance.";
  const parts = [
    ...(right.all.n > 0 ? [`by known answers, ${rightWords(right.all)}`] : []),
    ...(grades.all.n > 0 ? [`by the judge, ${gradeWords(grades.all)}`] : []),
  ].join("; ");
  return `${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`;
}

/** Whether memory changes accuracy, or why the test does not show it. */
function rightWords({ n, p, onlyWith, onlyWithout }: RightPairs): string {
  if (n < MIN_PAIRS) return `${pluralize(n, "question")} are not enough (${MIN_PAIRS} required)`;
  if (p < SIGNIFICANT) return onlyWith > onlyWithout ? "memory helps" : "memory harms";
  return onlyWith + onlyWithout < MIN_DISCORDANT
    ? `underpowered: only ${pluralize(onlyWith + onlyWithout, "discordant question")}`
    : "no significant difference";
}

function gradeWords({ n, difference }: GradePairs): string {
  if (difference === null || n < MIN_PAIRS)
    return `${pluralize(n, "question")} are not enough (${MIN_PAIRS} required)`;
  if (difference.low > 0) return "memory helps";
  return difference.high < 0 ? "memory harms" : "no significant difference";
}

function unfinishedWords({ complete, tasks, with: one, without: other }: MemoryAblation): string[] {
  if (complete) return [];
  const failed = one.failed + other.failed;
  return [
    `Not complete: finished with memory ${one.finished}, without ${other.finished} of ${tasks.count}${failed > 0 ? `; ${pluralize(failed, "answer")} failed without a reply` : ""}. Only questions that both sides finished count.`,
  ];
}

function askedWords({ model, tasks, user, seed }: MemoryAblation): string {
  const unknown = tasks.count - tasks.known;
  return [
    `${oneLine(model, 200)} with the memory of ${user}, and without`,
    `${pluralize(tasks.count, "question")} of ${oneLine(tasks.file, 200)}${unknown > 0 ? `, ${formatNumber(unknown)} without a known answer` : ""}`,
    seed === null ? "random seeds" : `seed ${oneLine(seed, 60)}`,
  ].join("; ");
}

function recalledWords({ recalled: { n, any, engrams, facts, how } }: MemoryAblation): string {
  const parts = [
    ...(engrams > 0 ? [`answers for ${formatNumber(engrams)}`] : []),
    ...(facts > 0 ? [`pinned facts for ${formatNumber(facts)}`] : []),
  ];
  const by = how.length === 0 ? "" : `; search: ${how.map((one) => oneLine(one, 200)).join(", or ")}`;
  return `a result for ${formatNumber(any)} of ${pluralize(n, "question")}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}${by}`;
}

/** All pairs, and those where anything was recalled where these are not the same. */
function rightRows({ right: { all, recalled } }: MemoryAblation): LabelledRow[] {
  if (all.n === 0) return [];
  const row = (name: string, pairs: RightPairs) => [
    name,
    ...[pairs.n, pairs.both, pairs.onlyWith, pairs.onlyWithout, pairs.neither].map(String),
  ];
  return [
    {
      label: "Correct",
      table: [
        ["", "n", "both", "only with", "only without", "neither"],
        row("all", all),
        ...(recalled.n === all.n ? [] : [row("where retrieved", recalled)]),
      ],
    },
    ...[
      { name: "all", pairs: all },
      ...(recalled.n === all.n || recalled.n === 0 ? [] : [{ name: "where retrieved", pairs: recalled }]),
    ].map(({ name, pairs }) => ({
      label: "",
      text: `${name}: difference in points ${formatDifference(pairs.difference)}, p ${formatPValue(pairs)}`,
    })),
  ];
}

function gradeRows({ grades: { all, recalled } }: MemoryAblation): LabelledRow[] {
  if (all.n === 0) return [];
  const mean = (value: number | null) => (value === null ? "–" : value.toFixed(2));
  const row = (name: string, pairs: GradePairs) => [
    name,
    String(pairs.n),
    mean(pairs.with),
    mean(pairs.without),
    ...[pairs.higher, pairs.alike, pairs.lower].map(String),
  ];
  return [
    {
      label: "Graded",
      table: [
        ["", "n", "with", "without", "higher", "equal", "lower"],
        row("all", all),
        ...(recalled.n === all.n ? [] : [row("where retrieved", recalled)]),
      ],
    },
    ...[
      { name: "all", pairs: all },
      ...(recalled.n === all.n || recalled.n === 0 ? [] : [{ name: "where retrieved", pairs: recalled }]),
    ].map(({ name, pairs }) => ({
      label: "",
      text: `${name}: mean difference ${gradeDifference(pairs.difference)}`,
    })),
  ];
}

const gradeDifference = (difference: GradePairs["difference"]): string =>
  difference === null
    ? "–"
    : `${signed(difference.value)} (${signed(difference.low)} to ${signed(difference.high)})`;

const signed = (value: number): string => {
  const text = value.toFixed(2);
  return Number(text) === 0 ? "0.00" : text.startsWith("-") ? `−${text.slice(1)}` : `+${text}`;
};

function tookTable({ with: one, without: other }: MemoryAblation): string[][] {
  const row = (name: string, { finished, accuracy, calls, tokens, usd }: SideTotal): string[] => [
    name,
    String(finished),
    formatEstimate(accuracy),
    formatNumber(calls),
    count(tokens.in),
    count(tokens.out),
    costOf(usd),
  ];
  return [
    ["", "done", "correct (95 %)", "calls", "input", "output", "cost"],
    row("with", one),
    row("without", other),
  ];
}

const costOf = (usd: number | null): string =>
  usd === null ? "unknown" : usd === 0 ? "free" : formatUsd(usd);

const count = (value: number | null): string => (value === null ? "unknown" : formatNumber(value));

function judgeRows({ judge }: MemoryAblation): LabelledRow[] {
  if (!judge) return [];
  const unread = judge.answers - judge.read;
  const { calls, tokens, cost } = judge;
  const took = [
    pluralize(calls, "call"),
    `${count(tokens.in)} input + ${count(tokens.out)} output tokens`,
    cost.usd === null ? "cost unknown" : costOf(cost.usd),
  ].join(", ");
  return [
    {
      label: "Judge",
      text: `${oneLine(judge.model, 200)}, rubric ${oneLine(judge.rubric, 60)}: ${pluralize(judge.read, "grade")} of ${pluralize(judge.answers, "distinct answer")}; ${took}; run ${judge.id}`,
    },
    ...(unread > 0
      ? [
          {
            label: "",
            text: `${pluralize(unread, "answer")} without a grade: ${oneLine(judge.why ?? "", 300)}`,
          },
        ]
      : []),
  ];
}
