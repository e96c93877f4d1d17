import type { openEvaluation } from "../../lab/eval/evaluation.ts";
import type { AppContext } from "../../app/context.ts";
import { callOf, isEvent, type DeliberationId, type Entry } from "../../kernel/index.ts";
import { evaluatorIn, lostEvaluations } from "../../protocols/evaluation/view.ts";
import { capsIn } from "../../views/spending.ts";
import { resultOf, type Result } from "../../views/result.ts";
import { oneLine } from "../../reports/printable.ts";
import { formatDuration } from "../../text/format.ts";
import type { Io } from "../command.ts";
import { EXIT, exitOf, exitOfFailures, failuresIn } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { resume } from "../../app/run.ts";
import { capsPassed, raiseWords, remedyOf } from "../remedies.ts";

type Opened = Awaited<ReturnType<typeof openEvaluation>>;

/** How an evaluation ended: its events, in order, and the exit code that its outcome stands for. */
export type EvaluationRun = { readonly entries: readonly Entry[]; readonly exit: number };

/** Drives an evaluation to its end, an evaluator a line. Ctrl-C leaves it open and says how to go on. */
export async function runEvaluation(
  { output }: Io,
  parley: AppContext,
  { opened, quiet }: { readonly opened: Opened; readonly quiet: boolean },
): Promise<EvaluationRun> {
  const { id, state, evaluators } = opened;
  const note = (line: string) => (quiet ? undefined : output.note(line));
  if (STATES[state] !== undefined) note(`${STATES[state]} (${id})`);
  if (state !== "closed") note(`Asking ${evaluators.map((one) => `${one.id} (${one.model})`).join(", ")}`);
  const stop = interruption();
  try {
    const run = await resume(parley, id, { signal: stop.signal });
    for await (const entry of run.events({ until: "outcome" })) {
      const line = state === "closed" ? undefined : progressLine(entry);
      if (line !== undefined) note(line);
    }
    const { status } = await run.outcome();
    await run.reactions;
    const entries = run.recorded();
    if (status !== "interrupted") return { entries, exit: exitOfRun(entries) };
    output.note(interruptedLine(id));
    return { entries, exit: EXIT.interrupted };
  } finally {
    stop.release();
  }
}

const STATES: { readonly [S in Opened["state"]]: string | undefined } = {
  new: undefined,
  open: "Going on where it was; what is recorded is not asked again",
  closed: "Evaluated before, so that nothing is asked; --again evaluates anew",
  forked: "Going on from a run that ended early; what it recorded is taken over",
};

const interruptedLine = (id: DeliberationId): string =>
  `Interrupted; everything so far is recorded. Go on with the same command, or: parley resume ${id}`;

/** What became of an evaluator, in a line; undefined for what is no evaluator's. */
function progressLine(entry: Entry): string | undefined {
  const id = evaluatorIn(entry);
  const call = callOf(entry);
  if (id === undefined || !call) return undefined;
  const took = entry.origin.by === "adopted" ? "taken over" : formatDuration(call.latencyMs);
  return isEvent(entry, "degradation-noted")
    ? `${id}: no scores: ${oneLine(entry.data.why, 300)} (${took})`
    : `${id}: scores given (${took})`;
}

function exitOfRun(entries: readonly Entry[]): number {
  const result = resultOf(entries);
  if (!result) return EXIT.usage;
  const codes = failuresIn(entries).map(({ code }) => code);
  // Without scores because nothing came back: that is the provider's doing, not the evaluators'.
  if (result.status === "inconclusive" && lostEvaluations(entries).length > 0) return exitOfFailures(codes);
  return exitOf(result, codes, "accept");
}

/** What a person can do about a run that ended without a reply of every evaluator; undefined where it did not. */
export function endedEarly(entries: readonly Entry[]): string | undefined {
  const result = resultOf(entries);
  if (!result) return undefined;
  const [lost] = lostEvaluations(entries);
  const ended = ["stopped-by-budget", "failed", "cancelled", "inconclusive"].includes(result.status);
  if (!ended && !lost) return undefined;
  const why =
    !ended && lost ? `${lost.code}: ${lost.message}` : (result.degraded[0]?.why ?? "no reason was recorded");
  return `parley: ${result.status}: ${oneLine(why, 600)}; next: ${nextOf(result, entries)}`;
}

function nextOf({ status }: Result, entries: readonly Entry[]): string {
  const lost = lostEvaluations(entries);
  if (status === "inconclusive" && lost.length === 0)
    return "choose other evaluators, or ask again with --again";
  const failures = failuresIn(entries);
  if (status === "stopped-by-budget") {
    const [budget = {}] = entries.flatMap((entry) =>
      isEvent(entry, "deliberation-opened") ? [entry.data.budget] : [],
    );
    return `${raiseWords(capsPassed(capsIn(entries), budget))}: the same command then goes on from here`;
  }
  const remedy = remedyOf(failures.map(({ code }) => code)) ?? "mend that";
  return `${remedy}, then the same command goes on from here`;
}
