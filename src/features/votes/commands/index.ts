import { choice, defineCommand, integer, text, type Command } from "../../../cli/command.ts";
import { JSON_FLAG, LEANS, SINCE } from "../../../cli/options.ts";

const FILTER = {
  protocol: text("--protocol <name>", "only runs of this protocol"),
  intent: text(
    "--intent <kind>",
    "only questions of a kind: comparison, procedure, explanation, fact, other",
  ),
  since: SINCE,
};
const KEYS = ["persona", "model"] as const;
export const VOTES = {
  ...FILTER,
  persona: text("--persona <name>", "persona (voter or candidate)"),
  model: text("-m, --model <ref>", "model, provider/model (voter or candidate)"),
  matrix: choice("--matrix <key>", "show who ranked whom, by persona or model", KEYS),
  limit: integer("-n, --limit <n>", "maximum number (of votes)", { min: 1, max: 100_000, or: 50 }),
  ...JSON_FLAG,
};
export const LEAGUE = {
  by: choice("--by <key>", "one row for each (model or persona; default: persona)", KEYS),
  ...FILTER,
  ...JSON_FLAG,
};

export const commands: readonly Command[] = [
  defineCommand("list", "List who ranked whom, over all runs", {
    isUsual: true,
    details:
      "With --matrix the share of the others that a candidate was ranked above, and of how many votes.",
    options: VOTES,
    examples: ["votes list --persona analyst --limit 20", "votes list --matrix persona --since 90d"],
    run: async (io, given) => (await import("./votes.ts")).history(io, given),
  }),
  defineCommand("league", "Compare personas or models by their reviewers' votes", {
    details: "By kind of question, with 95 % intervals, and whether the differences are more than chance.",
    options: LEAGUE,
    examples: ["votes league", "votes league --by model --intent comparison --json"],
    run: async (io, given) => (await import("./votes.ts")).league(io, given),
  }),
  defineCommand("reviewers", "Show what reviewers lean on, over all runs", {
    details:
      "Harshness: the share of weaknesses among the remarks on a draft, less the other reviewers'. Position: whether what is shown first ranks higher. Own family: whether drafts of the reviewer's family rank higher than others rank them.",
    options: LEANS,
    examples: ["votes reviewers", "votes reviewers --by persona --since 30d"],
    run: async (io, given) => (await import("./votes.ts")).reviewers(io, given),
  }),
];
