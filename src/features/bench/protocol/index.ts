import * as z from "zod";
import { BenchArm } from "../contract.ts";
import { defineProtocol } from "../../../engine/index.ts";
import { StepKey } from "../../../kernel/index.ts";

// What a bench compares is pinned by its opening: its journal makes no call, and its tasks are deliberations of their own.

/** An arm on record. `rule`: how it counts the drafts of all questions together, where it is a rule over drafts. */
export const RecordedArm = BenchArm.extend({ rule: z.enum(["weighted", "best-member"]).optional() });
export type RecordedArm = z.infer<typeof RecordedArm>;

/**
 * What a bench compares. The opening's context has the rest: `tasks`, `requests` (of each arm and task, the name of its
 * deliberations) and, where a judge compares open answers, `judge`.
 */
export const BenchSettings = z.strictObject({
  /** The name of the file of tasks, without its folder. */
  file: z.string(),
  tasks: z.int().positive(),
  /** Tasks without a right answer. */
  open: z.int().nonnegative(),
  /** Null where every deliberation drew its own. */
  seed: z.string().nullable(),
  /** The model that compares the answers to open questions; null for none. */
  judge: z.string().nullable(),
  arms: z.array(RecordedArm).min(1),
});
export type BenchSettings = z.infer<typeof BenchSettings>;

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
