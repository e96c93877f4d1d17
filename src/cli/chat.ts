import { createInterface, type Interface } from "node:readline";
import type { Configured } from "../app/configured.ts";
import { isFault, type DeliberationId } from "../kernel/index.ts";
import { answerEvent, gradeOf, answerOfB } from "../views/answer-event.ts";
import { oneLine, printable } from "../reports/printable.ts";
import { scoreLine } from "../reports/score.ts";
import { styleOf } from "../reports/style.ts";
import { recordFeedback } from "../app/feedback.ts";
import { wordFeedback } from "./notes.ts";
import type { Showing } from "./showing.ts";
import type { Io } from "./command.ts";
import { errorLine } from "./error-line.ts";
import { EXIT } from "./exits.ts";
import { askTurn, type TurnResult } from "./turn.ts";

// C1. A question is asked as soon as it is there: what still comes of earlier answers goes on beside it.
// C2. A badge that comes late is written above the line that is being typed, which stays as it is; within an answer it waits for its end.
// C3. Ctrl-C ends the answer under way, and without one the conversation; nothing recorded is lost.

export type Chatting = {
  readonly configured: Configured;
  readonly previous: DeliberationId | undefined;
  readonly folder: string | undefined;
  /** Whether the second respondent's answers are shown as well, when they come. */
  readonly all: boolean;
};

const HELP = `/why     what the judge says of the last answer
/all     the second respondent's last answer
/up, /down [words]   tell memory what you think of the last answer
/new     begin a new conversation
/quit    end (so does Ctrl-D)`;

/** A conversation on the terminal, or with one question a line from elsewhere. */
export async function chat(
  io: Io,
  { configured, previous, folder, all }: Chatting,
  showing: Showing,
): Promise<number> {
  const { output } = io;
  const { context } = configured;
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    ...(interactive ? { output: process.stdout, prompt: "> " } : {}),
    terminal: interactive,
  });
  const screen = screenOf(io, lines, interactive);
  const leave = new AbortController();
  let turn: AbortController | undefined;
  let last = previous;
  let taken: TurnResult | undefined;
  let exit: number = EXIT.answered;
  const after = new Set<Promise<unknown>>();
  const settled = new Set<DeliberationId>();
  let ending = false;
  const interrupt = () => {
    if (turn) turn.abort();
    else if (ending) leave.abort();
    else lines.close(); // C3
  };
  lines.on("SIGINT", interrupt);
  process.on("SIGINT", interrupt);

  const ask = async (question: string): Promise<void> => {
    turn = new AbortController();
    const signal = AbortSignal.any([turn.signal, leave.signal]);
    await screen.busy(true);
    try {
      const one = await askTurn(
        io,
        { configured, question, previous: last, folder, signal },
        { ...showing, json: false },
      );
      taken = one;
      exit = one.exit;
      // A turn that was broken off keeps its place in the conversation, without an answer.
      if (!one.closed) {
        await context.engine.cancel(one.id, "it was interrupted in a chat");
        output.note("Interrupted; ask on");
      }
      last = one.id;
      const graded = one.graded.then(() => screen.badge(one, showing));
      const second = one.run.reactions.then(() =>
        all && one.closed ? screen.write(secondOf(one)) : undefined,
      );
      const shown = Promise.all([graded, second]); // C1
      after.add(shown);
      void one.run.reactions.finally(() => settled.add(one.id));
      void shown.finally(() => after.delete(shown));
    } finally {
      turn = undefined;
      await screen.busy(false);
    }
  };
  const obey = async (line: string): Promise<boolean> => {
    const [, word = "", rest = ""] = /^\/(\S+)\s*(.*)$/.exec(line) ?? [];
    switch (word) {
      case "quit":
      case "exit":
        return false;
      case "new":
        last = undefined;
        taken = undefined;
        output.note("A new conversation");
        return true;
      case "why":
        output.note(whyOf(taken));
        return true;
      case "all":
        output.note(secondOf(taken));
        return true;
      case "up":
      case "down":
        if (taken)
          output.note(
            wordFeedback(
              await recordFeedback(context, taken.id, {
                thumb: word,
                text: rest,
                heard: !settled.has(taken.id), // C1
              }),
            ),
          );
        else output.note("There is no answer yet");
        return true;
      default:
        output.note(word === "help" ? HELP : `There is no /${oneLine(word, 40)}\n${HELP}`);
        return true;
    }
  };
  if (interactive) output.note("Ask; /help says what else there is, Ctrl-D ends the conversation");
  try {
    screen.prompt();
    for await (const line of lines) {
      const text = line.trim();
      try {
        if (text.startsWith("/")) {
          if (!(await obey(text))) break;
        } else if (text !== "") await ask(text);
      } catch (error) {
        // What one question was refused for is no reason to end the conversation.
        if (!isFault(error, "configuration") && !isFault(error, "budget")) throw error;
        output.note(errorLine(error, io.env));
        exit = EXIT.usage;
      }
      if (exit === EXIT.interrupted && !interactive) break;
      screen.prompt();
    }
    screen.end();
    ending = true;
    await Promise.all(after);
    if (leave.signal.aborted)
      output.note(`What was still to come of the last answers goes on with: parley resume ${last ?? "ID"}`);
    if (last !== undefined && !showing.quiet) output.note(`Go on with: parley chat --continue ${last}`);
    return interactive && exit === EXIT.interrupted ? EXIT.answered : exit;
  } finally {
    process.off("SIGINT", interrupt);
    lines.close();
    leave.abort();
  }
}

/** The line that is typed on, and what is written above it. */
function screenOf({ output }: Io, lines: Interface, interactive: boolean) {
  const { color, columns, terminal } = output.stdout;
  let busy = false;
  let ended = false;
  let held: string[] = [];
  const write = async (line: string): Promise<void> => {
    // What belongs to an answer that is no longer the last one on the screen waits for the end of the next.
    if (busy) return void held.push(line);
    if (!terminal) return output.note(line);
    const typing = interactive && !ended;
    await output.result(`${typing ? "\r\u001b[K" : ""}${line}\n`);
    if (typing) lines.prompt(true); // C2
  };
  return {
    async busy(now: boolean): Promise<void> {
      busy = now;
      if (busy) return;
      const late = held;
      held = [];
      for (const line of late) await write(line);
    },
    write,
    prompt: () => (interactive ? lines.prompt() : undefined),
    end: () => void (ended = true),
    async badge(one: TurnResult, { quiet, events }: Showing): Promise<void> {
      const grade = gradeOf(one.run.recorded(), answerEvent(one.run.recorded())?.id);
      const line = grade && scoreLine(grade, { style: styleOf(color), width: columns });
      if (quiet || events || !line) return;
      await write(line);
    },
  };
}

function whyOf(taken: TurnResult | undefined): string {
  if (!taken) return "There is no answer yet";
  const grade = gradeOf(taken.run.recorded(), answerEvent(taken.run.recorded())?.id);
  if (!grade) return "It is not graded (yet)";
  const { score, feedback, rubric, by, why } = grade;
  return score === null
    ? `It has no grade: ${oneLine(why ?? "no reason was recorded", 600)}`
    : `${score}/5 by ${oneLine(by ?? "a judge")}, by the rubric ${oneLine(rubric, 60)}:\n${printable(feedback).slice(0, 8_000)}`;
}

function secondOf(taken: TurnResult | undefined): string {
  const second = taken && answerOfB(taken.run.recorded());
  return second
    ? `The second respondent: ${printable(second.data.text)}`
    : "No second respondent has answered (yet)";
}
