import { unpricedModels } from "../reports/words.ts";
import { describeProblem, type Outcome, type Problem } from "../app/outcome.ts";
import { exportsIn } from "../app/registry.ts";
import { loadShown } from "../app/result.ts";
import type { ReactionsOutcome, Run } from "../app/run.ts";
import { pluralize } from "../text/format.ts";
import { answerStep, isEvent, isOutage } from "../kernel/index.ts";
import type { DeliberationId, Entry, FailureCode } from "../kernel/index.ts";
import { answerText, bareAnswerText, briefAnswerText, footerLines, warningLines } from "../reports/answer.ts";
import type { ShownResult } from "../reports/answer.ts";
import { jsonText, oneLine } from "../reports/printable.ts";
import { scoreLine } from "../reports/score.ts";
import { styleOf } from "../reports/style.ts";
import { answerEvent, gradeOf, ownStepOf } from "../views/answer-event.ts";
import type { Result } from "../views/result.ts";
import { EXIT, exitOf } from "./exits.ts";
import { LOGIN, noteProblem, raiseCaps, remedyOf, type CommandProblem } from "./errors.ts";
import { faceOf, type Io } from "./command.ts";
import type { Showing } from "./session.ts";

/** Says what a run waits for, and how to answer. */
export function noteWaiting({ output }: Pick<Io, "output">, { id, waiting }: Outcome): number {
  const { questions = [], requests = [], seats = [] } = waiting ?? {};
  const [first] = questions;
  for (const { id: key, by, text } of questions) output.note(`${key}  ${oneLine(by)}: ${oneLine(text)}`);
  if (first) {
    output.note(
      `Waiting for answers to ${pluralize(questions.length, "question")}; everything so far is recorded`,
    );
    output.note(`Try: parley answer ${id}, or parley answer ${id} FILE with {"${first.id}": "…"}`);
  } else if (seats.length > 0) {
    const whose = seats.map(({ person, work }) => `${person}'s ${work}`).join(", ");
    output.note(`Waiting for ${whose}; everything so far is recorded`);
    output.note(`Try: parley seat ${id}`);
  } else {
    output.note(`Waiting for an answer to: ${requests.join(", ")}`);
    output.note(`Try: parley resume ${id}, once it is answered`);
  }
  return EXIT.waiting;
}

/** Prints the outcome of a closed deliberation, and gives its exit code: 1 where it came to a check that failed, as a review may. */
export async function finish(
  io: Pick<Io, "features" | "output" | "protocols">,
  entries: readonly Entry[],
  showing: Showing,
): Promise<number> {
  const shown = await loadShown(io.protocols, entries);
  if (!shown) return EXIT.usage;
  const { result, isVerdict = false } = shown;
  const { failures } = describeProblem(result, entries);
  const exit = exitOf(result, failures, showing.onDegraded);
  const isPart = Boolean(showing.form ?? showing.code);
  if (isPart && result.answer !== null && exit === EXIT.answered)
    return (await import("./answer-part.ts")).printPart(io, shown, showing);
  const isShown = !isPart && !showing.json && !showing.events && (result.answer !== null || isVerdict);
  if (showing.json) await io.output.result(jsonText(result));
  const isRetried = result.status === "answered-degraded" && failures.some(isOutage);
  const next = [...nextCommands(io, result), ...(isRetried ? [`parley retry ${result.id}`] : [])];
  if (isShown) await showResult(io, shown, { ...showing, unpriced: unpricedModels(entries), next });
  if (exit !== EXIT.answered) noteProblem(io, problemIn(result, entries));
  const closing = entries.find((entry) => isEvent(entry, "deliberation-closed"))?.data;
  const end = closing && entries.find((entry) => ownStepOf(entry) === answerStep(closing));
  return end && isEvent(end, "gate-decided") && end.data.outcome === "failed" ? EXIT.refusedByCheck : exit;
}

