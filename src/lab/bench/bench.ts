import type * as z from "zod";
import type { AppContext } from "../../app/context.ts";
import { budgetFrom } from "../../app/opening.ts";
import { choosePanel } from "../../app/panel.ts";
import { readJsonLines } from "../../config/input-files.ts";
import type { FileContext } from "../../config/paths.ts";
import { type Budget, type Cap, Fault } from "../../kernel/index.ts";
import type { Note } from "../../engine/opening-part.ts";
import { armNames, prepareArm, type PreparedArm } from "./arms.ts";
import { createPurse, type Purse } from "./budget.ts";
import { type BenchJob, type JobEnd, NO_USAGE, openJob, addUsage } from "./job.ts";
import { benchReport, type BenchReport } from "./report.ts";
import { BenchLine, type BenchRow, type BenchTask } from "./row.ts";

export type BenchSpec = {
  readonly file: string;
  readonly tasks: readonly BenchTask[];
  readonly arms: readonly string[];
  /** How often self-consistency asks; by default as often as a council of these members does, with one chair. */
  readonly samples?: number;
};

/** A bench as it will run: its arms on its tasks. */
export type PreparedBench = {
  readonly arms: readonly PreparedArm[];
  readonly tasks: readonly BenchTask[];
  readonly file: string;
  /** Notes for its owner before it starts. */
  readonly notes: readonly Note[];
};

/** @throws Fault as `convene`, `findPanel` and `armNames` do */
export async function prepareBench(
  parley: AppContext,
  { file, tasks, arms, samples }: BenchSpec,
): Promise<PreparedBench> {
  const names = armNames(arms);
  const panel = await choosePanel(parley);
  // One draft and one review each, and the synthesis.
  const asMany = samples ?? 2 * panel.members.length + 1;
  const prepared = await Promise.all(
    names.map((name) => prepareArm(parley, { name, panel, samples: asMany })),
  );
  return { arms: prepared, tasks, file, notes: panel.notes };
}

/** Why a bench ended before every question was finished. */
export type BenchStop = Exclude<JobEnd, "finished">;

export type BenchOptions = {
  readonly signal: AbortSignal;
  /** The number of deliberations that run at once. */
  readonly concurrency: number;
  /** Whether failures of an earlier run are retried. */
  readonly retryFailed: boolean;
  /** Called with every recorded row, and with every row that this run worked on (`fresh`). */
  readonly onRow?: (row: BenchRow, fresh: boolean) => void;
};

export type BenchRun = {
  readonly report: BenchReport;
  readonly stop: BenchStop | null;
  /** The caps of the whole bench, and those that are recorded as exceeded. */
  readonly caps: { readonly budget: Budget; readonly passed: readonly Cap[] };
};

/** Runs what is not finished, task by task with all arms of each, and reports everything that is recorded. */
export async function runBench(
  parley: AppContext,
  { arms, tasks, file }: PreparedBench,
  options: BenchOptions,
): Promise<BenchRun> {
  const jobs: BenchJob[] = [];
  for (const task of tasks) for (const arm of arms) jobs.push(await openJob(parley, { arm, task }));
  for (const job of jobs) reportRow(job, options, false);
  const spent = jobs.reduce((sum, job) => addUsage(sum, job.state().spent), NO_USAGE);
  const budget = benchBudget(parley);
  const purse = createPurse(budget, { spent, slots: options.concurrency });
  const stop = await runJobs(jobs, purse, options);
  const report = benchReport({
    tasks: { file, count: tasks.length },
    seed: parley.settings.seed ?? null,
    arms: arms.map(({ arm }) => arm),
    rows: jobs.flatMap((job) => job.state().row ?? []),
  });
  return { report, stop, caps: { budget, passed: jobs.flatMap((job) => job.state().last?.passed ?? []) } };
}

/** The caps of the whole bench, which time does not limit. */
function benchBudget({ settings }: AppContext): Budget {
  const { timeMs: _timeMs, ...cap } = budgetFrom(settings);
  return cap;
}

/** Runs jobs concurrently. After the first that cannot finish no other begins, and those that run finish. */
async function runJobs(
  jobs: readonly BenchJob[],
  purse: Purse,
  options: BenchOptions,
): Promise<BenchStop | null> {
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  const left = jobs.values();
  let stop: BenchStop | null = null;
  const worker = async () => {
    for (const job of left) {
      if (stop !== null) return;
      const end = await job.finish(purse, {
        signal,
        retryFailed: options.retryFailed,
        enough: () => stop !== null,
      });
      reportRow(job, options, true);
      if (end !== "finished") stop ??= end;
    }
  };
  const workers = Array.from({ length: options.concurrency }, worker);
  try {
    await Promise.all(workers);
  } catch (error) {
    failure.abort();
    await Promise.allSettled(workers);
    throw error;
  }
  return stop;
}

function reportRow(job: BenchJob, { onRow }: BenchOptions, fresh: boolean): void {
  const { row } = job.state();
  if (row) onRow?.(row, fresh);
}

const FORM = 'a line looks like {"question": "What is 17 * 23?", "answer": "391"}';

/**
 * The tasks of a file of JSON lines, each under an id: its own, else its place.
 * @throws Fault `configuration` for a line that is none, an id or a question that comes twice
 */
export const readBenchTasks = (file: string, here: FileContext): BenchTask[] =>
  readTasks(file, here, BenchLine);

type TaskLine = z.ZodType<Pick<BenchTask, "question" | "context"> & { readonly id?: string | undefined }>;

/** As `readBenchTasks`, of lines of another form. @throws Fault `configuration` */
export function readTasks<S extends TaskLine>(
  file: string,
  here: FileContext,
  row: S,
): (z.output<S> & { readonly id: string })[] {
  const ids = new Map<string, string>();
  const questions = new Map<string, string>();
  const lines = readJsonLines({ file, kind: "file of tasks", row, form: FORM }, here);
  return lines.map(({ place, value }) => {
    const task = { ...value, id: value.id ?? `line ${place.slice(place.lastIndexOf(":") + 1)}` };
    const asked = JSON.stringify([task.question, task.context ?? null]);
    for (const { seen, key, what } of [
      { seen: ids, key: task.id, what: "id" },
      { seen: questions, key: asked, what: "question" },
    ]) {
      const before = seen.get(key);
      if (before !== undefined)
        throw new Fault("configuration", {
          why: `${place} has the same ${what} as ${before}`,
          next: "every task counts once; take one of them out",
        });
      seen.set(key, place);
    }
    return task;
  });
}
