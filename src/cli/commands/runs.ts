import type { PendingQuestions } from "../../contract/runs.ts";
import { printEstimate } from "../estimate-text.ts";
import { forgetRun } from "../../app/forget.ts";
import { NEWEST, resolveId } from "../../app/lookup.ts";
import type { ForkRequest } from "../../app/fork.ts";
import type { Run } from "../../app/run.ts";
import { readAnswersFile, readAnswersText } from "../../config/input-files.ts";
import { callOf, type Entry } from "../../kernel/index.ts";
import { printable } from "../../reports/printable.ts";
import { pluralize } from "../../text/format.ts";
import { pendingQuestions } from "../../views/pending-questions.ts";
import { isClosed } from "../../views/result.ts";
import { answerOnTerminal, recordAnswers, runWithQuestions, type OpenQuestions } from "../clarification.ts";
import { print, type Io, type Values } from "../command.ts";
import { runFiles, writeRunFiles } from "../run-files.ts";
import { finish, noteWaiting, showReactions } from "../ending.ts";
import { EXIT } from "../exits.ts";
import { isConfirmed, NO_TERMINAL, readStandardInput } from "../input.ts";
import { judgeScreen } from "../judge-progress.ts";
import type { ANSWER, FileSet, JSON_FLAG, RESUME, RETRY, YES } from "../options.ts";
import { runDeliberation, writeEvents } from "../show.ts";
import { interruptible, showingIn, withParley, withStore, type Showing } from "../session.ts";

export const answer = (
  io: Io,
  options: Values<typeof ANSWER & FileSet>,
  { id: prefix, file }: { readonly id: string; readonly file: string | undefined },
): Promise<number> =>
  withParley(io, options, async (context, me) => {
    const { store, settings } = context;
    const id = await resolveId(context, prefix);
    const showing = await showingIn(io, options, { settings, me });
    const files = runFiles(options, io);
    const entries = await store.read(id);
    const pending = pendingQuestions(entries);
    if (options.list) {
      await print(io, { json: options.json, value: pending?.questions ?? [] }, () => questionsText(pending));
      return EXIT.answered;
    }
    if (isClosed(entries)) return finish(io, entries, showing);
    if (pending) {
      const open = { store, id, pending };
      const isAnswered =
        file === undefined && process.stdin.isTTY === true
          ? await answerOnTerminal(io, open)
          : await recordWritten(io, open, await readAnswers(io, file));
      if (!isAnswered) return EXIT.waiting;
    } else io.output.note("No questions are open; continuing the run");
    context.folders.add(io.cwd); // what the run's models may read here
    const begin = (signal: AbortSignal) => me.resume(id, { signal });
    const { exit } = await runWithQuestions(io, { context, me }, { begin, showing });
    await writeRunFiles(io, { store, id }, files);
    return exit;
  });

/** The answers in a file, or of a pipe: for `-`, and where nothing is named. */
async function readAnswers(io: Io, file: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (file !== undefined && file !== "-") return readAnswersFile(file, io);
  const text = await readStandardInput(io.output);
  return text === undefined ? new Map() : readAnswersText(text);
}

/**
 * Records answers that were written down. The first record counts, so where a question has none, nothing is recorded and it
 * still waits; an empty text leaves a question unanswered for good.
 */
async function recordWritten(
  io: Io,
  open: OpenQuestions,
  answers: ReadonlyMap<string, string>,
): Promise<boolean> {
  const { questions } = open.pending;
  const left = questions.filter(({ id }) => !answers.has(id));
  const isComplete = left.length === 0 || [...answers.keys()].some((key) => !isAsked(questions, key));
  if (isComplete) {
    await recordAnswers(io, open, answers);
    return true;
  }
  noteWaiting(io, {
    id: open.id,
    status: "waiting",
    result: null,
    waiting: { requests: [], questions: left, seats: [] },
  });
  if (answers.size > 0) io.output.note('Nothing is recorded yet; "" leaves a question unanswered');
  return false;
}

const isAsked = (questions: PendingQuestions["questions"], key: string) =>
  questions.some(({ id }) => id === key);

const questionsText = (pending: PendingQuestions | undefined): string =>
  pending
    ? pending.questions.map(({ id, by, text }) => `${id}  ${printable(by)}: ${printable(text)}\n`).join("")
    : "No questions are open.\n";

/** Continues a run. Of one that has ended, the result is shown and its reactions are completed. */
export const resume = (io: Io, options: Values<typeof RESUME & FileSet>, prefix: string): Promise<number> =>
  withParley(io, options, async (context, me) => {
    const { store, settings } = context;
    const id = await resolveId(context, prefix);
    const showing = await showingIn(io, options, { settings, me });
    const files = runFiles(options, io);
    const entries = await store.read(id);
    context.folders.add(io.cwd); // what the run's models may read here
    const waitMs = context.requested.has("timeoutMs") ? settings.timeoutMs : undefined;
    const begin = (signal: AbortSignal) => me.resume(id, { signal, waitMs });
    const exit = isClosed(entries)
      ? await completeReactions(io, begin, { entries, showing })
      : await runDeliberation(io, { begin, progress: judgeScreen(io, entries) }, showing);
    await writeRunFiles(io, { store, id }, files);
    return exit;
  });

