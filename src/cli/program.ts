import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { Command as CommanderCommand, CommanderError, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { loadFeatures, withProtocols } from "../app/registry.ts";
import type { AnyProtocol, Registry } from "../engine/protocol.ts";
import { withStoredKeys } from "../config/keys.ts";
import { displayPath, refuseSpecialFile } from "../config/text-file.ts";
import { isFault, refusal } from "../kernel/index.ts";
import { namesFeatures } from "../config/paths.ts";
import { findMeant } from "../text/words.ts";
import {
  isCommand,
  listCommands,
  longFlag,
  type Command,
  type CommandOptions,
  type CommandRow,
  type Feature,
  type Io,
} from "./command.ts";
import { noteError, noteProblem, withJsonError } from "./errors.ts";
import { EXIT, exitOfError } from "./exits.ts";
import {
  byOptionGroup,
  commandGroup,
  epilogue,
  examplesText,
  firstHelp,
  helpLayout,
  optionGroup,
} from "./help.ts";
import { endOfOptions, nameContinued } from "./question-words.ts";
import { ENV_FILE } from "./options.ts";
import { processOutput } from "./output.ts";
import { allRows, firstRows, rowNamed, usualName } from "./protocol-command.ts";
import { asNamedNow, refuseCommandWords, refuseMisspelt, refuseOtherWords } from "./question-words.ts";

/** What every command takes, in the help of those that have it among their own: Node.js has an option of the same name. */
const ANY: CommandOptions = { envFile: { ...ENV_FILE.envFile, isHidden: true } };

/** A command line that was read: the command, what its options were given, and its arguments. */
export type Parsed = {
  readonly command: Command;
  readonly given: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
};

/** What the program can do beside what is built in. */
export type ProgramParts = {
  readonly protocols?: Registry<AnyProtocol> | undefined;
  readonly features?: readonly Feature[] | undefined;
};

/** Runs the command that `argv` asks for, and gives its exit code; errors have been printed. */
export async function runProgram(
  argv: readonly string[],
  { protocols: given = [], features = [] }: ProgramParts = {},
): Promise<number> {
  const protocols = withProtocols(given, features);
  const options = argv.slice(0, endOfOptions(argv));
  const own = processOutput(process.env);
  const { output, end } = options.includes("--json") ? withJsonError(own) : { output: own, end: undefined };
  const exit = await runCommand(argv, { output, env: process.env, cwd: process.cwd(), protocols, features });
  return end ? end(exit) : (exit ?? EXIT.answered);
}

/** Gives the exit code; undefined where help was asked for, and is printed. */
async function runCommand(argv: readonly string[], given: Io): Promise<number | undefined> {
  let io = given;
  try {
    io = await withOwnFeatures(argv, io);
    const parsed = await parseCommandLine(argv.length > 0 ? argv : await pipedQuestion(io), io);
    if (!parsed) return undefined;
    const { command, args } = parsed;
    const own = withEnvFile(io, parsed.given);
    const all = { ...own, env: withStoredKeys(own), commands: (name?: string) => rowsNamed(name, io) };
    return await command.run(all, parsed.given, args);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return undefined;
      const problem = error.message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ");
      const named = await namedIn(argv, io);
      const next = ["parley", ...named, "--help"].join(" ");
      noteProblem(io, { problem, next: (await meantOption(error, named, io)) ?? next });
      return EXIT.usage;
    }
    noteError(io, error);
    return exitOfError(error);
  }
}

/**
 * The same with the features that settings name. Where these are not trusted, a command that is known goes on: `trust` is one,
 * and whatever reads settings refuses them itself.
 */
async function withOwnFeatures([first]: readonly string[], io: Io): Promise<Io> {
  if (!namesFeatures(io)) return io;
  const { features = [], protocols } = io;
  try {
    // A feature is what its parts are: each is checked where it is taken.
    const own = (await loadFeatures(io, features)) as readonly Feature[];
    return { ...io, features: [...features, ...own], protocols: withProtocols(protocols, own) };
  } catch (error) {
    const isKnown = first === undefined || first.startsWith("-") || (await rowNamed(first, io)) !== undefined;
    if (isKnown && isFault(error) && error.code === "untrusted") return io;
    throw error;
  }
}

/** The command line that asks what is piped into `parley` alone; empty where nothing is. */
async function pipedQuestion(io: Io): Promise<readonly string[]> {
  if (process.stdin.isTTY) return [];
  const text = await (await import("./input.ts")).readStandardInput(io.output);
  return text === undefined ? [] : [usualName(io), "--", text.trim()];
}

/**
 * Reads a command line; undefined where it asked for help, which is printed.
 * @throws Fault `configuration` for what is no question (MONEY-1); CommanderError for options and arguments that do not fit
 */
