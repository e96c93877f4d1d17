import { Option } from "commander";
import type { CommandModule } from "./command.ts";
import { MEMORY_COMMANDS } from "./memory-rows.ts";
import {
  list,
  collect,
  port,
  JSON_FLAG,
  HOW_TO_SHOW,
  LIMITS,
  ENV_FILE,
  CHAIRING,
  MODELS,
  ASKING,
  RESPOND,
  CHAT,
  EFFORT,
  DEBATE_FILES,
  DEBATING,
  JUDGING,
  QUESTION,
} from "./command-options.ts";

/** A command, or a group of them: what a person is told of it, and the module that is loaded when it is used. */
export type CommandRow = {
  readonly name: string;
  /** Older names of the command, which help does not show. */
  readonly aliases?: readonly string[];
  readonly args?: string;
  readonly summary: string;
  readonly options?: readonly Option[];
} & ({ load(): Promise<CommandModule> } | { readonly commands: readonly CommandRow[] });

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

/** Every command, one entry each. */
export const COMMANDS: readonly CommandRow[] = [
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
    name: "respond",
    args: "<question...>",
    summary: "one model answers at once, with the conversation so far and what memory recalls",
    options: RESPOND,
    load: () => import("./commands/respond.ts"),
  },
  {
    name: "chat",
    summary: "a conversation; the judge's badge comes under each answer when it comes",
    options: CHAT,
    load: () => import("./commands/chat.ts"),
  },
  {
    name: "feedback",
    args: "<id> [thumb] [words...]",
    summary: "what you think of an answer (up, down), or what came of it; memory hears of it",
    options: [
      new Option("--outcome <what>", "what came of it").choices(["good", "bad"]),
      new Option("--second", "of the second respondent's answer"),
      JSON_FLAG,
    ],
    load: () => import("./commands/feedback.ts"),
  },
  { name: "memory", summary: "what is remembered, and whether it helps", commands: MEMORY_COMMANDS },
  {
    name: "debate",
    args: "[problem...]",
    summary: "propose, criticise each other and refine, in rounds; a judge writes the solution",
    options: DEBATING,
    load: () => import("./commands/debate.ts"),
  },
  {
    name: "answer",
    args: "<id> [file]",
    summary: 'answer what a debate asks, one by one or from a file {"question-id": "answer"}, and go on',
    options: [new Option("--list", "only show the questions that wait"), ...DEBATE_FILES, ...HOW_TO_SHOW],
    load: () => import("./commands/answer.ts"),
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
    options: [
      ...DEBATE_FILES.map((option) => new Option(option.flags, `of a debate: ${option.description}`)),
      ...HOW_TO_SHOW,
    ],
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
    name: "report",
    args: "[debate]",
    summary: "a debate as a document: by its id, or from a result file of Dialectic's",
    options: [
      new Option("-d, --debate <debate>", "the same"),
      new Option("-c, --config <file>", "says of a file's agents what it does not say itself"),
      new Option("-o, --output <file>", "write it there: .md or .html; what stands there is replaced"),
      new Option("-v, --verbose", "times and tokens are always there").hideHelp(),
      JSON_FLAG,
    ],
    load: () => import("./commands/report.ts"),
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
  {
    name: "eval",
    summary:
      "independent evaluators score a debate's solution: a debate's id, or a result file of Dialectic's",
    options: [
      new Option("-d, --debate <debate>", "by its id, or a result file").makeOptionMandatory(),
      new Option("-c, --config <file>", "who evaluates: agents, each with an id, a name and a model"),
      new Option("--model <refs>", "instead: evaluators' models, provider/model, comma-separated").argParser(
        list,
      ),
      new Option("--map-models <map>", "other models than the file's: a list, or FROM=TO pairs"),
      new Option("-o, --output <file>", "write it there: .md, .json, or a row of a .csv"),
      new Option("--again", "evaluate anew what was evaluated before"),
      ...LIMITS,
      JSON_FLAG,
      new Option("-q, --quiet", "no progress on stderr"),
      ENV_FILE,
      new Option("-v, --verbose", "what is said without --quiet").hideHelp(),
    ],
    load: () => import("./commands/eval.ts"),
  },
  { name: "judge", summary: "grade or compare answers; measure who does", commands: JUDGE_COMMANDS },
  {
    name: "test",
    aliases: ["story"],
    args: "<file...>",
    summary: "Run conversation tests from YAML",
    options: [
      new Option("-m, --model <ref>", "who answers, provider/model"),
      new Option("--judge <refs>", "who grades the answers").argParser(list),
      new Option("--respondent-b", "a second respondent answers too, for comparison"),
      new Option("--model-b <ref>", "its model; by default the first one's"),
      new Option("--temperature-b <t>", "its temperature (default 0.5)"),
      new Option(
        "--delays",
        "wait between turns as the story says; every turn waits for its reactions anyway",
      ),
      JSON_FLAG,
      new Option("-q, --quiet", "no progress on stderr"),
    ],
    load: () => import("./commands/story.ts"),
  },
  {
    name: "watch",
    summary: "Live status of background workers: task, backlog, last error",
    options: [
      new Option("--once", "print the current status and exit"),
      new Option("--since <time>", "start with runs since: 90s, 30m, 12h (default: the newest 200)"),
      new Option("--json", "print a JSON object now, and one for each change"),
      new Option("-q, --quiet", "do not print events"),
    ],
    load: () => import("./commands/watch.ts"),
  },
  {
    name: "worker",
    aliases: ["react"],
    summary: "Run background grading and memory for all deliberations",
    options: [
      new Option("--backfill", "a reactor that has never run starts at the beginning of the journal"),
      new Option("-q, --quiet", "do not print reactions to stderr"),
    ],
    load: () => import("./commands/worker.ts"),
  },
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
    summary:
      "simulated models behind OpenAI's, Anthropic's and Ollama's wires (PARLEY_SIM_KEY: the key it asks for)",
    options: [
      new Option("--port <n>", "0 takes a free one").argParser(port).default(0),
      new Option("--host <host>", "where to listen").default("127.0.0.1"),
    ],
    load: () => import("./commands/sim-server.ts"),
  },
];
