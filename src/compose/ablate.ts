import { DEFAULT_RUBRIC } from "../config/index.ts";
import { digestOf, idOfRequest, type Asked } from "../engine/index.ts";
import { Fault, isEvent, isFault, OrganizationId, type DeliberationId, type Entry } from "../kernel/index.ts";
import {
  ablationRow,
  AblationLine,
  gradedRows,
  judgedWork,
  memoryAblation,
  type AblationRow,
  type AblationTask,
  type BenchRow,
  type BenchTask,
  type JudgedWork,
  type MemoryAblation,
  type Side,
} from "../projections/index.ts";
import type { PreparedArm } from "./bench-arms.ts";
import { readTasks } from "./bench-tasks.ts";
import { runBench, type BenchOptions, type BenchRun } from "./bench.ts";
import { refuseUnknownPrices } from "./convene.ts";
import { openJudge, type JudgeTask } from "./judge.ts";
import { checkedRef } from "./panel.ts";
import type { Parley } from "./parley.ts";
import { conveneRespond } from "./respond.ts";

// L1. Both sides of a question are asked alike, under one seed, but for what memory recalls.
// L2. Nothing is written to memory: neither side's deliberation pins a reactor.
// L3. What is recorded is neither asked nor graded again. Answers are found by what they stand on, the judge's work by the
//     answers that it grades.
// L4. The caps hold for both sides and the judge together.

/** The questions of a file of tasks; their right answers may be missing. @throws Fault `configuration` as `readBenchTasks` does */
export const readAblationTasks = (file: string, parley: Pick<Parley, "cwd" | "env">): AblationTask[] =>
  readTasks(file, parley, AblationLine);

export type AblationSpec = { readonly file: string; readonly tasks: readonly AblationTask[] };

/** An ablation as it will run. */
export type PreparedAblation = AblationSpec & {
  readonly arms: { readonly [S in Side]: PreparedArm };
  readonly model: string;
  /** Who grades the answers; undefined for nobody. */
  readonly judge: string | undefined;
  /** Questions that an earlier run has asked. */
  readonly begun: number;
  /** What its owner should know before it starts. */
  readonly notes: readonly string[];
};

/**
 * @throws Fault as `conveneRespond` does; `configuration` where neither an answer is known nor anybody grades; `budget` for a
 * judge without a price under a cap in money
 */
export async function prepareAblation(
  parley: Parley,
  { file, tasks }: AblationSpec,
): Promise<PreparedAblation> {
  const [named] = parley.settings.judge;
  const judge = named === undefined ? undefined : checkedRef(parley, named);
  if (judge === undefined && tasks.every(({ answer }) => answer === undefined))
    throw new Fault("configuration", {
      why: "no question has a known answer, and nobody grades",
      next: 'name a judge with --judge, or add "answer" to the lines',
    });
  if (judge !== undefined && parley.settings.maxCostUsd !== undefined)
    refuseUnknownPrices(parley, [{ model: judge }]);
  const seeds = new Map<string, string>();
  const sides = {
    with: await prepareSide(parley, "with", seeds),
    without: await prepareSide(parley, "without", seeds),
  };
  for (const task of tasks) {
    const seed = await recordedSeed(parley, [sides.with.arm, sides.without.arm], task);
    if (seed !== undefined) seeds.set(task.id, seed);
  }
  return {
    file,
    tasks,
    arms: { with: sides.with.arm, without: sides.without.arm },
    model: sides.with.model,
    judge,
    begun: seeds.size,
    notes: sides.with.notes,
  };
}

type PreparedSide = {
  readonly arm: PreparedArm;
  readonly model: string;
  readonly notes: readonly string[];
};