type ShownWith = Pick<Showing, "quiet" | "isWritten"> & Record<"next" | "unpriced", readonly string[]>;

/**
 * The answer first, and at most three lines after it: on a terminal below it, elsewhere on stderr, so that what a program gets is
 * the answer alone. A verdict is shown whole.
 */
async function showResult(
  io: Pick<Io, "features" | "output">,
  shown: ShownResult,
  { unpriced, quiet, isWritten = false, next }: ShownWith,
): Promise<void> {
  const { output } = io;
  const { result } = shown;
  const face = { ...(await faceOf(output)), unpriced };
  if (result.answer === null) {
    if (isWritten) output.note(answerText(shown, face).trimEnd());
    else await output.result(answerText(shown, face));
    if (!quiet) output.note(nextLine(io, result));
  } else if (output.stdout.terminal && !isWritten)
    await output.result(briefAnswerText(shown, face, quiet ? undefined : { next }));
  else {
    if (!isWritten) await output.result(bareAnswerText(shown));
    if (quiet) return;
    const lines = [...warningLines(shown), ...footerLines(shown, { unpriced, width: NOTE_CELLS, next })];
    for (const line of lines) output.note(line);
  }
}

/** What a reader most likely wants after an answer. */
export const nextCommands = (io: Pick<Io, "features">, { id, protocol: { name } }: Result): string[] => [
  `parley show ${id}`,
  `parley ${name} --continue ${id}`,
  ...(exportedAs(io, name) ? [`parley export ${id}`] : []),
];

const exportedAs = ({ features = [] }: Pick<Io, "features">, name: string) =>
  exportsIn(features).find(({ protocol }) => protocol === name);

/** A note elsewhere than on a terminal is as long as it needs to be. */
const NOTE_CELLS = 400;

/** What else there is to see of a run, or how to continue it. */
export function nextLine(io: Pick<Io, "features">, { id, status, protocol }: Result): string {
  if (status === "waiting") return `Answer: parley inbox · so far: parley show ${id} --details`;
  if (status === "open") return `Continue: parley resume ${id} · so far: parley show ${id} --details`;
  const own = exportedAs(io, protocol.name);
  return own
    ? `${own.shows}: parley export ${id}; as a page: parley export ${id} -o FILE.html`
    : `All drafts, reviews and steps: parley show ${id} --details`;
}

/** How protocols say that a vote has no winner. */
const TIED = /\b(?:are tied|are level)$/;

function problemIn(result: Result, entries: readonly Entry[]): CommandProblem {
  const { status, reason, caps, failures } = describeProblem(result, entries);
  const why =
    status === "stopped-by-budget" && result.calls + result.unknown === 0
      ? "the limit is too low for the first step, so nobody was asked"
      : inWords(nameOnce(reason ?? "no reason was recorded", failures));
  const problem = `${status.replaceAll("-", " ")}: ${oneLine(why, 600)}`;
  if (status === "stopped-by-budget") {
    const smaller = caps.some((cap) => cap === "usd" || cap === "tokens")
      ? ", or lower the settings that end in -tokens in parley.yaml, which bound each reply"
      : "";
    // The first that the budget did not reach for.
    const needs = [...result.degraded, ...failures.toReversed()].find((one) => one.needs)?.needs;
    return { problem, next: `${raiseCaps(caps, needs)}, or ask fewer models${smaller}` };
  }
  if (status === "inconclusive" && TIED.test(reason ?? ""))
    return {
      problem,
      next: `the same with --seat me:tie-break, which lets you decide; or parley show ${result.id}`,
    };
  const remedy = remedyOf(failures);
  if (remedy === undefined) return { problem, next: `parley show ${result.id}` };
  const again = failures.some(isOutage) ? `parley retry ${result.id}, or ask again` : "ask again";
  return { problem, next: `${remedy}, then ${again}` };
}