export async function parseCommandLine(words: readonly string[], io: Io): Promise<Parsed | undefined> {
  const argv = nameContinued(
    asNamedNow(words[0] === "help" ? await helpWords(words, io) : words, io, (text) => io.output.note(text)),
  );
  const [first] = argv;
  const { columns } = io.output.stdout;
  if (first === undefined || first === "-h" || first === "--help") {
    await io.output.result(firstHelp(await firstRows(io), columns));
    return undefined;
  }
  if (first === "-V" || first === "--version") {
    await io.output.result(`${manifest.version}\n`);
    return undefined;
  }
  const isHelp = first === "help";
  const topic = isHelp ? HELP_TOPICS.get(argv[1] ?? "") : undefined;
  if (topic) {
    await io.output.result(await topic(columns));
    return undefined;
  }
  const row = isHelp ? undefined : await rowNamed(first, io);
  const isAsked = row !== undefined || isHelp || argv.includes("--");
  if (!isAsked) refuseMisspelt(argv, io);
  const isShown = isHelp || argv.includes("-h") || argv.includes("--help");
  const asked = row ?? (isHelp ? undefined : await rowNamed(usualName(io), io));
  let parsed: Parsed | undefined;
  const program = new CommanderCommand("parley")
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .configureOutput({ writeErr: () => undefined })
    .configureHelp(helpLayout(columns))
    .helpOption("-h, --help", "show help")
    .commandsGroup(`${commandGroup({ name: "help" })}:`)
    .helpCommand("help [topic]", "Show the help of a command, of settings or environment")
    .addHelpText("after", () => epilogue(columns, usualName(io)));
  const add = (parent: CommanderCommand, one: CommandRow, name = one.name): void => {
    const { commands: below = [] } = one;
    const isDefault = isCommand(one) && one.isUsual === true;
    const command = parent
      .command(name, { hidden: name !== one.name, isDefault })
      .summary(one.summary)
      .helpOption("-h, --help", "show help")
      .enablePositionalOptions(below.length > 0);
    if (parent === program) command.helpGroup(`${commandGroup({ ...one, name })}:`);
    for (const next of below)
      for (const alias of [next.name, ...(next.aliases ?? [])]) add(command, next, alias);
    if (!isCommand(one)) {
      const examples = listCommands(below).map(({ command: next }) => next.examples[0]);
      command
        .description(one.summary)
        .addHelpText("after", examplesText(examples.slice(0, 2), columns))
        .action(() => command.outputHelp());
      return;
    }
    command
      .description([one.summary, ...(one.details === undefined ? [] : [one.details])].join(".\n\n"))
      .addHelpText("after", examplesText(one.examples, columns))
      .action(() => {
        parsed = { command: one, given: givenIn(command, one, io), args: command.args };
      });
    if (one.arguments !== undefined) command.arguments(one.arguments);
    addOptions(command, one.options, isShown);
    if (!("envFile" in one.options)) addOptions(command, ANY, isShown);
  };
  for (const one of asked ? [asked] : await allRows(io)) add(program, one);
  if (row && row.name !== first) {
    add(program, row, first); // an older name, or a group's other one
    if (isCommand(row)) io.output.note(`parley ${first} is now parley ${row.name}`);
  }
  if (isHelp) program.outputHelp();
  else await program.parseAsync([...(row ? argv : [usualName(io), ...argv])], { from: "user" });
  if (parsed?.command.asks === true) {
    const after = Math.max(0, argv.length - endOfOptions(argv) - 1);
    const args = parsed.args.slice(0, parsed.args.length - after);
    await refuseOtherWords(io, parsed.command, { ...parsed, args });
  }
  if (parsed && !isAsked) refuseCommandWords(parsed.args, io);
  return parsed;
}

/** What `help` tells beside commands. */
const HELP_TOPICS = new Map<string, (width: number) => Promise<string>>([
  ["settings", async (width) => (await import("./help-topics.ts")).settingsHelp(width)],
  ["environment", async (width) => (await import("./help-topics.ts")).environmentHelp(width)],
]);

/**
 * `help WORDS` as the command line whose help it is; of `help` alone the first one, of `help more` the list of all.
 * @throws Fault `configuration` for what is neither a command nor a topic
 */
async function helpWords([, ...about]: readonly string[], io: Io): Promise<readonly string[]> {
  const [first = "-h"] = about;
  if (first.startsWith("-")) return ["--help"];
  if (about.length === 1 && (first === "more" || HELP_TOPICS.has(first))) return ["help", first];
  const [named = "", ...rest] = asNamedNow(about, io);
  const row = await rowNamed(named, io);
  if (!row || belowRow(row, rest).length < rest.length)
    refuseCommandWords(about, io, { helpFor: ["help", ...about].join(" ") });
  return [...about, "--help"];
}

/** The names of the commands that these words lead to below a row; as many as there are. */
function belowRow(row: CommandRow, [next, ...rest]: readonly string[]): readonly string[] {
  const below = row.commands?.find(({ name, aliases = [] }) => name === next || aliases.includes(next ?? ""));
  return below ? [below.name, ...belowRow(below, rest)] : [];
}

