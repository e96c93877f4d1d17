import { choice, defineCommand, flag, integer, type Command } from "../../../cli/command.ts";
import { JSON_FLAG, QUIET, USER, YES } from "../../../cli/options.ts";

export const SEARCH = {
  answeredBy: {
    ...choice("--answered-by <who>", "only answers of model A, or of the second model B", ["A", "B"]),
    old: "--respondent <who>",
  },
  retired: flag("--retired", "only excluded entries"),
  limit: integer("-n, --limit <n>", "maximum number (of entries)", { min: 1, max: 1_000, or: 10 }),
  ...USER,
  ...JSON_FLAG,
};
export const OF_USER = { ...USER, ...JSON_FLAG };

const load = () => import("./memory.ts");

export const commands: readonly Command[] = [
  defineCommand("search [words...]", "Search memory; without words, list the newest entries", {
    options: SEARCH,
    examples: ["memory search queue migration", "memory search --limit 5 --json"],
    run: async (io, given, words) => (await load()).search(io, given, words),
  }),
  defineCommand("show <id>", "Show a memory entry and everything said about it", {
    details: "The id may be an entry's, the beginning of one, or the run's that wrote it.",
    options: OF_USER,
    examples: ["memory show ID", "memory show ID --json"],
    run: async (io, given, [id = ""]) => (await load()).show(io, given, id),
  }),
  defineCommand("facts", "List the pinned facts that respond and chat always see", {
    options: OF_USER,
    examples: ["memory facts", "memory facts --user ada --json"],
    run: async (io, given) => (await load()).facts(io, given),
  }),
  defineCommand("pin [fact...]", "Pin a fact for respond and chat; stdin without words", {
    options: USER,
    examples: ['memory pin "We deploy on Fridays."', "memory pin --user ada"],
    run: async (io, given, words) => (await load()).pin(io, given, words),
  }),
  defineCommand("forget <id>", "Delete a memory entry or a fact (run history is kept)", {
    options: { yes: YES, ...USER },
    examples: ["memory forget ID", "memory forget ID --yes"],
    run: async (io, given, [id = ""]) => (await load()).forget(io, given, id),
  }),
  defineCommand("stats", "Compare models by wins, losses, ties and scores", {
    options: OF_USER,
    examples: ["memory stats", "memory stats --json"],
    run: async (io, given) => (await load()).stats(io, given),
  }),
  defineCommand("export [file]", "Export memory to a file or stdout, one JSON line each", {
    options: USER,
    examples: ["memory export memory.jsonl", "memory export --user ada"],
    run: async (io, given, [file]) => (await load()).exportMemory(io, given, file),
  }),
  defineCommand("import <file>", "Import exported memory; existing entries stay (-: stdin)", {
    options: OF_USER,
    examples: ["memory import memory.jsonl", "memory import - --json"],
    run: async (io, given, [file = ""]) => (await load()).importMemory(io, given, file),
  }),
  defineCommand("reembed", "Embed the entries that the embedding model has not seen", {
    options: { ...USER, ...QUIET },
    examples: ["memory reembed", "memory reembed --user ada"],
    run: async (io, given) => (await load()).embedMissing(io, given),
  }),
];
