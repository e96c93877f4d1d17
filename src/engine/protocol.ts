import type * as z from "zod";
import type {
  Closing,
  DeliberationId,
  Embeddings,
  EventId,
  Json,
  Memory,
  Opening,
  Participant,
  Respondent,
  Tools,
} from "../kernel/index.ts";
import type { Run } from "./run.ts";

/** A turn, and where it stands on the journal. */
export type TurnOf = Turn & { readonly deliberation: DeliberationId; readonly of: EventId };

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
  ) => Promise<readonly TurnOf[]>;
};

/** One earlier turn of a conversation, as one respondent knows it. */
export type Turn = { readonly question: string; readonly answer: string };

/** What a protocol may touch: the opening's pinned facts, the run, and the ports. */
export interface Floor<S = unknown> {
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
  /** A template's text, as pinned. @throws Fault `text-missing` for a name that the opening does not pin */
  readonly template: (name: string) => string;
  /** The mark of a fence around a foreign text. */
  readonly mark: (text: string) => string;
  /** `items` in the order that the deliberation's seed gives them for this purpose. */
  readonly shuffled: <T extends string>(purpose: string, items: readonly T[]) => T[];
  readonly opening: Opening;
  readonly run: Run;
  readonly ports: Ports;
}

/**
 * An async function that conducts a deliberation, and whose every effect is a named, once-only step. It
 * runs again from the start on every resume, replay and fork; it must not look at clocks, chance, or the
 * order in which concurrent steps ended.
 */
export interface Protocol<S = unknown> {
  readonly name: string;
  /** Raise it when a step is renamed or fed differently; open deliberations keep the version they began with. */
  readonly version: number;
  readonly settings: z.ZodType<S>;
  /** The templates that an opening must pin. */
  readonly templates: readonly string[];
  deliberate(floor: Floor<S>): Promise<Closing>;
}

export const defineProtocol = <S>(protocol: Protocol<S>): Protocol<S> => protocol;

/** A protocol whose settings are not known statically, as a registry holds it. */
export type AnyProtocol = Omit<Protocol<Json>, "deliberate" | "settings"> & {
  readonly settings: z.ZodType;
  // Method bivariance lets every Protocol<S> in; `drive` parses the settings with the protocol's own schema first.
  deliberate(floor: Floor<never>): Promise<Closing>;
};
