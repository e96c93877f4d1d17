import { defineCommand, integer, type CommandGroup } from "./command.ts";
import { BENCH, JSON_FLAG } from "./options.ts";

export const BENCHES = {
  limit: integer("-n, --limit <n>", "maximum number (of benches)", { min: 1, max: 200, or: 20 }),
  ...JSON_FLAG,
};
export const SHOW_BENCH = { out: BENCH.out, ...JSON_FLAG };

/** What is on record of benches that were run. */
export const RECORDED_BENCHES: CommandGroup = {
  name: "benches",
  summary: "List recorded benches, and report on one",
  commands: [
    defineCommand("list", "List recorded benches, newest first", {
      isUsual: true,
      options: BENCHES,
      examples: ["benches list", "benches list --limit 5 --json"],
      run: async (io, given) => (await import("./commands/bench.ts")).listRecorded(io, given),
    }),
    defineCommand("show <id>", "Report on a recorded bench as it stands now", {
      details: "No model is called, and the file of tasks is not needed.",
      options: SHOW_BENCH,
      examples: ["benches show ID", "benches show ID --out report"],
      run: async (io, given, [id = ""]) => (await import("./commands/bench.ts")).showRecorded(io, given, id),
    }),
  ],
};
