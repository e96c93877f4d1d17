import * as z from "zod";
import { requestSettingNames } from "../../app/start.ts";
import { sentences } from "../../config/setting-sentences.ts";
import { Settings as SettingsSchema, type SettingKey } from "../../config/settings.ts";
import { Opened } from "../../contract/runs.ts";
import { DeliberationId, Json, Labels } from "../../kernel/index.ts";
import { DebateFlags } from "../../protocols/debate/settings.ts";
import { INSTRUCTION_PARTS } from "../../text/instruction-parts.ts";
import { Result } from "../../views/result.ts";

// What requests take that is made of settings, and of what protocols and personas have. All else is said in `contract`.

const text = z.string();

/** The settings of these names as a request has them. */
const settingFields = (keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, settingField(key).describe(sentences[key as SettingKey])]));

const settings = settingFields(requestSettingNames());

const Attachment = z.strictObject({ name: text.max(1_000), text });

/** A question. Fields that only one protocol knows are refused by the others, with the nearest name. */
export const NewRequest = z.looseObject({
  ...settings,
  question: text.min(1),
  protocol: text.max(60).optional(),
  pack: text.max(60).optional(),
  /** Texts that models see fenced, as untrusted data. */
  context: z.array(Attachment).max(1_000).optional(),
  /** The deliberation that this one follows in a conversation. */
  previous: DeliberationId.optional(),
  again: z.boolean().optional(),
  /** Earlier turns that were held elsewhere, oldest first. */
  history: z
    .array(z.strictObject({ question: text, answer: text }))
    .max(1_000)
    .optional(),
  seats: z
    .array(z.strictObject({ name: text.min(1).max(100), seat: text.min(1).max(60) }))
    .max(26)
    .optional(),
  reactions: z.boolean().optional(),
  labels: Labels.optional(),
  protocolSettings: z.record(text, Json).optional(),
  ...DebateFlags.shape,
});

/** What a fork changes. */
export const ForkBody = z.strictObject({
  ...settings,
  without: z.array(text.max(100)).max(26).optional(),
  /** Reuses only what was recorded up to and including this event. */
  upToSeq: z.int().positive().optional(),
  /** Refuses one that lost no call by network, rate, overload or credentials; every fork asks anew what was lost so. */
  retry: z.boolean().optional(),
  labels: Labels.optional(),
});

/** What a reply with 200 holds that began before it was known which of them it would be. */
export const ResultOrOpened = z.union([Result, Opened]);

export { Result };

/** A user's text; its bytes are counted where it is written. */
const LibraryText = text.min(1).max(64_000);
const Why = text.trim().min(1).max(500);
/** The digest of the text that a change was made from: another one by now is refused. */
const digest = text.max(100).optional();

export const EntryBody = z.strictObject({ text: LibraryText, digest });

const Parts = z.strictObject(
  Object.fromEntries(INSTRUCTION_PARTS.map((part) => [part, text.min(1).max(20_000).optional()])),
);

/** Its whole file, or all of its parts. */
export const PersonaBody = z.union([
  z.strictObject({ text: LibraryText, why: Why.optional(), digest }),
  z.strictObject({ parts: Parts, why: Why.optional(), digest }),
]);

export const DecisionBody = z.strictObject({
  decision: z.enum(["accepted", "retired", "rolled-back"]),
  why: Why,
});

/** The settings of a request that say who writes and judges, and what it may take. */
const workSettings = settingFields([
  ...["models", "chair", "judge", "seed", "callTimeoutMs", "timeoutMs"],
  ...["maxCalls", "maxTotalTokens", "maxCostUsd", "draftTokens", "reviewTokens"],
]);

export const BreedBody = z.strictObject({
  ...workSettings,
  /** Two or three ids. */
  parents: z.array(text.max(60)).min(2).max(3),
  name: text.trim().min(1).max(80).optional(),
  /** Breeds once more what was bred before. */
  again: z.boolean().optional(),
});

export const TrialBody = z.strictObject({
  ...workSettings,
  /** The parent to compare with; by default the first. */
  against: text.max(60).optional(),
  /** Instead of held-out questions; those without an answer are judged. */
  tasks: z
    .array(
      z.strictObject({
        ...{ question: text.min(1).max(20_000), context: text.max(20_000).optional() },
        answer: text.min(1).max(2_000).optional(),
      }),
    )
    .min(1)
    .max(150)
    .optional(),
  again: z.boolean().optional(),
});

/**
 * A setting as a request in JSON has it: without its default and without the spellings of files and flags, such as lists with
 * commas, and with times in whole milliseconds or as people write them.
 */
function settingField(key: string): z.ZodType {
  const own: z.ZodType = SettingsSchema.shape[key as keyof typeof SettingsSchema.shape];
  const plain = own instanceof z.ZodDefault ? own.unwrap() : own;
  const bare = plain instanceof z.ZodOptional ? plain.unwrap() : plain;
  if (!key.endsWith("Ms")) return written(bare as z.ZodType).optional();
  return z
    .union([
      z
        .int()
        .positive()
        .max(2 ** 31 - 1),
      z.string().min(1).max(40),
    ])
    .optional();
}
/** What a spelling is read into, with the words that errors say of it. */
function written(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform
    ? (schema.out as z.ZodType).meta({ ...schema.meta() }) // a schema of its own
    : schema;
}
