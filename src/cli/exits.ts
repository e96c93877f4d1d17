import { isFault, type Failure } from "../kernel/index.ts";
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

type Failed = readonly Pick<Failure, "code">[];

const EXITS: { readonly [status: string]: number | undefined } = {
  "stopped-by-budget": EXIT.budget,
  inconclusive: EXIT.inconclusive,
  cancelled: EXIT.interrupted,
};

/** The exit code of a deliberation that ended. `failures` are those of calls that failed for good. */
export function exitOf(
  { status }: Pick<Result, "status">,
  failures: Failed,
  onDegraded: "accept" | "refuse",
): number {
  if (status === "failed") return exitOfFailures(failures);
  if (status === "answered-degraded" && onDegraded === "refuse") return EXIT.degraded;
  return EXITS[status] ?? EXIT.answered;
}

/** The exit code of what came to nothing because its calls failed. */
export const exitOfFailures = (failures: Failed): number =>
  failures.some(({ code }) => code === "unauthorised" || code === "out-of-credit")
    ? EXIT.authentication
    : EXIT.provider;

/** The exit code of an error that ended a command. */
export function exitOfError(error: unknown): number {
  if (isFault(error, "replay-differs") || isFault(error, "step-changed") || isFault(error, "step-unrecorded"))
    return EXIT.refusedByCheck;
  if (isFault(error, "authentication")) return EXIT.authentication;
  return EXIT.usage;
}
