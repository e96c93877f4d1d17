import { type AppContext, checkedRef, refuseUnknownPrices } from "../../app/context.ts";
import { resume } from "../../app/run.ts";
import { prepare } from "../../app/start.ts";
import type { FileContext } from "../../config/paths.ts";
import { DEFAULT_RUBRIC } from "../../config/rubrics.ts";
import { idOfRequest } from "../../engine/index.ts";
import { type DeliberationId, type Entry, Fault, isEvent, isFault } from "../../kernel/index.ts";
import { judgedWork, type JudgedWork } from "../../protocols/judge/view.ts";
import type { Note } from "../../engine/opening-part.ts";
import { pinArm } from "../bench/arms.ts";
import { type BenchOptions, type BenchRun, type PreparedBench, readTasks, runBench } from "../bench/bench.ts";
import type { BenchRow, BenchTask } from "../bench/row.ts";
import { type JudgeTask, openJudge } from "../judge/judge.ts";
import { namedTexts } from "../judge/tasks.ts";
import type { Resumed } from "../resumable.ts";
import {
  AblationLine,
  ablationRow,
  type AblationRow,
  type AblationTask,
  gradedRows,
  memoryAblation,
  type MemoryAblation,
  type Side,
  SIDES,
} from "./report.ts";

// ABLATION-1. Both sides of a question are asked alike, under one seed, except for what memory gives.
// ABLATION-2. Nothing is written to memory: neither side's deliberation has reactions.
// ABLATION-3. What is recorded is neither asked nor graded again. Answers are found by what they stand on, the judge's work
//     by the answers that it grades.
// ABLATION-4. The limits hold for both sides and the judge together.

/** Reads a file of tasks; their right answers may be missing. @throws Fault `configuration` as `readBenchTasks` does */
export const readAblationTasks = (file: string, place: FileContext): AblationTask[] =>
  readTasks(file, place, AblationLine);

export type AblationSpec = { readonly file: string; readonly tasks: readonly AblationTask[] };

/** An ablation that is ready to run: a bench whose two arms are the sides. */
export type PreparedAblation = AblationSpec & {
  readonly bench: PreparedBench;
  readonly model: string;
  /** The model that grades the answers; undefined where none does. */
  readonly judge: string | undefined;
  /** Questions that an earlier run has asked. */
  readonly begun: number;
  /** What the person who asked should know before it starts. */
  readonly notes: readonly Note[];
};

/**
 * @throws Fault as `prepare` does; `configuration` where no answer is known and no judge is configured; `budget` for a judge
 * without a price under a limit in money
 */
export async function prepareAblation(
  context: AppContext,
  { file, tasks }: AblationSpec,
): Promise<PreparedAblation> {
  const { principal, settings, store, world } = context;
  const [judgeRef] = settings.judge;
  const judge = judgeRef === undefined ? undefined : await checkedRef(context, judgeRef);
  if (judge === undefined && tasks.every(({ answer }) => answer === undefined))
    throw new Fault("configuration", {
      why: "no question has a known answer, and no judge is configured",
      next: 'set judge to provider/model, or add "answer" to the lines',
    });
  if (judge !== undefined && settings.maxCostUsd !== undefined)
    refuseUnknownPrices(context, [{ model: judge }]);
  const seeds = new Map<string, string>();
  // ABLATION-1: the seed that a question's first side draws is the other side's too.
  const seedFor = ({ id }: BenchTask): string => {
    const seed = settings.seed ?? seeds.get(id) ?? world.id();
    seeds.set(id, seed);
    return seed;
  };
  const prepareSide = async (side: Side) => {
    const memory = side === "with";
    const own = { ...settings, memory, respondentB: false, critic: "off" as const, judge: [] };
    const { opening, notes } = await prepare(
      { ...context, settings: own },
      { protocol: "respond", question: "?", reactions: false }, // ABLATION-2
    );
    const model = opening.participants[0]?.model ?? "";
    const arm = { name: side, what: `${model} ${side} memory`, deliberates: false };
    return { model, notes, arm: pinArm(context, { ...arm, opening, keys: "ablate", seedFor }) };
  };
  const { model, notes, arm } = await prepareSide("with");
  const arms = [arm, (await prepareSide("without")).arm];
  const benchTasks = tasks.map(benchTask);
  for (const task of benchTasks) {
    for (const side of arms) {
      const [opened] = await store.read(idOfRequest(principal.organization, `${side.request(task)}/0`));
      if (!opened || !isEvent(opened, "deliberation-opened")) continue;
      seeds.set(task.id, opened.data.seed);
      break;
    }
  }
  const bench = { arms, tasks: benchTasks, file, notes };
  return { file, tasks, bench, model, judge, begun: seeds.size, notes };
}