/** @param seeds by task: what its first side drew is the other's too (L1) */
async function prepareSide(parley: Parley, side: Side, seeds: Map<string, string>): Promise<PreparedSide> {
  const { settings, world } = parley;
  const own = { ...settings, memory: side === "with", respondentB: false, critic: "off" as const, judge: [] };
  const { asked: convened, notes } = await conveneRespond({ ...parley, settings: own }, { question: "?" });
  const { reactions: _reactions, ...kept } = convened; // L2
  const seedOf = ({ id }: Pick<BenchTask, "id">): string => {
    const seed = settings.seed ?? seeds.get(id) ?? world.id();
    seeds.set(id, seed);
    return seed;
  };
  const asked = (task: Pick<BenchTask, "id" | "question" | "context">, seed: string): Asked => ({
    ...kept,
    question: task.question,
    context: task.context === undefined ? [] : [{ name: "context", text: task.context }],
    seed,
    budget: {},
  });
  const [first] = kept.participants;
  return {
    notes,
    model: first?.model ?? "",
    arm: {
      arm: {
        name: side,
        what: `${first?.model ?? ""} ${side} memory`,
        protocol: `${kept.protocol.name}@${kept.protocol.version}`,
        seats: kept.participants.map(({ seat, model }) => ({ seat, model })),
        deliberates: false,
      },
      asked: (task) => asked(task, seedOf(task)),
      request(task) {
        const { budget: _budget, seed: _seed, ...pinned } = asked(task, "");
        return `ablate/${digestOf({ ...pinned, seed: settings.seed ?? null })}`;
      },
    },
  };
}

/** The seed under which one of these was opened by an earlier run; undefined where none was. */
async function recordedSeed(
  { settings, store }: Parley,
  arms: readonly PreparedArm[],
  task: AblationTask,
): Promise<string | undefined> {
  const organization = OrganizationId.parse(settings.organization);
  for (const arm of arms) {
    const [opened] = await store.read(idOfRequest(organization, `${arm.request(benchTask(task))}/0`));
    if (opened && isEvent(opened, "deliberation-opened")) return opened.data.seed;
  }
  return undefined;
}

/** As a bench takes it: an answer that is not known is none that could be given. */
const benchTask = ({ answer = "", ...task }: AblationTask): BenchTask => ({ ...task, answer });

export type AblationOptions = BenchOptions & {
  /** Called with how many answers are to be graded, before the judge begins or goes on; gets the events of its work. */
  readonly onJudging?: (answers: number) => (entry: Entry) => void;
};

export type AblationRun = {
  readonly report: MemoryAblation;
  /** Why not every question has been answered by both sides, or nobody could grade; null where all was done. */
  readonly stop: BenchRun["stop"];
  readonly caps: BenchRun["caps"];
  /** The journal of the judge's work; null where nobody has graded. */
  readonly judging: { readonly id: DeliberationId; readonly entries: readonly Entry[] } | null;
};

/** Answers what is not answered yet, both sides of a question before the next, has it graded, and reports all that is recorded. */
export async function runAblation(
  parley: Parley,
  prepared: PreparedAblation,
  options: AblationOptions,
): Promise<AblationRun> {
  const { arms, file, tasks, judge, model } = prepared;
  const bench = await runBench(
    parley,
    { arms: [arms.with, arms.without], tasks: tasks.map(benchTask), file, notes: [] },
    options,
  );
  const rows = await rowsOf(parley, tasks, bench.report.rows);
  const answered = bench.stop === null && !options.signal.aborted;
  const came =
    judge !== undefined && answered ? await judgedRows(parley, { ...prepared, judge, rows }, options) : null;
  const judged = came === "budget" ? null : came;
  const { report, stop, caps } = bench;
  return {
    stop: stop ?? (came === "budget" ? came : options.signal.aborted ? "interrupted" : null),
    caps,
    judging: judged && { id: judged.id, entries: judged.entries },
    report: memoryAblation({
      simulated: report.simulated,
      user: parley.settings.user,
      model,
      seed: report.seed,
      startedAt: report.startedAt,
      file,
      tasks,
      rows: judged?.rows ?? rows,
      judge: judged?.work,
    }),
  };
}

