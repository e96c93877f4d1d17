import { defineCommand, defineSurface, flag, list, requiredText, text } from "../../../cli/command.ts";
import * as options from "../../../cli/options.ts";

export const DEBATE_INPUT = {
  problemDescription: text("-p, --problem-description <file>", "read the problem from a file", {
    alias: "--problemDescription <file>",
  }),
  config: text("-c, --config <file>", "participants: agents, judge, rules (default: debate-config.json)"),
  ...options.ATTACHMENTS,
  folder: options.FOLDER,
  ...options.TOOLS,
};

/** What is written of it, beside what is printed. */
export const DEBATE_FILES = options.runFiles({ dialectic: "its DebateState" });

export const EVAL = {
  debate: requiredText("-d, --debate <debate>", "id of a debate, or a result file of Dialectic", {
    isRun: true,
  }),
  config: text("-c, --config <file>", "participants: evaluators with an id, a name and a model"),
  models: list("-m, --models <refs>", "models, provider/model, comma-separated (evaluators)", {
    old: "--model <refs>",
  }),
  mapModels: text("--map-models <refs>", "replace models: a list, or FROM=TO pairs"),
  output: text("-o, --output <file>", "output file: .md, .json, .csv (a row is added), or else the table"),
  again: options.AGAIN,
  ...options.LIMITS,
  ...options.JSON_FLAG,
  ...options.QUIET,
  ...options.ENV_FILE,
  verbose: flag("-v, --verbose", "accepted for compatibility", { isHidden: true }),
};

export const surface = defineSurface({
  arguments: "[problem...]",
  options: {
    ...options.CONTINUE,
    ...DEBATE_INPUT,
    ...DEBATE_FILES,
    ...options.SEATS,
    ...options.SEED,
    ...options.LIMITS,
    ...options.DRY_RUN,
    ...options.SHOWING,
  },
  examples: [
    'debate "Design a job queue" --rounds 2 --report queue.html',
    "debate --problem-description problem.md --clarify",
  ],
  run: async (io, given, call) => (await import("./debate.ts")).debate(io, given, call),
});

export const evaluate = defineCommand("eval", "Score a debate's solution with independent evaluators", {
  options: EVAL,
  examples: ["eval --debate ID --models sim/eva,sim/eli", "eval --debate debate.json --output scores.csv"],
  run: async (io, given) => (await import("./eval.ts")).evaluate(io, given),
});
