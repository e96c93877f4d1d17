import { resolve } from "node:path";
import type { ContextFile } from "../../../config/input-files.ts";
import type { EffectiveSettings } from "../../../app/context.ts";
import type { Parley } from "../../../app/parley.ts";
import type { Run } from "../../../app/run.ts";
import type { RequestSettings } from "../../../app/start.ts";
import type { Io, Declared, Values } from "../../../cli/command.ts";
import { refuseWithoutModels } from "../../../cli/connect.ts";
import { finish, nextCommands, showReactions } from "../../../cli/ending.ts";
import { estimateNote, printEstimate } from "../../../cli/estimate-text.ts";
import { EXIT } from "../../../cli/exits.ts";
import { readQuestion } from "../../../cli/input.ts";
import type { ATTACHMENTS, DRY_RUN, SHOWING } from "../../../cli/options.ts";
import type { Output } from "../../../cli/output.ts";
import { readFollowUp } from "../../../cli/question-words.ts";
import type { Screen } from "../../../cli/screen.ts";
import { type Showing, interruptible, showingIn, withParley } from "../../../cli/session.ts";
import { show, type DisplayedRun, noteOpen } from "../../../cli/show.ts";
import { createLive } from "../../../cli/terminal.ts";
import { linkAbort } from "../../../engine/index.ts";
import { isEvent, workOf, refusal } from "../../../kernel/index.ts";
import { oneLine } from "../../../reports/printable.ts";
import { doingWords } from "../../../reports/doing-words.ts";
import { sourceLines } from "../../../reports/material.ts";
import { styleOf } from "../../../reports/style.ts";
import { unpricedModels } from "../../../reports/words.ts";
import { pluralize } from "../../../text/format.ts";
import { answerEvent, gradeOf } from "../../../views/answer-event.ts";
import { doingAfter, type Doing } from "../../../views/doing.ts";
import { resultOf } from "../../../views/result.ts";
import { responseLines } from "../protocol/report.ts";
import { sectionOf } from "../protocol/view.ts";
import { createAnswerView, type AnswerView } from "./answer-view.ts";
import type { CONVERSATION, WAIT } from "./index.ts";

/** One question to a respondent, as it was shown. */
export type TurnResult = DisplayedRun & {
  /** Resolves when the answer is graded, or will not be. */
  readonly graded: Promise<unknown>;
};

export type TurnRequest = {
  readonly me: Parley;
  readonly question: string;
  readonly context?: readonly ContextFile[] | undefined;
  /** The turn that this one follows, whether that is asked again, and the member that is asked. */
  readonly previous?: string | undefined;
  readonly again?: boolean | undefined;
  readonly member?: string | undefined;
  /** Settings in place of those of the command line. */
  readonly how?: RequestSettings | undefined;
  /** A folder that the respondent may read in: an absolute path. */
  readonly folder?: string | undefined;
  readonly signal: AbortSignal;
  /** Whether it is said beforehand what the turn may take. */
  readonly isAnnounced?: boolean | undefined;
  /** Whether `--json` waits for grading and memory; by default it does. */
  readonly wait?: boolean | undefined;
};

/** Asks, and shows the answer as it comes; with `--json`, when grading and memory have ended. @throws Fault */
export async function askTurn(io: Io, turn: TurnRequest, showing: Showing): Promise<TurnResult> {
  const { me, question, context, previous, again, member, how, folder, signal, wait } = turn;
  const { output } = io;
  const isAnnounced = turn.isAnnounced === true;
  const run = await me.start(
    { ...how, protocol: "respond", question, context, previous, again, member },
    { signal, folder, onMost: isAnnounced ? estimateNote(io, showing) : undefined },
  );
  if (!run.fresh) output.note(`Asked before as ${run.id}; showing the recorded answer`);
  const graded = isGraded(run);
  graded.catch(() => undefined);
  const shown = await show(io, run, {
    ...{ showing, wait },
    screen: () => turnScreen(io, run, { showing, isAlone: isAnnounced }),
  });
  if (!showing.quiet) for (const line of turnNotes(run)) output.note(line);
  return { ...shown, graded: shown.exit === undefined ? run.reactions : graded };
}

/** What became of the oldest turns, and what the model keeps in memory from now on, with how to undo it. */
function turnNotes(run: Run): string[] {
  const { remembered, summarized } = sectionOf(run.recorded());
  const lost = run
    .recorded()
    .flatMap((entry) =>
      isEvent(entry, "degradation-noted") &&
      entry.origin.by !== "reactor" &&
      workOf(entry)?.kind === "summary"
        ? [`Note: ${oneLine(entry.data.weakens, 300)} (${oneLine(entry.data.why, 300)})`]
        : [],
    );
  const covered = summarized
    ? [
        `Note: the first ${pluralize(summarized.covers, "turn")} ${summarized.covers === 1 ? "is" : "are"} summarized from now on; the newest stay whole`,
      ]
    : [];
  const { user = "local" } = run.opening;
  const owner = user === "local" ? "" : ` --user ${user}`;
  const kept = remembered.flatMap(({ id, fact }) => [
    `Remembered: ${oneLine(fact, 500)}`,
    `To delete it: parley memory forget ${oneLine(id, 100)}${owner}`,
  ]);
  return [...covered, ...lost, ...kept];
}

type Answering = { readonly showing: Showing; readonly view: AnswerView; readonly isAlone: boolean };

