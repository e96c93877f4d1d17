import * as z from "zod";
import { Attachment, ModelRef } from "./model.ts";
import { RequestOptions } from "./model-options.ts";
import { DeliberationId, Digest, OrganizationId, SeriesId, Json, ParticipantId } from "./ids.ts";
import { UserId } from "./engram.ts";

/** A display name, and instructions pinned by the digest of their text. */
export const Persona = z.strictObject({ name: z.string().min(1).max(80), instructions: Digest });
export type Persona = z.infer<typeof Persona>;

/** A persona played by a model in one seat of a protocol (`member`, `chair`, …). Each seat is its own participant. */
export const Participant = z.strictObject({
  id: ParticipantId,
  seat: z.string().regex(/^[a-z][a-z-]*$/),
  persona: Persona,
  model: ModelRef,
  /** The vendor that trained the model, as known at the opening; null if unknown. */
  family: z.string().nullable(),
  temperature: z.number().min(0).max(2).optional(),
  /** The model thinks before it replies, as known at the opening, so that its replies need more room. */
  thinks: z.literal(true).optional(),
  /** How it searches the web, if it does: by its provider's `own` search, or with these tools of a server. */
  search: z.union([z.literal("own"), z.array(z.string()).min(1)]).optional(),
  /** What its provider is sent beside the prompt, its endpoint's own included. */
  options: RequestOptions.optional(),
});
export type Participant = z.infer<typeof Participant>;

/** True for a participant that writes answers which others judge or merge: a council's member or a debate's agent. */
export const isVoice = ({ seat }: Pick<Participant, "seat">): boolean =>
  seat === "member" || seat === "agent";

/** True for a voice, and for a respondent: what it writes comes from the question itself, not from others' answers to it. */
export const isAnswering = (one: Pick<Participant, "seat">): boolean =>
  isVoice(one) || one.seat.startsWith("respondent");

/** Hard caps of one deliberation; an absent cap means no limit. */
export const Budget = z.strictObject({
  usd: z.number().positive().optional(),
  /** Input and output tokens together. */
  tokens: z.int().positive().optional(),
  calls: z.int().positive().optional(),
  /** Wall time of one process's run. */
  timeMs: z.int().positive().optional(),
});
export type Budget = z.infer<typeof Budget>;

/** Up to 16 words of a client about a deliberation, each with a value. */
export const Labels = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((labels) => Object.keys(labels).length <= 16, "there may be at most 16 labels");
export type Labels = z.infer<typeof Labels>;

/**
 * The version of what reads replies (answers, verdicts, rankings) and compares answers. A change that reads a recorded reply
 * otherwise raises it, so that a replay can tell an older reading from an altered record.
 */
export const READERS_VERSION = 9;

/**
 * The complete, pinned input of a deliberation: resume, replay and fork read nothing else. Long texts (instructions,
 * templates, context) are digests of entries in the store's text table.
 */
export const Opening = z.strictObject({
  question: z.string(),
  /**
   * Attachments of the question, shown as data: a display name and the text. `media`: a picture or a document, which models that
   * can are shown beside the text; its digest names the bytes in base64.
   */
  context: z.array(
    z.strictObject({
      ...{ name: z.string(), text: Digest },
      media: Attachment.omit({ name: true }).optional(),
    }),
  ),
  protocol: z.strictObject({ name: z.string(), version: z.int().positive() }),
  /** The version of the readers that read the replies; absent means 1. */
  readers: z.int().positive().optional(),
  /** The settings after the protocol's schema has parsed them. */
  settings: z.record(z.string(), Json),
  /** The pack that members, strategy and settings are from; absent where none was named. */
  pack: z.string().optional(),
  /** In seat order, with unique ids. */
  participants: z
    .array(Participant)
    .min(1)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, "two participants have one id"),
  /** The protocol's templates, by name. */
  templates: z.record(z.string(), Digest),
  /** The random seed of shuffles, orders and fences; a fork keeps it. */
  seed: z.string().min(1),
  budget: Budget,
  /** How long each seat of a person waits for its answer; absent means without limit. */
  seatTimeoutMs: z.int().positive().optional(),
  /**
   * Tokens of prompt and reply together, by model, for servers that allocate them per request: each size is a load of the model, so
   * that all of a run's calls have the same.
   */
  contexts: z.record(z.string(), z.int().positive()).optional(),
  organization: OrganizationId,
  /**
   * The lists that the prices of its models were from when it was opened, and their dates; null for what settings say. Absent
   * where none of its models has a price.
   */
  prices: z.array(z.strictObject({ source: z.string(), date: z.string().nullable() })).optional(),
  /** The owner of the conversation; absent if it belongs to the whole organization. */
  user: UserId.optional(),
  series: z.strictObject({ id: SeriesId, index: z.int().nonnegative() }).optional(),
  /** The digest of the path of the folder in which it was asked; absent where none was, as by a server's client. */
  folder: Digest.optional(),
  /** The previous turn of the conversation. */
  previous: DeliberationId.optional(),
  /** The previous turn's question is asked again: that turn's answer is no part of the conversation any more. */
  again: z.literal(true).optional(),
  /** The earlier turns of the conversation, oldest first; `covers`: a summary of so many turns before, with an empty question. */
  history: z
    .array(z.strictObject({ question: Digest, answer: Digest, covers: z.int().positive().optional() }))
    .optional(),
  /** The enabled reactors by name, with the digest of their settings as canonical JSON. */
  reactions: z.record(z.string().regex(/^[a-z][a-z-]*$/), Digest).optional(),
  /** What its client calls it: words and their values, by which lists are filtered. */
  labels: Labels.optional(),
  /**
   * The request of a server's client: its credential, the digest of what it sent, and what replies repeat of it. `request`: the
   * digest of its name for the request, where the opening is named otherwise.
   */
  client: z
    .strictObject({
      ...{ key: z.string(), body: Digest, request: Digest.optional() },
      echo: z.record(z.string(), Json).optional(),
      /** The trace that it belongs to, as W3C writes that; absent without one, and where runs are not traced. */
      trace: z.strictObject({ parent: z.string(), state: z.string().optional() }).optional(),
    })
    .optional(),
  /** A fork reuses each parent step that was recorded up to and including this `seq` and has the same digest. */
  parent: z
    .strictObject({
      ...{ id: DeliberationId, upToSeq: z.int().positive() },
      /** It asks anew what an outage failed (`isOutage`); absent in forks that measure, and in those of earlier versions. */
      asksOutages: z.literal(true).optional(),
    })
    .optional(),
});
export type Opening = z.infer<typeof Opening>;

/** The pictures and documents of an opening, in the order in which prompts number them. */
export const attachmentsOf = ({ context }: Pick<Opening, "context">): readonly Attachment[] =>
  context.flatMap(({ name, media }) => (media ? [{ name, ...media }] : []));

/** The unique digests of the texts that an opening names: context with its media, instructions, templates, history, reactor settings. */
export const pinnedTexts = ({
  context,
  participants,
  templates,
  history = [],
  reactions = {},
}: Pick<Opening, "context" | "participants" | "templates" | "history" | "reactions">): readonly Digest[] => [
  ...new Set([
    ...context.flatMap(({ text, media }) => (media ? [text, media.digest] : [text])),
    ...participants.map(({ persona }) => persona.instructions),
    ...Object.values(templates),
    ...history.flatMap(({ question, answer }) => [question, answer]),
    ...Object.values(reactions),
  ]),
];
