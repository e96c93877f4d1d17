import { callOf, isFault, type Entry, type Failure, type FailureCode } from "../kernel/index.ts";
import type { Result } from "../views/result.ts";

/** What the exit codes mean; scripts rely on them. */
export const EXIT = {
  answered: 0,
  refusedByCheck: 1,
  usage: 2,
  provider: 3,
  authentication: 4,
  budget: 5,
  degraded: 6,
  inconclusive: 7,
  waiting: 8,
  interrupted: 130,
} as const;

/** The exit code of a deliberation that ended. `failures` are the codes with which its calls failed for good. */
export function exitOf(
  result: Result,
  failures: readonly FailureCode[],
  onDegraded: "accept" | "refuse",
): number {
  switch (result.status) {
    case "answered":
      return EXIT.answered;
    case "answered-degraded":
      return onDegraded === "refuse" ? EXIT.degraded : EXIT.answered;
    case "stopped-by-budget":
      return EXIT.budget;
    case "inconclusive":
      return EXIT.inconclusive;
    case "cancelled":
      return EXIT.interrupted;
    case "failed":
      return exitOfFailures(failures);
    default:
      return EXIT.answered;
  }
}

/** The exit code of what came to nothing because its calls failed with these codes. */
export const exitOfFailures = (codes: readonly FailureCode[]): number =>
  codes.some((code) => code === "unauthorised" || code === "out-of-credit")
    ? EXIT.authentication
    : EXIT.provider;

/** How calls failed for good, in the order of the entries. */
export const failuresIn = (entries: readonly Entry[]): Failure[] =>
  entries.flatMap((entry) => {
    const call = callOf(entry);
    return call && !call.ok ? [call.failure] : [];
  });

/** The exit code of an error that ended a command. */
export function exitOfError(error: unknown): number {
  if (
    isFault(error, "replay-differs") ||
    isFault(error, "step-changed") ||
    isFault(error, "step-unrecorded")
  ) {
    return EXIT.refusedByCheck;
  }
  if (isFault(error, "authentication")) return EXIT.authentication;
  return EXIT.usage;
}
