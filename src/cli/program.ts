import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { EXIT, exitOfError } from "./exits.ts";
import { errorLine } from "./error-line.ts";
import type { CommandModule, Io } from "./command.ts";
import { Fault } from "../kernel/index.ts";
import { processOutput } from "./output.ts";

type CommandRow = {
  readonly name: string;
  readonly args?: string;
  readonly summary: string;
  readonly options?: readonly Option[];
} & ({ load(): Promise<CommandModule> } | { readonly commands: readonly CommandRow[] });

const list = (value: string): string[] =>
  value
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
const collect = (value: string, before: string[] = []): string[] => [...before, value];
const port = (value: string): number => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError("a port is 0 to 65535");
  return number;
};

const JSON_FLAG = new Option("--json", "print one JSON object");
const HOW_TO_SHOW = [
  JSON_FLAG,
  new Option("--events", "print every event as a line of JSON, as it happens").conflicts("json"),
  new Option("-q, --quiet", "no progress on stderr"),
  new Option("--on-degraded <what>", "exit 6 when the answer is degraded: accept, refuse").choices([
    "accept",
    "refuse",
  ]),
];
const LIMITS = [
  new Option("--max-cost-usd <usd>", "stop before this much money is spent"),
  new Option("--max-tokens <n>", "stop before this many tokens, in and out, are used"),
  new Option("--timeout <time>", "stop after this time: 90, 90s, 5m"),
];
const CHAIRING = [
  new Option("--chair <refs>", "who synthesises, and who steps in if it fails").argParser(list),
  new Option("--strategy <name>", "balanced, risk-averse, goal-seeking, novelty, or a file"),
  new Option("--goal <text>", "what goal-seeking seeks"),
  new Option("--mode <mode>", "consensus: the chair writes; vote: the winner's draft").choices([
    "consensus",
    "vote",
  ]),
];
const MODELS = new Option(
  "-m, --models <refs>",
  "the members' models, provider/model, comma-separated",
).argParser(list);
const ASKING = [
  MODELS,
  ...CHAIRING,
  new Option("--judge <refs>", "models that review, but draft nothing").argParser(list),
  new Option("--context <file>", "a file to work with; may be repeated (stdin is read too)").argParser(
    collect,
  ),
  new Option("--seed <text>", "decides labels and orders; the same seed asks in the same way"),
  ...LIMITS,
  ...HOW_TO_SHOW,
];

const EFFORT = new Option(
  "--effort <n>",
  "how far to climb where drafts disagree: 1 drafts only, 2 to 5 more (default 4)",
);

const JUDGING = [
  new Option("--model <ref>", "the judge, provider/model").makeOptionMandatory(),
  new Option("--rubric <name>", "by name or a file (default answer-quality)"),
  new Option("--form <form>", "how it is asked; by default as the model's name says").choices([
    "prometheus",
    "json",
  ]),
  new Option("--again", "judge anew what was judged before"),
  ...LIMITS,
  JSON_FLAG,
  new Option("-q, --quiet", "no progress on stderr"),
];
const QUESTION = new Option(
  "--question <text>",
  "what the answers answer: a text, or a file with it",
).makeOptionMandatory();

const JUDGE_COMMANDS: readonly CommandRow[] = [
  {
    name: "validate",
    args: "<file>",
    summary: "measure a judge against labelled pairs or grades, one JSON object a line; resumes",
    options: [new Option("--repeat <n>", "ask every prompt so often"), ...JUDGING],
    load: () => import("./commands/judge-validate.ts"),
  },
  {
    name: "grade",
    args: "<answer...>",
    summary: "grade answers in files from 1 to 5",
    options: [
      QUESTION,
      new Option("--reference <text>", "an answer that deserves a 5: a text, or a file with it"),
      ...JUDGING,
    ],
    load: () => import("./commands/judge-grade.ts"),
  },
  {
    name: "prefer",
    args: "<a> <b>",
    summary: "which of two answers in files is better, asked in both orders",
    options: [QUESTION, ...JUDGING],
    load: () => import("./commands/judge-prefer.ts"),
  },
];

