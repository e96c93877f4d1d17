import { resolve } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { recordFeedback } from "../../app/feedback.ts";
import { resolveId } from "../../app/lookup.ts";
import { linkAbort, type LinkedAbort } from "../../engine/index.ts";
import { isFault, type DeliberationId } from "../../kernel/index.ts";
import { oneLine, printable } from "../../reports/printable.ts";
import { scoreLine } from "../../reports/score.ts";
import { styleOf } from "../../reports/style.ts";
import { answerEvent, gradeOf, answerOfB } from "../../views/answer-event.ts";
import { faceOf, type Face, type Io, type Values } from "../command.ts";
import { noteError } from "../errors.ts";
import { wordUncompared } from "../ending.ts";
import { EXIT } from "../exits.ts";
import { wordFeedback } from "../notes.ts";
import type { ALL_ANSWERS, CONVERSATION, QUIET, SHOWING } from "../options.ts";
import type { Declared } from "../protocol-command.ts";
import { askTurn, type TurnRequest, type TurnResult } from "../respond-turn.ts";
import { withParley, type Showing } from "../session.ts";
import { refuseUnusedSecond } from "./respond.ts";

// CHAT-1. A question is asked as soon as it is typed: what follows earlier answers is completed beside it.
// CHAT-2. A score that comes late is written above the line that is being typed, which stays as it is; within an answer it waits for its end.
// CHAT-3. Ctrl-C ends the answer in progress, and without one the conversation; nothing recorded is lost.

type ChatOptions = Values<
  typeof CONVERSATION & typeof ALL_ANSWERS & typeof QUIET & Pick<typeof SHOWING, "events">
>;

export const chat = (io: Io, options: ChatOptions, { settings: flags }: Declared): Promise<number> =>
  withParley(io, flags, async (context, configured) => {
    const { settings } = context;
    refuseUnusedSecond(flags, settings);
    const { all, events, quiet } = options;
    const previous = options.continue === undefined ? undefined : await resolveId(context, options.continue);
    const folder = options.folder === undefined ? undefined : resolve(io.cwd, options.folder);
    const showing = { json: false, events, quiet, onDegraded: settings.onDegraded };
    return converse(io, { configured, previous, folder, all }, showing);
  });

type ChatSession = Pick<TurnRequest, "configured" | "previous" | "folder"> & {
  /** Whether the second model's answers are shown as well, when they come. */
  readonly all: boolean;
};

const HELP = `/why     show the judge's feedback on the last answer
/all     show the second model's last answer
/up, /down [words]   rate the last answer
/new     start a new conversation
/quit    exit (so does Ctrl-D)`;

