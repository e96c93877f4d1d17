import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { checkModelRef, type AppContext } from "../../../app/context.ts";
import { turnsBefore } from "../../../app/conversation.ts";
import { recordFeedback } from "../../../app/feedback.ts";
import { shortFactId } from "../../../memory/lookup.ts";
import { Fault, type DeliberationId } from "../../../kernel/index.ts";
import { oneLine } from "../../../reports/printable.ts";
import { pluralize } from "../../../text/format.ts";
import { editDistance, findNearest, quoteValue } from "../../../text/words.ts";
import { wordScore, wordSecond } from "./chat-screen.ts";
import { faceOf, type Io } from "../../../cli/command.ts";
import { readAttachments } from "../../../cli/input.ts";
import { wordFeedback } from "../../../cli/notes.ts";
import type { ContextFile } from "../../../config/input-files.ts";
import type { TurnRequest, TurnResult } from "./turn.ts";

/** What a conversation knows of itself. */
export type ChatState = {
  last: DeliberationId | undefined;
  lastTurn: TurnResult | undefined;
  lastQuestion: string | undefined;
  /** What its next turns are asked with. */
  model: string | undefined;
  memory: boolean;
  /** What goes with every question from here on. */
  files: readonly ContextFile[];
  /** The models that were found at the start, where none is configured. */
  panel?: readonly string[] | undefined;
};

export type Chat = {
  readonly io: Io;
  readonly context: AppContext;
  readonly state: ChatState;
  /** The turns whose grading and memory have ended. */
  readonly settled: ReadonlySet<DeliberationId>;
  ask(turn: ChatRequest): Promise<void>;
  write(text: string): Promise<void>;
};

/** A question, and the panel that it goes to in place of the model. */
export type ChatRequest = Pick<TurnRequest, "again" | "member" | "question"> & {
  readonly protocol?: string | undefined;
  /** Whether the person is asked before anything is remembered, so that the model has no tool for it. */
  readonly asksFirst?: boolean;
};

type ChatCommand = {
  readonly group: "Ask" | "Rate" | "Memory" | "Conversation";
  readonly usage: string;
  readonly help: string;
  /** False ends the conversation. */
  run(chat: Chat, rest: string): Promise<false | void> | false | void;
};

const refuse = (why: string, next: string): never => {
  throw new Fault("configuration", { why, next });
};

const askAgain =
  (protocol?: string) =>
  ({ state: { lastQuestion }, ask }: Chat): Promise<void> =>
    lastQuestion === undefined
      ? refuse("there is no question yet", "ask one first")
      : ask({ question: lastQuestion, again: true, protocol });

const rate = (thumb: "up" | "down") => async (chat: Chat, text: string) => {
  const { lastTurn } = chat.state;
  if (!lastTurn) return chat.io.output.note("There is no answer yet");
  const given = { thumb, text, heard: !chat.settled.has(lastTurn.run.id) } as const;
  chat.io.output.note(wordFeedback(await recordFeedback(chat.context, lastTurn.run.id, given)));
};