/** The answer as it is written; until its first words, who is waited for. */
async function turnScreen(io: Io, run: Run, { showing, isAlone }: Omit<Answering, "view">): Promise<Screen> {
  const isHidden = showing.json || showing.events || showing.code === true || showing.form !== undefined;
  const view = isHidden ? undefined : await createAnswerView(io.output);
  const [by] = run.opening.participants;
  const waiting = createWaitingLine(io.output, showing.quiet ? undefined : (by?.model ?? ""));
  return {
    event: () => undefined,
    frame(token) {
      // The second respondent's words are not the answer.
      if (token.work?.kind !== "answer" || token.work.by !== by?.id) return;
      waiting.frame(token);
      view?.frame(token);
    },
    stop: waiting.stop,
    async end(isClosed) {
      if (isClosed) return view && showAnswer(io, run, { showing, view, isAlone });
      await view?.breakOff();
      return undefined;
    },
  };
}

/** Resolves when the answer is graded, or will not be. */
async function isGraded(run: Run): Promise<void> {
  for await (const entry of run.events())
    if (isEvent(entry, "grade-given") && gradeOf(run.recorded(), answerEvent(run.recorded())?.id)) return;
}

/** The answer, and on one line how it came about; without an answer, why. */
async function showAnswer(io: Io, run: Run, { showing, view, isAlone }: Answering): Promise<number> {
  const { output } = io;
  const entries = run.recorded();
  const result = resultOf(entries);
  if (result?.status !== "answered" || result.answer === null) return finish(io, entries, showing);
  await view.end(result.answer);
  const { terminal, color, columns } = output.stdout;
  const sources = sourceLines(result, terminal ? columns : 0);
  if (sources.length > 0) await output.result(`\n${sources.join("\n")}\n`);
  if (showing.quiet) return EXIT.answered;
  const model = run.opening.participants[0]?.model;
  const alone = resultOf(entries.filter(({ origin }) => origin.by !== "reactor")) ?? result; // what the answer itself took
  const { dim } = styleOf(color);
  const lines = responseLines(alone, {
    recalled: sectionOf(entries).recalled,
    model: oneLine(model ?? ""),
    unpriced: unpricedModels(entries),
    ...(terminal ? { width: columns } : {}),
    // In a conversation the next question is typed right there.
    ...(isAlone ? { next: nextCommands(io, result) } : {}),
  });
  if (terminal) await output.result(`${lines.map(dim).join("\n")}\n`);
  else for (const line of lines) output.note(line);
  return EXIT.answered;
}

/** Before that, nobody could read it. */
const DRAW_AFTER_MS = 400;

/** Shows on a terminal which model is waited for, and for how long, until it is stopped; elsewhere, or without a model, nothing. */
function createWaitingLine({ stderr }: Output, model: string | undefined): Pick<Screen, "frame" | "stop"> {
  if (!stderr.terminal || model === undefined) return { frame: () => undefined, stop: () => undefined };
  const style = styleOf(stderr.color);
  const sinceMs = performance.now();
  let doing: Doing | null | undefined;
  const words = () => {
    const nowMs = performance.now();
    const usual = `Waiting for ${model}  ${Math.floor((nowMs - sinceMs) / 1_000)} s`;
    if (!doing || (doing.kind === "sent" && doing.expectedMs === null)) return usual;
    return doing.kind === "sent"
      ? doingWords(doing, { nowMs, usual: `Waiting for ${model} ` })
      : `${model}  ${doingWords(doing, { nowMs, usual })}`;
  };
  const live = createLive({
    output: process.stderr,
    redrawMs: 200,
    lines: ({ columns }) => [style.dim(oneLine(words(), Math.max(10, columns)))],
    closing: () => [],
  });
  const timer = setTimeout(live.start, DRAW_AFTER_MS).unref();
  const stop = () => {
    clearTimeout(timer);
    live.stop();
  };
  return {
    frame(frame) {
      doing = doingAfter(frame, performance.now(), doing);
      if (frame.kind === "text") stop();
    },
    stop,
  };
}

/** One model answers at once; grading and memory are waited for unless `--no-wait` is given. */
export const respond = (
  io: Io,
  options: Values<typeof ATTACHMENTS & typeof CONVERSATION & typeof DRY_RUN & typeof SHOWING & typeof WAIT>,
  { settings: flags, args }: Declared,
): Promise<number> =>
  withParley(io, flags, (own, me) =>
    interruptible(async (interrupted) => {
      const { settings } = own;
      refuseUnusedSecond(flags, settings);
      const showing = await showingIn(io, options, { settings, me });
      const leave = linkAbort(interrupted);
      const { signal } = leave;
      const { wait, folder } = options;
      const { question, texts } = await readQuestion(io, args, { ...options, settings });
      if (options.continue === undefined) await refuseWithoutModels(own, question);
      const request = { ...readFollowUp(question, options.continue), context: texts };
      const readable = folder === undefined ? undefined : resolve(io.cwd, folder);
      if (options.dryRun) {
        const asked = { ...request, protocol: "respond" };
        return printEstimate(io, options, await me.estimate(asked, { folder: readable }));
      }
      const turn = await askTurn(
        io,
        { ...request, me, folder: readable, isAnnounced: true, signal, wait },
        showing,
      );
      const { run, graded, exit } = turn;
      if (!wait) leave.abort();
      else if (exit !== undefined) await showReactions(io, { id: run.id, run, graded, signal }, showing);
      await turn.done;
      if (exit === undefined) return noteOpen(io, turn, showing);
      return interrupted.aborted ? EXIT.interrupted : exit;
    }),
  );

/** @throws Fault `configuration` for flags of a second model where none is asked */
export function refuseUnusedSecond(
  flags: Readonly<Record<string, unknown>>,
  { respondentB }: Pick<EffectiveSettings, "respondentB">,
): void {
  for (const [key, flag] of Object.entries({ modelB: "--model-b", temperatureB: "--temperature-b" })) {
    if (respondentB || flags[key] === undefined) continue;
    const why = `${flag} needs a second model, and --respondent-b is not given`;
    throw refusal(why, `add --respondent-b, or leave ${flag} out`);
  }
}
