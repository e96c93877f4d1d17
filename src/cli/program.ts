import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { Command as CommanderCommand, CommanderError, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { withProtocols } from "../app/registry.ts";
import { listNames, type AnyProtocol, type Registry } from "../engine/protocol.ts";
import { displayPath, refuseSpecialFile } from "../config/text-file.ts";
import { Fault } from "../kernel/index.ts";
import { editDistance, findNearest } from "../text/words.ts";
import { longFlag, type Command, type CommandGroup, type CommandOptions, type Io } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { noteError, noteProblem } from "./errors.ts";
import { EXIT, exitOfError } from "./exits.ts";
import { processOutput } from "./output.ts";
import { protocolCommand, PROTOCOL_COMMANDS } from "./protocol-command.ts";
import { refuseCommandWords, refuseMisspelt, refuseOtherWords } from "./question-words.ts";

const EPILOGUE = `
A text that does not begin with a command is a question. One word is asked
with "parley ask WORD" only, and after -- every word is the question's.

Examples:
  $ parley "Should we move our queue to Postgres?" --context docs/queue.md
  $ parley ask "What is 17 * 23?" --models sim/ada,sim/bo,sim/cy --json

Exit codes: 0 answered, 1 a check failed, 2 usage or configuration,
  3 provider or network, 4 authentication, 5 stopped by budget,
  6 degraded and --on-degraded refuse, 7 inconclusive, 8 waiting for answers,
  130 interrupted
`;

const examplesText = (lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ parley ${line}\n`).join("")}`;

type Row = Command | CommandGroup;

/** A command line that was read: the command, what its options were given, and its arguments. */
export type Parsed = {
  readonly command: Command;
  readonly given: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
};

/** Runs the command that `argv` asks for, and gives its exit code; errors have been printed. */
export async function runProgram(
  argv: readonly string[],
  { protocols = [] }: { readonly protocols?: Registry<AnyProtocol> } = {},
): Promise<number> {
  const io: Io = { output: processOutput(process.env), env: process.env, cwd: process.cwd(), protocols };
  try {
    const parsed = await parseCommandLine(argv.length > 0 ? argv : await pipedQuestion(io), io);
    if (!parsed) return EXIT.answered;
    const { command, given, args } = parsed;
    return await command.run(withEnvFile(io, given), given, args);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.answered;
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

/** The command line that asks what is piped into `parley` alone; empty where nothing is. */
async function pipedQuestion({ output }: Io): Promise<readonly string[]> {
  if (process.stdin.isTTY) return [];
  const text = await (await import("./input.ts")).readStandardInput(output);
  return text === undefined ? [] : ["ask", "--", text.trim()];
}

/**
 * Reads a command line; undefined where it asked for help, which is printed.
 * @throws Fault `configuration` for what is no question (MONEY-1); CommanderError for options and arguments that do not fit
 */
export async function parseCommandLine(argv: readonly string[], io: Io): Promise<Parsed | undefined> {
  const [first] = argv;
  const isHelp = first === undefined || ["help", "-h", "--help"].includes(first);
  const row = isHelp ? undefined : await rowNamed(first, io);
  const names = [...declaredNames(io), ...COMMANDS.map(({ name }) => name)];
  const isAsked = row !== undefined || isHelp || argv.includes("--");
  const [, about = "-h", ...more] = argv;
  if (first === "help" && !about.startsWith("-") && (!(await rowNamed(about, io)) || more.length > 1))
    refuseCommandWords([about, ...more], names, { helpFor: argv.join(" ") });
  if (!isAsked) refuseMisspelt(argv, names);
  const asked = row ?? (isHelp ? undefined : await rowNamed("ask", io));
  let parsed: Parsed | undefined;
  const program = new CommanderCommand("parley")
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ writeErr: () => undefined })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText("after", EPILOGUE);
  const add = (parent: CommanderCommand, one: Row, name = one.name): void => {
    const command = parent.command(name, { hidden: name !== one.name }).summary(one.summary);
    if ("commands" in one) {
      const firstExamples = one.commands.slice(0, 2).map(({ examples: [example] }) => example);
      command
        .description(one.summary)
        .addHelpText("after", examplesText(firstExamples))
        .action(() => command.outputHelp());
      for (const below of one.commands)
        for (const alias of [below.name, ...(below.aliases ?? [])]) add(command, below, alias);
      return;
    }
    command
      .description([one.summary, ...(one.details === undefined ? [] : [one.details])].join(".\n\n"))
      .addHelpText("after", examplesText(one.examples))
      .action(() => {
        const given = Object.entries(command.opts()).filter(([, value]) => value !== null);
        parsed = { command: one, given: Object.fromEntries(given), args: command.args };
      });
    if (one.arguments !== undefined) command.arguments(one.arguments);
    addOptions(command, one.options);
  };
  for (const one of asked ? [asked] : await allRows(io)) add(program, one);
  if (row && row.name !== first) {
    add(program, row, first); // an older name
    io.output.note(`parley ${first} is now parley ${row.name}`);
  }
  if (first === undefined) program.outputHelp();
  else await program.parseAsync([...(row || isHelp ? argv : ["ask", ...argv])], { from: "user" });
  if (parsed && !isAsked) refuseCommandWords(parsed.args, names);
  if (parsed?.command.asks === true) {
    const after = argv.includes("--") ? argv.length - argv.indexOf("--") - 1 : 0;
    const args = parsed.args.slice(0, parsed.args.length - after);
    await refuseOtherWords(io, parsed.command, { ...parsed, args });
  }
  return parsed;
}

function addOptions(command: CommanderCommand, options: CommandOptions): void {
  for (const one of Object.values(options)) {
    const shown = one.shownDefault === undefined ? "" : ` (default: ${one.shownDefault})`;
    const option = new Option(one.flags, one.description + shown)
      .makeOptionMandatory(one.isRequired === true)
      .hideHelp(one.isHidden === true)
      .conflicts(one.conflicts ?? []);
    if (one.isRepeated === true)
      option.argParser((value, before: readonly string[] | undefined) => [...(before ?? []), value]);
    if (one.isList === true)
      option.argParser((value, before: string | undefined) =>
        before === undefined ? value : `${before},${value}`,
      );
    // Without a default, commander takes a `--no-` option that is not given for a yes.
    if (option.negate) option.default(null);
    command.addOption(option);
    if (one.alias !== undefined) command.addOption(new Option(one.alias).hideHelp());
    if (one.off !== undefined) command.addOption(new Option(`--no-${option.attributeName()}`, one.off));
  }
}

async function rowNamed(name: string | undefined, io: Io): Promise<Row | undefined> {
  const own = COMMANDS.find(
    (row) => row.name === name || ("aliases" in row && row.aliases?.includes(name ?? "")),
  );
  return own ?? (name === undefined ? undefined : protocolCommand(name, withProtocols(io.protocols ?? [])));
}

/** What an unknown option was probably meant for: one of the command's own, or other commands' of that name. */
async function meantOption(
  { code, message }: CommanderError,
  [name = "ask", below]: readonly string[],
  io: Io,
): Promise<string | undefined> {
  const unknown = /'(--[a-zA-Z-]+)/.exec(message)?.[1];
  if (code !== "commander.unknownOption" || unknown === undefined) return undefined;
  const commands = (await allRows(io)).flatMap((row): { path: string; command: Command }[] =>
    "commands" in row
      ? row.commands.map((command) => ({ path: `${row.name} ${command.name}`, command }))
      : [{ path: row.name, command: row }],
  );
  const flagsOf = ({ options }: Command) => [
    ...Object.values(options).map(({ flags }) => longFlag(flags)),
    "--help",
  ];
  const path = below === undefined ? name : `${name} ${below}`;
  const known = commands.filter((one) => one.path === path).flatMap(({ command }) => flagsOf(command));
  const word = OTHER_OPTIONS.get(unknown) ?? unknown;
  if (known.includes(word)) return word;
  const nearest = findNearest(word, known);
  if (nearest !== undefined && editDistance(word, nearest) <= 2)
    return `${nearest}; parley ${path} --help lists all`;
  const others = commands.filter(({ command }) => flagsOf(command).includes(word)).map((one) => one.path);
  return others.length === 0
    ? undefined
    : `parley ${others.slice(0, 3).join(", ")}, which has ${word}; parley ${path} --help`;
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
  ["--max-total-tokens", "--max-tokens"],
  ["--verbose", "--details"],
  ["--out", "--output"],
]);

/** The names of commands that protocols declare; some of these may turn out to have none. */
const declaredNames = ({ protocols = [] }: Io): readonly string[] => [
  ...new Set([...PROTOCOL_COMMANDS, ...listNames(withProtocols(protocols))]),
];

/** Every command, those of protocols first: help needs what all of them say about themselves. */
export async function allRows(io: Io): Promise<readonly Row[]> {
  const own = new Set(COMMANDS.map(({ name }) => name));
  const declared = await Promise.all(
    declaredNames(io)
      .filter((name) => !own.has(name))
      .map((name) => rowNamed(name, io)),
  );
  return [...declared.filter((row) => row !== undefined), ...COMMANDS];
}

/** The command that the first words name, and the one below it. */
async function namedIn([first, second]: readonly string[], io: Io): Promise<string[]> {
  const row = await rowNamed(first, io);
  if (!row) return first === undefined || first.startsWith("-") ? [] : ["ask"];
  const below = "commands" in row ? row.commands.find(({ name }) => name === second) : undefined;
  return [row.name, ...(below ? [below.name] : [])];
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
    throw new Fault("configuration", { why, next: "name another file, or set the variables yourself" });
  }
}
