import { defineCommand, flag, integer, list, setting, text, type Command } from "../../../cli/command.ts";
import {
  CHAIR,
  JSON_FLAG,
  JUDGE,
  MAX_SPENT,
  MODE,
  MODEL,
  MODELS,
  QUIET,
  STRATEGY,
  USER,
  RESPONDENT,
} from "../../../cli/options.ts";

const JOB = {
  concurrency: integer("--concurrency <n>", "runs at the same time", { min: 1, max: 1_000, or: 4 }),
  retryFailed: flag("--retry-failed", "ask again what failed in an earlier run"),
  ...JSON_FLAG,
  ...QUIET,
};
const JOB_SEED = setting("--seed <text>", "random seed (the same one resumes, another starts over)");
export const BENCH = {
  arms: list(
    "--arms <names>",
    "single, majority, weighted, best-member, self-consistency, ask, council, debate, strategy:NAME, pack:NAME; with options as NAME=council:risk-averse+mode=vote (default: single, majority, self-consistency, ask, council)",
  ),
  questionField: text("--question-field <name>", "column of the question, in a file of another form"),
  answerField: text("--answer-field <name>", "column of the right answer"),
  optionsField: text("--options-field <name>", "column of a list of possible answers, shown with letters"),
  kindField: text("--kind-field <name>", "column of the kind of question"),
  ...MODELS,
  ...CHAIR,
  ...STRATEGY,
  ...MODE,
  judge: text("--judge <ref>", "judge: compares the answers to open questions (tasks without an answer)"),
  samples: integer("--samples <n>", "samples of self-consistency (default: as the council's)", {
    ...{ min: 1, max: 1_000 },
  }),
  seed: JOB_SEED,
  maxCostUsd: setting("--max-cost-usd <usd>", "cost limit in USD (hard, over all runs together)", {
    old: "--budget <usd>",
  }),
  maxTotalTokens: MAX_SPENT.maxTotalTokens,
  ...JOB,
  out: text("--out <folder>", "folder for report.md, report.json, rows.csv and accuracy-over-cost.svg"),
};
export const ABLATE = {
  ...MODEL,
  ...JUDGE,
  temperature: RESPONDENT.temperature,
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
export const BENCHES = {
  limit: integer("-n, --limit <n>", "maximum number (of benches)", { min: 1, max: 200, or: 20 }),
  ...JSON_FLAG,
};
export const SHOW_BENCH = { out: BENCH.out, ...JSON_FLAG };

export const command = defineCommand("bench <tasks>", "Benchmark single model vs. voting vs. council", {
  details: "It resumes where an earlier run of the same tasks stopped.",
  options: BENCH,
  examples: ["bench tasks.jsonl", "bench tasks.jsonl --arms single,council --out report"],
  run: async (io, given, [file = ""]) => (await import("./bench.ts")).bench(io, given, file),
  commands: [
    defineCommand("list", "List recorded benches, newest first", {
      options: BENCHES,
      examples: ["bench list", "bench list --limit 5 --json"],
      run: async (io, given) => (await import("./bench.ts")).listRecorded(io, given),
    }),
    defineCommand("show <id>", "Report on a recorded bench as it stands now", {
      details: "No model is called, and the file of tasks is not needed.",
      options: SHOW_BENCH,
      examples: ["bench show ID", "bench show ID --out report"],
      run: async (io, given, [id = ""]) => (await import("./bench.ts")).showRecorded(io, given, id),
    }),
    defineCommand("tasks", "Print tasks with known answers, for bench", {
      options: TASKS,
      examples: ["bench tasks --count 50", "bench tasks --kind logic --pairs"],
      run: async (io, given) => (await import("./bench.ts")).tasks(io, given),
    }),
  ],
});

export const memoryCommands: readonly Command[] = [
  defineCommand("ablate <questions>", "Measure whether memory helps: with it against without", {
    details: "It resumes where an earlier run of the same questions stopped.",
    options: ABLATE,
    examples: ["memory ablate questions.jsonl", "memory ablate questions.jsonl --judge sim/judy --json"],
    run: async (io, given, [file = ""]) => (await import("./bench.ts")).ablate(io, given, file),
  }),
];
