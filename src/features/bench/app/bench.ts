import type { BenchReport, BenchRow } from "../contract.ts";
import { checkModelRef, type AppContext } from "../../../app/context.ts";
import { refuseUnknownPrices } from "../../../app/listed-models.ts";
import { budgetFrom } from "../../../app/opening.ts";
import { choosePanel, judgeFamilyNote } from "../../../app/panel.ts";
import { familyOf, refusal, type Budget, type Cap, type Entry } from "../../../kernel/index.ts";
import { linkAbort } from "../../../engine/index.ts";
import type { Note } from "../../../engine/opening-part.ts";
import { prepareArm, readArms, type PreparedArm } from "./arms.ts";
import { JUDGED_ONCE, pinJudge } from "../../../app/judge.ts";
import { createPurse, remainingBudget, type Purse } from "../../../app/budget.ts";
import { NO_USAGE, openJob, addUsage, type BenchJob, type JobEnd } from "./job.ts";
import { judgeArms } from "./report.ts";
import { defineBench, rowsIn, reportFromRows, type BenchDefinition } from "./recorded.ts";
import type { BenchTask } from "../../../app/tasks.ts";

export type BenchSpec = {
  readonly file: string;
  readonly tasks: readonly BenchTask[];
  readonly arms: readonly string[];
  /** How often self-consistency asks; by default as often as a council of these members does, with one chair. */
  readonly samples?: number;
  /** The model that compares the answers to open questions. */
  readonly judge?: string | undefined;
};

/** A bench as it will run: its arms on its tasks. */
export type PreparedBench = {
  /** In the order of those of `definition`. */
  readonly arms: readonly PreparedArm[];
  readonly definition: BenchDefinition;
  /** Notes for its owner before it starts. */
  readonly notes: readonly Note[];
};

/** @throws Fault as `choosePanel`, `readArms` and `prepareArm` do, and `configuration` for open questions without a judge */
export async function prepareBench(
  parley: AppContext,
  { file, tasks, arms, samples, judge: judgeRef }: BenchSpec,
): Promise<PreparedBench> {
  const named = readArms(arms);
  const open = tasks.find(({ answer }) => answer === undefined);
  if (open && judgeRef === undefined)
    throw refusal(
      `${file}, ${open.id}: answer is missing`,
      "add it, or set judge to provider/model: a judge compares the answers to open questions",
    );
  const judge = open && judgeRef !== undefined ? await checkModelRef(parley, judgeRef) : undefined;
  if (judge !== undefined && named.length < 2)
    throw refusal("a judge compares the arms on open questions, and there is only one", "name another arm");
  const panel = await choosePanel(parley);
  // One draft and one review each, and the synthesis.
  const asMany = samples ?? 2 * panel.members.length + 1;
  const prepared = await Promise.all(named.map((arm) => prepareArm(parley, { arm, panel, samples: asMany })));
  const notes = [...panel.notes, ...judgeNotes(parley, judge, panel.members)];
  if (judge !== undefined && parley.settings.maxCostUsd !== undefined)
    refuseUnknownPrices(parley, [{ model: judge }]);
  const definition = defineBench({
    ...{ file, tasks, arms: prepared, seed: parley.settings.seed ?? null },
    judge: judge === undefined ? null : await pinJudge(parley, { model: judge, ...JUDGED_ONCE }),
  });
  return { arms: prepared, definition, notes };
}

/** A judge that compares answers of its own family may favor them. @throws Fault `configuration` under strict families */
function judgeNotes({ settings }: AppContext, judge: string | undefined, members: readonly string[]): Note[] {
  const family = judge === undefined ? null : familyOf(judge, settings.families);
  const isShared = family !== null && members.some((one) => familyOf(one, settings.families) === family);
  return judge !== undefined && isShared ? [judgeFamilyNote({ judge, family, model: null }, settings)] : [];
}

/** Why a bench ended before every question was finished. */
export type BenchStop = Exclude<JobEnd, "finished">;

export type BenchOptions = {
  readonly signal: AbortSignal;
  readonly concurrency: number;
  /** Whether failures of an earlier run are retried. */
  readonly retryFailed: boolean;
  /** Called with every recorded row, and with every row that this run worked on (`fresh`). */
  readonly onRow?: (row: BenchRow, fresh: boolean) => void;
  /** Called with the number of pairs before a judge starts or continues; what it returns gets the judge's events. */
  readonly onJudging?: (pairs: number) => (entry: Entry) => void;
};

export type BenchRun = {
  readonly report: BenchReport;
  readonly stop: BenchStop | null;
  /** The caps of the whole bench, and those that are recorded as exceeded. */
  readonly caps: { readonly budget: Budget; readonly passed: readonly Cap[] };
  /** The judge's journal; empty where nobody judged. */
  readonly judging: readonly Entry[];
};

/** Runs what is not finished, task by task with all arms of each, and reports everything that is recorded. */
export async function runBench(
  parley: AppContext,
  { arms, definition }: PreparedBench,
  options: BenchOptions,
): Promise<BenchRun> {
  const { tasks, file, judge } = definition;
  // Arms that ask the same of the same models share their deliberations.
  const shared = new Map<string, SharedJob & { readonly arms: PreparedArm[] }>();
  for (const [index, task] of tasks.entries())
    for (const [place, arm] of arms.entries()) {
      const name = definition.arms[place]?.requests[index] ?? arm.request(task);
      const job = shared.get(name);
      if (job) job.arms.push(arm);
      else shared.set(name, { ...(await openJob(parley, { arm, task, name })), arms: [arm] });
    }
  const jobs = [...shared.values()];
  for (const job of jobs) reportRow(job, options, false);
  const spent = jobs.reduce((sum, job) => addUsage(sum, job.state().spent), NO_USAGE);
  const budget = benchBudget(parley);
  const purse = createPurse(budget, { spent, slots: options.concurrency });
  const stop = await runJobs(jobs, purse, options);
  const rows = rowsIn(
    definition,
    new Map([...shared].flatMap(([name, { state }]) => rowEntry(name, state()))),
  );
  const used = jobs.reduce((sum, job) => addUsage(sum, job.state().spent), NO_USAGE);
  const names = arms.map(({ arm }) => arm.name);
  const judged =
    judge === null || stop !== null || options.signal.aborted
      ? null
      : await judgeArms(
          parley,
          { file, tasks, rows, arms: names },
          {
            ...{ model: judge.model, signal: options.signal, onJudging: options.onJudging },
            left: remainingBudget(budget, used),
          },
        );
  const ended = judged === "budget" ? null : judged;
  const report = await reportFromRows(parley.store, definition, rows);
  const passed = jobs.flatMap((job) => job.state().last?.passed ?? []);
  const interrupted = options.signal.aborted ? "interrupted" : null;
  return {
    ...{ report, stop: stop ?? (judged === "budget" ? judged : interrupted), caps: { budget, passed } },
    judging: ended?.entries ?? [],
  };
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

type SharedJob = BenchJob & { readonly arms: readonly PreparedArm[] };

/** Its row under the name of each of its arms. */
function rowsOf({ arms, state }: SharedJob): BenchRow[] {
  const { row } = state();
  return row ? arms.map(({ arm }) => ({ ...row, arm: arm.name })) : [];
}

const rowEntry = (name: string, { row }: ReturnType<BenchJob["state"]>): (readonly [string, BenchRow])[] =>
  row ? [[name, row]] : [];

function reportRow(job: SharedJob, { onRow }: BenchOptions, fresh: boolean): void {
  for (const row of rowsOf(job)) onRow?.(row, fresh);
}
