import type { AppContext } from "../../app/context.ts";
import { budgetFrom } from "../../app/opening.ts";
import { choosePanel } from "../../app/panel.ts";
import type { Budget, Cap } from "../../kernel/index.ts";
import { linkAbort } from "../../engine/index.ts";
import type { Note } from "../../engine/opening-part.ts";
import { prepareArm, readArms, type PreparedArm } from "./arms.ts";
import { createPurse, type Purse } from "./budget.ts";
import { type BenchJob, type JobEnd, NO_USAGE, openJob, addUsage } from "./job.ts";
import { benchReport, type BenchReport } from "./report.ts";
import type { BenchRow, BenchTask } from "./row.ts";

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

/** @throws Fault as `choosePanel`, `readArms` and `prepareArm` do */
export async function prepareBench(
  parley: AppContext,
  { file, tasks, arms, samples }: BenchSpec,
): Promise<PreparedBench> {
  const named = readArms(arms);
  const panel = await choosePanel(parley);
  // One draft and one review each, and the synthesis.
  const asMany = samples ?? 2 * panel.members.length + 1;
  const prepared = await Promise.all(named.map((arm) => prepareArm(parley, { arm, panel, samples: asMany })));
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
  // Arms that ask the same of the same models share their deliberations.
  const shared = new Map<string, SharedJob & { readonly arms: PreparedArm[] }>();
  for (const task of tasks)
    for (const arm of arms) {
      const name = arm.request(task);
      const job = shared.get(name);
      if (job) job.arms.push(arm);
      else shared.set(name, { ...(await openJob(parley, { arm, task })), arms: [arm] });
    }
  const jobs = [...shared.values()];
  for (const job of jobs) reportRow(job, options, false);
  const spent = jobs.reduce((sum, job) => addUsage(sum, job.state().spent), NO_USAGE);
  const budget = benchBudget(parley);
  const purse = createPurse(budget, { spent, slots: options.concurrency });
  const stop = await runJobs(jobs, purse, options);
  const report = benchReport({
    tasks: { file, count: tasks.length },
    seed: parley.settings.seed ?? null,
    arms: arms.map(({ arm }) => {
      const first = jobs.find((job) => job.arms.some((one) => one.arm === arm))?.arms[0]?.arm.name;
      return first === undefined || first === arm.name ? arm : { ...arm, drafted: first };
    }),
    rows: arms.flatMap((prepared) => {
      const rows = jobs.flatMap((job) => rowsOf(job).filter(({ arm }) => arm === prepared.arm.name));
      return prepared.derive?.(rows) ?? rows;
    }),
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
  jobs: readonly SharedJob[],
  purse: Purse,
  options: BenchOptions,
): Promise<BenchStop | null> {
  const link = linkAbort(options.signal);
  const { signal } = link;
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
    link.abort();
    await Promise.allSettled(workers);
    throw error;
  } finally {
    link.release();
  }
  return stop;
}

/** A job with the arms whose rows it has. */
type SharedJob = BenchJob & { readonly arms: readonly PreparedArm[] };

/** Its row under the name of each of its arms. */
function rowsOf({ arms, state }: SharedJob): BenchRow[] {
  const { row } = state();
  return row ? arms.map(({ arm }) => ({ ...row, arm: arm.name })) : [];
}

function reportRow(job: SharedJob, { onRow }: BenchOptions, fresh: boolean): void {
  for (const row of rowsOf(job)) onRow?.(row, fresh);
}
