import type { AppContext } from "../app/context.ts";
import { describeProblem } from "../app/outcome.ts";
import { resume } from "../app/run.ts";
import type { Resumed } from "../app/resumable.ts";
import type { Entry, Failure } from "../kernel/index.ts";
import { oneLine } from "../reports/printable.ts";
import { resultOf } from "../views/result.ts";
import type { Io } from "./command.ts";
import { noteProblem, raiseCaps, remedyOf } from "./errors.ts";
import { EXIT, exitOf, exitOfFailures } from "./exits.ts";
import { noteInterrupted } from "./show.ts";
import { interruptible } from "./session.ts";

// What the commands of the lab share: they resume by being given again, and report what is recorded.

/** How a run of the lab ended: its events, in order, and the failed calls without which something is missing. */
export type LabEnd = { readonly entries: readonly Entry[]; readonly lost: readonly Failure[] };

/** The same with the exit code that the outcome stands for. */
export type LabRun = LabEnd & { readonly exit: number };

type LabRunRequest = Resumed & {
  readonly quiet: boolean;
  /** What is said where it was done before: `Already judged`. */
  readonly done: string;
  /** Shows how far it is, unless it is quiet or was done before. */
  readonly progress?: (() => { event(entry: Entry): void; stop(): void }) | undefined;
  readonly lost?: (entries: readonly Entry[]) => readonly Failure[];
};

/** Drives a run of a judge or of evaluators to its end. Ctrl-C leaves it open and says how to resume. */
export function runLab(io: Io, context: AppContext, request: LabRunRequest): Promise<LabRun> {
  const { id, state, quiet, done, lost = () => [] } = request;
  const states: { readonly [S in Resumed["state"]]: string | undefined } = {
    new: undefined,
    open: "Resuming; completed steps are reused",
    closed: `${done}; showing the recorded result. Try: --again`,
    forked: "Resuming a run that ended early; its completed steps are reused",
  };
  if (!quiet && states[state] !== undefined) io.output.note(`${states[state]} (${id})`);
  const progress = quiet || state === "closed" ? undefined : request.progress?.();
  return interruptible(async (signal) => {
    try {
      const run = await resume(context, id, { signal });
      for await (const entry of run.events({ until: "outcome" })) progress?.event(entry);
      const { status } = await run.outcome();
      await run.reactions;
      progress?.stop();
      const entries = run.recorded();
      const end = { entries, lost: lost(entries) };
      if (status === "interrupted")
        return { ...end, exit: noteInterrupted(io, id, `the same command, or parley resume ${id}`) };
      return { ...end, exit: exitOfRun(end) };
    } finally {
      progress?.stop();
    }
  });
}

function exitOfRun({ entries, lost }: LabEnd): number {
  const result = resultOf(entries);
  if (!result) return EXIT.usage;
  const { failures } = describeProblem(result, entries);
  // Without a verdict because nothing came back: that is the provider's doing, not the judge's.
  if (result.status === "inconclusive" && lost.length > 0) return exitOfFailures(failures);
  return exitOf(result, failures, "accept");
}

/** Says what a person can do about a run that ended without all replies; `inconclusive`: about one without a readable one. */
export function noteEarlyEnd(io: Pick<Io, "output">, { entries, lost }: LabEnd, inconclusive?: string): void {
  const result = resultOf(entries);
  if (!result) return;
  const { status, reason, failures, caps } = describeProblem(result, entries);
  const [failure] = lost;
  const isUnread = status === "inconclusive" && inconclusive !== undefined;
  const hasEnded = ["stopped-by-budget", "failed", "cancelled"].includes(status) || isUnread;
  if (!hasEnded && !failure) return;
  const why =
    !hasEnded && failure ? `${failure.code}: ${failure.message}` : (reason ?? "no reason was recorded");
  const remedy = status === "stopped-by-budget" ? raiseCaps(caps) : (remedyOf(failures) ?? "fix the cause");
  noteProblem(io, {
    problem: `${status.replaceAll("-", " ")}: ${oneLine(why, 600)}`,
    next: isUnread && !failure ? inconclusive : `${remedy}; the same command then resumes`,
  });
}
