import { unpricedModels } from "../reports/words.ts";
import { estimateNote } from "./estimate-text.ts";
import type { Parley } from "../app/parley.ts";
import type { Run } from "../app/run.ts";
import type { RequestSettings } from "../app/start.ts";
import { isEvent, workOf, type DeliberationId } from "../kernel/index.ts";
import { oneLine } from "../reports/printable.ts";
import { pluralize } from "../text/format.ts";
import { responseLines } from "../protocols/respond/report.ts";
import { sectionOf } from "../protocols/respond/view.ts";
import { styleOf } from "../reports/style.ts";
import { answerEvent, gradeOf } from "../views/answer-event.ts";
import { resultOf } from "../views/result.ts";
import { createAnswerView, type AnswerView } from "./answer-view.ts";
import { writeEvents } from "./run-deliberation.ts";
import { finish, nextCommands } from "./ending.ts";
import { wordNote } from "./notes.ts";
import type { Showing } from "./session.ts";
import type { Io } from "./command.ts";
import { EXIT } from "./exits.ts";
import type { Output } from "./output.ts";
import { createLive } from "./terminal.ts";

/** One question to a respondent, shown as it is answered. */
export type TurnResult = {
  readonly id: DeliberationId;
  readonly run: Run;
  /** As the command exits with it. */
  readonly exit: number;
  /** Whether it came to its end. */
  readonly closed: boolean;
  /** Resolves when the answer is graded, or will not be. */
  readonly graded: Promise<unknown>;
  /** Resolves when everything that follows the answer is recorded and shown. */
  readonly done: Promise<unknown>;
};

export type TurnRequest = {
  readonly me: Parley;
  readonly question: string;
  readonly context?: readonly { readonly name: string; readonly text: string }[] | undefined;
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
  const { me, question, context, previous, again, member, how, folder, signal, wait = true } = turn;
  const { output } = io;
  const run = await me.start(
    { ...how, protocol: "respond", question, context, previous, again, member },
    { signal, folder, onMost: turn.isAnnounced ? estimateNote(io, showing) : undefined },
  );
  if (!showing.quiet) for (const note of run.notes) output.note(wordNote(note));
  if (!run.fresh) output.note(`Asked before as ${run.id}; showing the recorded answer`);
  const view = showing.json || showing.events ? undefined : await createAnswerView(output);
  const tokens = showTokens(io, run, { view, quiet: showing.quiet });
  tokens.catch(() => undefined);
  const written = showing.events ? writeEvents(io, run) : Promise.resolve();
  written.catch(() => undefined); // awaited at the end
  const graded = isGraded(run);
  graded.catch(() => undefined);
  const outcome = await run.outcome();
  await tokens;
  const kept = showing.quiet ? [] : turnNotes(run);
  const done = run.reactions.then(() => written);
  done.catch(() => undefined);
  if (outcome.status === "interrupted" || outcome.status === "waiting") {
    await view?.breakOff();
    for (const line of kept) output.note(line);
    const exit = outcome.status === "waiting" ? EXIT.waiting : EXIT.interrupted;
    return { id: run.id, run, exit, closed: false, graded: run.reactions, done };
  }
  if (showing.json && wait) await run.reactions; // one object, so it has everything that follows the answer
  const entries = run.recorded();
  const exit = view
    ? await showAnswer(io, run, { showing, view, isAlone: turn.isAnnounced === true })
    : await finish(io, entries, showing);
  for (const line of kept) output.note(line);
  return { id: run.id, run, exit, closed: true, graded, done };
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

/** The answer as it is written; until its first words, who is waited for. */
async function showTokens(
  { output }: Io,
  run: Run,
  { view, quiet }: { readonly view: AnswerView | undefined; readonly quiet: boolean },
): Promise<void> {
  const [by] = run.opening.participants;
  const waiting = createWaitingLine(output, quiet ? undefined : (by?.model ?? ""));
  try {
    for await (const token of run.tokens()) {
      // The second respondent's words are not the answer.
      if (token.work?.kind !== "answer" || token.work.by !== by?.id) continue;
      if (token.kind === "text") waiting.stop();
      view?.frame(token);
    }
  } finally {
    waiting.stop();
  }
}

/** Resolves when the answer is graded, or will not be. */
async function isGraded(run: Run): Promise<void> {
  for await (const entry of run.events())
    if (isEvent(entry, "grade-given") && gradeOf(run.recorded(), answerEvent(run.recorded())?.id)) return;
}

/** The answer, and on one line how it came about; without an answer, why. */
async function showAnswer(
  io: Io,
  run: Run,
  {
    showing,
    view,
    isAlone,
  }: { readonly showing: Showing; readonly view: AnswerView; readonly isAlone: boolean },
): Promise<number> {
  const { output } = io;
  const entries = run.recorded();
  const result = resultOf(entries);
  if (result?.status !== "answered" || result.answer === null) return finish(io, entries, showing);
  await view.end(result.answer);
  if (showing.quiet) return EXIT.answered;
  const model = run.opening.participants[0]?.model;
  const alone = resultOf(entries.filter(({ origin }) => origin.by !== "reactor")) ?? result; // what the answer itself took
  const { terminal, color, columns } = output.stdout;
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
function createWaitingLine({ stderr }: Output, model: string | undefined): { stop(): void } {
  if (!stderr.terminal || model === undefined) return { stop: () => undefined };
  const style = styleOf(stderr.color);
  const sinceMs = performance.now();
  const words = () => `Waiting for ${model}  ${Math.floor((performance.now() - sinceMs) / 1_000)} s`;
  const live = createLive({
    output: process.stderr,
    redrawMs: 200,
    lines: ({ columns }) => [style.dim(oneLine(words(), Math.max(10, columns)))],
    closing: () => [],
  });
  const timer = setTimeout(live.start, DRAW_AFTER_MS).unref();
  return {
    stop() {
      clearTimeout(timer);
      live.stop();
    },
  };
}
