import { choice, defineCommand, integer, text, type Command, type CommandRow } from "./command.ts";
import { JSON_FLAG, LEANS, QUIET, SINCE } from "./options.ts";

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

const VOTES_COMMANDS: readonly Command[] = [
  defineCommand("list", "List who ranked whom, over all runs", {
    isUsual: true,
    details:
      "With --matrix the share of the others that a candidate was ranked above, and of how many votes.",
    options: VOTES,
    examples: ["votes list --persona analyst --limit 20", "votes list --matrix persona --since 90d"],
    run: async (io, given) => (await import("./commands/votes.ts")).history(io, given),
  }),
  defineCommand("league", "Compare personas or models by their reviewers' votes", {
    details: "By kind of question, with 95 % intervals, and whether the differences are more than chance.",
    options: LEAGUE,
    examples: ["votes league", "votes league --by model --intent comparison --json"],
    run: async (io, given) => (await import("./commands/votes.ts")).league(io, given),
  }),
  defineCommand("reviewers", "Show what reviewers lean on, over all runs", {
    details:
      "Harshness: the share of weaknesses among the remarks on a draft, less the other reviewers'. Position: whether what is shown first ranks higher. Own family: whether drafts of the reviewer's family rank higher than others rank them.",
    options: LEANS,
    examples: ["votes reviewers", "votes reviewers --by persona --since 30d"],
    run: async (io, given) => (await import("./commands/votes.ts")).reviewers(io, given),
  }),
];

export const KNOWN_OVER_RUNS: readonly CommandRow[] = [
  {
    name: "votes",
    summary: "Show who ranked whom, who leads, and who favors whom",
    commands: VOTES_COMMANDS,
  },
  {
    name: "store",
    summary: "Look after the store",
    commands: [
      defineCommand("show", "Show where runs are stored, and how many there are", {
        isUsual: true,
        options: JSON_FLAG,
        examples: ["store show", "store show --json"],
        run: async (io, given) => (await import("./commands/votes.ts")).showStore(io, given),
      }),
      defineCommand("rebuild", "Read all runs again for votes and contributions", {
        details: "What these commands keep beside the runs is thrown away and made anew. No run changes.",
        options: { ...JSON_FLAG, ...QUIET },
        examples: ["store rebuild", "store rebuild --json"],
        run: async (io, given) => (await import("./commands/votes.ts")).rebuild(io, given),
      }),
    ],
  },
];