async function rowsOf(
  { store }: Parley,
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

type Judging = PreparedAblation & { readonly judge: string; readonly rows: readonly AblationRow[] };

type Judged = {
  readonly id: DeliberationId;
  readonly entries: readonly Entry[];
  readonly rows: readonly AblationRow[];
  readonly work: Extract<JudgedWork, { kind: "grade" }> | undefined;
};

/**
 * Has every answer graded once: what both sides said in the same words is one answer. Null where there is nothing to grade,
 * `budget` where the caps leave nothing for it.
 */
async function judgedRows(
  parley: Parley,
  { judge, rows, tasks, file }: Judging,
  { signal, onJudging }: AblationOptions,
): Promise<Judged | "budget" | null> {
  const { items, nameOf } = itemsOf(rows, tasks);
  const count = items.length;
  if (count === 0) return null;
  const task: JudgeTask = {
    question: `Grade the ${count === 1 ? "answer" : `${count} answers`} of a memory ablation on ${file.split(/[/\\]/).at(-1) ?? file}`,
    kind: "grade",
    items: items.map(({ name }) => ({ name })),
    texts: items.flatMap(({ name, texts }) =>
      Object.entries(texts).flatMap(([part, text]) =>
        text === undefined ? [] : [{ name: `${name}/${part}`, text }],
      ),
    ),
  };
  const opened = await openWithin(parley, leftOf(parley, rows), { task, judge });
  if (opened === undefined) return "budget"; // L4
  const { id, state } = opened;
  const onEntry = state === "closed" ? undefined : onJudging?.(count);
  await parley.engine.drive(id, { signal, ...(onEntry ? { onEntry } : {}) });
  const entries = await parley.store.read(id);
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

/** The judge's deliberation under what is left of the caps; undefined where that is not enough to begin. */
async function openWithin(
  parley: Parley,
  left: ReturnType<typeof leftOf>,
  { task, judge }: { readonly task: JudgeTask; readonly judge: string },
): Promise<Awaited<ReturnType<typeof openJudge>> | undefined> {
  if (left === null) return undefined;
  const settings = { ...parley.settings, ...left };
  const call = { model: judge, rubric: DEFAULT_RUBRIC, repeat: 1, again: false };
  try {
    return await openJudge({ ...parley, settings }, task, call);
  } catch (error) {
    if (isFault(error, "budget")) return undefined;
    throw error;
  }
}

type Item = {
  readonly name: string;
  readonly texts: { readonly question: string; readonly answer: string; readonly reference?: string };
};

/** Every answer that differs, in the order of the questions, and the name under which a side's stands. */
function itemsOf(rows: readonly AblationRow[], tasks: readonly AblationTask[]) {
  const items: Item[] = [];
  const names = new Map<string, string>();
  const keyOf = (row: AblationRow, side: Side) => JSON.stringify([row.task, row[side]?.text ?? null]);
  for (const row of rows) {
    const task = tasks.find(({ id }) => id === row.task);
    for (const side of ["with", "without"] as const) {
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

/** What the answers leave of the caps; null where that is nothing. */
function leftOf(
  { settings: { maxCostUsd, maxTokens, maxCalls } }: Parley,
  rows: readonly AblationRow[],
): { maxCostUsd?: number; maxTokens?: number; maxCalls?: number } | null {
  const sides = rows.flatMap((row) => [row.with, row.without].filter((side) => side !== null));
  const sum = (of: (side: (typeof sides)[number]) => number): number =>
    sides.reduce((all, side) => all + of(side), 0);
  const left = {
    ...(maxCostUsd === undefined ? {} : { maxCostUsd: maxCostUsd - sum(({ usd }) => usd ?? 0) }),
    ...(maxTokens === undefined
      ? {}
      : { maxTokens: maxTokens - sum(({ tokens }) => (tokens.in ?? 0) + (tokens.out ?? 0)) }),
    ...(maxCalls === undefined ? {} : { maxCalls: maxCalls - sum(({ calls }) => calls) }),
  };
  return Object.values(left).every((cap) => cap > 0) ? left : null;
}
