import * as z from "zod";
import { requestSettingNames } from "../../app/start.ts";
import { Opened } from "../../contract/runs.ts";
import { DeliberationId, Json, Labels } from "../../kernel/index.ts";
import { RoundFields } from "../../contract/rounds.ts";
import { Result } from "../../views/result.ts";
import { settingFields } from "../route.ts";

// What requests take that is made of settings, and of what protocols and personas have. All else is said in `contract`.

const text = z.string();

const { models, ...others } = settingFields(requestSettingNames());
const settings = {
  ...others,
  ...(models && {
    models: models.describe(
      "The models that answer, as `provider/model`; by default those that are configured.",
    ),
  }),
} as Readonly<Record<string, z.ZodType>>;

const Attachment = z.strictObject({ name: text.max(1_000), text });

/** A question. Fields that only one protocol knows are refused by the others, with the nearest name. */
export const NewRequest = z.looseObject({
  ...settings,
  question: text.min(1),
  protocol: text.max(60).optional().describe("The protocol, as `name` or `name@version`; `ask` by default."),
  pack: text.max(60).optional().describe("A named group of settings."),
  context: z
    .array(Attachment)
    .max(1_000)
    .optional()
    .describe("Texts that models see beside the question, as untrusted data."),
  previous: DeliberationId.optional().describe("The deliberation that this one follows in a conversation."),
  again: z.boolean().optional().describe("Whether the previous turn is answered again."),
  /** Earlier turns that were held elsewhere, oldest first. */
  history: z
    .array(z.strictObject({ question: text, answer: text }))
    .max(1_000)
    .optional(),
  seats: z
    .array(z.strictObject({ name: text.min(1).max(100), seat: text.min(1).max(60) }))
    .max(26)
    .optional()
    .describe(
      "People who take part: `name` is a user, or `me`; `seat` is member, reviewer, judge or tie-break.",
    ),
  reactions: z.boolean().optional(),
  labels: Labels.optional(),
  protocolSettings: z.record(text, Json).optional(),
  ...RoundFields.shape,
});

/** What a fork changes. */
export const ForkBody = z.strictObject({
  ...settings,
  without: z.array(text.max(100)).max(26).optional().describe("Members to leave out, by id or name."),
  upToSeq: z
    .int()
    .positive()
    .optional()
    .describe("Only what was recorded up to and including this event is reused."),
  retry: z
    .boolean()
    .optional()
    .describe("Refuses one that lost no call by an outage; every fork asks anew what was lost so."),
  labels: Labels.optional(),
});

/** What a reply with 200 holds that began before it was known which of them it would be. */
export const ResultOrOpened = z.union([Result, Opened]);

export { Result };

/** A user's text; its bytes are counted where it is written. */
const LibraryText = text.min(1).max(64_000);
/** The digest of the text that a change was made from: another one by now is refused. */
const digest = text.max(100).optional();

export const EntryBody = z.strictObject({ text: LibraryText, digest });