/** The task of a bench. No answer can equal the empty text that stands for an unknown one. */
const benchTask = ({ answer = "", ...task }: AblationTask): BenchTask => ({ ...task, answer });

export type AblationOptions = BenchOptions & {
  /** Called with the number of answers before the judge starts or continues; what it returns gets the judge's events. */
  readonly onJudging?: (answers: number) => (entry: Entry) => void;
};

export type AblationRun = {
  readonly report: MemoryAblation;
  /** Why not every question was answered by both sides and graded; null where all was done. */
  readonly stop: BenchRun["stop"];
  readonly caps: BenchRun["caps"];
  /** The journal of the judge's work; null where no judge graded. */
  readonly judging: { readonly id: DeliberationId; readonly entries: readonly Entry[] } | null;
};

/** Answers what is not answered yet, question by question, has the answers graded, and reports all that is recorded. */
export async function runAblation(
  context: AppContext,
  prepared: PreparedAblation,
  options: AblationOptions,
): Promise<AblationRun> {
  const { bench, file, tasks, judge, model } = prepared;
  const { report, stop, caps } = await runBench(context, bench, options);
  const rows = await readRows(context, tasks, report.rows);
  const mayGrade = judge !== undefined && stop === null && !options.signal.aborted;
  const grading = mayGrade ? await gradeRows(context, { file, tasks, judge, rows }, options) : null;
  const graded = grading === "budget" ? null : grading;
  const interrupted = options.signal.aborted ? "interrupted" : null;
  return {
    stop: stop ?? (grading === "budget" ? grading : interrupted),
    caps,
    judging: graded && { id: graded.id, entries: graded.entries },
    report: memoryAblation({
      simulated: report.simulated,
      user: context.settings.user,
      model,
      seed: report.seed,
      startedAt: report.startedAt,
      file,
      tasks,
      rows: graded?.rows ?? rows,
      judge: graded?.work,
    }),
  };
}

async function readRows(
  { store }: AppContext,
  tasks: readonly AblationTask[],
  ran: readonly BenchRow[],
): Promise<AblationRow[]> {
  const sideOf = async (task: AblationTask, side: Side) => {
    const row = ran.find((one) => one.arm === side && one.task === task.id);
    const last = row?.deliberations.at(-1);
    if (!row || last === undefined) return undefined;
    // A row names deliberations by ids that a store has given.
    return { row, entries: await store.read(last as DeliberationId) };
  };
  const rows: AblationRow[] = [];
  for (const task of tasks) {
    const sides = { with: await sideOf(task, "with"), without: await sideOf(task, "without") };
    if (sides.with || sides.without) rows.push(ablationRow(task, sides));
  }
  return rows;
}

type GradingSpec = AblationSpec & { readonly judge: string; readonly rows: readonly AblationRow[] };

type Grading = {
  readonly id: DeliberationId;
  readonly entries: readonly Entry[];
  readonly rows: readonly AblationRow[];
  readonly work: Extract<JudgedWork, { kind: "grade" }> | undefined;
};

/**
 * Has every answer graded once: two sides that gave the same text gave one answer. Null where there is nothing to grade,
 * `budget` where the limits leave nothing for it.
 */
