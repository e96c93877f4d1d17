import { statOf } from "../config/text-file.ts";
import { resolve } from "node:path";
import type { StartRequest } from "../app/start.ts";
import { refusal } from "../kernel/index.ts";
import { editDistance, findMeant, quoteValue } from "../text/words.ts";
import { splitList, type Command, type Io } from "./command.ts";
import { declaredNames, ownRows } from "./protocol-command.ts";

// MONEY-1. Only what is meant as a question is one: one argument that holds a blank, or is of a script that puts none between words;
//     anything else is asked behind `ask` or `--` alone, and no file or model is taken for a word of it. Else: a typing error starts a paid
//     run.

/** What people type for commands that are named otherwise. */
const MEANT = Object.entries({
  list: "runs log logs ls sessions jobs ps list-all",
  show: "view cat latest newest",
  open: "browse browser",
  resume: "continue",
  cancel: "stop kill abort",
  rm: "delete remove forget",
  feedback: "rate score vote",
  config: "settings configure set env",
  doctor: "logout account install status check",
  models: "providers",
  "keys set": "login auth",
  init: "setup",
  serve: "server api mcp",
  "sim-server": "mock simulator",
  "--version": "version",
  "--help": "help usage man quit exit bye completion completions update upgrade start run",
});

/** The rows of features, which say what else people type for them. */
const rowsOf = ({ features = [] }: Io) => features.flatMap(({ commands = [] }) => commands);

/** The commands that words which people type for others are meant for. */
const meantIn = (io: Io): ReadonlyMap<string, string> =>
  new Map(
    [
      ...MEANT,
      ...rowsOf(io).flatMap(({ name, meant = {} }) =>
        Object.entries(meant).map(([next, words]) => [`${name} ${next}`.trim(), words] as const),
      ),
    ].flatMap(([command, words]) => words.split(" ").map((word) => [word, command] as const)),
  );

const namesIn = (io: Io): readonly string[] => [...declaredNames(io), ...ownRows(io).map(({ name }) => name)];

/** What a word in front is now, where it was a command. */
function wordsNow(word: string, next: string | undefined, io: Io): readonly string[] | undefined {
  if (word === "key") return ["serve", "keys"];
  const row = rowsOf(io).find(({ was = {} }) => Object.hasOwn(was, word));
  const words = row?.was?.[word] ?? [];
  return row && [row.name, ...(words.includes(next ?? "") ? [] : words.slice(0, 1))];
}

/** A command line by what commands are called now; `note` is told where one was called otherwise. */
export function asNamedNow(
  argv: readonly string[],
  io: Io,
  note: (text: string) => void = () => undefined,
): readonly string[] {
  const asking = declaredNames(io);
  const [first = "", ...rest] = argv;
  if (first === "estimate") {
    const [command = ""] = rest;
    const isNamed = [...asking, "fork", "retry"].includes(command);
    const named = isNamed ? command : (asking[0] ?? "");
    note(`parley estimate is now parley ${named} --dry-run`);
    return [named, "--dry-run", ...(isNamed ? rest.slice(1) : rest)];
  }
  const now = wordsNow(first, rest[0], io);
  if (!now) return argv;
  note(`parley ${first} is now parley ${now.join(" ")}`);
  return [...now, ...rest];
}

/** The command that a word was meant for; `--help` where that is a guess. */
function commandFor(word: string, io: Io): string {
  const lower = word.toLowerCase();
  const all = meantIn(io);
  const meant = all.get(lower);
  if (meant !== undefined) return meant;
  const near = findMeant(lower, [...namesIn(io), ...all.keys()]) ?? "--help";
  return all.get(near) ?? near;
}

/** Scripts that put no spaces between words: what looks like one word may be a whole question. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether a text is a single word; `-` stands for what is piped. */
function isBareWord(text: string): boolean {
  const word = text.trim();
  return word !== "" && word !== "-" && !/\s/.test(word) && !UNSPACED.test(word);
}

/** Whether a word is what people type for a command, or one but for a letter. */
const isMisspelt = (word: string, io: Io): boolean =>
  meantIn(io).has(word) ||
  (/^[a-z-]{3,}$/.test(word) &&
    namesIn(io).some((name) => Math.abs(word.length - name.length) <= 1 && editDistance(word, name) <= 1));

/**
 * The same as `refuseCommandWords` before options are read: those of the command that was meant are not those of the usual one.
 * @throws Fault `configuration`
 */
export function refuseMisspelt(argv: readonly string[], io: Io): void {
  const firstOption = argv.findIndex((word) => word.startsWith("-"));
  const leading = firstOption < 0 ? argv : argv.slice(0, firstOption);
  const [first = ""] = leading;
  if (isMisspelt(first.toLowerCase(), io)) refuseCommandWords(leading, io);
}

/**
 * @throws Fault `configuration` for one bare word and for several words: the nearest command is named where one is likely, and how
 * to ask the question anyway. `helpFor`: the words were to be helped with, and are none, whatever they are
 */
