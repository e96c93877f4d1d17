import { Duration, Since } from "../config/duration.ts";
import {
  choice,
  flag,
  integer,
  list,
  listSetting,
  negation,
  repeated,
  requiredText,
  setting,
  text,
} from "./command.ts";

// Options that several commands share, and those that the modules of commands name as types.

export const JSON_FLAG = { json: flag("--json", "print one JSON object") };
export const QUIET = { quiet: flag("-q, --quiet", "do not print progress on stderr") };
const MAX_SPENT = {
  maxCostUsd: setting("--max-cost-usd <usd>", "cost limit in USD (hard)"),
  maxTokens: setting("--max-tokens <n>", "limit on input and output tokens together (hard)"),
};
export const LIMITS = {
  ...MAX_SPENT,
  timeout: setting("--timeout <time>", "time limit: 90, 90s, 5m (hard)"),
};
export const USER = { user: setting("--user <name>", "memory owner") };
export const SEED = { seed: setting("--seed <text>", "random seed (labels, ordering)") };

export const ENV_FILE = {
  envFile: text("-e, --env-file <file>", "load a .env file (existing variables win)"),
};

/** How a run is shown. */
export const SHOWING = {
  ...JSON_FLAG,
  events: flag("--events", "print every event as a line of JSON", { conflicts: "json" }),
  ...QUIET,
  ...ENV_FILE,
  onDegraded: setting("--on-degraded <what>", "accept or refuse (exit 6) a degraded answer"),
};

/** How the chair writes, by the names of the settings. */
export const STRATEGY = {
  strategy: setting("--strategy <name>", "balanced, risk-averse, goal-seeking, novelty, or a file"),
  goal: setting("--goal <text>", "goal of the strategy goal-seeking"),
};
export const CHAIR = {
  chair: listSetting("--chair <refs>", "chair model, with fallbacks, comma-separated"),
};
export const MODELS = {
  models: listSetting("-m, --models <refs>", "models, provider/model, comma-separated"),
};
export const MODEL = {
  model: text("-m, --model <ref>", "model that answers, provider/model", { isList: true }),
};
const MODE = { mode: setting("--mode <mode>", "consensus (the chair writes) or vote (best draft)") };

export const ATTACHMENTS = {
  context: repeated(
    "--context <files>",
    "attach files, folders or patterns, comma-separated; may be repeated (stdin is attached too)",
  ),
};

/** What is written of a debate, beside what is printed. */
export const DEBATE_FILES = {
  output: text("-o, --output <file>", "write the solution, or the whole debate as .json"),
  format: choice("--format <format>", "form of a .json output: parley, or dialectic (its DebateState)", [
    "parley",
    "dialectic",
  ]),
  report: text("--report <file>", "write a report, .md (also without an ending) or .html"),
};
export const DEBATE_INPUT = {
  problemDescription: text("-p, --problem-description <file>", "read the problem from a file", {
    alias: "--problemDescription <file>",
  }),
  config: text("-c, --config <file>", "agents, judge and rules (default: debate-config.json)"),
  context: repeated(
    "--context <path>",
    "attach a file, or name the folder that agents with file tools may read; may be repeated (stdin is attached too)",
  ),
};

/** Grading, memory and the conversation of `respond` and `chat`. */
export const CONVERSATION = {
  judge: listSetting("--judge <ref>", "judge that scores the answer from 1 to 5"),
  critic: setting("--critic", "score answers with the judge of critic.yaml", { off: "do not score answers" }),
  memory: setting("--no-memory", "do not use memory"),
  ...USER,
  continue: text("--continue <id>", "continue this conversation"),
  folder: text("--folder <dir>", "let the model read files in a folder"),
};
export const WAIT = {
  wait: negation("--no-wait", "exit after the answer; grade and store it with parley resume"),
};
export const ALL_ANSWERS = { all: flag("--all", "show the second model's answers too") };

