import * as z from "zod";
import { ReplyLimit, Digest, ModelRef } from "../../../../kernel/index.ts";

const limits = {
  maxOutputTokens: ReplyLimit,
  callTimeoutMs: z.int().positive().default(180_000),
  /** How often a call that failed for good is made again, under a step of its own; forks that continue raise it. */
  again: z.int().min(0).max(100).default(0),
};
const persona = z.strictObject({ id: z.string(), name: z.string() });

export const PersonaSettings = z.discriminatedUnion("kind", [
  /** The remarks are the opening's context: `remark/1`, … */
  z.strictObject({ kind: z.literal("summary"), persona, remarks: z.int().positive(), ...limits }),
  /** The parents' instructions and feedback are the opening's context: `persona/ID`, `feedback/ID`. */
  z.strictObject({
    kind: z.literal("breeding"),
    name: z.string(),
    description: z.string(),
    /** The model that the child names, which is its first parent's. */
    model: ModelRef.optional(),
    parents: z.array(persona).min(2).max(3),
    ...limits,
  }),
  /** What a person decided; the persona's file is the opening's context: `file`. */
  z.strictObject({
    kind: z.literal("decision"),
    persona: z.string(),
    version: Digest,
    decision: z.enum(["edited", "accepted", "retired", "rolled-back"]),
    by: z.string(),
    why: z.string(),
  }),
]);
export type PersonaSettings = z.infer<typeof PersonaSettings>;
