import { idOfRequest } from "../engine/index.ts";
import {
  callOf,
  canonical,
  isEvent,
  OrganizationId,
  type Budget,
  type DeliberationId,
  type Entry,
  type FailureCode,
  type Reservation,
} from "../kernel/index.ts";
import { benchRow, isCut, spending, type BenchRow, type BenchTask } from "../projections/index.ts";
import type { PreparedArm } from "./bench-arms.ts";
import type { Grant, Purse } from "./bench-purse.ts";
import type { Parley } from "./parley.ts";

// W1. All that a bench knows is on the journal: a job's deliberations are found by what they stand on.
// W2. A finished one is never driven again; one that a cap cut is gone on with, in a fork, when there is more to spend.
// W3. What is cut or open is not scored: money decides when a figure is known, never what it is.

/** How work on a job ended. `access`: a provider refused the key or wants to be paid, as it would for all that follow. */
export type JobEnd = "finished" | "budget" | "access" | "interrupted";

/** One arm on one question: a deliberation, and what goes on from it. */
export interface Job {
  /** As far as it has come; null before it was begun. */
  row(): BenchRow | null;
  /** By all its deliberations, in the worst case where a provider did not say. */
  spent(): Reservation;
  /** In the engine's words, which caps were passed where its last deliberation was cut off. */
  passed(): readonly string[];
  /** Carries it on to its end, as far as the purse reaches. */
  finish(purse: Purse, options: FinishOptions): Promise<JobEnd>;
}

export type FinishOptions = {
  readonly signal: AbortSignal;
  readonly retryFailed: boolean;
  /** Whether nothing more is to be begun. */
  readonly enough: () => boolean;
};

type Last = {
  readonly id: DeliberationId;
  readonly status: "open" | "cut" | "cancelled" | "failed" | "finished";
  readonly budget: Budget;
  readonly spent: Reservation;
  /** In the engine's words, which caps were passed, where it was cut. */
  readonly passed: readonly string[];
  /** Whether a provider refused to serve. */
  readonly denied: boolean;
};

type State = {
  readonly row: BenchRow | null;
  readonly spent: Reservation;
  readonly links: number;
  readonly last: Last | undefined;
};

/** What to do next, and how much of the purse it takes. */
type Plan =
  | { readonly do: "open"; readonly nth: number }
  | { readonly do: "drive"; readonly last: Last }
  | { readonly do: "fork"; readonly nth: number; readonly last: Last };

type Place = { readonly arm: PreparedArm; readonly task: BenchTask };

/** Reads how far a job has come. */
export async function openJob(parley: Parley, { arm, task }: Place): Promise<Job> {
  const name = arm.request(task);
  const request = (nth: number) => `${name}/${nth}`;
  const read = () => readState(parley, { request, place: { arm: arm.arm.name, task } });
  let state = await read();

  const start = async (plan: Plan, cap: Budget): Promise<DeliberationId | undefined> => {
    if (plan.do === "drive") return plan.last.id;
    const { fresh, opened } =
      plan.do === "open"
        ? await parley.engine.open(request(plan.nth), { ...arm.asked(task), budget: cap })
        : await parley.engine.fork(plan.last.id, { request: request(plan.nth), changes: { budget: cap } });
    // A rival opened it under a cap of its own.
    return fresh || canonical(opened.data.budget) === canonical(cap) ? opened.deliberation : undefined;
  };

  return {
    row: () => state.row,
    spent: () => state.spent,
    passed: () => state.last?.passed ?? [],
    async finish(purse, { signal, retryFailed, enough }) {
      let mayRetry = retryFailed;
      for (;;) {
        const plan = planOf(state, mayRetry);
        if (!plan) return "finished";
        const funded = await fund(plan, { purse, nth: state.links });
        if (!funded) return "budget";
        const before = state.spent;
        try {
          if (signal.aborted || enough()) return "interrupted";
          if (plan.do === "drive" && funded.plan.do === "fork")
            await parley.engine.cancel(plan.last.id, "gone on with under a smaller cap");
          const id = await start(funded.plan, funded.grant.cap);
          if (id === undefined) continue;
          const driven = await parley.engine.drive(id, { signal });
          if (driven.status === "closed") await parley.engine.drain(id, { worker: parley.worker, signal });
          else return "interrupted";
        } finally {
          state = await read();
          funded.grant.settle(minus(state.spent, before));
        }
        if (plan.do === "open") mayRetry = false;
        if (state.last?.denied) return "access";
      }
    },
  };
}