const COMMANDS: readonly CommandRow[] = [
  {
    name: "ask",
    args: "[question...]",
    summary: "draft blind; go on only as far as the drafts disagree",
    options: [EFFORT, ...ASKING],
    load: () => import("./commands/ask.ts"),
  },
  {
    name: "council",
    args: "[question...]",
    summary: "draft blind, review anonymously, synthesise",
    options: ASKING,
    load: () => import("./commands/ask.ts"),
  },
  {
    name: "list",
    summary: "deliberations, newest first",
    options: [new Option("-n, --limit <n>", "how many").default("20"), JSON_FLAG],
    load: () => import("./commands/list.ts"),
  },
  {
    name: "show",
    args: "<id>",
    summary: "the answer, and how it came about",
    options: [new Option("--all", "drafts and reviews too"), JSON_FLAG],
    load: () => import("./commands/show.ts"),
  },
  {
    name: "resume",
    args: "<id>",
    summary: "go on with an open deliberation",
    options: HOW_TO_SHOW,
    load: () => import("./commands/resume.ts"),
  },
  {
    name: "replay",
    args: "<id>",
    summary: "run it again from the journal, with the network closed, and compare",
    options: [JSON_FLAG],
    load: () => import("./commands/replay.ts"),
  },
  {
    name: "fork",
    args: "<id>",
    summary: "the same deliberation with something changed; only what that touches is asked again",
    options: [
      ...CHAIRING,
      EFFORT,
      new Option("--without <member>", "leave a member out; may be repeated").argParser(collect),
      ...LIMITS,
      ...HOW_TO_SHOW,
    ],
    load: () => import("./commands/fork.ts"),
  },
  {
    name: "contributions",
    args: "<id>",
    summary: "who contributed to an answer: measured beside what the chair claims, and what was lost",
    options: [
      new Option("--repeats <n>", "how often the chair is asked again with nothing left out").default("1"),
      new Option("--no-calls", "measure only what needs none"),
      new Option("--max-cost-usd <usd>", "ask no more than this much money reaches for"),
      new Option("--max-tokens <n>", "ask no more than this many tokens, in and out, reach for"),
      JSON_FLAG,
      new Option("-q, --quiet", "no progress on stderr"),
    ],
    load: () => import("./commands/contributions.ts"),
  },
  {
    name: "cancel",
    args: "<id>",
    summary: "close an open deliberation for good",
    load: () => import("./commands/cancel.ts"),
  },
  {
    name: "export",
    args: "<id>",
    summary: "a deliberation as a file, to stdout",
    options: [
      new Option("--format <format>", "jsonl: one event a line")
        .choices(["jsonl", "json", "md"])
        .default("md"),
    ],
    load: () => import("./commands/export.ts"),
  },
  {
    name: "bench",
    args: "<tasks>",
    summary: "does deliberating help? several ways of answering, on questions with known answers",
    options: [
      new Option("--arms <names>", "single, majority, self-consistency, ask, council")
        .argParser(list)
        .default(["single", "majority", "self-consistency", "ask", "council"], "all of them"),
      MODELS,
      ...CHAIRING,
      new Option("--samples <n>", "how often self-consistency asks; by default as often as the council"),
      new Option("--seed <text>", "another seed is a fresh run; the same one goes on with its own"),
      new Option("--budget <usd>", "stop before this much money is spent, over all runs together"),
      new Option("--max-cost-usd <usd>", "the same").conflicts("budget"),
      new Option(
        "--max-tokens <n>",
        "stop before this many tokens, in and out, are used, over all runs together",
      ),
      new Option("--concurrency <n>", "how many deliberations at once (default 4)"),
      new Option("--retry-failed", "ask again what failed in an earlier run"),
      new Option("--out <folder>", "write report.md, report.json and accuracy-over-cost.svg there"),
      JSON_FLAG,
      new Option("-q, --quiet", "no progress on stderr"),
    ],
    load: () => import("./commands/bench.ts"),
  },
  {
    name: "tasks",
    summary: "arithmetic and logic with known answers, one JSON object a line, for bench",
    options: [
      new Option("--count <n>", "how many").default("100"),
      new Option("--seed <text>", "the same seed makes the same tasks").default("7"),
      new Option("--kind <kinds>", "arithmetic, logic, yes-no; by default all, in turn").argParser(list),
      new Option("--pairs", "a right and a wrong answer to each, labelled, for judge validate"),
    ],
    load: () => import("./commands/tasks.ts"),
  },
  { name: "judge", summary: "grade or compare answers; measure who does", commands: JUDGE_COMMANDS },
  {
    name: "models",
    summary: "which models can be reached, with family and price",
    options: [JSON_FLAG],
    load: () => import("./commands/models.ts"),
  },
  {
    name: "config",
    summary: "every setting, its value, and where it came from",
    options: [JSON_FLAG],
    load: () => import("./commands/config.ts"),
  },
  {
    name: "doctor",
    summary: "check what is needed to work, and say what to do",
    options: [JSON_FLAG],
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "sim-server",
    summary: "simulated models behind the OpenAI and Anthropic wires (PARLEY_SIM_KEY: the key it asks for)",
    options: [
      new Option("--port <n>", "0 takes a free one").argParser(port).default(0),
      new Option("--host <host>", "where to listen").default("127.0.0.1"),
    ],
    load: () => import("./commands/sim-server.ts"),
  },
];

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
    COMMANDS.some(({ name }) => name === first);
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
  const add = (parent: Command, row: CommandRow): void => {
    const command = parent.command(row.name).summary(row.summary).description(row.summary);
    if (row.args !== undefined) command.arguments(row.args);
    for (const option of row.options ?? []) command.addOption(option);
    if ("commands" in row) {
      for (const below of row.commands) add(command, below);
      command.action(() => io.output.result(command.helpInformation()));
    } else
      command.action(async () => {
        const { run } = await row.load();
        exit = await run(io, command.args, { ...command.opts(), command: row.name });
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
  const { distance, nearest } = await import("../config/index.ts");
  const meant = nearest(first, names);
  // The beginning of a command counts as near, but "can pigs fly" is a question.
  const close =
    meant !== undefined && Math.abs(first.length - meant.length) <= 1 && distance(first, meant) <= 1;
  return close ? meant : undefined;
}

/** The command that the first words name, and the one below it. */
function namedIn([first, ...rest]: readonly string[], rows: readonly CommandRow[]): string[] {
  const row = rows.find(({ name }) => name === first);
  if (!row) return [];
  return [row.name, ...("commands" in row ? namedIn(rest, row.commands) : [])];
}

/** One line of what was wrong with the command line, and where its help is. */
const usageLine = (message: string, argv: readonly string[]): string => {
  const what = message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ");
  const help = ["parley", ...namedIn(argv, COMMANDS), "--help"].join(" ");
  return `parley: ${what}${/[.?)]$/.test(what) ? "" : ";"} see ${help}`;
};
