import { resolve } from "node:path";
import { estimateNote } from "../../../cli/estimate-text.ts";
import type { AppContext } from "../../../app/context.ts";
import { resolveTurn } from "../../../app/conversation.ts";
import { choosePanel } from "../../../app/panel.ts";
import { graderOf } from "../../../app/reaction-plan.ts";
import type { Run } from "../../../app/run.ts";
import { linkAbort, type LinkedAbort } from "../../../engine/index.ts";
import { isFault, type DeliberationId } from "../../../kernel/index.ts";
import { oneLine } from "../../../reports/printable.ts";
import { pluralize } from "../../../text/format.ts";
import { isClosed } from "../../../views/result.ts";
import {
  pinFact,
  runChatCommand,
  turnsOf,
  type Chat,
  type ChatState,
  type ChatRequest,
} from "./chat-commands.ts";
import { createChatInput } from "./chat-input.ts";
import { createChatScreen, foreignText, wordSecond } from "./chat-screen.ts";
import { findOpening } from "../../../app/lookup.ts";
import { faceOf, type Declared, type Io, type Values } from "../../../cli/command.ts";
import { refuseWithoutModels } from "../../../cli/connect.ts";
import { noteError } from "../../../cli/errors.ts";
import { wordUncompared } from "../../../cli/ending.ts";
import { EXIT } from "../../../cli/exits.ts";
import { readFollowUp } from "../../../cli/question-words.ts";
import { wordNote } from "../../../cli/notes.ts";
import { runDeliberation } from "../../../cli/show.ts";
import type { QUIET, SHOWING } from "../../../cli/options.ts";
import type { ALL_ANSWERS, CONVERSATION } from "./index.ts";
import { askTurn, refuseUnusedSecond, type TurnRequest } from "./turn.ts";
import { withParley, type Showing } from "../../../cli/session.ts";

// A question is asked as soon as it is typed: what follows earlier answers is completed beside it.
// Ctrl-C ends the answer in progress, and without one the conversation; nothing recorded is lost.

type ChatOptions = Values<
  typeof CONVERSATION & typeof ALL_ANSWERS & typeof QUIET & Pick<typeof SHOWING, "events">
>;

export const chat = (io: Io, options: ChatOptions, { settings: flags }: Declared): Promise<number> =>
  withParley(io, flags, async (context, me) => {
    const { settings } = context;
    refuseUnusedSecond(flags, settings);
    const { second: all, events, quiet } = options;
    const previous =
      options.continue === undefined ? undefined : await resolveTurn(context, options.continue);
    const folder = options.folder === undefined ? undefined : resolve(io.cwd, options.folder);
    const showing = { json: false, events, quiet, onDegraded: settings.onDegraded };
    const earlier = previous === undefined || flags["model"] !== undefined ? undefined : previous;
    const model = (earlier && (await respondentOf(context, earlier))) ?? settings.models[0];
    return converse(io, { context, me, previous, folder, all, model }, showing);
  });

/** The model that answered a turn, where one alone did. */
const respondentOf = async ({ store }: AppContext, id: DeliberationId): Promise<string | undefined> =>
  findOpening(await store.read(id), id).data.participants.find(({ seat }) => seat === "respondent")?.model;

type ChatSession = Pick<TurnRequest, "me" | "folder"> & {
  readonly context: AppContext;
  readonly previous: DeliberationId | undefined;
  /** Who answers until another is chosen; undefined where one is to be found. */
  readonly model: string | undefined;
  /** Whether the second model's answers are shown as well, when they come. */
  readonly all: boolean;
};

