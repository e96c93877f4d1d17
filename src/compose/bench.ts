import type { Budget } from "../kernel/index.ts";
import { benchReport, type BenchReport, type BenchRow, type BenchTask } from "../projections/index.ts";
import { armNames, prepareArm, type PreparedArm } from "./bench-arms.ts";
import { NOTHING, openJob, plus, type Job, type JobEnd } from "./bench-job.ts";
import { createPurse, type Purse } from "./bench-purse.ts";
import { budgetOf } from "./convene.ts";
import { findPanel } from "./panel.ts";
import type { Parley } from "./parley.ts";

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
  /** What its owner should know before it starts. */
  readonly notes: readonly string[];
};

/** @throws Fault as `convene`, `findPanel` and `armNames` do */
export async function prepareBench(
  parley: Parley,
  { file, tasks, arms, samples }: BenchSpec,
): Promise<PreparedBench> {
  const names = armNames(arms);
  const panel = await findPanel(parley);
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
  /** How many deliberations at once. */
  readonly concurrency: number;
  /** Whether those that failed in an earlier run are opened anew. */
  readonly retryFailed: boolean;
  /** Called with every row that was found, and with every row that this run worked on (`fresh`). */
  readonly onRow?: (row: BenchRow, fresh: boolean) => void;
};

export type BenchRun = {
  readonly report: BenchReport;
  readonly stop: BenchStop | null;
  /** The caps that hold for the whole bench, and which of them were passed, in the engine's words, as far as it said. */
  readonly caps: { readonly budget: Budget; readonly passed: readonly string[] };
};

/** Runs what is not finished yet, task by task, all arms of a task before the next; and reports all that is recorded. */
export async function runBench(
  parley: Parley,
  { arms, tasks, file }: PreparedBench,
  options: BenchOptions,
): Promise<BenchRun> {
  const jobs: Job[] = [];
  for (const task of tasks) for (const arm of arms) jobs.push(await openJob(parley, { arm, task }));
  for (const job of jobs) told(job, options, false);
  const spent = jobs.map((job) => job.spent()).reduce(plus, NOTHING);
  const budget = capOf(parley);
  const purse = createPurse(budget, { spent, slots: options.concurrency });
  const stop = await work(jobs, purse, options);
  const report = benchReport({
    tasks: { file, count: tasks.length },
    seed: parley.settings.seed ?? null,
    arms: arms.map(({ arm }) => arm),
    rows: jobs.flatMap((job) => job.row() ?? []),
  });
  return { report, stop, caps: { budget, passed: jobs.flatMap((job) => job.passed()) } };
}

/** The caps of the whole bench; time is nothing that a bench is cut by. */
function capOf({ settings }: Parley): Budget {
  const { timeMs: _timeMs, ...cap } = budgetOf(settings);
  return cap;
}

/** So many at once; the first that cannot be finished ends the beginning of others, and what is under way is carried to its end. */
async function work(jobs: readonly Job[], purse: Purse, options: BenchOptions): Promise<BenchStop | null> {
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
      told(job, options, true);
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

function told(job: Job, { onRow }: BenchOptions, fresh: boolean): void {
  const row = job.row();
  if (row) onRow?.(row, fresh);
}
