import type * as z from "zod";
import {
  type Closing,
  type DeliberationId,
  type Embeddings,
  type Entry,
  type EventId,
  type Json,
  type Memory,
  type Opening,
  type Participant,
  type ReportPart,
  type Respondent,
  type Tools,
  Fault,
} from "../kernel/index.ts";
import type { ProtocolOpening } from "./opening-part.ts";
import type { StepRunner } from "./run.ts";

/** A turn, and where it stands on the journal. */
export type RecordedTurn = Turn & { readonly deliberation: DeliberationId; readonly of: EventId };

/** What protocols may use beside models, only inside of effects; what is absent is not to be had. A replay has none of them. */
export type Ports = {
  /** By reference; null: whichever the settings name. */
  readonly embeddings?: (model: string | null) => Embeddings | null;
  /** As the opening's settings say. */
  readonly tools?: (opening: Opening) => Promise<Tools | null>;
  readonly memory?: Memory;
  /**
   * The turns before this opening's in its conversation, oldest first, with the answers of the respondent `by`. `recorded`: all
   * that are there; else as many as a prompt shows, and one that somebody is at is waited for.
   */
  readonly turns?: (
    opening: Opening,
    by: Respondent,
    options: { readonly recorded: boolean; readonly signal: AbortSignal },
  ) => Promise<readonly RecordedTurn[]>;
};

/** One earlier turn of a conversation, as one respondent knows it. */
export type Turn = { readonly question: string; readonly answer: string };

/** What a protocol may touch: the opening's pinned facts, the run, and the ports. */
export interface ProtocolContext<S = unknown> {
  readonly question: string;
  /** Given with the question: foreign text, to be fenced. */
  readonly context: readonly { readonly name: string; readonly text: string }[];
  /** What was asked and answered before in the conversation, oldest first. */
  readonly history: readonly Turn[];
  /** The first deliberation of the conversation: this one's own id where it begins one. Enters no prompt and no digest. */
  readonly conversation: DeliberationId;
  readonly settings: S;
  /** By seat, in the opening's order; empty when nobody has it. */
  readonly seats: (seat: string) => readonly Participant[];
  /** A participant's instructions, as pinned. */
  readonly instructions: (participant: Participant) => string;
  /** A template's text, as pinned. @throws Fault `template-missing` for a name that the opening does not pin */
  readonly template: (name: string) => string;
  /** The mark of a fence around a foreign text. */
  readonly mark: (text: string) => string;
  /** `items` in the order that the deliberation's seed gives them for this purpose. */
  readonly shuffle: <T extends string>(purpose: string, items: readonly T[]) => T[];
  readonly opening: Opening;
  readonly run: StepRunner;
  readonly ports: Ports;
}

/** A prompt's template as a protocol declares it, with the slots that its text has. */
export type PromptTemplate = {
  readonly name: string;
  readonly slots: readonly string[];
  /** The text that ships; an opening pins this one or the user's own. */
  readonly text: string;
};

/** A seat of a protocol, and which field of a request names the models that take it. */
export type SeatSpec = {
  readonly name: string;
  readonly filledBy: "models" | "chair" | "judge";
  /** The fewest and the most that sit here; without `max` any number. */
  readonly min: number;
  readonly max?: number;
  /** Whether the first does the work and the others step in for it, in order. */
  readonly fallbacks?: boolean;
  /** The persona of everybody in this seat; without it, the request's personas by turns. */
  readonly persona?: string;
  /** What help says about the models of this seat. */
  readonly description?: string;
};

/** What a protocol's `view.ts` exports. */
export type ProtocolView = {
  /** Folds the protocol's section of a result from a deliberation's events. */
  sectionOf(entries: readonly Entry[]): unknown;
  /** The form of the section, for whoever reads it as JSON. */
  readonly sectionSchema?: z.ZodType;
};

/** What a protocol's `report.ts` exports: one of the two. */
export type ProtocolReport = {
  /** The lines that tell the section that the view folds. */
  sectionLines?(section: never): readonly string[];
  /** The section as parts of a report, where lines are not enough; `result` is the result that it is a section of. */
  sectionParts?(section: never, result: never): readonly ReportPart[];
  /** Whether the section is what the protocol is asked for, so that no answer is missed. */
  readonly isVerdict?: boolean;
};

