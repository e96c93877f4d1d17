import * as z from "zod";
import { DeliberationId, EventId, OrganizationId, ParticipantId, Respondent } from "./ids.ts";
import { ModelRef } from "./model.ts";
import { Score } from "./outcome.ts";

/** Whose memory it is, within an organization. A store opened without one belongs to `local`. */
export const UserId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/, "letters, digits, dot, dash, underscore, @ and + only")
  .brand("UserId");
export type UserId = z.infer<typeof UserId>;

/** The id of the event that holds the answer; `pinned:` and 16 hexadecimal digits for a pinned fact. */
export const EngramId = z.string().min(1).max(2_000).brand("EngramId");
export type EngramId = z.infer<typeof EngramId>;

/** What a question wants. */
export const Intent = z.enum(["fact", "explanation", "comparison", "procedure", "other"]);
export type Intent = z.infer<typeof Intent>;

/** Whose engrams: nothing of one scope is ever seen from another. */
export type MemoryScope = { readonly organization: OrganizationId; readonly user: UserId };

/** What is remembered of one answer, or a fact that a person pinned. Never changed once it is written; what comes later is an annotation. */
export const Engram = z.strictObject({
  id: EngramId,
  type: z.enum(["episodic", "pinned"]),
  organization: OrganizationId,
  user: UserId,
  /** Empty for a pinned fact. */
  question: z.string().max(4_000),
  /** What the answer says, shortened; a pinned fact whole. */
  summary: z.string().max(4_000),
  intent: Intent,
  /** Names, places, products, figures that the question and the answer speak of. */
  entities: z.array(z.string().max(100)).max(40),
  participant: ParticipantId.nullable(),
  respondent: Respondent.nullable(),
  /** Who answered: one model, of a council all that spoke. */
  models: z.array(ModelRef).max(60),
  temperature: z.number().nullable(),
  /** null for a pinned fact, and for what was imported. */
  deliberation: DeliberationId.nullable(),
  /** The first deliberation of the conversation; its own where it stands alone. */
  conversation: DeliberationId.nullable(),
  /** Whether tools were called for it. */
  tools: z.boolean(),
  /** When the answer was given, ISO 8601 in UTC. */
  at: z.string(),
});
export type Engram = z.infer<typeof Engram>;

/**
 * What somebody said of a remembered answer later: who, when, and what. Each stands for itself, so that none can overwrite
 * another; `event` names it, and the same event annotates an engram once.
 */
export const Annotation = z.strictObject({
  event: EventId,
  /** Who judged: a model, or a person. */
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
    /** Words without a thumb. */
    z.strictObject({ kind: z.literal("comment"), text: z.string() }),
    /** Not recalled any more; it can still be looked up. */
    z.strictObject({ kind: z.literal("retired"), reason: z.string() }),
  ]),
});
export type Annotation = z.infer<typeof Annotation>;

/** How an engram is shown to whoever recalls it. */
export const Mark = z.enum(["good-example", "mixed", "avoid", "unjudged"]);
export type Mark = z.infer<typeof Mark>;

/** One recalled engram, with what made it fit. JSON, as `engrams-recalled` keeps it. */
export const Recalled = z.strictObject({
  id: EngramId,
  question: z.string(),
  summary: z.string(),
  mark: Mark,
  grade: Score.nullable(),
  /** The critic's words; empty where there are none. */
  feedback: z.string(),
  /** Cosine of question and engram, −1 to 1; null where one of them has no vector. */
  similarity: z.number().nullable(),
  /** Share of the question's words that the engram has, 0 to 1. */
  words: z.number(),
  /** What it was ranked by. */
  score: z.number(),
});
export type Recalled = z.infer<typeof Recalled>;

/** How engrams are found and ranked. Settings fill it; a deliberation pins it. */
export const RecallRules = z.strictObject({
  /** The least cosine. */
  minimum: z.number(),
  /** The least share of the question's words, where there is no cosine to go by. */
  minimumWords: z.number(),
  /** So many at most, */
  most: z.int().nonnegative(),
  /** and one more where its cosine (or its share of words) is at least this. */
  extraAt: z.number(),
  weights: z.strictObject({
    words: z.number(),
    /** Per entity of the question, as a share of them. */
    entities: z.number(),
    /** Per step of the grade away from 3. */
    grade: z.number(),
    /** A comparison won adds it, a lost one takes it away. */
    preference: z.number(),
    thumb: z.number(),
  }),
  /** An embedding that takes longer is done without, milliseconds. */
  timeoutMs: z.int().positive(),
});
export type RecallRules = z.infer<typeof RecallRules>;

export type RecallQuery = MemoryScope & {
  readonly question: string;
  readonly rules: RecallRules;
  /** Whose engrams stand in the prompt already. */
  readonly conversation: DeliberationId;
};

export type Recall = {
  /** Best first. */
  readonly engrams: readonly Recalled[];
  /** Pinned, in the order in which they were. */
  readonly facts: readonly string[];
  /** In words: by what they were found, and what could not be used. */
  readonly how: string;
};

/** An answer that is to be remembered; memory itself says what it is about. */
export type Remembered = Omit<Engram, "type" | "summary" | "intent" | "entities"> & {
  readonly answer: string;
  /** Near-duplicates from this cosine on (or share of common words) are one cluster. */
  readonly mergeAt: number;
};

export type WrittenEngram = {
  readonly engram: Engram;
  /** Whose near-duplicate it is: the first engram of its cluster, its own id where it stands alone. */
  readonly cluster: EngramId;
  /** Why it has no vector; null where it has one, or no model is set. */
  readonly unembedded: string | null;
};

/** `annotated`: it is there now; `known`: it was before; `kept`: for an engram that is yet to come; `gone`: for one that was forgotten. */
export type AnnotatedEngram = {
  readonly state: "annotated" | "known" | "kept" | "gone";
  /** Engrams whose kept annotations were let go for want of room, oldest first. */
  readonly lapsed: readonly EngramId[];
  /** Why it retires with this annotation; null where it does not. */
  readonly retires: string | null;
};

/** When a badly judged engram retires: verdicts against it outnumber those for it by this many. */
export type RetireRules = { readonly against: number };
