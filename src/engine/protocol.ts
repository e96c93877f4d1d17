import type * as z from "zod";
import {
  type Attachment,
  type Closing,
  type DeliberationId,
  type Embeddings,
  type Entry,
  type EventId,
  type Executor,
  type Json,
  type Memory,
  type Opening,
  type Participant,
  type ProtocolReport,
  type Respondent,
  type Tools,
  type ToolSpec,
  Fault,
} from "../kernel/index.ts";
import type { ProtocolOpening, Turn } from "./opening-part.ts";
import type { StepRunner } from "./run.ts";

export type RecordedTurn = Turn & { readonly deliberation: DeliberationId; readonly of: EventId };

/** Services that protocols may use inside effects, besides models. Each is optional; a replay has none. */
export type Ports = {
  /** Returns an embedding model by reference; null for the configured one. */
  readonly embeddings?: (model: string | null) => Embeddings | null;
  /** Returns the tools that the opening's settings allow; `specs`: what the participant was told of its own, as pinned. */
  readonly tools?: (opening: Opening, specs: readonly ToolSpec[]) => Promise<Tools | null>;
  readonly memory?: Memory;
  /** Runs deterministic checks, such as the gates of a forest. */
  readonly executor?: Executor;
  /**
   * Returns the conversation's turns before this opening, oldest first, with the answers of the respondent `by`.
   * `after`: those that a prompt shows once the reactor of this name has ended with the turn before: all since the last summary; null: all.
   */
  readonly turns?: (
    opening: Opening,
    by: Respondent,
    options: { readonly after: string | null; readonly signal: AbortSignal },
  ) => Promise<readonly RecordedTurn[]>;
};

/** A protocol's access to the pinned opening, the run and the ports. */
export interface ProtocolContext<S = unknown> {
  readonly question: string;
  /** The question's attachments: untrusted text, to be fenced. */
  readonly context: readonly {
    readonly name: string;
    readonly text: string;
    readonly media?: Omit<Attachment, "name"> | undefined;
  }[];
  /** The earlier turns of the conversation, oldest first. */
  readonly history: readonly Turn[];
  /** Its own id. Like `conversation`, it is not part of any prompt or digest. */
  readonly deliberation: DeliberationId;
  /** The first deliberation of the conversation, which may be this one. It is not part of any prompt or digest. */
  readonly conversation: DeliberationId;
  readonly settings: S;
  /** Returns a seat's participants in the opening's order. */
  readonly seats: (seat: string) => readonly Participant[];
  readonly instructions: (participant: Participant) => string;
  /** Returns a pinned template's text. @throws Fault `template-missing` */
  readonly template: (name: string) => string;
  /** Returns the mark of the fence around an untrusted text. */
  readonly mark: (text: string) => string;
  /** Of a dry run: what a prompt shows in place of an untrusted text. */
  readonly shorten?: ((text: string) => string) | undefined;
  /** Shuffles `items` by the deliberation's seed, differently for each purpose. */
  readonly shuffle: <T extends string>(purpose: string, items: readonly T[]) => T[];
  readonly opening: Opening;
  readonly run: StepRunner;
  readonly ports: Ports;
}

/** A prompt template of a protocol, with the slots in its text. */
export type PromptTemplate = {
  readonly name: string;
  readonly slots: readonly string[];
  /** The built-in text; an opening pins this text or the user's. */
  readonly text: string;
};

/** The seats that a person may take: those of a protocol that say so. */
export const PERSON_SEATS = ["member", "reviewer", "judge", "tie-break"] as const;
export type PersonSeat = (typeof PERSON_SEATS)[number];