const completeReactions = (
  io: Io,
  begin: (signal: AbortSignal) => Promise<Run>,
  { entries, showing }: { readonly entries: readonly Entry[]; readonly showing: Showing },
): Promise<number> =>
  interruptible(async (signal) => {
    const run = await begin(signal);
    if (showing.json || showing.events) await run.reactions;
    const exit = await finish(io, showing.json ? run.recorded() : entries, showing);
    await run.reactions;
    if (showing.events) await writeEvents(io, run);
    const isNew = run.recorded().length > entries.length;
    const shown = { reactions: run.reactions, recorded: () => (isNew ? run.recorded() : []) };
    await showReactions(io, { id: run.id, run: shown, signal }, showing);
    return signal.aborted ? EXIT.interrupted : exit;
  });

/** Runs again with changes, or `retry`: what an outage failed; and says how much of the run before was taken over. */
export const fork = (
  io: Io,
  options: Values<typeof RETRY>,
  { id, ...how }: { readonly id: string } & Pick<ForkRequest, "retry" | "without">,
): Promise<number> =>
  withParley(io, options, async (context, me) => {
    if (options.dryRun) {
      const estimate = await me.estimateFork(id, how);
      const reused = `${pluralize(estimate.reusable, "recorded call")} can be taken over`;
      if (!options.json) io.output.note(`The estimate is of a whole run, of which ${reused}`);
      return printEstimate(io, options, estimate);
    }
    context.folders.add(io.cwd); // what the run's models may read here
    const runs: Run[] = [];
    const begin = async (signal: AbortSignal) => {
      const run = await me.fork(id, how, { signal });
      runs.push(run);
      return run;
    };
    const showing = await showingIn(io, options, { settings: context.settings, me });
    const exit = await runDeliberation(io, { begin }, showing);
    for (const run of options.quiet ? [] : runs) io.output.note(wordFork(run));
    return exit;
  });

/** `from ID, 5 adopted, 2 asked anew`: the model calls of a fork, by who made them. */
function wordFork(run: Run): string {
  const calls = run.recorded().filter((entry) => entry.origin.by !== "reactor" && callOf(entry));
  const adopted = calls.filter(({ origin }) => origin.by === "adopted").length;
  return `from ${run.opening.parent?.id}, ${adopted} adopted, ${calls.length - adopted} asked anew`;
}

/** Closes a run; whoever drives it elsewhere notices and stops. */
export const cancel = (io: Io, prefix: string): Promise<void> =>
  withParley(io, {}, async (context, me) => {
    const id = await resolveId(context, prefix);
    const isCancelled = await me.cancel(id);
    io.output.note(isCancelled ? `${id} is cancelled` : `${id} is already finished. Try: parley show ${id}`);
  });

/** Forgets runs, once a person has said so. */
export const rm = (io: Io, { yes }: Values<{ yes: typeof YES }>, given: readonly string[]): Promise<void> =>
  withStore(io, async ({ store, whole }) => {
    const newest = given.includes(NEWEST) ? await resolveId({ store }, NEWEST) : NEWEST;
    const ids = given.map((one) => (one === NEWEST ? newest : one));
    const asked = `Forget ${ids.join(", ")}? This cannot be undone.`;
    if (!yes && !(await isConfirmed(asked, NO_TERMINAL))) return io.output.note("Nothing is forgotten");
    const parts = { store, leases: whole.leases, now: Date.now };
    for (const one of ids) {
      const { id, at } = await forgetRun(parts, one);
      io.output.note(`${id} was forgotten at ${at}; what it cost still counts`);
    }
  });

/** Runs the protocol again without models; exit 1 where the result differs from what is recorded. */
export const replay = (io: Io, options: Values<typeof JSON_FLAG>, prefix: string): Promise<void> =>
  withParley(io, {}, async (_context, me) => {
    const { id, closed, ...counts } = await me.replay(prefix);
    const { steps, calls, reread = 0 } = counts;
    const state = closed ? "" : " so far (the run is unfinished)";
    await print(io, { json: options.json, value: { id, same: reread === 0, closed, ...counts } }, () =>
      reread === 0
        ? `Replay of ${id} matches${state}: ${pluralize(steps, "step")}, ${pluralize(calls, "recorded reply")}, no model calls\n`
        : `Replay of ${id}${state}: an earlier version read the replies of ${reread} of ${pluralize(steps, "step")} otherwise; no model calls\n`,
    );
  });