/** Codes of failures, as a recorded reason has them, and what they mean. */
const MEANINGS: { readonly [code in FailureCode]?: string } = {
  unauthorised: "invalid API key",
  "out-of-credit": "insufficient quota",
  "rate-limited": "rate limit reached",
  "over-budget": "budget exceeded",
  "context-too-long": "the prompt is too long",
  "timed-out": "timed out",
  network: "no connection",
};

/** A recorded reason without codes. The one for a server that cannot answer covers two causes. */
const inWords = (reason: string): string =>
  reason.replaceAll(/\b([a-z]+(?:-[a-z]+)*): /g, (text, code: string) => {
    if (code === "unauthorised" && LOGIN.test(reason)) return "";
    if (code === "overloaded") return /\(HTTP 5(?!03|29)\d\d\)/.test(reason) ? "server error: " : text;
    const meaning = MEANINGS[code as FailureCode]; // an own key or none: the text is the program's
    return Object.hasOwn(MEANINGS, code) ? `${meaning}: ` : text;
  });

/** A reason that lists members and what each failed of, with each failure once where several failed of the same. */
function nameOnce(reason: string, failures: Problem["failures"]): string {
  const messages = new Set(failures.map(({ message }) => message));
  const isRepeated = [...messages].some((message) => reason.split(message.slice(0, 80)).length > 2);
  return isRepeated ? `${reason.replace(/ \(.*$/s, "")}: ${[...messages].join("; ")}` : reason;
}

type Reactions = {
  readonly id: DeliberationId;
  readonly run: Pick<Run, "reactions" | "recorded">;
  /** Resolves when the answer is graded, or will not be; by default with the reactions. */
  readonly graded?: Promise<unknown>;
  readonly signal: AbortSignal;
};

/** Waits for the reactions to an answer that was shown, and shows its grade under it. */
export async function showReactions(
  { output }: Pick<Io, "output">,
  { id, run, graded = run.reactions, signal }: Reactions,
  showing: Showing,
): Promise<void> {
  await graded;
  if (!showing.json && !showing.events && !showing.quiet)
    await showGrade({ output }, run.recorded(), showing);
  const { failed, timedOut }: ReactionsOutcome = await run.reactions;
  const uncompared = wordUncompared(run.recorded());
  if (uncompared !== undefined && !showing.json && !showing.quiet) output.note(uncompared);
  if (failed !== null)
    noteProblem({ output }, { problem: `Grading or memory failed: ${failed}`, next: `parley resume ${id}` });
  else if (timedOut) {
    output.note("The time limit ended before grading and memory did; they are unfinished");
    output.note(`Try: parley resume ${id}, or parley worker, which completes them in the background`);
  } else if (signal.aborted) {
    output.note("The answer is recorded; its grading and memory are unfinished");
    output.note(`Try: parley resume ${id}`);
  }
}

/** Why two answers were not compared, where the judge was asked and named neither. */
export function wordUncompared(entries: readonly Entry[]): string | undefined {
  for (const entry of entries)
    if (isEvent(entry, "reaction-failed") && entry.data.code === "preference-unreadable")
      return `Not compared: ${oneLine(entry.data.why, 300)}`;
  return undefined;
}

/** The grade under an answer; why there is none, where a judge was asked and gave none. */
async function showGrade(
  { output }: Pick<Io, "output">,
  entries: readonly Entry[],
  { isWritten }: Showing,
): Promise<void> {
  const grade = gradeOf(entries, answerEvent(entries)?.id);
  if (!grade) return;
  const terminal = output.stdout.terminal && isWritten !== true;
  const { color, columns: width } = terminal ? output.stdout : output.stderr;
  const line = scoreLine(grade, { style: styleOf(color), width });
  if (line === undefined) output.note(`Not graded: ${oneLine(grade.why ?? "no reason was recorded", 300)}`);
  else if (terminal) await output.result(`${line}\n`);
  else output.note(line);
}
