import { choice, defineCommand, integer, text } from "../../../cli/command.ts";
import * as options from "../../../cli/options.ts";

const RUN = { ...options.PACK, ...options.MODELS, ...options.SEED, ...options.LIMITS, ...options.DRY_RUN };
const FORMATS = ["text", "markdown", "json", "sarif", "github"] as const;

export const REVIEW = {
  diff: text("--diff <revision>", "what the work tree has of its own since a revision (default: HEAD)"),
  base: text("--base <revision>", "revision that the rules are from (default: that of --diff)"),
  verify: text("--verify <id>", "whether a recorded verdict still belongs to this change", { isRun: true }),
  format: {
    ...choice("--format <format>", `output format: ${FORMATS.join(", ")}`, FORMATS),
    ...{ shownDefault: "text", conflicts: "json" },
  },
  output: text("-o, --output <file>", "output file: overwritten; the text is printed as well"),
  ...RUN,
  ...options.JSON_FLAG,
  ...options.QUIET,
  ...options.ENV_FILE,
};

export const BENCH = {
  source: text("--source <dir>", "TypeScript or JavaScript to plant faults in (default: here)"),
  faults: integer("--faults <n>", "changes with a fault, and as many without", { min: 1, max: 500, or: 60 }),
  ...RUN,
  ...options.JSON_FLAG,
  ...options.QUIET,
  ...options.ENV_FILE,
};

const bench = defineCommand("bench", "Measure reviewers on planted faults and on clean changes", {
  details:
    "Each change is reviewed as it would be, under the built-in rules. One seed makes the same changes of the same files; --max-cost-usd counts over all of them.",
  options: BENCH,
  examples: [
    "review bench --models sim/ada,sim/bo,sim/cy --faults 6",
    "review bench --source src --max-cost-usd 5",
  ],
  run: async (io, given) => (await import("./bench.ts")).bench(io, given),
});

export const command = defineCommand(
  "review [file]",
  "Review a change: models find and check, a rule decides",
  {
    details:
      "FILE is a diff as git writes it, - is standard input; else it is the work tree's own. Exit 0: passes, 1: is blocked, 7: cannot be decided. The rules are in parley-review.yaml of the base revision.",
    options: REVIEW,
    examples: ["review --diff main", "review --verify ID --diff main"],
    commands: [bench],
    run: async (io, given, [file]) => (await import("./review.ts")).reviewChange(io, given, file),
  },
);