export function refuseCommandWords(
  words: readonly string[],
  io: Io,
  { helpFor }: { readonly helpFor?: string } = {},
): void {
  const names = namesIn(io);
  const [first = "", ...more] = words;
  const lower = first.toLowerCase();
  if (helpFor === undefined && names.includes(first))
    throw refusal(
      `options stand behind a command, and ${quoteValue(first)} is one`,
      `parley ${words.map(quoteForShell).join(" ")}, and the options behind it`,
    );
  if (helpFor === undefined && more.length === 0 && !isBareWord(first)) return;
  if (helpFor === undefined && more.length > 0 && !isMisspelt(lower, io))
    throw refusal(
      "several words without quotation marks are no question",
      `parley ${quoteForShell(words.join(" "))}; or parley --help, for a command`,
    );
  const command =
    helpFor !== undefined && more.length > 0 ? "--help" : commandFor(first.replace(/[?？؟]+$/u, ""), io);
  const rest = names.includes(command) && !meantIn(io).has(lower) ? more : [];
  throw refusal(
    `${quoteValue(first)} is not a command. To ask it as a question: parley ${names[0]} ${quoteForShell(helpFor ?? words.join(" "))}`,
    ["parley", command, ...rest.map(quoteForShell)].join(" "),
  );
}

/** As a shell takes it for one word. */
const quoteForShell = (text: string): string =>
  /^[\w./,:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** @throws Fault `configuration` for words of a question that are a file, or a model's name */
export async function refuseOtherWords(
  io: Io,
  { options }: Command,
  { given, args }: { readonly given: Readonly<Record<string, unknown>>; readonly args: readonly string[] },
): Promise<void> {
  const context = Array.isArray(given["context"]) ? given["context"].map(String) : [];
  const files = args.filter((word) => isFileName(word, io, context.length > 0));
  if (files.length > 0) {
    const [file = ""] = files;
    const list = [...context.flatMap(splitList), ...files].join(",");
    const problem =
      options["problemDescription"] === undefined || context.length > 0 ? "" : `-p ${file}, or `;
    throw refusal(
      `${quoteValue(file)} is a file, not a word of the question`,
      `${problem}--context ${quoteForShell(list)}; or put the whole question in quotation marks`,
    );
  }
  const flag = ["models", "model", "judge", "chair", "respondentB"].find(
    (key) => typeof given[key] === "string",
  );
  const models = await modelNames(args, flag !== undefined);
  const [model] = models;
  if (model === undefined) return;
  const list = [...(flag === undefined ? [] : splitList(String(given[flag]))), ...models].join(",");
  const isOne = options["models"] === undefined && (flag ?? "model") === "model";
  throw refusal(
    `${quoteValue(model)} is a model, not a word of the question`,
    isOne
      ? `parley council --models ${quoteForShell(list)} asks several; --model takes one`
      : `--${flag ?? "models"} ${quoteForShell(list)}; or put the whole question in quotation marks`,
  );
}

/** A file; or a folder, where its name ends as one's or others are attached. */
function isFileName(word: string, { cwd }: Io, isAttaching: boolean): boolean {
  const stat = statOf(resolve(cwd, word));
  if (stat?.isDirectory() === true) return word.length > 1 && (isAttaching || word.endsWith("/"));
  return stat !== undefined && word.trim() !== "" && word !== "-";
}

const MODEL_FORM = /^([a-z][a-z0-9_-]*)\/[\w.:@/?=&%-]+,?$/i;

/** Words that name a model: of any provider behind an option that takes models, else of a provider that there is. */
async function modelNames(words: readonly string[], isAfterModels: boolean): Promise<readonly string[]> {
  const inForm = words.flatMap((word) => word.split(",")).filter((word) => MODEL_FORM.test(word));
  if (inForm.length === 0 || isAfterModels) return inForm;
  const { providers, SDK } = await import("../models/providers.ts");
  const names = new Set<string>([...Object.keys(providers), SDK, "sim"]);
  return inForm.filter((word) => names.has(word.split("/", 1)[0]?.toLowerCase() ?? ""));
}

// What follows `--continue` is a run's id only where it has the form of one: else it begins the question, and the newest finished run of
// this folder is continued.

const RUN_ID = /^[a-z0-9]+$/;

/** Where the options of a command line end. */
export const endOfOptions = (argv: readonly string[]): number =>
  argv.includes("--") ? argv.indexOf("--") : argv.length;

/** The command line with `last`, the newest finished run of this folder, behind each `--continue` that names none. */
export function nameContinued(argv: readonly string[]): string[] {
  const end = endOfOptions(argv);
  return argv.map((word, index) =>
    word === "--continue" && index < end && !RUN_ID.test(argv[index + 1] ?? "") ? "--continue=last" : word,
  );
}

export type FollowUpQuestion = Pick<StartRequest, "member" | "previous"> & { readonly question: string };

const FOR_MEMBER = /^@([\p{L}\p{N}][\p{L}\p{N}._-]*)[,:]?(?:\s+([^]*))?$/u;

/**
 * Reads `@analyst Why?`: the question is for one member of the continued run, or of the newest.
 * @throws Fault `configuration` for a member without a question
 */
export function readFollowUp(question: string, continued: string | undefined): FollowUpQuestion {
  const [, member, rest = ""] = FOR_MEMBER.exec(question) ?? [];
  if (member === undefined) return continued === undefined ? { question } : { question, previous: continued };
  if (rest.trim() === "")
    throw refusal(`there is no question for @${member}`, `parley ask "@${member} Why?"`);
  return { question: rest.trim(), member, previous: continued ?? "last" };
}
