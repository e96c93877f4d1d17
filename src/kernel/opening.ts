import * as z from "zod";
import { ModelRef } from "./model.ts";
import { DeliberationId, Digest, OrganizationId, SeriesId, Json, ParticipantId } from "./ids.ts";
import { UserId } from "./engram.ts";

/** Who speaks: a name people read, and instructions pinned by the digest of their text. */
export const Persona = z.strictObject({ name: z.string().min(1).max(80), instructions: Digest });
export type Persona = z.infer<typeof Persona>;

/**
 * A persona spoken for by a model, in a seat of one protocol (`member`, `chair`, …). Plain data: it
 * stands in the opening event. Two seats of one person are two participants.
 */
export const Participant = z.strictObject({
  id: ParticipantId,
  seat: z.string().regex(/^[a-z][a-z-]*$/),
  persona: Persona,
  model: ModelRef,
  /** Who trained the model, as known at the opening; null: unknown until declared. */
  family: z.string().nullable(),
  temperature: z.number().min(0).max(2).optional(),
});
export type Participant = z.infer<typeof Participant>;

/** Whether who sits there gives answers of its own, which others judge or put together: a council's member, a debate's agent. */
export const isVoice = ({ seat }: Pick<Participant, "seat">): boolean =>
  seat === "member" || seat === "agent";

/** Hard caps of one deliberation; an absent one is not capped. */
export const Budget = z.strictObject({
  usd: z.number().positive().optional(),
  /** In and out together. */
  tokens: z.int().positive().optional(),
  calls: z.int().positive().optional(),
  /** Wall time of one driver, milliseconds. */
  timeMs: z.int().positive().optional(),
});
export type Budget = z.infer<typeof Budget>;

/**
 * All that a deliberation stands on, pinned: a resume, a replay and a fork use this and nothing else.
 * Long texts (instructions, templates, context) are named by digest and lie in the store's text table.
 */
export const Opening = z.strictObject({
  question: z.string(),
  /** Material given with the question, shown as data: a name for people, and its text. */
  context: z.array(z.strictObject({ name: z.string(), text: Digest })),
  protocol: z.strictObject({ name: z.string(), version: z.int().positive() }),
  /** As the protocol's own schema resolved them. */
  settings: z.record(z.string(), Json),
  /** In seat order; an id names one of them. */
  participants: z
    .array(Participant)
    .min(1)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, "two participants have one id"),
  /** Every template that the protocol may render, by name. */
  templates: z.record(z.string(), Digest),
  /** Decides shuffles, orders and fences; kept by forks. */
  seed: z.string().min(1),
  budget: Budget,
  organization: OrganizationId,
  /** Whose conversation it is; absent where it is everybody's in the organization. */
  user: UserId.optional(),
  series: z.strictObject({ id: SeriesId, index: z.int().nonnegative() }).optional(),
  /** Whose turn this one follows in a conversation. */
  previous: DeliberationId.optional(),
  /** What was asked and answered before in the conversation, oldest first. */
  history: z.array(z.strictObject({ question: Digest, answer: Digest })).optional(),
  /** The reactors that answer this deliberation's events, with their settings as canonical JSON. */
  reactions: z.record(z.string().regex(/^[a-z][a-z-]*$/), Digest).optional(),
  /** A fork adopts what the parent recorded up to and including this `seq`, step by step, where the digest is the same. */
  parent: z.strictObject({ id: DeliberationId, upToSeq: z.int().positive() }).optional(),
});
export type Opening = z.infer<typeof Opening>;

/** The texts that an opening names by digest, each once: context, instructions, templates, history, settings of reactors. */
export const pinnedTexts = ({
  context,
  participants,
  templates,
  history = [],
  reactions = {},
}: Pick<Opening, "context" | "participants" | "templates" | "history" | "reactions">): readonly Digest[] => [
  ...new Set([
    ...context.map(({ text }) => text),
    ...participants.map(({ persona }) => persona.instructions),
    ...Object.values(templates),
    ...history.flatMap(({ question, answer }) => [question, answer]),
    ...Object.values(reactions),
  ]),
];
