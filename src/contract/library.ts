import * as z from "zod";
import { Json } from "../kernel/index.ts";

const text = z.string();

/** Personas, strategies or packs: those in use, by name. */
export const Catalog = z.strictObject({
  data: z.array(z.strictObject({ name: text, description: text, text, from: text, missing: z.array(text) })),
});
export type Catalog = z.infer<typeof Catalog>;
export type CatalogRow = Catalog["data"][number];

/** Each setting by its name in files: its value, and where that comes from. */
export const ConfigReply = z.record(text, z.looseObject({ value: Json.optional(), from: text }));
export type ConfigReply = z.infer<typeof ConfigReply>;

/** Whose entry of the library it is. */
const From = z.enum(["built-in", "user", "project"]);
export type LibraryFrom = z.infer<typeof From>;

/** What all entries of the library say of their file. */
const file = {
  ...{ name: text, description: text, from: From },
  /** The whole file; of what ships, the same as YAML. Null for one that is no text. */
  text: text.nullable(),
  digest: text.nullable(),
  /** Why it cannot be used. */
  problem: text.nullable(),
  /** Where the entries are from that it stands in front of. */
  shadows: z.array(From),
  /** The text that ships under its name; null where none does. */
  shipped: text.nullable(),
};

export const StrategyEntry = z.strictObject({
  ...file,
  strategy: z.strictObject({ directive: text, sees: z.array(text), needsGoal: z.boolean() }).nullable(),
});
export type StrategyReply = z.infer<typeof StrategyEntry>;

/** Null for a file that only hides another pack. */
export const PackEntry = z.strictObject({
  ...file,
  pack: z
    .strictObject({
      ...{ title: text, protocol: text },
      /** What it sets, as the fields of a request. */
      settings: z.record(text, Json),
    })
    .nullable(),
});
export type PackEntry = z.infer<typeof PackEntry>;

export const PromptEntry = z.strictObject({
  ...{ name: text, from: From, text, digest: text, shipped: text, replaced: z.boolean() },
  protocols: z.array(text),
  slots: z.array(z.strictObject({ name: text, required: z.boolean() })),
  problem: text.nullable(),
});
export type PromptEntry = z.infer<typeof PromptEntry>;
export const PromptList = z.strictObject({ data: z.array(PromptEntry) });
export type PromptList = z.infer<typeof PromptList>;

/** Where a persona stands. `changed`: it was accepted, and its instructions are others now. */
const PersonaStatus = z.enum(["own", "on-trial", "changed", "accepted", "taken-back", "retired"]);
export type PersonaStatus = z.infer<typeof PersonaStatus>;

export const PersonaEntry = z.strictObject({
  ...file,
  /** Its id, as requests and paths name it. */
  id: text,
  status: z.enum(["shipped", ...PersonaStatus.options, "unusable"]),
  /** The digest of its instructions, as trials and decisions name it. */
  version: text.nullable(),
  /** What a model reads. */
  instructions: text.nullable(),
  /** Its instructions by part; null where they are one text. */
  parts: z.record(text, text).nullable(),
  missing: z.array(text),
  ...{ model: text.nullable(), temperature: z.number().nullable(), tools: z.array(text) },
  lineage: z
    .strictObject({
      ...{ bred: text, prompt: text, seed: text, model: text },
      parents: z.array(z.strictObject({ id: text, version: text, feedback: text.nullable() })),
    })
    .nullable(),
  accepted: z.strictObject({ version: text, at: text, by: text }).nullable(),
  retired: z.strictObject({ at: text, by: text }).nullable(),
});
export type PersonaEntry = z.infer<typeof PersonaEntry>;

/** A persona after a change, and the run that recorded it. */
export const PersonaChanged = z.strictObject({ run: text.nullable(), persona: PersonaEntry });
export type PersonaChanged = z.infer<typeof PersonaChanged>;

const Decision = z.enum(["better", "no-better", "open", "undecided"]);
const tally = { wins: z.int(), losses: z.int(), ties: z.int(), decision: Decision };

/** All that is on record of a persona, among its own: its parents by id. */
const FamilyMember = z.strictObject({
  ...{ id: text, name: text },
  /** The digest of its present instructions. */
  version: text.nullable(),
  parents: z.array(text),
  /** `missing`: its file is gone. */
  status: z.enum([...PersonaStatus.options, "missing"]),
  versions: z.array(z.strictObject({ version: text, at: text, how: text, by: text, why: text, run: text })),
  trials: z.array(
    z.strictObject({
      ...{ run: text, at: text, version: text, against: text },
      /** `accepted`, `not accepted`, or how it stands. */
      verdict: text,
      /** How each question went, in the order in which the test counts them. */
      tests: z.array(
        z.strictObject({ against: text, ...tally, path: z.array(z.enum(["win", "loss", "tie"])) }),
      ),
    }),
  ),
  /** How it was ranked since it was accepted. */
  live: z.strictObject(tally).nullable(),
});
export type FamilyMember = z.infer<typeof FamilyMember>;

export const PersonaFamily = z.strictObject({
  persona: FamilyMember,
  /** The nearest first, each once. */
  ancestors: z.array(FamilyMember),
  descendants: z.array(FamilyMember),
});
export type PersonaFamily = z.infer<typeof PersonaFamily>;
