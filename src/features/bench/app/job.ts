import type { BenchRow } from "../contract.ts";
import {
  callOf,
  canonical,
  isEvent,
  type Budget,
  type DeliberationId,
  type Cap,
  type Entry,
  type FailureCode,
  type Reservation,
} from "../../../kernel/index.ts";
import type { BenchTask } from "../../../app/tasks.ts";
import { benchRow, isCut } from "./row.ts";
import { capsIn } from "../../../views/spending.ts";
import type { PreparedArm } from "./arms.ts";
import { type Grant, type Purse, remainingBudget } from "../../../app/budget.ts";
import { spentSoFar } from "../../../engine/index.ts";
import type { AppContext } from "../../../app/context.ts";
import { resume } from "../../../app/run.ts";
import { openPrepared } from "../../../app/start.ts";
import { recordedRuns, type RunNames } from "../../../app/resumable.ts";

// A finished deliberation is never driven again; one that a cap cut continues in a fork when there is more to spend.
// A cut or open deliberation is not scored, so that money decides when a result is known, and never what it is.

/** How work on a job ended. `access`: a provider refused the key or has no credit left, which would stop all others, too. */
export type JobEnd = "finished" | "budget" | "access" | "interrupted";

/** One arm on one question: a deliberation, and the forks that continue it. */
export interface BenchJob {
  state(): JobState;
  /** Runs it to its end, as far as the purse allows. */
  finish(purse: Purse, options: FinishOptions): Promise<JobEnd>;
}

export type FinishOptions = {
  readonly signal: AbortSignal;
  readonly retryFailed: boolean;
  /** Whether no more work must begin. */
  readonly enough: () => boolean;
};

type LastRun = {
  readonly id: DeliberationId;
  readonly status: "open" | "cut" | "cancelled" | "failed" | "finished";
  readonly budget: Budget;
  readonly spent: Reservation;
  /** Which caps were passed, where it was cut. */
  readonly passed: readonly Cap[];
  /** Whether a provider refused to serve. */
  readonly denied: boolean;
};

type JobState = {
  /** Its result so far; null before it has begun. */
  readonly row: BenchRow | null;
  /** The usage of all its deliberations; the worst case where a provider did not report it. */
  readonly spent: Reservation;
  readonly runs: number;
  readonly last: LastRun | undefined;
};

/** What to do next. */
type JobPlan = { readonly do: "open" } | { readonly do: "drive" | "fork"; readonly last: LastRun };

/** `name`: what the names of its deliberations begin with. */
type JobSubject = { readonly arm: PreparedArm; readonly task: BenchTask; readonly name: string };

/** Reads how far a job has come. */
export async function openJob(context: AppContext, { arm, task, name }: JobSubject): Promise<BenchJob> {
  const request = (nth: number) => `${name}/${nth}`;
  const names = { organization: context.principal.organization, request };
  const read = () => readState(context, names, { arm: arm.arm.name, task });
  let state = await read();

  const start = async (plan: JobPlan, cap: Budget): Promise<DeliberationId | undefined> => {
    if (plan.do === "drive") return plan.last.id;
    const next = request(state.runs);
    const { fresh, opened } =
      plan.do === "open"
        ? await openPrepared(context, { opening: { ...arm.asked(task), budget: cap } }, next)
        : await context.engine.fork(plan.last.id, { request: next, changes: { budget: cap } });
    // A rival opened it under a cap of its own.
    return fresh || canonical(opened.data.budget) === canonical(cap) ? opened.deliberation : undefined;
  };

  return {
    state: () => state,
    async finish(purse, { signal, retryFailed, enough }) {
      let mayRetry = retryFailed;
      for (;;) {
        const plan = planOf(state, mayRetry);
        if (!plan) return "finished";
        const funded = await fund(plan, purse);
        if (!funded) return "budget";
        const before = state.spent;
        try {
          if (signal.aborted || enough()) return "interrupted";
          if (plan.do === "drive" && funded.plan.do === "fork")
            await context.engine.cancel(plan.last.id, "gone on with under a smaller cap");
          const id = await start(funded.plan, funded.grant.cap);
          if (id === undefined) continue;
          const run = await resume(context, id, { signal });
          const { status } = await run.outcome();
          if (status === "interrupted" || status === "waiting") return "interrupted";
          await run.reactions;
        } finally {
          state = await read();
          funded.grant.settle(addUsage(state.spent, before, -1));
        }
        if (plan.do === "open") mayRetry = false;
        if (state.last?.denied) return "access";
      }
    },
  };
}

function planOf({ last }: JobState, mayRetry: boolean): JobPlan | undefined {
  if (!last || (last.status === "failed" && mayRetry)) return { do: "open" };
  if (last.status === "open") return { do: "drive", last };
  return last.status === "cut" || last.status === "cancelled" ? { do: "fork", last } : undefined;
}

/** A grant for a plan; an open deliberation whose cap is more than all that is left goes on in a fork. */
async function fund(
  plan: JobPlan,
  purse: Purse,
): Promise<{ readonly plan: JobPlan; readonly grant: Grant } | undefined> {
  if (plan.do === "open") return withGrant(plan, await purse.share());
  if (plan.do === "fork")
    return withGrant(plan, await purse.rest(plan.last.status === "cut" ? plan.last.budget : undefined));
  const { last } = plan;
  const grant = await purse.exactly(remainingBudget(last.budget, last.spent));
  return grant ? { plan, grant } : withGrant({ do: "fork", last }, await purse.rest());
}

const withGrant = (plan: JobPlan, grant: Grant | undefined) => grant && { plan, grant };

async function readState(
  { store }: AppContext,
  names: RunNames,
  place: Parameters<typeof benchRow>[0],
): Promise<JobState> {
  const runs: (readonly Entry[])[] = [];
  let last: LastRun | undefined;
  let spent = NO_USAGE;
  for await (const { id, opened, entries } of recordedRuns(store, names)) {
    const { budget } = opened.data;
    const own = spentSoFar(entries, await store.reservations(id));
    runs.push(entries);
    spent = addUsage(spent, own);
    last = {
      id,
      status: statusOf(entries),
      budget,
      spent: own,
      passed: capsIn(entries),
      denied: isDenied(entries),
    };
  }
  return { row: benchRow(place, runs), spent, runs: runs.length, last };
}

function statusOf(entries: readonly Entry[]): LastRun["status"] {
  const closing = entries.find((entry) => isEvent(entry, "deliberation-closed"))?.data;
  if (!closing) return "open";
  if (closing.outcome === "cancelled") return "cancelled";
  if (isCut(entries)) return "cut";
  return closing.outcome === "failed" ? "failed" : "finished";
}

const DENIALS: ReadonlySet<FailureCode> = new Set(["unauthorised", "out-of-credit"]);

const isDenied = (entries: readonly Entry[]): boolean =>
  statusOf(entries) === "failed" &&
  entries.some((entry) => {
    const call = callOf(entry);
    return call?.ok === false && DENIALS.has(call.failure.code);
  });

export const NO_USAGE: Reservation = { calls: 0, tokens: 0, usd: 0 };

export const addUsage = (a: Reservation, b: Reservation, sign: 1 | -1 = 1): Reservation => ({
  calls: a.calls + sign * b.calls,
  tokens: a.tokens + sign * b.tokens,
  usd: a.usd + sign * b.usd,
});
