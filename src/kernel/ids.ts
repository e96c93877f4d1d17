import * as z from "zod";

/** Any JSON value. */
export const Json = z.json();
export type Json = z.infer<typeof Json>;

/** An id is a branded string: the schema that admits it at the boundary is also its type inside. */
const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "letters, digits, dot, dash and underscore only");

export const DeliberationId = name.brand("DeliberationId");
export type DeliberationId = z.infer<typeof DeliberationId>;

/** `<deliberation>/<origin>#<index>`: never random, so a retry names the same event. */
export const EventId = z.string().min(1).max(2_000).brand("EventId");
export type EventId = z.infer<typeof EventId>;

export const ParticipantId = name.brand("ParticipantId");
export type ParticipantId = z.infer<typeof ParticipantId>;

/** Names a step by meaning (`round-2/critique/bob/of/alice`), never by position, so fan-out order cannot change it. */
export const StepKey = z
  .string()
  .regex(
    /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/,
    "path segments of letters, digits, dot, dash and underscore",
  )
  .max(400)
  .brand("StepKey");
export type StepKey = z.infer<typeof StepKey>;

/** Place in the store-wide commit order, from 1; 0 is before the first event. */
export const Cursor = z.int().nonnegative().brand("Cursor");
export type Cursor = z.infer<typeof Cursor>;

/** SHA-256, hexadecimal, of a canonical form or of a text's UTF-8 bytes. */
export const Digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .brand("Digest");
export type Digest = z.infer<typeof Digest>;

/** A tenant; everything is separated by it. A store opened without one belongs to `local`. */
export const OrganizationId = name.brand("OrganizationId");
export type OrganizationId = z.infer<typeof OrganizationId>;

/** A conversation or a forest: deliberations that follow each other. */
export const SeriesId = name.brand("SeriesId");
export type SeriesId = z.infer<typeof SeriesId>;

export const FIRST_CURSOR: Cursor = Cursor.parse(0);

/** Of two that answer the same question independently: whose answer is shown, and whose is for comparison. */
export const Respondent = z.enum(["A", "B"]);
export type Respondent = z.infer<typeof Respondent>;
