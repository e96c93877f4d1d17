import * as z from "zod";

export const Json = z.json();
export type Json = z.infer<typeof Json>;

/** The schema that checks an id at the boundary also brands its type inside. */
const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "letters, digits, dot, dash and underscore only");

export const DeliberationId = name.brand("DeliberationId");
export type DeliberationId = z.infer<typeof DeliberationId>;

/** `<deliberation>/<origin>#<index>`: deterministic, so that a retry names the same event. */
export const EventId = z.string().min(1).max(2_000).brand("EventId");
export type EventId = z.infer<typeof EventId>;

export const ParticipantId = name.brand("ParticipantId");
export type ParticipantId = z.infer<typeof ParticipantId>;

/** Names a step by meaning (`round-2/critique/bob/of/alice`), not by position: the order of a fan-out does not change it. */
export const StepKey = z
  .string()
  .regex(
    /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/,
    "path segments of letters, digits, dot, dash and underscore",
  )
  .max(400)
  .brand("StepKey");
export type StepKey = z.infer<typeof StepKey>;

/** Position in the store-wide commit order, from 1; 0 is before the first event. */
export const Cursor = z.int().nonnegative().brand("Cursor");
export type Cursor = z.infer<typeof Cursor>;

/** Hexadecimal SHA-256 of a canonical form or of a text's UTF-8 bytes. */
export const Digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .brand("Digest");
export type Digest = z.infer<typeof Digest>;

/** A tenant; all data is separated by tenant. `local` by default. */
export const OrganizationId = name.brand("OrganizationId");
export type OrganizationId = z.infer<typeof OrganizationId>;

/** A series of deliberations: a conversation or a forest. */
export const SeriesId = name.brand("SeriesId");
export type SeriesId = z.infer<typeof SeriesId>;

export const FIRST_CURSOR: Cursor = Cursor.parse(0);

/** Two respondents answer independently: A's answer is shown, B's is for comparison. */
export const Respondent = z.enum(["A", "B"]);
export type Respondent = z.infer<typeof Respondent>;