export const FORK = {
  ...CHAIR,
  ...STRATEGY,
  ...MODE,
  effort: setting("--effort <n>", "depth 1 to 5 of a run of ask"),
  without: repeated("--without <member>", "leave a member out; may be repeated"),
  ...LIMITS,
  ...SHOWING,
};
export const ANSWER = { list: flag("--list", "only list the open questions"), ...DEBATE_FILES, ...SHOWING };
export const RESUME = { ...DEBATE_FILES, ...SHOWING };
export const EXPORT = {
  format: {
    ...choice("--format <format>", "md, html, json, jsonl, csv, adr, debate, dialectic, local2", [
      ...(["md", "html", "json", "jsonl", "csv", "adr", "debate", "dialectic", "local2"] as const),
    ]),
    shownDefault: "md",
  },
  table: {
    ...choice("--table <table>", "what a line of csv is: runs, steps or calls", ["runs", "steps", "calls"]),
    shownDefault: "runs",
  },
  output: text("-o, --output <file>", "output file (overwritten); its ending may name the format"),
  all: flag("--all", "every run, as json, jsonl, csv or local2"),
  since: {
    flags: "--since <time>",
    description: "with --all: runs since 2026-01-31, or 12h ago",
    schema: Since.optional(),
  },
  config: text("-c, --config <file>", "names and models of the agents in a debate's file"),
  debate: text("-d, --debate <debate>", "the same as the argument", { isHidden: true }),
  verbose: flag("-v, --verbose", "accepted for compatibility", { isHidden: true }),
  json: flag("--json", "as --format json, of a debate as --format debate", { isHidden: true }),
};
export const FEEDBACK = {
  outcome: choice("--outcome <what>", "what came of the answer: good or bad", ["good", "bad"]),
  second: flag("--second", "rate the second model's answer"),
  ...JSON_FLAG,
};