function planOf({ last, links }: State, mayRetry: boolean): Plan | undefined {
  if (!last) return { do: "open", nth: 0 };
  switch (last.status) {
    case "open":
      return { do: "drive", last };
    case "cut":
    case "cancelled":
      return { do: "fork", nth: links, last };
    case "failed":
      return mayRetry ? { do: "open", nth: links } : undefined;
    case "finished":
      return undefined;
  }
}

/** A grant for a plan; an open deliberation whose cap is more than all that is left goes on in a fork. */
async function fund(
  plan: Plan,
  { purse, nth }: { readonly purse: Purse; readonly nth: number },
): Promise<{ readonly plan: Plan; readonly grant: Grant } | undefined> {
  if (plan.do === "open") return granted(plan, await purse.share());
  if (plan.do === "fork")
    return granted(plan, await purse.rest(plan.last.status === "cut" ? plan.last.budget : undefined));
  const { last } = plan;
  const grant = await purse.exactly(leftOf(last.budget, last.spent));
  return grant ? { plan, grant } : granted({ do: "fork", nth, last }, await purse.rest());
}

const granted = (plan: Plan, grant: Grant | undefined) => grant && { plan, grant };

async function readState(
  { store, settings }: Parley,
  {
    request,
    place,
  }: { readonly request: (nth: number) => string; readonly place: Parameters<typeof benchRow>[0] },
): Promise<State> {
  const organization = OrganizationId.parse(settings.organization);
  const links: (readonly Entry[])[] = [];
  let last: Last | undefined;
  let spent = NOTHING;
  for (;;) {
    const entries = await store.read(idOfRequest(organization, request(links.length)));
    const [opened] = entries;
    if (!opened || !isEvent(opened, "deliberation-opened"))
      return { row: benchRow(place, links), spent, links: links.length, last };
    const { budget } = opened.data;
    const own = plus(spentOf(entries, budget), await store.outstanding(opened.deliberation));
    links.push(entries);
    spent = plus(spent, own);
    last = {
      id: opened.deliberation,
      status: statusOf(entries),
      budget,
      spent: own,
      passed: passedIn(entries),
      denied: isDenied(entries),
    };
  }
}

function statusOf(entries: readonly Entry[]): Last["status"] {
  const closing = entries.find((entry) => isEvent(entry, "deliberation-closed"))?.data;
  if (!closing) return "open";
  if (closing.outcome === "cancelled") return "cancelled";
  if (isCut(entries)) return "cut";
  return closing.outcome === "failed" ? "failed" : "finished";
}

const passedIn = (entries: readonly Entry[]): string[] =>
  entries.flatMap((entry) => {
    if (isEvent(entry, "deliberation-closed"))
      return entry.data.outcome === "stopped-by-budget" ? [entry.data.why] : [];
    const call = callOf(entry);
    return call?.ok === false && call.failure.code === "over-budget" ? [call.failure.message] : [];
  });

const DENIALS: ReadonlySet<FailureCode> = new Set(["unauthorised", "out-of-credit"]);

const isDenied = (entries: readonly Entry[]): boolean =>
  statusOf(entries) === "failed" &&
  entries.some((entry) => {
    const call = callOf(entry);
    return call?.ok === false && DENIALS.has(call.failure.code);
  });

export const NOTHING: Reservation = { calls: 0, tokens: 0, usd: 0 };

export const plus = (a: Reservation, b: Reservation): Reservation => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  usd: a.usd + b.usd,
});
const minus = (a: Reservation, b: Reservation): Reservation => ({
  calls: a.calls - b.calls,
  tokens: a.tokens - b.tokens,
  usd: a.usd - b.usd,
});

/** What a deliberation's own calls took; its whole cap where a provider did not say. */
function spentOf(entries: readonly Entry[], cap: Budget): Reservation {
  const { calls, tokens, cost } = spending(entries).total;
  const both = tokens.in === null || tokens.out === null ? null : tokens.in + tokens.out;
  return { calls, tokens: both ?? cap.tokens ?? 0, usd: cost.usd ?? cap.usd ?? 0 };
}

/** What a cap leaves after this was spent. */
const leftOf = ({ usd, tokens, calls }: Budget, spent: Reservation): Budget => ({
  ...(usd === undefined ? {} : { usd: Math.max(0, usd - spent.usd) }),
  ...(tokens === undefined ? {} : { tokens: Math.max(0, tokens - spent.tokens) }),
  ...(calls === undefined ? {} : { calls: Math.max(0, calls - spent.calls) }),
});
