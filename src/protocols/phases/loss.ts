import type { Admission, StepOutcome } from "../../engine/index.ts";
import type { Cap, Closing, Failure, FailureCode, ParticipantId } from "../../kernel/index.ts";

/** What kept somebody from answering; `code` null where it was not a failure of its call. */
export type Absence = {
  readonly why: string;
  readonly code: FailureCode | null;
  readonly cap?: Cap | undefined;
};

/** Why those whom a phase left out are not in it, by what their calls failed of. */
export const createAbsence = (why: string, failure: Failure | undefined): Absence => ({
  why,
  code: failure?.code ?? null,
  cap: failure?.cap,
});

/** Why somebody was not asked at all. */
export const budgetAbsence = ({ why, cap }: Admission["out"][number]): Absence => ({
  why,
  code: "over-budget",
  cap,
});

/** The closing of what a cap ended. */
export const stoppedByBudget = (
  why: string,
  cap: Cap | undefined,
  best: Extract<Closing, { outcome: "stopped-by-budget" }>["best"],
): Closing => ({ outcome: "stopped-by-budget", why, ...(cap === undefined ? {} : { cap }), best });

export type Loss = {
  /** What is missing: `the draft of Analyst`. */
  readonly what: string;
  readonly failure: Failure;
  readonly participant: ParticipantId;
  /** What it weakens; by default that one voice is missing. */
  readonly weakens?: string;
};

/** A final failure of a call as the event that its step ends in. */
export const degradation = ({
  what,
  failure,
  participant,
  weakens,
}: Loss): StepOutcome<"degradation-noted"> => ({
  type: "degradation-noted",
  data: {
    what,
    why: failure.message === "" ? failure.code : `${failure.code}: ${failure.message}`,
    weakens: weakens ?? "the answer rests on one voice less",
    participant,
  },
});
