import { InvalidArgumentError, Option } from "commander";
import type { CommandModule } from "./command.ts";

/** A command, or a group of them: what a person is told of it, and the module that is loaded when it is used. */
export type CommandRow = {
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
const ENV_FILE = new Option("-e, --env-file <file>", "variables, such as keys; what is set already stands");
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

const DEBATE_FILES = [
  new Option("-o, --output <file>", "write the solution there, or the whole debate as .json"),
  new Option("--report <file>", "write a report there: .md or .html"),
];
const DEBATING = [
  new Option("-p, --problem-description <file>", "the problem in a file, instead of in words"),
  new Option("--problemDescription <file>", "the same").hideHelp(),
  new Option(
    "-a, --agents <roles>",
    "architect, security, performance, testing, kiss, data-modeling, generalist, or your own",
  ).argParser(list),
  new Option("-r, --rounds <n>", "at most so many (default 3)"),
  new Option("-c, --config <file>", "agents, judge and rules; by default debate-config.json, if it is there"),
  new Option("--map-models <refs>", "other models: dealt out in turn, or FROM=TO pairs"),
  MODELS,
  new Option("--judge <refs>", "who writes the solution, where no file says"),
  new Option(
    "--until <when>",
    "end before the last round when answers converge or the judge is sure",
  ).choices(["fixed", "convergence", "quality"]),
  new Option("--topology <form>", "who criticises whom").choices(["full", "ring", "star"]),
  new Option("--proposals <kind>", "from round 2 on: refinements carried over, or fresh proposals").choices([
    "carried",
    "fresh",
  ]),
  new Option("--clarify", "let the agents ask what they have to know first"),
  new Option("--context <dir>", "the folder that agents with file tools see"),
  ...DEBATE_FILES,
  ENV_FILE,
  new Option("-v, --verbose", "say who takes part, and on whose instructions"),
  new Option("--seed <text>", "decides labels and orders; the same seed asks in the same way"),
  ...LIMITS,
  ...HOW_TO_SHOW,
];

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
