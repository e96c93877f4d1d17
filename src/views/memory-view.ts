import * as z from "zod";
import { Annotation, Engram, EngramId, Mark, UserId } from "../kernel/index.ts";

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

/** What the tool `remember_this` gives back where it keeps a fact, as `tool-called` records it; `fresh`: it was not there before. */
export type KeptFact = { readonly remembered: string; readonly id: EngramId; readonly fresh: boolean };

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