const COMMANDS: { readonly [name: string]: ChatCommand } = {
  retry: { group: "Ask", usage: "/retry", help: "ask the last question again", run: askAgain() },
  file: {
    ...{ group: "Ask", usage: "/file [PATH|URL|none]", help: "attach a file to what follows, or drop all" },
    run: attachFile,
  },
  model: { group: "Ask", usage: "/model [REF]", help: "show or change the model", run: chooseModel },
  all: {
    ...{ group: "Ask", usage: "/all", help: "show the second model's last answer" },
    run: async ({ io, state, write }) => write(wordSecond(state.lastTurn, await faceOf(io.output))),
  },
  good: { group: "Rate", usage: "/good [WORDS]", help: "rate the last answer up", run: rate("up") },
  bad: { group: "Rate", usage: "/bad [WORDS]", help: "rate the last answer down", run: rate("down") },
  why: {
    ...{ group: "Rate", usage: "/why", help: "show the judge's feedback" },
    run: async ({ io, state, write }) => write(wordScore(state.lastTurn, await faceOf(io.output))),
  },
  memory: { group: "Memory", usage: "/memory [on|off]", help: "list the pinned facts", run: showMemory },
  pin: { group: "Memory", usage: "/pin FACT", help: "pin a fact", run: pinFact },
  forget: { group: "Memory", usage: "/forget ID", help: "delete a fact or an entry", run: forgetEntry },
  save: {
    ...{ group: "Conversation", usage: "/save FILE", help: "write the conversation as Markdown" },
    run: saveConversation,
  },
  new: {
    ...{ group: "Conversation", usage: "/new", help: "start a new conversation" },
    run({ state, io }) {
      Object.assign(state, { last: undefined, lastTurn: undefined, lastQuestion: undefined, files: [] });
      io.output.note("New conversation");
    },
  },
  help: {
    group: "Conversation",
    usage: "/help",
    help: "list the commands",
    // Line by line: a text that is too wide for a note would lose what its lines begin with.
    run: ({ io }) => helpLines(io).forEach((line) => io.output.note(line)),
  },
  quit: { group: "Conversation", usage: "/quit", help: "exit (so do exit and Ctrl-D)", run: () => false },
};
const ALIASES = new Map(Object.entries({ exit: "quit", up: "good", down: "bad" }));

const GROUPS = ["Ask", "Rate", "Memory", "Conversation"] as const;
const commandsIn = ({ features = [] }: Pick<Io, "features">): ReadonlyMap<string, ChatCommand> => {
  const brought = features.flatMap(({ chat = {} }) => Object.entries(chat));
  const head = (name: string, help: string) => ({ group: "Ask", usage: `/${name}`, help }) as const;
  const asking = brought.map(([name, help]) => [name, { ...head(name, help), run: askAgain(name) }] as const);
  return new Map<string, ChatCommand>([...asking, ...Object.entries(COMMANDS)]);
};
const helpLines = (io: Pick<Io, "features">): readonly string[] => [
  ...GROUPS.flatMap((group) => [
    group,
    ...[...commandsIn(io).values()]
      .filter((one) => one.group === group)
      .map(({ usage, help }) => `  ${usage.padEnd(17)} ${help}`),
  ]),
  "A question that begins with @MEMBER asks one member of the last council.",
];

/** The commands that begin as the line does, for Tab. */
export const completeCommand = (io: Pick<Io, "features">, line: string): [string[], string] => [
  line.startsWith("/") && !line.includes(" ")
    ? [...commandsIn(io).keys()].map((name) => `/${name}`).filter((name) => name.startsWith(line))
    : [],
  line,
];

/** Runs `/name rest`; false ends the conversation. @throws Fault `configuration` for what it cannot do */
export async function runChatCommand(chat: Chat, line: string): Promise<boolean> {
  const [, word = "", rest = ""] = /^\/(\S*)\s*([^]*)$/.exec(line) ?? [];
  const name = ALIASES.get(word) ?? word;
  const commands = commandsIn(chat.io);
  const command = commands.get(name);
  if (!command) {
    const names = [...commands.keys(), ...ALIASES.keys()];
    const nearest = findNearest(word, names) ?? "help";
    const next = editDistance(word, nearest) <= 2 ? nearest : "help";
    chat.io.output.note(`Unknown command /${oneLine(word, 40)}. Try: /${next}`);
    return true;
  }
  return (await command.run(chat, rest.trim())) !== false;
}

async function chooseModel({ io, state, context }: Chat, ref: string): Promise<void> {
  if (ref !== "") state.model = await checkModelRef(context, ref);
  io.output.note(`Model: ${oneLine(state.model ?? "found at the next question", 100)}`);
}

const scopeOf = ({ context }: Chat) => {
  const { organization, user } = context.settings;
  return { organization, user };
};
const nowIn = ({ context }: Chat) => new Date(context.world.now()).toISOString();