/** A conversation on the terminal, or with one question a line from elsewhere. */
async function converse(
  io: Io,
  { configured, previous, folder, all }: ChatSession,
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
  const screen = createChatScreen(io, lines, interactive);
  const leave = new AbortController();
  let turn: LinkedAbort | undefined;
  let last = previous;
  let lastTurn: TurnResult | undefined;
  let exit: number = EXIT.answered;
  const after = new Set<Promise<unknown>>();
  const settled = new Set<DeliberationId>();
  /** Whose grading or memory the time limit ended. */
  const owed = new Set<DeliberationId>();
  let ending = false;
  const interrupt = () => {
    if (turn) turn.abort();
    else if (ending) leave.abort();
    else lines.close(); // CHAT-3
  };
  lines.on("SIGINT", interrupt);
  process.on("SIGINT", interrupt);

  const ask = async (question: string): Promise<void> => {
    const link = (turn = linkAbort(leave.signal));
    const { signal } = link;
    await screen.busy(true);
    try {
      const one = await askTurn(io, { configured, question, previous: last, folder, signal }, showing);
      lastTurn = one;
      exit = one.exit;
      // A turn that was broken off keeps its place in the conversation, without an answer.
      if (!one.closed) {
        await context.engine.cancel(one.id, "it was interrupted in a chat");
        output.note("Interrupted. Ask another question");
      }
      last = one.id;
      const graded = one.graded.then(() => screen.showScore(one, showing));
      const second = one.run.reactions.then(async () => {
        if (all && one.closed) await screen.write(wordSecond(one, await faceOf(output)));
        const uncompared = wordUncompared(one.run.recorded());
        if (uncompared !== undefined && !showing.quiet) output.note(uncompared);
      });
      const shown = Promise.all([graded, second]); // CHAT-1
      after.add(shown);
      void one.run.reactions.then(({ timedOut }) => {
        settled.add(one.id);
        if (timedOut) owed.add(one.id);
        link.release();
      });
      void shown.finally(() => after.delete(shown));
    } catch (error) {
      link.release();
      throw error;
    } finally {
      turn = undefined;
      await screen.busy(false);
    }
  };
  const runCommand = async (line: string): Promise<boolean> => {
    const [, word = "", rest = ""] = /^\/(\S+)\s*(.*)$/.exec(line) ?? [];
    switch (word) {
      case "quit":
      case "exit":
        return false;
      case "new":
        last = undefined;
        lastTurn = undefined;
        output.note("New conversation");
        return true;
      case "why":
        await screen.write(wordScore(lastTurn, await faceOf(output)));
        return true;
      case "all":
        await screen.write(wordSecond(lastTurn, await faceOf(output)));
        return true;
      case "up":
      case "down":
        if (lastTurn) {
          const heard = !settled.has(lastTurn.id); // CHAT-1
          const given = { thumb: word, text: rest, heard } as const;
          output.note(wordFeedback(await recordFeedback(context, lastTurn.id, given)));
        } else output.note("There is no answer yet");
        return true;
      default:
        output.note(word === "help" ? HELP : `Unknown command /${oneLine(word, 40)}\n${HELP}`);
        return true;
    }
  };
  if (interactive) {
    const [model] = context.settings.models;
    output.note(
      `Chatting${model === undefined ? "" : ` with ${oneLine(model, 100)}`}. /help for commands, Ctrl-D to exit`,
    );
  }
  try {
    screen.prompt();
    for await (const line of lines) {
      const text = line.trim();
      try {
        if (text.startsWith("/")) {
          if (!(await runCommand(text))) break;
        } else if (text !== "") await ask(text);
      } catch (error) {
        // What one question was refused for is no reason to end the conversation.
        if (!isFault(error, "configuration") && !isFault(error, "budget")) throw error;
        noteError(io, error);
        exit = EXIT.usage;
      }
      if (exit === EXIT.interrupted && !interactive) break;
      screen.prompt();
    }
    screen.end();
    ending = true;
    await Promise.all(after);
    if (leave.signal.aborted)
      output.note(`Grading or memory of the last answers is unfinished. Try: parley resume ${last ?? "ID"}`);
    for (const id of owed)
      output.note(`The time limit ended before grading and memory of ${id} did. Try: parley resume ${id}`);
    if (last !== undefined && !showing.quiet) output.note(`To continue: parley chat --continue ${last}`);
    return interactive && exit === EXIT.interrupted ? EXIT.answered : exit;
  } finally {
    process.off("SIGINT", interrupt);
    lines.close();
    leave.abort();
  }
}

/** The line that is typed on, and what is written above it. */
function createChatScreen({ output }: Io, lines: Interface, interactive: boolean) {
  const { color, terminal } = output.stdout;
  let busy = false;
  let ended = false;
  let held: string[] = [];
  const write = async (line: string): Promise<void> => {
    // What belongs to an answer that is no longer the last one on the screen waits for the end of the next.
    if (busy) return void held.push(line);
    if (!terminal) return output.note(line);
    const typing = interactive && !ended;
    await output.result(`${typing ? "\r\u001b[K" : ""}${line}\n`);
    if (typing) lines.prompt(true); // CHAT-2
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
    async showScore(one: TurnResult, { quiet, events }: Showing): Promise<void> {
      const grade = gradeOf(one.run.recorded(), answerEvent(one.run.recorded())?.id);
      const line = grade && scoreLine(grade, { style: styleOf(color), width: output.stdout.columns });
      if (quiet || events || !line) return;
      await write(line);
    },
  };
}

function wordScore(lastTurn: TurnResult | undefined, face: Face): string {
  if (!lastTurn) return "There is no answer yet";
  const grade = gradeOf(lastTurn.run.recorded(), answerEvent(lastTurn.run.recorded())?.id);
  if (!grade) return "There is no score yet";
  const { score, feedback, rubric, by, why } = grade;
  return score === null
    ? `No score: ${oneLine(why ?? "no reason was recorded", 600)}`
    : `${score}/5 by ${oneLine(by ?? "a judge")}, rubric ${oneLine(rubric, 60)}:\n${foreignText(feedback.slice(0, 8_000), face)}`;
}

function wordSecond(lastTurn: TurnResult | undefined, face: Face): string {
  const second = lastTurn && answerOfB(lastTurn.run.recorded());
  return second
    ? `Second model:\n${foreignText(second.data.text, face)}`
    : "There is no answer of a second model yet";
}

/** A model's text: rendered on a terminal, as it was written elsewhere. */
const foreignText = (text: string, { markdown, width }: Face): string =>
  (markdown ? markdown(text, width).join("\n") : printable(text)).trimEnd();
