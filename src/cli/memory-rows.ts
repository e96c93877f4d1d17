import { Option } from "commander";

const JSON_FLAG = new Option("--json", "print one JSON object");
const USER = new Option("--user <name>", "whose memory");
const QUIET = new Option("-q, --quiet", "no progress on stderr");

/** The commands below `parley memory`. */
export const MEMORY_COMMANDS = [
  {
    name: "search",
    args: "[words...]",
    summary: "what is remembered that fits the words, best first; without words the newest",
    options: [
      new Option("--respondent <who>", "only the first one's answers, or only the second one's").choices([
        "A",
        "B",
      ]),
      new Option("--retired", "those that are not recalled any more, instead"),
      new Option("-n, --limit <n>", "how many").default("10"),
      USER,
      JSON_FLAG,
    ],
    load: () => import("./commands/memory-search.ts"),
  },
  {
    name: "show",
    args: "<id>",
    summary:
      "one of them whole: what was said of it, by whom and when; the id, its beginning, or the answer's",
    options: [USER, JSON_FLAG],
    load: () => import("./commands/memory-show.ts"),
  },
  {
    name: "facts",
    summary: "the pinned facts, which respond and chat always see",
    options: [USER, JSON_FLAG],
    load: () => import("./commands/memory-facts.ts"),
  },
  {
    name: "pin",
    args: "[fact...]",
    summary: "pin a fact, which respond and chat see from now on; from stdin without words",
    options: [USER],
    load: () => import("./commands/memory-pin.ts"),
  },
  {
    name: "forget",
    args: "<id>",
    summary: "wipe an answer, or a pinned fact, from memory; the journal keeps its deliberation",
    options: [new Option("-y, --yes", "without asking"), USER],
    load: () => import("./commands/memory-forget.ts"),
  },
  {
    name: "stats",
    summary: "wins, losses, ties and grades by model, temperature and kind of question",
    options: [USER, JSON_FLAG],
    load: () => import("./commands/memory-stats.ts"),
  },
  {
    name: "export",
    args: "[file]",
    summary: "everything that is remembered, one JSON object a line, to a file or stdout",
    options: [USER],
    load: () => import("./commands/memory-export.ts"),
  },
  {
    name: "import",
    args: "<file>",
    summary: "take in an export (- is stdin); what is there already stays as it is",
    options: [USER, JSON_FLAG],
    load: () => import("./commands/memory-import.ts"),
  },
  {
    name: "reembed",
    summary: "give the embedding model's vectors to what has none, after the model has changed",
    options: [USER, QUIET],
    load: () => import("./commands/memory-reembed.ts"),
  },
  {
    name: "ablate",
    args: "<questions>",
    summary: "does memory help? the same questions answered with it and without; resumes",
    options: [
      new Option("-m, --model <ref>", "who answers, provider/model"),
      new Option("--judge <ref>", "who grades the answers, 1 to 5"),
      new Option("--temperature <t>", "0 to 2; by default the provider's"),
      USER,
      new Option("--seed <text>", "another seed is a fresh run; the same one goes on with its own"),
      new Option("--max-cost-usd <usd>", "stop before this much money is spent, over all runs together"),
      new Option(
        "--max-tokens <n>",
        "stop before this many tokens, in and out, are used, over all runs together",
      ),
      new Option("--concurrency <n>", "how many answers at once (default 4)"),
      new Option("--retry-failed", "ask again what failed in an earlier run"),
      JSON_FLAG,
      QUIET,
    ],
    load: () => import("./commands/memory-ablate.ts"),
  },
] as const;
