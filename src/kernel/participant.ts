import * as z from "zod";
import { Digest, ParticipantId } from "./ids.ts";
import { ModelRef } from "./model.ts";

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

/** Of two that answer the same question independently: whose answer is shown, and whose is for comparison. */
export const Respondent = z.enum(["A", "B"]);
export type Respondent = z.infer<typeof Respondent>;

/** Whether who sits there gives answers of its own, which others judge or put together: a council's member, a debate's agent. */
export const isVoice = ({ seat }: Pick<Participant, "seat">): boolean =>
  seat === "member" || seat === "agent";