async function showMemory(chat: Chat, rest: string): Promise<void> {
  const { io, state, context } = chat;
  if (rest === "on" || rest === "off") state.memory = rest === "on";
  else if (rest !== "") refuse(`/memory takes on or off (got ${quoteValue(rest)})`, "/memory off");
  const { user } = scopeOf(chat);
  io.output.note(state.memory ? `Memory: on (user ${user})` : "Memory: off in this conversation");
  if (rest !== "") return;
  const facts = await (await context.memory()).facts(scopeOf(chat));
  if (facts.length === 0) io.output.note("No pinned facts");
  for (const { id, fact } of facts) io.output.note(`${shortFactId(id)}  ${oneLine(fact, 300)}`);
}

async function attachFile({ io, context, state }: Chat, rest: string): Promise<void> {
  if (rest === "none") state.files = [];
  else if (rest !== "") {
    const written = { context: [rest], stdin: undefined };
    const read = await readAttachments(io, written, { settings: context.settings, quiet: false });
    state.files = [...state.files, ...read];
  }
  const names = state.files.map(({ name }) => oneLine(name, 100)).join(", ");
  io.output.note(names === "" ? "No file is attached" : `With every question from here on: ${names}`);
}

export async function pinFact(chat: Chat, fact: string): Promise<void> {
  const memory = await chat.context.memory();
  const scope = scopeOf(chat);
  const pinned = await memory.pin(scope, { fact, at: nowIn(chat), by: scope.user });
  if (!pinned.ok) return refuse(pinned.reason, "/pin We deploy on Fridays.");
  chat.io.output.note(
    pinned.fresh ? `Pinned. To undo: /forget ${shortFactId(pinned.engram.id)}` : "Already pinned",
  );
}

/** What is deleted cannot be brought back, so a letter that happens to fit names nothing. */
const MIN_ID_LENGTH = 4;

async function forgetEntry(chat: Chat, given: string): Promise<void> {
  if (given.length < MIN_ID_LENGTH)
    return refuse(
      `/forget takes an id, or at least its first ${MIN_ID_LENGTH} characters (got ${quoteValue(given)})`,
      "/memory, which lists them",
    );
  const memory = await chat.context.memory();
  const scope = scopeOf(chat);
  const shown = await memory.show(scope, given);
  if (!shown.ok) return refuse(`no single memory entry begins with ${quoteValue(given)}`, "/memory");
  const { id, question, summary } = shown.engram.engram;
  const isDone = await memory.forget(scope, { id, by: scope.user, at: nowIn(chat) });
  chat.io.output.note(isDone ? `Deleted: ${oneLine(question || summary, 200)}` : "Already deleted");
}

const ALL_TURNS = { by: "A", most: Infinity, mostCharacters: Infinity } as const;

/** The conversation's turns so far, oldest first. */
export const turnsOf = async ({ context, state: { last } }: Chat) =>
  (await turnsBefore(context.store, last, ALL_TURNS)).filter(({ covers }) => covers === undefined);

async function saveConversation(chat: Chat, rest: string): Promise<void> {
  const [, file = "", word] = /^(.*?)(?:\s+(overwrite))?$/.exec(rest) ?? [];
  if (file === "") return refuse("/save needs a file", "/save conversation.md");
  const turns = await turnsOf(chat);
  const text = turns
    .map(({ question, answer }) => `## Question\n\n${question}\n\n## Answer\n\n${answer}\n`)
    .join("\n");
  const flag = word === undefined ? "wx" : "w";
  try {
    await writeFile(resolve(chat.io.cwd, file), text, { flag });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unwritable";
    if (code === "EEXIST") return refuse(`${quoteValue(file)} exists`, `/save ${file} overwrite`);
    return refuse(`${quoteValue(file)} cannot be written (${code})`, "/save another file");
  }
  chat.io.output.note(`Saved ${pluralize(turns.length, "turn")} in ${oneLine(file, 200)}`);
}
