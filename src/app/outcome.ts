import type { OpenQuestion, PendingSeat } from "../contract/runs.ts";
import {
  callOf,
  Cap,
  isEvent,
  type Budget,
  type DeliberationId,
  type Entry,
  type Failure,
  type RunStatus,
} from "../kernel/index.ts";
import type { AnyProtocol, DriveResult, Registry } from "../engine/index.ts";
import { pendingQuestions } from "../views/pending-questions.ts";
import { pendingSeats } from "../views/pending-seats.ts";
import { capsIn } from "../views/spending.ts";
import type { Result } from "../views/result.ts";

/** What a run waits for: client requests, and the questions and the people's steps among them. */
export type Waiting = {
  readonly requests: readonly string[];
  readonly questions: readonly OpenQuestion[];
  readonly seats: readonly PendingSeat[];
};

/** Why there is no full answer; each user interface formats it. */
export type Problem = {
  readonly status: RunStatus;
  readonly reason: string | null;
  /** The final failures of calls, in order. */
  readonly failures: readonly Failure[];
  /** The caps that ended the run, if its budget stopped it. */
  readonly caps: readonly Cap[];
};

/** The outcome of a drive. `waiting` and `interrupted` leave the deliberation open; any other status is its closing's. */
export type Outcome = {
  readonly id: DeliberationId;
  readonly status: Exclude<RunStatus, "open"> | "interrupted";
  /** The published result; null before anything is recorded. */
  readonly result: Result | null;
  readonly waiting?: Waiting;
  /** Present where `waitMs` interrupted the run. */
  readonly timedOut?: true;
  readonly problem?: Problem;
};

export async function describeOutcome(
  driven: DriveResult,
  {
    id,
    entries,
    protocols,
  }: {
    readonly id: DeliberationId;
    readonly entries: readonly Entry[];
    readonly protocols: Registry<AnyProtocol>;
  },
): Promise<Outcome> {
  const { loadResult } = await import("./result.ts");
  const result = (await loadResult(protocols, entries)) ?? null;
  if (driven.status === "interrupted") return { id, status: driven.status, result };
  if (driven.status === "waiting") {
    const questions = pendingQuestions(entries)?.questions ?? [];
    const waiting = { requests: driven.requests, questions, seats: pendingSeats(entries) };
    // A protocol of one's own may wait for what no view knows.
    return { id, status: driven.status, result: result && { ...result, status: driven.status }, waiting };
  }
  const status = driven.closing.data.outcome;
  const problem = result && status !== "answered" ? describeProblem(result, entries) : undefined;
  return { id, status, result, ...(problem ? { problem } : {}) };
}

/** Explains why a finished deliberation has no full answer. Reactions do not count. */
export function describeProblem(
  { status, degraded }: Pick<Result, "status" | "degraded">,
  entries: readonly Entry[],
): Problem {
  const own = entries.filter(({ origin }) => origin.by !== "reactor");
  const failures = own.flatMap((entry) => {
    const call = callOf(entry);
    return call && !call.ok ? [call.failure] : [];
  });
  const [budget = {}] = own.flatMap((entry) =>
    isEvent(entry, "deliberation-opened") ? [entry.data.budget] : [],
  );
  return {
    status,
    reason: degraded[0]?.why ?? null,
    failures,
    caps: status === "stopped-by-budget" ? capsPassed(capsIn(own), budget) : [],
  };
}

/** The caps that ended a run: the recorded ones, or all caps that were set if none is recorded. */
export function capsPassed(recorded: readonly Cap[], budget: Budget): readonly Cap[] {
  const set = Cap.options.filter((cap) => budget[cap === "time" ? "timeMs" : cap] !== undefined);
  const passed = set.filter((cap) => recorded.includes(cap));
  return passed.length > 0 ? passed : set;
}