async function gradeRows(
  context: AppContext,
  { judge, rows, tasks, file }: GradingSpec,
  { signal, onJudging }: AblationOptions,
): Promise<Grading | "budget" | null> {
  const { items, nameOf } = itemsOf(rows, tasks);
  const count = items.length;
  if (count === 0) return null;
  const task: JudgeTask = {
    question: `Grade the ${count === 1 ? "answer" : `${count} answers`} of a memory ablation on ${file.split(/[/\\]/).at(-1) ?? file}`,
    kind: "grade",
    items: items.map(({ name }) => ({ name })),
    texts: namedTexts(items),
  };
  const limits = remainingLimits(context, rows);
  if (limits === null) return "budget"; // ABLATION-4
  let opened: Resumed;
  try {
    const call = { model: judge, rubric: DEFAULT_RUBRIC, repeat: 1, again: false };
    opened = await openJudge({ ...context, settings: { ...context.settings, ...limits } }, task, call);
  } catch (error) {
    if (isFault(error, "budget")) return "budget";
    throw error;
  }
  const { id, state } = opened;
  const onEntry = state === "closed" ? undefined : onJudging?.(count);
  const run = await resume(context, id, { signal });
  for await (const entry of run.events()) onEntry?.(entry);
  await run.outcome();
  const entries = await context.store.read(id);
  const work = judgedWork(entries);
  const graded = work?.kind === "grade" ? work : undefined;
  const scores = new Map(graded?.items.map(({ name, score }) => [name, score]));
  return {
    id,
    entries,
    work: graded,
    rows: gradedRows(rows, (row, side) => scores.get(nameOf(row, side) ?? "") ?? null),
  };
}

type Item = {
  readonly name: string;
  readonly texts: { readonly question: string; readonly answer: string; readonly reference?: string };
};

/** The distinct answers in the order of the questions, and the name of the item for each side's answer. */
function itemsOf(rows: readonly AblationRow[], tasks: readonly AblationTask[]) {
  const items: Item[] = [];
  const names = new Map<string, string>();
  const keyOf = (row: AblationRow, side: Side) => JSON.stringify([row.task, row[side]?.text ?? null]);
  for (const row of rows) {
    const task = tasks.find(({ id }) => id === row.task);
    for (const side of SIDES) {
      const text = row[side]?.finished === true ? row[side].text : null;
      if (!task || text === null || text.trim() === "" || names.has(keyOf(row, side))) continue;
      const name = `item-${items.length + 1}`;
      names.set(keyOf(row, side), name);
      const question = task.context === undefined ? task.question : `${task.question}\n\n${task.context}`;
      const reference = task.answer === undefined ? {} : { reference: task.answer };
      items.push({ name, texts: { question, answer: text, ...reference } });
    }
  }
  return { items, nameOf: (row: AblationRow, side: Side) => names.get(keyOf(row, side)) };
}

/** The limits that the answers leave for the judge; null where one of them is exhausted. */
function remainingLimits(
  { settings: { maxCostUsd, maxTokens, maxCalls } }: AppContext,
  rows: readonly AblationRow[],
): { maxCostUsd?: number; maxTokens?: number; maxCalls?: number } | null {
  const sides = rows.flatMap((row) => SIDES.flatMap((side) => row[side] ?? []));
  const left = (limit: number, spent: (side: (typeof sides)[number]) => number | null): number =>
    sides.reduce((rest, side) => rest - (spent(side) ?? 0), limit);
  const limits = {
    ...(maxCostUsd === undefined ? {} : { maxCostUsd: left(maxCostUsd, ({ usd }) => usd) }),
    ...(maxTokens === undefined
      ? {}
      : { maxTokens: left(maxTokens, ({ tokens }) => (tokens.in ?? 0) + (tokens.out ?? 0)) }),
    ...(maxCalls === undefined ? {} : { maxCalls: left(maxCalls, ({ calls }) => calls) }),
  };
  return Object.values(limits).every((limit) => limit > 0) ? limits : null;
}
