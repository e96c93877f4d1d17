import * as z from "zod";
import { ReplyLimit, ParticipantId, StepKey, type Answer } from "../../../../kernel/index.ts";

/** More drafts or participants than this are not audited at once. */
const MAX = 26;

/**
 * The drafts of one deliberation, and who may have written them. The opening's context has their texts: `question`,
 * `draft/NAME`, and `participant/ID` with what a participant was told to be.
 */
export const AuthorshipSettings = z.strictObject({
  run: z.strictObject({ id: z.string(), simulated: z.boolean() }),
  candidates: z
    .array(z.strictObject({ id: ParticipantId, name: z.string(), model: z.string() }))
    .min(2)
    .max(MAX),
  /** `order`: the participants as a guess at this draft sees them, under the labels A, B, C… */
  drafts: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z0-9-]{1,40}$/),
        step: StepKey,
        author: ParticipantId,
        order: z.array(ParticipantId),
      }),
    )
    .min(1)
    .max(MAX),
  maxOutputTokens: ReplyLimit,
  /** Bounds every call, retries included. */
  callTimeoutMs: z.int().positive().default(180_000),
  /** Tells a run that asks once more for what had failed from the one before. */
  again: z.int().min(0).max(100).default(0),
});
export type AuthorshipSettings = z.infer<typeof AuthorshipSettings>;

/** The label of the participant in this place: A to Z. */
export const letterAt = (index: number): string => String.fromCharCode(65 + index);

/** Who is guessed to have written a draft; undefined where the letter is nobody's. */
export const guessedBy = (
  { order }: Pick<AuthorshipSettings["drafts"][number], "order">,
  final: Answer | null,
): ParticipantId | undefined =>
  final?.kind === "choice" ? order.find((_, index) => letterAt(index) === final.value) : undefined;
