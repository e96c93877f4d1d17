import type { BenchRow } from "../../contract.ts";
import { type AppContext, checkModelRef } from "../../../../app/context.ts";
import { refuseUnknownPrices } from "../../../../app/listed-models.ts";
import { prepareOpening } from "../../../../app/start.ts";
import { idOfRequest } from "../../../../engine/index.ts";
import {
  type DeliberationId,
  type Entry,
  isEvent,
  type Reservation,
  refusal,
} from "../../../../kernel/index.ts";
import { judgedWork, type JudgedWork } from "../../../../views/judged-work.ts";
import type { Note } from "../../../../engine/opening-part.ts";
import { budgetFrom } from "../../../../app/opening.ts";
import { pinArm } from "../arms.ts";
import { remainingBudget, type RunUsage } from "../../../../app/budget.ts";
import { addUsage, NO_USAGE } from "../job.ts";
import { defineBench } from "../recorded.ts";
import { type BenchOptions, type BenchRun, type PreparedBench, runBench } from "../bench.ts";
import { wholeQuestion, type BenchTask } from "../../../../app/tasks.ts";
import { type JudgeTask, judgeWithin } from "../../../../app/judge.ts";
import { type ItemWithTexts, takeTexts } from "../../../../app/judge.ts";
import {
  ablationRow,
  type AblationRow,
  memoryAblation,
  type MemoryAblation,
  type Side,
  SIDES,
} from "./report.ts";

// Both sides of a question get the same prompt under one seed, except for what memory adds.
// Nothing is written to memory: neither side's deliberation has reactions.
// Recorded answers and grades are reused: answers are found by their opening, grades by the answers.
// The limits hold for both sides and the judge together.

export type AblationSpec = { readonly file: string; readonly tasks: readonly BenchTask[] };

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
  const judge = judgeRef === undefined ? undefined : await checkModelRef(context, judgeRef);
  if (judge === undefined && tasks.every(({ answer }) => answer === undefined))
    throw refusal(
      "no question has a known answer, and no judge is configured",
      'set judge to provider/model, or add "answer" to the lines',
    );
  if (judge !== undefined && settings.maxCostUsd !== undefined)
    refuseUnknownPrices(context, [{ model: judge }]);
  const seeds = new Map<string, string>();
  // The seed that a question's first side draws is the other side's too.
  const seedFor = ({ id }: BenchTask): string => {
    const seed = settings.seed ?? seeds.get(id) ?? world.id();
    seeds.set(id, seed);
    return seed;
  };
  const prepareSide = async (side: Side) => {
    const memory = side === "with";
    const own = {
      ...settings,
      memory,
      memoryTools: false,
      respondentB: false,
      critic: "off" as const,
      judge: [],
    };
    const { opening, notes } = await prepareOpening(
      { ...context, settings: own },
      { protocol: "respond", question: "?", reactions: false },
    );
    const model = opening.participants[0]?.model ?? "";
    const arm = { name: side, what: `${model} ${side} memory`, deliberates: false };
    return { model, notes, arm: pinArm(context, { ...arm, opening, keys: "ablate", seedFor }) };
  };
  const { model, notes, arm } = await prepareSide("with");
  const arms = [arm, (await prepareSide("without")).arm];
  for (const task of tasks)
    for (const side of arms) {
      const [opened] = await store.read(idOfRequest(principal.organization, `${side.request(task)}/0`));
      if (!opened || !isEvent(opened, "deliberation-opened")) continue;
      seeds.set(task.id, opened.data.seed);
      break;
    }
  const seed = settings.seed ?? null;
  const bench = { arms, definition: defineBench({ file, tasks, arms, seed, judge: null }), notes };
  return { file, tasks, bench, model, judge, begun: seeds.size, notes };
}

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
  { bench, file, tasks, judge, model }: PreparedAblation,
  options: AblationOptions,
): Promise<AblationRun> {
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
  tasks: readonly BenchTask[],
  benchRows: readonly BenchRow[],
): Promise<AblationRow[]> {
  const rows: AblationRow[] = [];
  for (const task of tasks) {
    const sideRun = async (side: Side) => {
      const row = benchRows.find((one) => one.arm === side && one.task === task.id);
      // A row names deliberations by ids that a store has given.
      return row && { row, entries: await store.read(row.deliberations.at(-1) as DeliberationId) };
    };
    const runs = { with: await sideRun("with"), without: await sideRun("without") };
    if (runs.with || runs.without) rows.push(ablationRow(task, runs));
  }
  return rows;
}

type GradingSpec = AblationSpec & { readonly judge: string; readonly rows: readonly AblationRow[] };

type Grading = NonNullable<AblationRun["judging"]> & {
  readonly rows: readonly AblationRow[];
  readonly work: Extract<JudgedWork, { kind: "grade" }> | undefined;
};

/** Has every distinct answer graded once. Null where there is nothing to grade, `budget` where the limits leave nothing for it. */
async function gradeRows(
  context: AppContext,
  { judge, rows, tasks, file }: GradingSpec,
  { signal, onJudging }: AblationOptions,
): Promise<Grading | "budget" | null> {
  const items = gradingItems(rows, tasks);
  const count = items.size;
  if (count === 0) return null;
  const task: JudgeTask = {
    question: `Grade the ${count === 1 ? "answer" : `${count} answers`} of a memory ablation on ${file.split(/[/\\]/).at(-1) ?? file}`,
    kind: "grade",
    ...takeTexts([...items.values()]),
  };
  const judged = await judgeWithin(context, task, {
    model: judge,
    left: remainingBudget(budgetFrom(context.settings), usageOf(rows)),
    signal,
    onStart: onJudging && (() => onJudging(count)),
  });
  if (judged === "budget") return judged;
  const { id, entries } = judged;
  const work = judgedWork(entries);
  const graded = work?.kind === "grade" ? work : undefined;
  const scores = new Map(graded?.items.map(({ name, score }) => [name, score]));
  const withGrade = (row: AblationRow, side: Side) =>
    row[side] && { ...row[side], grade: scores.get(items.get(answerKey(row, side))?.name ?? "") ?? null };
  return {
    ...{ id, entries, work: graded },
    rows: rows.map((row) => ({ ...row, with: withGrade(row, "with"), without: withGrade(row, "without") })),
  };
}

const answerKey = (row: AblationRow, side: Side) => JSON.stringify([row.task, row[side]?.text ?? null]);

/** The distinct answers in the order of the questions. */
function gradingItems(rows: readonly AblationRow[], tasks: readonly BenchTask[]) {
  const items = new Map<string, ItemWithTexts>();
  for (const row of rows) {
    const task = tasks.find(({ id }) => id === row.task);
    for (const side of SIDES) {
      const [text, key] = [row[side]?.finished ? row[side].text : null, answerKey(row, side)];
      if (!task || text === null || text.trim() === "" || items.has(key)) continue;
      const texts = { question: wholeQuestion(task), answer: text, reference: task.answer };
      items.set(key, { name: `item-${items.size + 1}`, texts });
    }
  }
  return items;
}

/** The usage of both sides; what was not reported counts as nothing. */
const usageOf = (rows: readonly AblationRow[]): RunUsage =>
  rows
    .flatMap((row) => SIDES.flatMap((side) => row[side] ?? []))
    .map(({ calls, tokens, usd }) => ({ calls, tokens: (tokens.in ?? 0) + (tokens.out ?? 0), usd: usd ?? 0 }))
    .reduce<Reservation>((sum, one) => addUsage(sum, one), NO_USAGE);
