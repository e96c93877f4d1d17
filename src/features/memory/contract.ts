import * as z from "zod";
import { Estimate } from "../../contract/figures.ts";
import { Annotation, Engram, EngramId, Intent, Mark, ModelRef, UserId } from "../../kernel/index.ts";

const figure = z.number().nullable();

/** One engram with what was said of it, as `--json` prints it. */
export const EngramView = z.strictObject({
  engram: Engram,
  /** The first engram of those that it nearly repeats; its own id where it stands alone. */
  cluster: EngramId,
  /** In the order in which they came. */
  annotations: z.array(Annotation),
  /** Which models' vectors it has. */
  embedded: z.array(z.string()),
  /** Question, summary and entities are empty then, the annotations gone. */
  forgotten: z.strictObject({ by: z.string(), at: z.string() }).nullable(),
  /** What the annotations come to: of each kind the last by time. */
  judged: z.strictObject({
    grade: figure,
    /** The words that came with the grade, shortened. */
    feedback: z.string(),
    preference: z.enum(["won", "lost", "tied"]).nullable(),
    thumb: z.enum(["up", "down"]).nullable(),
    outcome: z.enum(["good", "bad"]).nullable(),
    /** Why it is not recalled any more; null where it is. */
    retired: z.string().nullable(),
  }),
  /** How it is shown to whoever recalls it. */
  mark: Mark,
});
export type EngramView = z.infer<typeof EngramView>;

/** What `parley memory search --json` prints. Published as `schemas/memory-search.schema.json`. */
export const MemorySearch = z.strictObject({
  user: UserId,
  /** null: the newest were asked for. */
  query: z.string().nullable(),
  /** By what they were found, and what could not be used. */
  how: z.string(),
  /** Whether there are more than these. */
  more: z.boolean(),
  /** Best first, or newest first; the figures are null where nothing was asked. */
  engrams: z.array(EngramView.extend({ similarity: figure, words: figure, score: figure })),
});
export type MemorySearch = z.infer<typeof MemorySearch>;
export type FoundView = MemorySearch["engrams"][number];

/** What `parley memory show --json` prints. Published as `schemas/memory-engram.schema.json`. */
export const MemoryEngram = EngramView.extend({
  /** The others of its cluster, oldest first; at most the newest 100. */
  history: z.array(EngramView),
});
export type MemoryEngram = z.infer<typeof MemoryEngram>;

/** What `parley memory facts --json` prints. Published as `schemas/memory-facts.schema.json`. */
export const MemoryFacts = z.strictObject({
  user: UserId,
  /** In the order in which they were pinned. `at`: ISO 8601 in UTC. */
  facts: z.array(
    z.strictObject({
      id: EngramId,
      fact: z.string(),
      at: z.string(),
      /** The model that kept what it was told; null where a person pinned it. */
      by: z.string().nullable(),
    }),
  ),
});
export type MemoryFacts = z.infer<typeof MemoryFacts>;

export const PinBody = z.strictObject({ fact: z.string().min(1).max(10_000) });
export const Pinned = z.strictObject({ id: z.string(), fresh: z.boolean() });

const count = z.int().nonnegative();

/** What comparisons show of a configuration: it wins more than it loses, the other way round, neither, or they are too few. */
const ContestReading = z.enum(["ahead", "behind", "not-told-apart", "too-few"]);
export type ContestReading = z.infer<typeof ContestReading>;

/** The statistics of a memory as they are printed. Published as `schemas/memory-stats.schema.json`. */
export const MemoryReport = z.strictObject({
  ...{ episodic: count, pinned: count, retired: count },
  /** With a grade, a comparison, a thumb or an outcome. */
  judged: count,
  ...{ forgotten: count, clusters: count },
  /** How each has done, for one kind of question or for all: by models, temperature and intent, every kind last. */
  configurations: z.array(
    z.strictObject({
      /** Who answered: one model, of a council all that spoke. */
      models: z.array(ModelRef),
      /** Null: the provider's own. */
      temperature: figure,
      /** Null: of every kind. */
      intent: Intent.nullable(),
      /** How many were remembered. */
      engrams: count,
      /** `ties`: comparisons without a winner, and those that changed with the order. */
      ...{ wins: count, losses: count, ties: count },
      /** Shares of all its comparisons, ties being neither won nor lost. */
      ...{ won: Estimate, lost: Estimate, tied: Estimate },
      /** The mean of the last grade of each engram; null where none has one. */
      grade: z.strictObject({ mean: figure, n: count }),
      /** What its comparisons show; of fewer than 20 nothing. */
      claim: ContestReading,
    }),
  ),
  user: UserId,
});
export type MemoryReport = z.infer<typeof MemoryReport>;
