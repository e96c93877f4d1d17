import type { NewDeliberation } from "./opening.ts";
import type {
  DeliberationId,
  ModelRef,
  OrganizationId,
  Respondent,
  ToolSpec,
  UserId,
} from "../kernel/index.ts";

// PART-1. A protocol says here who takes part and under which settings; whoever starts it does the rest, for all alike.
// PART-2. An opening reads no file, folder or environment: whoever asks hands over texts.

export type SeatedParticipant = NewDeliberation["participants"][number];

/** What its owner should know before a run starts; each surface words it. */
export type Note =
  | { readonly code: "simulated-models" }
  | {
      readonly code: "models-discovered";
      readonly through: "ollama" | "keys";
      readonly models: readonly string[];
    }
  | { readonly code: "shared-family"; readonly family: string; readonly members: number; readonly of: number }
  | {
      readonly code: "judge-shares-family";
      readonly judge: string;
      readonly family: string;
      /** Whose answer it judges: another model, or one of the members. */
      readonly model: string | null;
    }
  | { readonly code: "tool-without-folder"; readonly tool: string }
  | { readonly code: "folder-unused" }
  | { readonly code: "embedding-unavailable"; readonly reason: string }
  | { readonly code: "single-agent" }
  | {
      readonly code: "participant";
      readonly name: string;
      readonly id: string;
      readonly role: string;
      readonly model: string;
      readonly temperature: number | null;
      /** The file of its instructions; null for those that Parley ships. */
      readonly instructions: string | null;
      /** How its past is summarized for it, and from how many characters on; null: it sees all of it. */
      readonly summary: { readonly method: string; readonly threshold: number } | null;
    }
  /** Of another program's file, in that format's own words. */
  | { readonly code: "warning"; readonly text: string };

/** Which models take which seats, and what to know about that. */
export type Panel = {
  readonly members: readonly ModelRef[];
  /** Who synthesizes, then who steps in for it. */
  readonly chairs: readonly ModelRef[];
  readonly judges: readonly ModelRef[];
  readonly notes: readonly Note[];
};

export type PersonaText = {
  readonly id: string;
  readonly name: string;
  readonly instructions: string;
  readonly model?: ModelRef | undefined;
  readonly temperature?: number | undefined;
};

/** The settings that openings read; see the settings themselves for what each means. */
export type OpeningSettings = {
  readonly models: readonly ModelRef[];
  readonly chair: readonly ModelRef[];
  readonly user: UserId;
  readonly temperature?: number | undefined;
  readonly respondentB: boolean;
  readonly modelB?: ModelRef | undefined;
  readonly temperatureB: number;
  readonly historyTurns: number;
  readonly quorum?: number | undefined;
  readonly callTimeoutMs?: number | undefined;
  readonly patienceMs?: number | undefined;
  readonly draftTokens?: number | undefined;
  readonly reviewTokens?: number | undefined;
  readonly synthesisTokens?: number | undefined;
  readonly respondTokens?: number | undefined;
};

/** One earlier turn of a conversation. */
export type EarlierTurn = { readonly question: string; readonly answer: string };

/** What an opening may ask of whoever starts it. */
export interface OpeningContext {
  readonly settings: OpeningSettings;
  readonly organization: OrganizationId;
  /** The models that are configured, or else found; see `Panel`. */
  panel(): Promise<Panel>;
  /** @throws Fault `configuration`, `authentication` for a reference that is known not to work */
  model(ref: string): Promise<ModelRef>;
  /** Who trained a model; null where that is not known. */
  family(ref: string): string | null;
  /** @throws Fault for an id that does not exist */
  persona(id: string): PersonaText;
  /** @throws Fault for a name that does not exist */
  role(name: string): PersonaText;
  /** The tools that work in the folder that was handed over; null where there is none. */
  readonly fileTools: { readonly folder: string; readonly specs: readonly ToolSpec[] } | null;
  /** What a respondent's memory recalls for this user; null with memory off. */
  recall(user: UserId): unknown;
  turnsBefore(previous: DeliberationId | undefined, by: Respondent): Promise<readonly EarlierTurn[]>;
  /** Where the turn after this one stands in its conversation. @throws Fault for one that has not ended, or is another user's */
  placeAfter(previous: DeliberationId, user: UserId): Promise<Pick<NewDeliberation, "series" | "previous">>;
  /** Why the embedding model of this name, or the configured one, cannot be used; undefined where it can. */
  embeddingProblem(model: string | undefined): Promise<string | undefined>;
}

/** What a protocol's own opening contributes. */
export type OpeningPart = {
  /** The protocol's settings, before its schema has read them. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly participants: readonly SeatedParticipant[];
  /** Texts of its own to pin as templates, beside the protocol's. */
  readonly templates?: Readonly<Record<string, string>>;
  /** Place in a conversation, and what was said before in it. */
  readonly conversation?: Pick<NewDeliberation, "history" | "series" | "previous" | "user">;
  /** Whose answers reactors grade. */
  readonly answering: readonly ModelRef[];
  /** Whether two answers are to be compared. */
  readonly pairwise?: boolean;
  /** Settings of reactors that follow from the protocol's own, by reactor. */
  readonly reactions?: (settings: NewDeliberation["settings"]) => NonNullable<NewDeliberation["reactions"]>;
  readonly notes: readonly Note[];
};

/**
 * A protocol's own opening: who takes part and under which settings. `request` is what the caller asked for, of which it reads
 * the fields that are its own; a protocol without one seats the panel in the seats that it declares.
 */
export type ProtocolOpening = (
  request: Readonly<Record<string, unknown>>,
  context: OpeningContext,
) => Promise<OpeningPart>;
