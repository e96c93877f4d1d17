import { isEvent, parseJson, type Entry, type Json } from "../../../kernel/index.ts";
import type { GateAmendment } from "../protocol/replies.ts";
import type { ForestSection } from "../protocol/view.ts";
import type { ChartLine } from "../../../web/parts/line-chart.ts";
import type { ListedRun } from "../../../contract/runs.ts";

// FOREST-PAGE-1. Runs are of one forest when they have one goal, one field of research, the same soil and the same seed.

export const LEAF_KINDS = ["fruit", "golden_leaf", "normal_leaf", "dead_leaf", "sick_leaf"] as const;
export type LeafName = (typeof LEAF_KINDS)[number];

/** The goal of a cycle's forest, and the cycle's number, as its question has them. */
export function readCycle(question: string): { readonly goal: string; readonly cycle: number | null } {
  const [, goal = question, cycle] = /^([^]*) \(cycle (\d+)\)$/.exec(question) ?? [];
  return { goal, cycle: cycle === undefined ? null : Number(cycle) };
}

export type ListedForest = {
  readonly goal: string;
  readonly newest: ListedRun;
  readonly runs: number;
  /** Runs that wait for a person. */
  readonly waiting: number;
};

/** Runs by the goal of their forests, in the order of the list. */
export function listForests(runs: readonly ListedRun[]): readonly ListedForest[] {
  const forests = new Map<string, ListedForest>();
  for (const run of runs) {
    const { goal } = readCycle(run.question);
    const known = forests.get(goal) ?? { goal, newest: run, runs: 0, waiting: 0 };
    const waiting = known.waiting + (run.status === "waiting" ? 1 : 0);
    forests.set(goal, { ...known, runs: known.runs + 1, waiting });
  }
  return [...forests.values()];
}

/** What tells one forest from another with the same goal. */
export function forestKey(entries: readonly Entry[]): string | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (opened?.data.protocol.name !== "forest") return undefined;
  const { question, settings } = opened.data;
  const { name, soil, seed } = settings["domain"] as Readonly<Record<string, Json>>; // as the protocol's schema read it
  return JSON.stringify([readCycle(question).goal, name, soil, seed]);
}

export type ForestCycle = { readonly run: ListedRun; readonly section: ForestSection };

const ENDED_WELL = "answered";

/** One run a cycle, oldest cycle first: of several, the newest that ended well, else the newest. Runs are given newest first. */
export function cyclesOf(all: readonly ForestCycle[]): readonly ForestCycle[] {
  const cycles = new Map<number, ForestCycle>();
  for (const one of all) {
    const known = cycles.get(one.section.cycle);
    if (!known || (known.run.status !== ENDED_WELL && one.run.status === ENDED_WELL))
      cycles.set(one.section.cycle, one);
  }
  return [...cycles.values()].toSorted((one, other) => one.section.cycle - other.section.cycle);
}

export const countKind = ({ candidates }: ForestSection, kind: LeafName): number =>
  candidates.filter(({ classification }) => classification === kind).length;

/** How many of each kind there are after each cycle, those of the cycles before included. */
export const leafLines = (
  cycles: readonly ForestCycle[],
  nameOf: (kind: LeafName) => string,
): readonly ChartLine[] =>
  LEAF_KINDS.map((kind) => {
    let sum = 0;
    return { name: nameOf(kind), values: cycles.map(({ section }) => (sum += countKind(section, kind))) };
  });

/** The slots of each tree in each cycle; null before its weather was recorded. */
export function slotLines(cycles: readonly ForestCycle[]): readonly ChartLine[] {
  const trees = [...new Set(cycles.flatMap(({ section }) => section.weather.map(({ tree }) => tree)))];
  return trees.map((tree) => ({
    name: tree,
    values: cycles.map(({ section }) => section.weather.find((one) => one.tree === tree)?.slots ?? null),
  }));
}

/** The gates of all candidates, in the order in which they are first met. */
export const gatesIn = ({ candidates }: ForestSection): readonly string[] => [
  ...new Set(candidates.flatMap(({ gates }) => gates.map(({ gate }) => gate))),
];

/** The changes of gates that the skeptic proposes in its critiques; one that is of another form is left out. */
export const amendmentsIn = (entries: readonly Entry[]): readonly GateAmendment[] =>
  entries.flatMap((entry) => {
    if (!isEvent(entry, "critique-given")) return [];
    const said = Object(parseJson(entry.data.text)).gate_amendment;
    const { gate, threshold, value, why } = (said ?? {}) as Partial<GateAmendment>; // checked below
    return typeof gate === "string" &&
      typeof threshold === "string" &&
      typeof value === "number" &&
      typeof why === "string"
      ? [{ gate, threshold, value, why }]
      : [];
  });

const TOLD: readonly string[] = ["route", "classify", "validate_post_save"];

/** The events whose texts a cycle's view shows. */
export const shownSeqs = (entries: readonly Entry[]): readonly number[] =>
  entries
    .filter(
      (entry) =>
        isEvent(entry, "critique-given") || (isEvent(entry, "note-taken") && TOLD.includes(entry.data.topic)),
    )
    .map(({ seq }) => seq);

// What a hand-off asks, and answers in the form that `protocol/replies.ts` reads.

/** A piece of material in a prompt: `kind` and `label` as its mark has them. */
type PromptPiece = { readonly kind: string; readonly label: string; readonly text: string };

/** The pieces of material in a prompt, and the task around them, without the marks. */
export function readPrompt(prompt: string): {
  readonly pieces: readonly PromptPiece[];
  readonly task: string;
} {
  const pieces: PromptPiece[] = [];
  const begin = /^\[BEGIN ([a-z]+)(?: ([^\n]*?))? (#[0-9a-f]{16})\]\n/gm;
  let task = "";
  let from = 0;
  for (let found = begin.exec(prompt); found; found = begin.exec(prompt)) {
    const [mark, kind = "", label = "", name = ""] = found;
    const start = found.index + mark.length;
    const last = `[END ${label === "" ? kind : `${kind} ${label}`} ${name}]`;
    const end = prompt.indexOf(last, start);
    if (end < 0) break; // what does not end is no piece, and neither is what follows it
    task += prompt.slice(from, found.index);
    pieces.push({ kind, label, text: prompt.slice(start, end).trimEnd() });
    from = begin.lastIndex = end + last.length;
  }
  task += prompt.slice(from);
  return { pieces, task: task.replaceAll(/\n{3,}/g, "\n\n").trim() };
}

const MAX_FORMULAS = 20;

/** The formulas of a field, one a line. */
export const formulasIn = (lines: string): readonly string[] =>
  lines
    .split("\n")
    .map((formula) => formula.trim())
    .filter(Boolean)
    .slice(0, MAX_FORMULAS);

export const alignmentText = (score: number, reason: string): string =>
  JSON.stringify({ score, reason: reason.trim() });

export const divergenceText = (formulas: readonly string[]): string =>
  JSON.stringify({ candidates: formulas.map((formula) => ({ formula })) });
