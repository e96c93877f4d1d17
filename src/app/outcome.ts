import { callOf, isEvent, type Cap, type DeliberationId, type Entry, type Failure } from "../kernel/index.ts";
import type { AnyProtocol, DriveResult, Registry } from "../engine/index.ts";
import { capsPassed } from "./caps.ts";
import type { OpenQuestion } from "./clarification.ts";
import { capsIn } from "../views/spending.ts";
import type { Result } from "../views/result.ts";

/** What a run waits for: a client's request, and the questions that it answers, where it asks some. */
export type Waiting = { readonly requests: readonly string[]; readonly questions: readonly OpenQuestion[] };

/** Why there is no full answer, as data; each surface words it. */
export type Problem = {
  /** The outcome that closed the run (`failed`, `stopped-by-budget`, `inconclusive`, …). */
  readonly status: string;
  /** What was recorded as the reason; null where nothing was. */
  readonly reason: string | null;
  /** How calls failed for good, in order. */
  readonly failures: readonly Failure[];
  /** The caps that ended it, where it was stopped by its budget. */
  readonly caps: readonly Cap[];
};

/**
 * Where a drive ended. `status` is a closing's outcome (`answered`, `answered-degraded`, `failed`, `cancelled`,
 * `stopped-by-budget`, `inconclusive`), `waiting` for a person, or `interrupted`; the last two leave the deliberation open.
 */
export type Outcome = {
  readonly id: DeliberationId;
  readonly status: string;
  /** As `--json` prints it; null before anything is recorded. */
  readonly result: Result | null;
  readonly waiting?: Waiting;
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
    const { pendingQuestions } = await import("./clarification.ts");
    const questions = pendingQuestions(entries)?.questions ?? [];
    return { id, status: driven.status, result, waiting: { requests: driven.requests, questions } };
  }
  const status = result?.status ?? driven.closing.data.outcome;
  const problem = result && status !== "answered" ? describeProblem(result, entries) : undefined;
  return { id, status, result, ...(problem ? { problem } : {}) };
}

/** Why a deliberation that has ended gave no full answer. What reactions did decides nobody's outcome. */
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
