import * as z from "zod";
import { DeliberationId, EventId, OrganizationId, ParticipantId, Respondent } from "./ids.ts";
import { ModelRef } from "./model.ts";
import { Score } from "./outcome.ts";

/** The owner of a memory within an organization; `local` by default. */
export const UserId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/, "letters, digits, dot, dash, underscore, @ and + only")
  .brand("UserId");
export type UserId = z.infer<typeof UserId>;

/** The id of the answer's event, or `pinned:` and 16 hexadecimal digits for a pinned fact. */
export const EngramId = z.string().min(1).max(2_000).brand("EngramId");
export type EngramId = z.infer<typeof EngramId>;

/** What kind of answer a question asks for. */
export const Intent = z.enum(["fact", "explanation", "comparison", "procedure", "other"]);
export type Intent = z.infer<typeof Intent>;

/** The owner of engrams. No scope sees engrams of another scope. */
export type MemoryScope = { readonly organization: OrganizationId; readonly user: UserId };

/** One remembered answer, or a fact that a person pinned. It is immutable; later feedback is stored as annotations. */
export const Engram = z.strictObject({
  id: EngramId,
  type: z.enum(["episodic", "pinned"]),
  organization: OrganizationId,
  user: UserId,
  /** Empty for a pinned fact. */
  question: z.string().max(4_000),
  /** A summary of the answer, or the full text of a pinned fact. */
  summary: z.string().max(4_000),
  intent: Intent,
  /** Names, places, products and figures that the question or the answer mentions. */
  entities: z.array(z.string().max(100)).max(40),
  /** Who answered, or who was told the fact; null where a person pinned it. */
  participant: ParticipantId.nullable(),
  respondent: Respondent.nullable(),
  /** The model that answered, or all models of a council. */
  models: z.array(ModelRef).max(60),
  temperature: z.number().nullable(),
  /** null for a fact that a person pinned and for an imported entry. */
  deliberation: DeliberationId.nullable(),
  /** The first deliberation of the conversation, which may be the same one. */
  conversation: DeliberationId.nullable(),
  tools: z.boolean(),
  /** When the answer was given, ISO 8601 in UTC. */
  at: z.string(),
});
export type Engram = z.infer<typeof Engram>;

/** Later feedback on a remembered answer. Annotations never overwrite each other; `event` is the annotation's id, unique per engram. */
export const Annotation = z.strictObject({
  event: EventId,
  /** The judge: a model or a person. */
  by: z.string().max(1_000),
  /** ISO 8601 in UTC. */
  at: z.string(),
  what: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("grade"), score: Score, feedback: z.string(), rubric: z.string() }),
    z.strictObject({
      kind: z.literal("preference"),
      result: z.enum(["won", "lost", "tied"]),
      against: EngramId,
      orderSensitive: z.boolean(),
      reason: z.string(),
    }),
    z.strictObject({ kind: z.literal("thumb"), thumb: z.enum(["up", "down"]), text: z.string().optional() }),
    z.strictObject({
      kind: z.literal("outcome"),
      outcome: z.enum(["good", "bad"]),
      text: z.string().optional(),
    }),
    /** Text without a thumb. */
    z.strictObject({ kind: z.literal("comment"), text: z.string() }),
    /** The engram is no longer recalled, but can still be looked up. */
    z.strictObject({ kind: z.literal("retired"), reason: z.string() }),
  ]),
});
export type Annotation = z.infer<typeof Annotation>;

/** The label that a recalled engram has in a prompt. */
export const Mark = z.enum(["good-example", "mixed", "avoid", "unjudged"]);
export type Mark = z.infer<typeof Mark>;

/** One recalled engram with its match scores, as recorded in `engrams-recalled`. */
export const Recalled = z.strictObject({
  id: EngramId,
  question: z.string(),
  summary: z.string(),
  mark: Mark,
  grade: Score.nullable(),
  /** The judge's text; empty if there is none. */
  feedback: z.string(),
  /** Cosine similarity of question and engram, −1 to 1; null if either has no vector. */
  similarity: z.number().nullable(),
  /** Share of the question's words that the engram contains, 0 to 1. */
  words: z.number(),
  /** The score that ranks it. */
  score: z.number(),
});
export type Recalled = z.infer<typeof Recalled>;

/** How engrams are found and ranked. The values come from the settings and are pinned by the deliberation. */
export const RecallRules = z.strictObject({
  /** Minimum cosine similarity. */
  minimum: z.number(),
  /** Minimum share of the question's words, used if there is no cosine similarity. */
  minimumWords: z.number(),
  /** Maximum number of engrams. */
  most: z.int().nonnegative(),
  /** One more engram is recalled if its cosine similarity (or its share of words) is at least this. */
  extraAt: z.number(),
  weights: z.strictObject({
    words: z.number(),
    /** Multiplies the share of the question's entities that the engram has. */
    entities: z.number(),
    /** Added per point of the grade above 3, and subtracted per point below. */
    grade: z.number(),
    /** Added for a won comparison and subtracted for a lost one. */
    preference: z.number(),
    thumb: z.number(),
  }),
  /** Recall goes on without an embedding that takes longer than this. */
  timeoutMs: z.int().positive(),
});
export type RecallRules = z.infer<typeof RecallRules>;

export type RecallQuery = MemoryScope & {
  readonly question: string;
  readonly rules: RecallRules;
  /** Its engrams are skipped, because the prompt already has them. */
  readonly conversation: DeliberationId;
};

export type Recall = {
  /** Best first. */
  readonly engrams: readonly Recalled[];
  /** Pinned facts, oldest first. */
  readonly facts: readonly string[];
  /** Text that names the search methods that were used and those that were unavailable. */
  readonly how: string;
};

/** An answer to store. The memory fills in summary, intent and entities. */
export type Remembered = Omit<Engram, "type" | "summary" | "intent" | "entities"> & {
  readonly answer: string;
  /** Engrams with at least this cosine similarity (or share of common words) are near-duplicates, in one cluster. */
  readonly mergeAt: number;
};

/** A fact that a participant was told, and in which turn of which conversation. */
export type ToldFact = MemoryScope & {
  readonly fact: string;
  readonly participant: ParticipantId;
  readonly model: ModelRef;
  readonly deliberation: DeliberationId;
  readonly conversation: DeliberationId;
};

/** `fresh: false`: it was pinned before this deliberation. */
export type PinOutcome =
  | { readonly ok: true; readonly engram: Engram; readonly fresh: boolean }
  | { readonly ok: false; readonly reason: string };

export type WrittenEngram = {
  readonly engram: Engram;
  /** The first engram of its cluster of near-duplicates, which may be itself. */
  readonly cluster: EngramId;
  /** Why it has no vector; null if it has one, or if no embedding model is set. */
  readonly unembedded: string | null;
};

/** `annotated`: added; `known`: was there already; `kept`: waits for an engram not yet written; `gone`: the engram was deleted. */
export type AnnotatedEngram = {
  readonly state: "annotated" | "known" | "kept" | "gone";
  /** Engrams whose waiting annotations were dropped for lack of space, oldest first. */
  readonly lapsed: readonly EngramId[];
  /** Why this annotation retires the engram; null if it does not. */
  readonly retires: string | null;
};

/** An engram retires when its negative verdicts outnumber its positive ones by `against`. */
export type RetireRules = { readonly against: number };
