import * as z from "zod";
import type { DeliberationId } from "../../kernel/index.ts";

/** A way to answer questions, as it was run. */
export const BenchArm = z.strictObject({
  name: z.string(),
  /** In words. */
  what: z.string(),
  /** As `name@version`. */
  protocol: z.string(),
  /** Models by seat, in the order of the seats. */
  seats: z.array(z.strictObject({ seat: z.string(), model: z.string() })),
  /** Whether anything is called beyond the drafts. */
  deliberates: z.boolean(),
  /** The arm whose deliberations these are too, where it only counts the same drafts another way. */
  drafted: z.string().optional(),
});
export type BenchArm = z.infer<typeof BenchArm>;

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

/** A bench on record, as lists show it. */
export type ListedBench = {
  readonly id: DeliberationId;
  readonly file: string;
  /** ISO 8601 in UTC. */
  readonly openedAt: string;
  readonly arms: readonly string[];
  readonly tasks: number;
  /** Of every arm and task, those that have come to their end. */
  readonly finished: number;
  /** How many arms and tasks there are, together. */
  readonly total: number;
  /** Whether a model that takes part is simulated. */
  readonly simulated: boolean;
};