export const CONTRIBUTIONS = {
  repeats: integer("--repeats <n>", "how often the chair is asked again with all drafts", {
    ...{ min: 0, max: 10, or: 1 },
  }),
  calls: negation("--no-calls", "measure only what needs no model calls"),
  ...MAX_SPENT,
  ...JSON_FLAG,
  ...QUIET,
};
const JOB = {
  concurrency: integer("--concurrency <n>", "runs at the same time", { min: 1, max: 1_000, or: 4 }),
  retryFailed: flag("--retry-failed", "ask again what failed in an earlier run"),
  ...JSON_FLAG,
  ...QUIET,
};
const JOB_SEED = setting("--seed <text>", "start over under another seed; the same one resumes");
export const BENCH = {
  arms: list(
    "--arms <names>",
    "single, majority, weighted, best-member, self-consistency, ask, council, debate; with options as NAME=council:risk-averse+mode=vote (default: single, majority, self-consistency, ask, council)",
  ),
  questionField: text("--question-field <name>", "column of the question, in a file of another form"),
  answerField: text("--answer-field <name>", "column of the right answer"),
  optionsField: text("--options-field <name>", "column of a list of possible answers, shown with letters"),
  kindField: text("--kind-field <name>", "column of the kind of question"),
  ...MODELS,
  ...CHAIR,
  ...STRATEGY,
  ...MODE,
  samples: integer("--samples <n>", "samples of self-consistency (default: as the council's)", {
    ...{ min: 1, max: 1_000 },
  }),
  seed: JOB_SEED,
  budget: text("--budget <usd>", "cost limit in USD over all runs together (hard)"),
  maxCostUsd: setting("--max-cost-usd <usd>", "the same as --budget", { conflicts: "budget" }),
  maxTokens: setting("--max-tokens <n>", "token limit over all runs together (hard)"),
  ...JOB,
  out: text("--out <folder>", "folder for report.md, report.json, rows.csv and accuracy-over-cost.svg"),
};
export const ABLATE = {
  ...MODEL,
  judge: setting("--judge <ref>", "judge that scores the answers from 1 to 5"),
  temperature: setting("--temperature <t>", "temperature, 0 to 2 (default: the provider's)"),
  ...USER,
  seed: JOB_SEED,
  ...MAX_SPENT,
  ...JOB,
};
export const TASKS = {
  count: integer("--count <n>", "number of tasks", { min: 1, max: 2_000, or: 100 }),
  seed: { ...text("--seed <text>", "random seed"), shownDefault: "7" },
  kind: list("--kind <kinds>", "arithmetic, logic, yes-no (default: all)"),
  pairs: flag("--pairs", "labeled pairs of a right and a wrong answer, for judge validate"),
};
export const EVAL = {
  debate: requiredText("-d, --debate <debate>", "id of a debate, or a result file of Dialectic"),
  config: text("-c, --config <file>", "evaluators: agents with an id, a name and a model"),
  model: list("--model <refs>", "evaluator models instead, comma-separated"),
  mapModels: text("--map-models <map>", "replace models: a list, or FROM=TO pairs"),
  output: text("-o, --output <file>", "output file: .md, .json, .csv (a row is added), or else the table"),
  again: flag("--again", "evaluate again what was evaluated before"),
  ...LIMITS,
  ...JSON_FLAG,
  ...QUIET,
  ...ENV_FILE,
  verbose: flag("-v, --verbose", "accepted for compatibility", { isHidden: true }),
};
export const JUDGING = {
  model: requiredText("--model <ref>", "judge model, provider/model", { isList: true }),
  rubric: text("--rubric <name>", "name or file of a rubric (default: answer-quality)"),
  form: choice("--form <form>", "prompt form, prometheus or json (default: by the model)", [
    "prometheus",
    "json",
  ]),
  again: flag("--again", "judge again what was judged before"),
  ...LIMITS,
  ...JSON_FLAG,
  ...QUIET,
};
export const VALIDATE = {
  repeat: integer("--repeat <n>", "how often every prompt is asked", { min: 1, max: 20, or: 1 }),
  ...JUDGING,
};
export const COMPARE = {
  question: requiredText("--question <text>", "the question, or its file"),
  ...JUDGING,
};
export const GRADE = {
  ...COMPARE,
  reference: text("--reference <text>", "an answer that deserves a 5, or its file"),
};
export const TEST = {
  ...MODEL,
  judge: listSetting("--judge <refs>", "judge that scores the answers"),
  respondentB: setting("--respondent-b", "answer with a second model too (A/B comparison)"),
  modelB: setting("--model-b <ref>", "second model (default: the same model)"),
  temperatureB: setting("--temperature-b <t>", "temperature of the second model (default: 0.5)"),
  delays: flag("--delays", "wait between turns as the test says"),
  ...JSON_FLAG,
  ...QUIET,
};
export const WATCH = {
  once: flag("--once", "print the current status and exit"),
  since: {
    flags: "--since <time>",
    description: "start with runs since: 90s, 30m, 12h (default: newest 200)",
    schema: Duration.optional(),
  },
  json: flag("--json", "print a JSON object now, and one for each change"),
  quiet: flag("-q, --quiet", "do not print events"),
};
export const WORKER = {
  folder: repeated("--folder <dir>", "let models read files in a folder that a run names; may be repeated"),
  backfill: flag("--backfill", "start new reactors at the beginning of the journal"),
  quiet: flag("-q, --quiet", "do not print reactions to stderr"),
};
export const SIM_SERVER = {
  port: integer("--port <n>", "port to listen on; 0 takes a free one", { min: 0, max: 65_535, or: 0 }),
  host: { ...text("--host <host>", "address to listen on"), shownDefault: "127.0.0.1" },
};
export const SEARCH = {
  respondent: choice("--respondent <who>", "only answers of model A, or of the second model B", ["A", "B"]),
  retired: flag("--retired", "only excluded entries"),
  limit: integer("-n, --limit <n>", "maximum number of entries", { min: 1, max: 1_000, or: 10 }),
  ...USER,
  ...JSON_FLAG,
};
export const OF_USER = { ...USER, ...JSON_FLAG };
export const YES = flag("-y, --yes", "do not ask for confirmation");
export const TRUST = { yes: YES, ...JSON_FLAG };
export const LIST_RUNS = {
  limit: integer("-n, --limit <n>", "maximum number of runs", { min: 1, max: 10_000, or: 20 }),
  ...JSON_FLAG,
};
export const SHOW = {
  details: flag("--details", "show drafts, reviews and every step too"),
  all: flag("--all", "as --details", { isHidden: true }),
  ...JSON_FLAG,
};