/** A conversation on the terminal, or with one question a line from elsewhere. */
async function converse(
  io: Io,
  { context, me, previous, folder, all, model: first }: ChatSession,
  showing: Showing,
): Promise<number> {
  const { output } = io;
  const { quiet } = showing;
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const input = createChatInput(io, interactive, (why) => {
    output.note(`\n${why}`);
    lines.prompt(true);
  });
  const { lines } = input;
  const screen = createChatScreen(io, lines, interactive);
  const leave = new AbortController();
  let turn: LinkedAbort | undefined;
  const state: ChatState = {
    ...{ last: previous, lastTurn: undefined, lastQuestion: undefined },
    ...{ model: first, memory: context.settings.memory, files: [] },
  };
  let exit: number = EXIT.answered;
  const after = new Set<Promise<unknown>>();
  const settled = new Set<DeliberationId>();
  /** Whose grading or memory the time limit ended. */
  const owed = new Set<DeliberationId>();
  let ending = false;
  const interrupt = () => {
    if (turn) turn.abort();
    else if (ending) leave.abort();
    else lines.close();
  };
  lines.on("SIGINT", interrupt);
  process.on("SIGINT", interrupt);

  const askModel = async ({ question, again, member, asksFirst }: ChatRequest): Promise<void> => {
    const link = (turn = linkAbort(leave.signal));
    const { signal } = link;
    await screen.busy(true);
    try {
      const { last, memory, model } = state;
      const how = {
        ...(model === undefined ? {} : { models: [model] }),
        ...(memory ? {} : { memory }),
        ...(asksFirst ? { memoryTools: false } : {}),
      };
      const place = { previous: last, again, member };
      if (model === undefined && member === undefined) await refuseWithoutModels(context, question);
      const turnOf = { me, question, ...place, how, folder, signal, context: state.files };
      const one = await askTurn(io, turnOf, showing);
      state.lastTurn = one;
      // What was found is kept, so that no later turn looks for it and says so again.
      if (member === undefined) state.model ??= one.run.opening.participants[0]?.model;
      const { id } = one.run;
      exit = one.exit ?? EXIT.interrupted;
      // A turn that was broken off keeps its place in the conversation, without an answer.
      if (one.exit === undefined) {
        await context.engine.cancel(id, "it was interrupted in a chat");
        output.note("Interrupted. Ask another question");
      }
      state.last = id;
      const graded = one.graded.then(() => screen.showScore(one, showing));
      const second = one.run.reactions.then(async () => {
        if (all && one.exit !== undefined) await screen.write(wordSecond(one, await faceOf(output)));
        const uncompared = wordUncompared(one.run.recorded());
        if (uncompared !== undefined && !showing.quiet) output.note(uncompared);
      });
      const shown = Promise.all([graded, second]);
      after.add(shown);
      void one.run.reactions.then(({ timedOut }) => {
        settled.add(id);
        if (timedOut) owed.add(id);
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
  // Without the model that was named for one.
  const named = Object.entries(context.settings).filter(
    ([key]) => key !== "models" && context.requested.has(key),
  );
  const panel = me.as(context.principal, Object.fromEntries(named));
  const askPanel = async ({ question, again, protocol }: ChatRequest): Promise<void> => {
    const link = (turn = linkAbort(leave.signal));
    state.panel ??= await findPanel(context);
    let run: Run | undefined;
    const begin = async () =>
      (run = await panel.start(
        {
          ...(state.panel ? { models: state.panel } : {}),
          ...{ protocol, question, again, previous: state.last, context: state.files },
        },
        { signal: link.signal, onMost: estimateNote(io, showing) },
      ));
    try {
      exit = await runDeliberation(io, { begin }, showing);
      if (!run) return;
      if (!isClosed(run.recorded())) await context.engine.cancel(run.id, "it was interrupted in a chat");
      state.last = run.id;
    } finally {
      link.release();
      turn = undefined;
    }
  };
  const chat: Chat = {
    ...{ io, context, state, settled },
    write: (text) => screen.write(text),
    async ask(one) {
      await (one.protocol === undefined ? askModel(one) : askPanel(one));
      if (one.member === undefined) state.lastQuestion = one.question;
    },
  };
  /** A fact that waits for a yes. */
  let told: string | undefined;
  const take = async (text: string): Promise<boolean> => {
    const fact = told;
    told = undefined;
    if (fact !== undefined && /^(y(es)?|no?)$/i.test(text)) {
      if (/^y/i.test(text)) await pinFact(chat, fact);
      return true;
    }
    if (/^(exit|quit)$/i.test(text)) return false;
    if (text.startsWith("/")) return runChatCommand(chat, text);
    const { question, member } = readFollowUp(text, undefined);
    const [, wish] = /^(?:please )?remember (?:that )?([^]{3,400})$/i.exec(text) ?? [];
    const asksFirst = wish !== undefined && interactive && state.memory;
    await chat.ask({ question, member, asksFirst });
    if (!asksFirst) return true;
    told = wish;
    output.note(`Pin “${oneLine(wish, 200)}” as a fact? [y/N]`);
    return true;
  };
  if (previous !== undefined) {
    const turns = await turnsOf(chat);
    state.lastQuestion = turns.at(-1)?.question;
    if (interactive && !quiet) await showTurns(io, turns);
  }
  if (interactive) await greet(io, context, state);
  try {
    screen.prompt();
    for await (const line of lines) {
      const text = input.expand(line).trim();
      try {
        if (input.wasHushed()) await screen.asked(input.expand(line) === line ? line : text);
        input.hush(true);
        if (text !== "" && !(await take(text))) break;
      } catch (error) {
        // What one question was refused for is no reason to end the conversation.
        if (!isFault(error, "configuration") && !isFault(error, "budget")) throw error;
        noteError(io, error);
        exit = EXIT.usage;
      } finally {
        input.hush(false);
      }
      if (exit === EXIT.interrupted && !interactive) break;
      screen.prompt();
    }
    screen.end();
    ending = true;
    await Promise.all(after);
    if (leave.signal.aborted)
      output.note(
        `Grading or memory of the last answers is unfinished. Try: parley resume ${state.last ?? "ID"}`,
      );
    for (const id of owed)
      output.note(`The time limit ended before grading and memory of ${id} did. Try: parley resume ${id}`);
    if (state.last !== undefined && !quiet) output.note(`To continue: parley chat --continue ${state.last}`);
    return interactive && exit === EXIT.interrupted ? EXIT.answered : exit;
  } finally {
    process.off("SIGINT", interrupt);
    input.close();
    leave.abort();
  }
}

/** The models of a panel where one model is configured, for the chat; undefined where several are, or no others are found. */
async function findPanel(context: AppContext): Promise<readonly string[] | undefined> {
  const { models } = context.settings;
  if (models.length > 1) return undefined;
  const { members } = await choosePanel({ ...context, settings: { ...context.settings, models: [] } });
  const isSimulated = (ref: string) => ref.startsWith("sim/");
  return members.every(isSimulated) && !models.every(isSimulated) ? models : members;
}

/** How many of the last turns are shown of a conversation that is continued. */
const MAX_SHOWN_TURNS = 5;

async function showTurns(io: Io, turns: Awaited<ReturnType<typeof turnsOf>>): Promise<void> {
  const face = await faceOf(io.output);
  const left = turns.length - MAX_SHOWN_TURNS;
  if (left > 0) io.output.note(`${pluralize(left, "earlier turn")} not shown. Try: /save FILE`);
  for (const { question, answer } of turns.slice(-MAX_SHOWN_TURNS))
    await io.output.result(`> ${oneLine(question, 400)}\n${foreignText(answer, face)}\n\n`);
}

/** Names the model, memory and the judge, once. */
async function greet({ output }: Io, context: AppContext, state: ChatState): Promise<void> {
  if (state.model === undefined) {
    const { members, notes } = await choosePanel(context);
    for (const note of notes) output.note(wordNote(note));
    [state.model] = members;
    state.panel = members;
  }
  const judge = graderOf(context.resources, context.settings) ?? "off";
  const memory = state.memory ? `on (user ${context.settings.user})` : "off";
  output.note(
    `Chatting with ${oneLine(state.model ?? "", 100)} · memory: ${memory} · judge: ${oneLine(judge, 100)}`,
  );
  output.note("/help for commands, Ctrl-D to exit");
}
