import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { EXIT, exitOfError } from "./exits.ts";
import { errorLine } from "./error-line.ts";
import type { Io } from "./command.ts";
import { COMMANDS, type CommandRow } from "./command-rows.ts";
import { withEnvFile } from "./env-file.ts";
import { Fault } from "../kernel/index.ts";
import { processOutput } from "./output.ts";

const EPILOGUE = `
A first word that is no command begins a question; "parley -- list" asks about the word "list".

Examples:
  parley "Should we move our queue to Postgres?" --context docs/queue.md
  parley ask "What is 17 * 23?" --models sim/ada,sim/bo,sim/cy --json
  parley fork ID --strategy risk-averse

Exit codes: 0 answered, 1 a check said no, 2 usage or configuration, 3 provider or network,
  4 authentication, 5 stopped by budget, 6 degraded and --on-degraded refuse, 7 inconclusive,
  130 interrupted`;

/** Runs the command that `argv` asks for, and gives its exit code; errors have been printed. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  const io: Io = { output: processOutput(process.env), env: process.env, cwd: process.cwd() };
  const [first] = argv;
  const known =
    first === undefined ||
    ["help", "-h", "--help"].includes(first) ||
    COMMANDS.some(({ name, aliases = [] }) => name === first || aliases.includes(first));
  const meant = known ? undefined : await misspelt(argv);
  if (meant !== undefined) {
    const again = [meant, ...argv.slice(1)].join(" ");
    io.output.note(
      errorLine(
        new Fault("configuration", {
          why: `there is no command "${first}"`,
          next: `did you mean: parley ${again}? To ask about the word itself: parley -- ${argv.join(" ")}`,
        }),
        io.env,
      ),
    );
    return EXIT.usage;
  }
  let exit: number = EXIT.answered;
  const program = new Command("parley")
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .addHelpText("after", EPILOGUE);
  const add = (parent: Command, row: CommandRow, name = row.name): void => {
    for (const alias of name === row.name ? (row.aliases ?? []) : []) add(parent, row, alias);
    const command = parent
      .command(name, { hidden: name !== row.name })
      .summary(row.summary)
      .description(row.summary);
    if (row.args !== undefined) command.arguments(row.args);
    for (const option of row.options ?? []) command.addOption(option);
    if ("commands" in row) {
      for (const below of row.commands) add(command, below);
      command.action(() => io.output.result(command.helpInformation()));
    } else
      command.action(async () => {
        const { run } = await row.load();
        const flags = { ...command.opts(), command: row.name };
        exit = await run(withEnvFile(io, flags), command.args, flags);
      });
  };
  for (const row of COMMANDS) add(program, row);
  try {
    if (argv.length === 0) await io.output.result(program.helpInformation() + EPILOGUE + "\n");
    else await program.parseAsync([...(known ? argv : ["ask", ...argv])], { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.answered;
      io.output.note(usageLine(error.message, argv));
      return EXIT.usage;
    }
    io.output.note(errorLine(error, io.env));
    return exitOfError(error);
  }
}

/** A question of this many words or more is one, whatever its first word looks like. */
const QUESTION_WORDS = 3;

/** The command that a first word is one letter away from, where what follows could belong to a command. */
async function misspelt(argv: readonly string[]): Promise<string | undefined> {
  const [first = "", ...rest] = argv;
  const words = rest.filter((word) => !word.startsWith("-"));
  if (!/^[a-z-]{3,}$/.test(first) || words.length > QUESTION_WORDS - 2) return undefined;
  const names = COMMANDS.map(({ name }) => name);
  const { editDistance, findNearest } = await import("../text/words.ts");
  const meant = findNearest(first, names);
  // The beginning of a command counts as near, but "can pigs fly" is a question.
  const close =
    meant !== undefined && Math.abs(first.length - meant.length) <= 1 && editDistance(first, meant) <= 1;
  return close ? meant : undefined;
}

/** The command that the first words name, and the one below it. */
function namedIn([first, ...rest]: readonly string[], rows: readonly CommandRow[]): string[] {
  const row = rows.find(({ name, aliases = [] }) => name === first || aliases.includes(first ?? ""));
  if (!row) return [];
  return [row.name, ...("commands" in row ? namedIn(rest, row.commands) : [])];
}

/** One line of what was wrong with the command line, and where its help is. */
const usageLine = (message: string, argv: readonly string[]): string => {
  const what = message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ");
  const help = ["parley", ...namedIn(argv, COMMANDS), "--help"].join(" ");
  return `parley: ${what}${/[.?)]$/.test(what) ? "" : ";"} see ${help}`;
};
