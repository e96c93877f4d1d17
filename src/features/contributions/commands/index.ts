import { choice, defineCommand, flag, integer, negation, text } from "../../../cli/command.ts";
import { JSON_FLAG, MAX_SPENT, QUIET, SINCE } from "../../../cli/options.ts";

export const CONTRIBUTIONS = {
  repeats: integer("--repeats <n>", "how often the chair is asked again with all drafts", {
    ...{ min: 0, max: 10, or: 1 },
  }),
  calls: negation("--no-calls", "measure only what needs no model calls"),
  all: flag("--all", "every run: what is recorded, by persona; calls nothing"),
  by: choice("--by <key>", "one row for each (persona or strategy; of --all)", ["persona", "strategy"]),
  since: SINCE,
  output: text("-o, --output <file>", "output file: .csv, .svg, or else the table (of --all)"),
  ...MAX_SPENT,
  ...JSON_FLAG,
  ...QUIET,
};

export const command = defineCommand("contributions [id]", "Measure who contributed to an answer", {
  options: CONTRIBUTIONS,
  details: "With --all what is recorded of every run: claimed beside measured by persona, and votes apart.",
  examples: ["contributions ID --no-calls --json", "contributions --all --by strategy -o heatmap.svg"],
  run: async (io, given, [id]) => {
    const { allContributions, contributions } = await import("./contributions.ts");
    return given.all ? allContributions(io, given, id) : contributions(io, given, id ?? "last");
  },
});
