import { defineProtocol } from "../../engine/index.ts";
import { StepKey } from "../../kernel/index.ts";
import { BenchSettings } from "./work.ts";

// BENCH-1. What a bench compares is pinned by its opening: its journal makes no call, and its tasks are deliberations of their own.

/** Keeps what a bench compares on record. `lab/bench` runs it. */
export const bench = defineProtocol<BenchSettings>({
  name: "bench",
  version: 1,
  summary: "keep what a benchmark compares on record",
  seats: [{ name: "owner", filledBy: "judge", min: 1, max: 1 }],
  settings: BenchSettings,
  templates: [],
  async deliberate({ run, settings: { file, tasks, arms } }) {
    const body = { file, tasks, arms: arms.map(({ name }) => name) };
    const data = { topic: "bench", reason: "what the bench compares is on record", body };
    await run.derive(
      { key: "definition", outcomes: ["note-taken"], work: { kind: "definition" }, input: body },
      () => ({ type: "note-taken", data }),
    );
    return { outcome: "answered", answer: StepKey.parse("definition"), control: null };
  },
});