/** What options were given; what was written as before counts under its name now, with a note. */
function givenIn(command: CommanderCommand, { options }: Command, { output }: Io): Parsed["given"] {
  const given = Object.fromEntries(Object.entries(command.opts()).filter(([, value]) => value !== null));
  for (const [key, { flags, old }] of Object.entries(options)) {
    const before = old === undefined ? undefined : new Option(old).attributeName();
    if (before === undefined || given[before] === undefined) continue;
    output.note(`${longFlag(old ?? "")} is now ${longFlag(flags)}`);
    given[key] ??= given[before];
    delete given[before];
  }
  return given;
}

/** Adds a command's options: under their headings where its help may be shown. */
function addOptions(command: CommanderCommand, options: CommandOptions, isShown: boolean): void {
  const all = Object.values(options);
  const shownCount = isShown ? all.filter(({ isHidden }) => isHidden !== true).length : 0;
  for (const one of isShown ? byOptionGroup(all) : all) {
    const shown = one.shownDefault === undefined ? "" : ` (default: ${one.shownDefault})`;
    const option = new Option(one.flags, one.description + shown)
      .makeOptionMandatory(one.isRequired === true)
      .hideHelp(one.isHidden === true)
      .conflicts(one.conflicts ?? []);
    const group = optionGroup(one.flags, shownCount);
    const grouped = (of: Option) => (group === undefined ? of : of.helpGroup(`${group}:`));
    // Without a default, commander takes a `--no-` option that is not given for a yes.
    if (option.negate) option.default(null);
    command.addOption(grouped(collecting(option, one)));
    const others = [one.alias, one.old].flatMap((flags) => flags ?? []);
    for (const other of others) command.addOption(grouped(collecting(new Option(other), one)).hideHelp());
    if (one.off !== undefined)
      command.addOption(grouped(new Option(`--no-${option.attributeName()}`, one.off)));
  }
}

/** An option that, given again, adds to what it has. */
function collecting(
  option: Option,
  { isRepeated, isList }: Pick<Command["options"][string], "isRepeated" | "isList">,
) {
  if (isRepeated === true)
    return option.argParser((value, before: readonly string[] | undefined) => [...(before ?? []), value]);
  if (isList !== true) return option;
  return option.argParser((value, before: string | undefined) =>
    before === undefined ? value : `${before},${value}`,
  );
}

/** What an unknown option was probably meant for: one of the command's own, or other commands' of that name. */
async function meantOption(
  { code, message }: CommanderError,
  words: readonly string[],
  io: Io,
): Promise<string | undefined> {
  const unknown = /'(--[a-zA-Z-]+)/.exec(message)?.[1];
  if (code !== "commander.unknownOption" || unknown === undefined) return undefined;
  const commands = listCommands(await allRows(io)).map(({ path, command }) => ({
    path: path.join(" "),
    command,
  }));
  const flagsOf = ({ options }: Command) => [
    ...Object.values(options).map(({ flags }) => longFlag(flags)),
    "--help",
  ];
  const path = words.length === 0 ? usualName(io) : words.join(" ");
  const known = commands.filter((one) => one.path === path).flatMap(({ command }) => flagsOf(command));
  const word = OTHER_OPTIONS.get(unknown) ?? unknown;
  if (known.includes(word)) return word;
  const meant = findMeant(word, known, "--".length);
  if (meant !== undefined) return `${meant}; parley ${path} --help lists all`;
  const others = commands.filter(({ command }) => flagsOf(command).includes(word)).map((one) => one.path);
  return others.length === 0
    ? undefined
    : `parley ${path} --help; ${word} is an option of parley ${others.slice(0, 3).join(", ")}`;
}

/** Options as other programs call them. */
const OTHER_OPTIONS = new Map([
  ["--no-stream", "--quiet"],
  ["--silent", "--quiet"],
  ["--budget", "--max-cost-usd"],
  ["--max-cost", "--max-cost-usd"],
  ["--file", "--context"],
  ["--attach", "--context"],
  ["--attachment", "--context"],
  ["--verbose", "--details"],
  ["--out", "--output"],
]);

async function rowsNamed(name: string | undefined, io: Io): Promise<readonly CommandRow[]> {
  const row = name === undefined ? undefined : await rowNamed(name, io);
  return name === undefined ? allRows(io) : row ? [row] : [];
}

/** The command that the first words name, and those below it. */
async function namedIn(argv: readonly string[], io: Io): Promise<readonly string[]> {
  const [first, ...rest] = asNamedNow(argv, io);
  const row = await rowNamed(first, io);
  if (!row) return first === undefined || first.startsWith("-") ? [] : [usualName(io)];
  return [row.name, ...belowRow(row, rest)];
}

/** The same with what an `--env-file` sets; existing variables win. @throws Fault `configuration` for a file that cannot be read */
function withEnvFile(io: Io, { envFile }: Parsed["given"]): Io {
  if (typeof envFile !== "string") return io;
  refuseSpecialFile(resolve(io.cwd, envFile), `the env file ${displayPath(envFile)}`);
  try {
    return { ...io, env: { ...parseEnv(readFileSync(resolve(io.cwd, envFile), "utf8")), ...io.env } };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    const why = `the env file ${envFile} cannot be read (${code})`;
    throw refusal(why, "name another file, or set the variables yourself");
  }
}
