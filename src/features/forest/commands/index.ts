import { choice, defineCommand, flag, integer, text, type Command } from "../../../cli/command.ts";
import { AGAIN, DRY_RUN, JSON_FLAG, LIMITS, QUIET, USER } from "../../../cli/options.ts";

export const CYCLE = {
  limit: integer("-n, --limit <n>", "maximum number (of cycles)", { min: 1, max: 1_000, or: 1 }),
  wait: flag("--wait", "wait for the answers of hand-offs to files"),
  again: AGAIN,
  ...DRY_RUN,
  ...LIMITS,
  ...JSON_FLAG,
  ...QUIET,
};
export const HANDOFFS = { ...USER, ...JSON_FLAG };
export const ANSWER = {
  forest: text("--forest <folder>", "the forest's folder (default: this one)"),
  ...USER,
  ...JSON_FLAG,
};
export const INIT = {
  file: text("--file <file>", "answers to the eight questions, as YAML"),
  domain: choice("--domain <name>", "what is searched (factors or functions; default: factors)", [
    "factors",
    "functions",
  ]),
  yes: flag("-y, --yes", "do not ask: plant the example"),
};
export const REPORT = {
  output: text("-o, --output <file>", "output file: .md, .html, or .svg for the plot alone"),
  ...JSON_FLAG,
};

export const commands: readonly Command[] = [
  defineCommand("init [folder]", "Plant a forest from the answers to eight questions", {
    details: "Asks on a terminal; elsewhere --file has the answers, or --yes plants an example.",
    options: INIT,
    examples: ["forest init", "forest init my-forest --domain functions --yes"],
    run: async (io, given, [folder = "."]) => (await import("./plant.ts")).init(io, given, folder),
  }),
  defineCommand("cycle [folder]", "Run the next cycles, or go on with the one begun", {
    details:
      "Gardeners propose, a skeptic of another family attacks, gates decide. A cycle without a fruit is a result. Ctrl-C loses nothing: the same command goes on.",
    options: CYCLE,
    examples: ["forest cycle", "forest cycle examples/forest -n 3 --json"],
    run: async (io, given, [folder = "."]) => (await import("./cycle.ts")).cycle(io, given, folder),
  }),
  defineCommand("show [folder]", "Show a forest after its newest cycle", {
    options: JSON_FLAG,
    examples: ["forest show", "forest show archive/cycle_007 --json"],
    run: async (io, given, [folder = "."]) => (await import("./show.ts")).show(io, given, folder),
  }),
  defineCommand("seeds [folder]", "List hypotheses that are not tested yet, and retired ones", {
    options: JSON_FLAG,
    examples: ["forest seeds", "forest seeds archive --json"],
    run: async (io, given, [folder = "."]) => (await import("./show.ts")).seeds(io, given, folder),
  }),
  defineCommand("results [folder]", "List what became of tested hypotheses, and why", {
    options: JSON_FLAG,
    examples: ["forest results", "forest results archive --json"],
    run: async (io, given, [folder = "."]) => (await import("./show.ts")).results(io, given, folder),
  }),
  defineCommand("handoffs [folder]", "List what waits for you: hand-offs and amendments", {
    options: HANDOFFS,
    examples: ["forest handoffs", "forest handoffs --json"],
    run: async (io, given, [folder = "."]) => (await import("./handoffs.ts")).handoffs(io, given, folder),
  }),
  defineCommand("answer <id> [words...]", "Answer a hand-off, or decide about an amendment", {
    details: "Without words, the answer is read from stdin.",
    options: ANSWER,
    examples: ["forest answer amendment-3-1 no", "forest answer tree-1-flow/diverge < answer.json"],
    run: async (io, given, args) => (await import("./handoffs.ts")).answer(io, given, args),
  }),
  defineCommand("report [folder]", "Report on the newest cycle, with a plot of all of them", {
    options: REPORT,
    examples: ["forest report", "forest report --output report.html"],
    run: async (io, given, [folder = "."]) => (await import("./show.ts")).report(io, given, folder),
  }),
  defineCommand("export <run> <folder>", "Write the archive of a cycle's run from its journal", {
    options: JSON_FLAG,
    examples: ["forest export ID elsewhere", "forest export last elsewhere --json"],
    run: async (io, given, [run = "", folder = ""]) =>
      (await import("./show.ts")).exportCycle(io, given, { run, folder }),
  }),
  defineCommand("validate <paths...>", "Check archives against the invariants of a forest", {
    details:
      "A path is the folder of a cycle, an archive, or the folder that has one. Exit code 1: a cycle is not valid; file, line and field are named.",
    options: JSON_FLAG,
    examples: ["forest validate archive", "forest validate archive/cycle_001 archive/cycle_002"],
    run: async (io, given, paths) => (await import("./show.ts")).validate(io, given, paths),
  }),
];
