import * as z from "zod";
import { Json } from "../../kernel/index.ts";
import { INSTRUCTION_PARTS } from "../../text/instruction-parts.ts";
import { settingField } from "./setting-field.ts";

const text = z.string();
const From = z.enum(["built-in", "user", "project"]);
/** A user's text; its bytes are counted where it is written. */
const LibraryText = text.min(1).max(64_000);
const Why = text.trim().min(1).max(500);
/** The digest of the text that a change was made from: another one by now is refused. */
const digest = text.max(100).optional();

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

export const EntryBody = z.strictObject({ text: LibraryText, digest });

export const PromptEntry = z.strictObject({
  ...{ name: text, from: From, text, digest: text, shipped: text, replaced: z.boolean() },
  protocols: z.array(text),
  slots: z.array(z.strictObject({ name: text, required: z.boolean() })),
  problem: text.nullable(),
});
export const PromptList = z.strictObject({ data: z.array(PromptEntry) });

const Parts = z.strictObject(
  Object.fromEntries(INSTRUCTION_PARTS.map((part) => [part, text.min(1).max(20_000).optional()])),
);

export const PersonaEntry = z.strictObject({
  ...file,
  /** Its id, as requests and paths name it. */
  id: text,
  status: z.enum([
    ...(["shipped", "own", "on-trial", "changed", "accepted", "taken-back"] as const),
    ...(["retired", "unusable"] as const),
  ]),
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

/** A persona after a change, and the run that recorded it. */
export const PersonaChanged = z.strictObject({ run: text.nullable(), persona: PersonaEntry });

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
const settings = Object.fromEntries(
  [
    ...["models", "chair", "judge", "seed", "callTimeoutMs", "timeoutMs"],
    ...["maxCalls", "maxTotalTokens", "maxCostUsd", "draftTokens", "reviewTokens"],
  ].map((key) => [key, settingField(key)]),
);

export const BreedBody = z.strictObject({
  ...settings,
  /** Two or three ids. */
  parents: z.array(text.max(60)).min(2).max(3),
  name: text.trim().min(1).max(80).optional(),
  /** Breeds once more what was bred before. */
  again: z.boolean().optional(),
});

export const TrialBody = z.strictObject({
  ...settings,
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

const Decision = z.enum(["better", "no-better", "open", "undecided"]);
const tally = { wins: z.int(), losses: z.int(), ties: z.int(), decision: Decision };

const FamilyMember = z.strictObject({
  ...{ id: text, name: text, version: text.nullable(), parents: z.array(text) },
  /** `missing`: its file is gone. */
  status: text,
  versions: z.array(z.strictObject({ version: text, at: text, how: text, by: text, why: text, run: text })),
  trials: z.array(
    z.strictObject({
      ...{ run: text, at: text, version: text, against: text, verdict: text },
      /** How each question went, in the order in which the test counts them. */
      tests: z.array(
        z.strictObject({
          ...{ against: text, ...tally },
          path: z.array(z.enum(["win", "loss", "tie"])),
        }),
      ),
    }),
  ),
  live: z.strictObject(tally).nullable(),
});

export const PersonaFamily = z.strictObject({
  persona: FamilyMember,
  /** The nearest first, each once. */
  ancestors: z.array(FamilyMember),
  descendants: z.array(FamilyMember),
});