/** A seat of a protocol, and the request field that names its models; `people` take theirs by `seats` alone. */
export type SeatSpec = {
  readonly name: string;
  readonly filledBy: "models" | "chair" | "reviewers" | "synthesizer" | "judge" | "people";
  /** What people call this seat when they take it; absent for one that no person takes. */
  readonly person?: PersonSeat;
  /** The allowed number of participants; no `max` means no upper limit. */
  readonly min: number;
  readonly max?: number;
  /** Whether the first participant works and the others are its fallbacks, in order. */
  readonly fallbacks?: boolean;
  /** The persona of all participants in this seat; by default the request's personas in rotation. */
  readonly persona?: string;
};

/** The exports of a protocol's `view.ts`. */
export type ProtocolView = {
  /** Folds a deliberation's events into the protocol's section of a result. */
  sectionOf(entries: readonly Entry[]): unknown;
  readonly sectionSchema?: z.ZodType;
};

/**
 * A protocol: `deliberate` runs a deliberation, and each of its effects is a named step that runs once. It starts from
 * the beginning on every resume, replay and fork, so it must not depend on clocks, randomness or the order in which
 * concurrent steps end.
 */
export interface Protocol<S = unknown> {
  readonly name: string;
  /** Increase it when a step's key or input changes; open deliberations keep their version. */
  readonly version: number;
  /** One clause, verb first, for a list of commands. */
  readonly summary: string;
  readonly seats: readonly SeatSpec[];
  /** The command line offers each setting whose schema has `.meta({ flag, description })`. */
  readonly settings: z.ZodType<S>;
  /** What the protocol's own opening reads from a request: an object, whose fields are offered as those of `settings` are. */
  readonly request?: z.ZodType;
  /** The templates that an opening must pin. */
  readonly templates: readonly PromptTemplate[];
  /** The names of other texts that an opening must pin, such as `strategy`. */
  readonly texts?: readonly string[];
  /** Loads the fold of the protocol's section of a result. */
  readonly view?: () => Promise<ProtocolView>;
  readonly report?: () => Promise<ProtocolReport>;
  /** Loads the protocol's own opening; by default the panel takes the declared seats. */
  readonly opening?: () => Promise<ProtocolOpening>;
  deliberate(context: ProtocolContext<S>): Promise<Closing>;
}

export const defineProtocol = <S>(protocol: Protocol<S>): Protocol<S> => protocol;

export type AnyProtocol = Omit<Protocol<Json>, "deliberate" | "settings"> & {
  readonly settings: z.ZodType;
  // Method bivariance admits every Protocol<S>; `drive` first parses the settings by the protocol's schema.
  deliberate(context: ProtocolContext<never>): Promise<Closing>;
};

/** Features of one kind: a list, or a map by name whose values may be loaded on demand. */
export type Registry<T extends { readonly name: string }> =
  readonly T[] | { readonly [name: string]: T | (() => Promise<T>) };

// `Array.isArray` does not narrow readonly arrays out of a union.
const isList = <T extends { readonly name: string }>(registry: Registry<T>): registry is readonly T[] =>
  Array.isArray(registry);

/** The names of a registry's features in its order, without loading any. */
export const listNames = (registry: Registry<{ readonly name: string }>): readonly string[] =>
  isList(registry) ? registry.map(({ name }) => name) : Object.keys(registry);

export async function loadAll<T extends { readonly name: string }>(
  registry: Registry<T>,
): Promise<readonly T[]> {
  return Promise.all(
    (isList(registry) ? registry : Object.values(registry)).map((feature) => load<T>(feature)),
  );
}

/** Loads one feature; undefined for an unknown name. */
export async function loadNamed<T extends { readonly name: string }>(
  registry: Registry<T>,
  name: string,
): Promise<T | undefined> {
  if (isList(registry)) return registry.find((feature) => feature.name === name);
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
    ? registry.filter((entry) => entry.name === name)
    : [await loadNamed(registry, name)].filter((entry) => entry !== undefined);
  const protocol = versions.find((entry) => entry.version === version);
  if (protocol) return protocol;
  const shipped = (await loadAll(registry)).map((entry) => `${entry.name}@${entry.version}`).join(", ");
  throw new Fault("protocol-unknown", { name, version, shipped });
}