/**
 * An async function that conducts a deliberation, and whose every effect is a named, once-only step. It
 * runs again from the start on every resume, replay and fork; it must not look at clocks, chance, or the
 * order in which concurrent steps ended.
 */
export interface Protocol<S = unknown> {
  readonly name: string;
  /** Raise it when a step is renamed or fed differently; open deliberations keep the version they began with. */
  readonly version: number;
  /** What it does in one clause, verb first, for a list of commands. */
  readonly summary: string;
  readonly seats: readonly SeatSpec[];
  /** A setting whose schema has `.meta({ flag, description })` is offered by the command line. */
  readonly settings: z.ZodType<S>;
  /** What the protocol's own opening reads from a request: an object, whose fields are offered as those of `settings` are. */
  readonly request?: z.ZodType;
  /** The templates that an opening must pin. */
  readonly templates: readonly PromptTemplate[];
  /** Other texts that an opening must pin, by name: `strategy`. */
  readonly texts?: readonly string[];
  /** Its own section of a result; loaded where a result is shown. */
  readonly view?: () => Promise<ProtocolView>;
  /** The words for that section; loaded where a result is printed. */
  readonly report?: () => Promise<ProtocolReport>;
  /** Loads the protocol's own opening; without it the panel takes the seats that are declared. */
  readonly opening?: () => Promise<ProtocolOpening>;
  deliberate(context: ProtocolContext<S>): Promise<Closing>;
}

export const defineProtocol = <S>(protocol: Protocol<S>): Protocol<S> => protocol;

/** A protocol whose settings are not known statically, as a registry holds it. */
export type AnyProtocol = Omit<Protocol<Json>, "deliberate" | "settings"> & {
  readonly settings: z.ZodType;
  // Method bivariance lets every Protocol<S> in; `drive` parses the settings with the protocol's own schema first.
  deliberate(context: ProtocolContext<never>): Promise<Closing>;
};

/** Features of one kind: a list, or by name, each at hand or loaded when it is needed. */
export type Registry<T extends { readonly name: string }> =
  readonly T[] | { readonly [name: string]: T | (() => Promise<T>) };

// `Array.isArray` does not narrow readonly arrays out of a union.
const isList = <T extends { readonly name: string }>(registry: Registry<T>): registry is readonly T[] =>
  Array.isArray(registry);

/** The names of a registry's features, in its order; nothing is loaded. */
export const listNames = (registry: Registry<{ readonly name: string }>): readonly string[] =>
  isList(registry) ? registry.map(({ name }) => name) : Object.keys(registry);

/** Loads every feature of a registry. */
export async function loadAll<T extends { readonly name: string }>(
  registry: Registry<T>,
): Promise<readonly T[]> {
  return Promise.all(
    (isList(registry) ? registry : Object.values(registry)).map((feature) => load<T>(feature)),
  );
}

/** Loads one feature; undefined for a name that the registry does not have. */
export async function loadNamed<T extends { readonly name: string }>(
  registry: Registry<T>,
  name: string,
): Promise<T | undefined> {
  if (isList(registry)) return registry.find((one) => one.name === name);
  const feature = Object.hasOwn(registry, name) ? registry[name] : undefined;
  return feature === undefined ? undefined : load(feature);
}

async function load<T extends { readonly name: string }>(feature: T | (() => Promise<T>)): Promise<T> {
  return typeof feature === "function" ? feature() : feature;
}

/** Loads the protocol that an opening names. @throws Fault `protocol-unknown` */
export async function loadProtocol(
  registry: Registry<AnyProtocol>,
  { name, version }: { readonly name: string; readonly version: number },
): Promise<AnyProtocol> {
  const versions = isList(registry)
    ? registry.filter((one) => one.name === name)
    : [await loadNamed(registry, name)].filter((one) => one !== undefined);
  const protocol = versions.find((one) => one.version === version);
  if (protocol) return protocol;
  const shipped = (await loadAll(registry)).map((one) => `${one.name}@${one.version}`).join(", ");
  throw new Fault("protocol-unknown", { name, version, shipped });
}
