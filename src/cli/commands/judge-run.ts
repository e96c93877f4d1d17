import { openJudge, type JudgeCall, type JudgeTask } from "../../lab/judge/judge.ts";
import type { AppContext } from "../../app/context.ts";
import { DEFAULT_RUBRIC } from "../../config/rubrics.ts";
import { Fault, isEvent, type Entry, type Failure } from "../../kernel/index.ts";
import { JudgeForm } from "../../protocols/phases/judge-prompts.ts";
import { judgedWork } from "../../protocols/judge/view-items.ts";
import { capsIn } from "../../views/spending.ts";
import { resultOf } from "../../views/result.ts";
import type { Io } from "../command.ts";
import { EXIT, exitOf, exitOfFailures, failuresIn } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { resume } from "../../app/run.ts";
import { capsPassed, raiseWords, remedyOf } from "../remedies.ts";
import { judgeProgress } from "./judge-progress.ts";

type Flags = Readonly<Record<string, unknown>>;

/** An option's text; undefined where it is not given. */
export const textFlag = (flags: Flags, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
};

/** What the flags that every `judge` command has say. @throws Fault `configuration` */
export function judgeCallOf(flags: Flags): JudgeCall {
  const model = textFlag(flags, "model");
  const form = textFlag(flags, "form");
  if (model === undefined)
    throw new Fault("configuration", {
      why: "no judge is named",
      next: "add --model provider/model; parley models lists those there are",
    });
  return {
    model,
    rubric: textFlag(flags, "rubric") ?? DEFAULT_RUBRIC,
    form: form === undefined ? undefined : JudgeForm.parse(form), // one of the option's choices
    repeat: repeatOf(textFlag(flags, "repeat") ?? "1"),
    again: flags["again"] === true,
  };
}

function repeatOf(given: string): number {
  const repeat = Number(given);
  if (Number.isInteger(repeat) && repeat >= 1 && repeat <= 20) return repeat;
  throw new Fault("configuration", { why: `--repeat ${given} is no count`, next: "give 1 to 20" });
}

/** How a judge's deliberation ended: its events, in order, and the exit code that its outcome stands for. */
export type JudgeRun = { readonly entries: readonly Entry[]; readonly exit: number };

/** Opens or finds the deliberation, and drives it to its end. Ctrl-C leaves it open and says how to go on. */
export async function runJudge(
  { output }: Io,
  parley: AppContext,
  { task, call, quiet }: { readonly task: JudgeTask; readonly call: JudgeCall; readonly quiet: boolean },
): Promise<JudgeRun> {
  const { id, state } = await openJudge(parley, task, call);
  if (!quiet && STATES[state] !== undefined) output.note(`${STATES[state]} (${id})`);
  const stop = interruption();
  const prompts = task.items.length * call.repeat * (task.kind === "preference" ? 2 : 1);
  const progress =
    quiet || state === "closed"
      ? undefined
      : judgeProgress({ output: process.stderr, terminal: output.stderr.terminal, prompts });
  try {
    const run = await resume(parley, id, { signal: stop.signal });
    for await (const entry of run.events({ until: "outcome" })) progress?.event(entry);
    const { status } = await run.outcome();
    await run.reactions;
    progress?.stop();
    const entries = run.recorded();
    if (status === "interrupted") {
      output.note(
        `Interrupted; everything so far is recorded. Go on with the same command, or: parley resume ${id}`,
      );
      return { entries, exit: EXIT.interrupted };
    }
    return { entries, exit: exitOfRun(entries) };
  } finally {
    progress?.stop();
    stop.release();
  }
}

const STATES: { readonly [state: string]: string | undefined } = {
  open: "Going on where it was; what is recorded is not asked again",
  closed: "Judged before, so that nothing is asked; --again judges anew",
  forked: "Going on from a run that ended early; what it recorded is taken over",
};

function exitOfRun(entries: readonly Entry[]): number {
  const result = resultOf(entries);
  if (!result) return EXIT.usage;
  const codes = failuresIn(entries).map(({ code }) => code);
  // Without a verdict because nothing came back: that is the provider's doing, not the judge's.
  if (result.status === "inconclusive" && lostIn(entries).length > 0) return exitOfFailures(codes);
  return exitOf(result, codes, "accept");
}

/** How the calls of prompts failed that have no reply. */
export const lostIn = (entries: readonly Entry[]): readonly Failure[] => judgedWork(entries)?.lost ?? [];

/** What a person can do about a run that ended without a reply to everything; undefined where it did not. */
export function endedEarly(entries: readonly Entry[]): string | undefined {
  const result = resultOf(entries);
  if (!result) return undefined;
  const [lost] = lostIn(entries);
  const ended = ["stopped-by-budget", "failed", "cancelled"].includes(result.status);
  if (!ended && !lost) return undefined;
  const why =
    !ended && lost ? `${lost.code}: ${lost.message}` : (result.degraded[0]?.why ?? "no reason was recorded");
  return `parley: ${result.status}: ${why.replaceAll(/[\s\p{C}]+/gu, " ").slice(0, 600)}; next: ${nextOf(result.status, entries)} goes on from here`;
}

function nextOf(status: string, entries: readonly Entry[]): string {
  const failures = failuresIn(entries);
  if (status === "stopped-by-budget") {
    const [budget = {}] = entries.flatMap((entry) =>
      isEvent(entry, "deliberation-opened") ? [entry.data.budget] : [],
    );
    return `${raiseWords(capsPassed(capsIn(entries), budget))}: the same command then`;
  }
  const remedy = remedyOf(failures.map(({ code }) => code)) ?? "mend that";
  return `${remedy}, then the same command`;
}
