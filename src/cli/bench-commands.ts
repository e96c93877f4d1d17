import { defineCommand, integer, type Command } from "./command.ts";
import { BENCH as RUN_BENCH, JSON_FLAG, TASKS } from "./options.ts";

export const BENCHES = {
  limit: integer("-n, --limit <n>", "maximum number (of benches)", { min: 1, max: 200, or: 20 }),
  ...JSON_FLAG,
};
export const SHOW_BENCH = { out: RUN_BENCH.out, ...JSON_FLAG };

/** A bench, and what is on record of those that were run. */
export const BENCH: Command = defineCommand(
  "bench <tasks>",
  "Benchmark single model vs. voting vs. council",
  {
    details: "It resumes where an earlier run of the same tasks stopped.",
    options: RUN_BENCH,
    examples: ["bench tasks.jsonl", "bench tasks.jsonl --arms single,council --out report"],
    run: async (io, given, [file = ""]) => (await import("./commands/bench.ts")).bench(io, given, file),
    commands: [
      defineCommand("list", "List recorded benches, newest first", {
        options: BENCHES,
        examples: ["bench list", "bench list --limit 5 --json"],
        run: async (io, given) => (await import("./commands/bench.ts")).listRecorded(io, given),
      }),
      defineCommand("show <id>", "Report on a recorded bench as it stands now", {
        details: "No model is called, and the file of tasks is not needed.",
        options: SHOW_BENCH,
        examples: ["bench show ID", "bench show ID --out report"],
        run: async (io, given, [id = ""]) =>
          (await import("./commands/bench.ts")).showRecorded(io, given, id),
      }),
      defineCommand("tasks", "Print tasks with known answers, for bench", {
        options: TASKS,
        examples: ["bench tasks --count 50", "bench tasks --kind logic --pairs"],
        run: async (io, given) => (await import("./commands/simulate.ts")).tasks(io, given),
      }),
    ],
  },
);
