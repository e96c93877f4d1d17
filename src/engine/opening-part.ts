import type {
  Attachment,
  DeliberationId,
  Json,
  MemberOptions,
  Opening,
  Participant,
  ModelRef,
  OrganizationId,
  Sampling,
  ToolSpec,
  UserId,
} from "../kernel/index.ts";

// A protocol's opening defines its participants and settings; the app does everything else, in one way for all protocols.

/** One earlier turn of a conversation, with one respondent's answer. */
export type Turn = {
  readonly question: string;
  readonly answer: string;
  /** Of a summary in place of the oldest turns: how many it covers. Its question is empty. */
  readonly covers?: number | undefined;
};

/** A `DeliberationInput` with validated ids, as our own code builds it. */
export type NewDeliberation = Omit<
  Opening,
  "context" | "participants" | "templates" | "organization" | "history" | "reactions"
> & {
  readonly organization: OrganizationId;
  /** `media`: as in an opening, with the bytes in base64 in place of their digest. */
  readonly context: readonly {
    readonly name: string;
    readonly text: string;
    readonly media?: Omit<Attachment, "name" | "digest"> & { readonly data: string };
  }[];
  readonly participants: readonly (Omit<Participant, "persona"> & {
    readonly persona: { readonly name: string; readonly instructions: string };
  })[];
  readonly templates: Readonly<Record<string, string>>;
  readonly history?: readonly Turn[];
  readonly reactions?: Readonly<Record<string, Json>>;
};

export type SeatedParticipant = NewDeliberation["participants"][number];

/** A notice before a run starts; each user interface formats it. */
export type Note =
  | { readonly code: "simulated-models" }
  | {
      readonly code: "models-discovered";
      readonly through: "home" | "keys";
      readonly models: readonly string[];
    }
  | { readonly code: "shared-family"; readonly family: string; readonly members: number; readonly of: number }
  | {
      readonly code: "judge-shares-family";
      readonly judge: string;
      readonly family: string;
      /** The judged model; null where a reviewer or the writer of a solution is of a member's family. */
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
      /** The file of its instructions; null for built-in instructions. */
      readonly instructions: string | null;
      /** How and from how many characters on its history is summarized; null if it sees the full history. */
      readonly summary: { readonly method: string; readonly threshold: number } | null;
    }
  /** A warning about another program's file, in that format's terms. */
  | { readonly code: "warning"; readonly text: string };

/** The models by seat, with notes about them. */
export type Panel = {
  readonly members: readonly ModelRef[];
  /** The chair, then its fallbacks. */
  readonly chairs: readonly ModelRef[];
  /** Models that review drafts, and draft nothing. */
  readonly reviewers: readonly ModelRef[];
  /** Models that write a debate's solution: the first, then its fallbacks. */
  readonly synthesizers: readonly ModelRef[];
  /** Models that grade answers. */
  readonly judges: readonly ModelRef[];
  readonly notes: readonly Note[];
};

export type PersonaText = MemberOptions & {
  readonly id: string;
  readonly name: string;
  readonly instructions: string;
  readonly model?: ModelRef | undefined;
  readonly temperature?: number | undefined;
  /** The tools that whoever speaks for it may call, as `namedTools` takes them. */
  readonly tools?: readonly string[] | undefined;
};

/** The settings that openings read, documented in `src/config`. */
export type OpeningSettings = {
  readonly models: readonly ModelRef[];
  readonly chair: readonly ModelRef[];
  readonly user: UserId;
  /** The persona of a respondent. */
  readonly respondent: string;
  /** What stands in place of that persona's instructions. */
  readonly system?: string | undefined;
  readonly temperature?: number | undefined;
  readonly sampling?: Sampling | undefined;
  readonly respondentB: boolean;
  readonly modelB?: ModelRef | undefined;
  readonly temperatureB: number;
  readonly historyTurns: number;
  readonly memoryTools: boolean;
  /** The tools that everybody who answers may call, as `namedTools` takes them. */
  readonly tools: readonly string[];
  readonly toolCallLimit?: number | undefined;
  readonly quorum?: number | undefined;
  readonly callTimeoutMs?: number | undefined;
  readonly patienceMs?: number | undefined;
  readonly draftTokens?: number | undefined;
  readonly reviewTokens?: number | undefined;
  readonly synthesisTokens?: number | undefined;
  readonly respondTokens?: number | undefined;
};

export type NamedTools = {
  /** By the name as it was given; a name that nobody knows is absent. */
  readonly specs: ReadonlyMap<string, readonly ToolSpec[]>;
  /** The names that there are. */
  readonly known: readonly string[];
};

/** The services that the app gives to a protocol's opening. */
export interface OpeningContext {
  readonly settings: OpeningSettings;
  readonly organization: OrganizationId;
  /** Returns the configured models, or else the discovered ones. */
  panel(): Promise<Panel>;
  /** @throws Fault `configuration`, `authentication` for a reference that cannot work */
  model(ref: string): Promise<ModelRef>;
  /** Returns the vendor that trained a model; null if unknown. */
  family(ref: string): string | null;
  /** @throws Fault for an id that does not exist */
  persona(id: string): PersonaText;
  /** @throws Fault for a name that does not exist */
  role(name: string): PersonaText;
  /** The file tools and their folder; null if the request has no folder. */
  readonly fileTools: { readonly folder: string; readonly specs: readonly ToolSpec[] } | null;
  /**
   * Returns what models are told of tools by their names: `get_datetime`, `SERVER/TOOL`, or `SERVER/*` for all of a server's.
   * A server that is named is started. @throws Fault `configuration` for one that cannot be
   */
  namedTools(names: readonly string[]): Promise<NamedTools>;
  /** Returns the names of the tools by which this model searches the web; none where it may not, or has a search of its own. */
  searchTools(model: string): readonly string[];
  /** Returns the settings of a respondent's memory for this user; null if memory is off. */
  recall(user: UserId): unknown;
  /** All turns since the last summary; `again`: without `previous` itself. */
  turnsBefore(
    previous: DeliberationId | undefined,
    options: { readonly again: boolean },
  ): Promise<readonly Turn[]>;
  /** Returns the tokens that a model's prompt and reply may have together; `soft`: its server cuts no prompt that is longer. */
  window(ref: string): { readonly contextTokens: number; readonly soft?: true };
  /** Returns the position of the turn after `previous`. @throws Fault if that has not ended or belongs to another user */
  placeAfter(previous: DeliberationId, user: UserId): Promise<Pick<NewDeliberation, "series" | "previous">>;
  /** Returns why the named or configured embedding model cannot be used; undefined if it can. */
  embeddingProblem(model: string | undefined): Promise<string | undefined>;
}

export type OpeningPart = {
  /** The protocol's settings, not yet validated. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly participants: readonly SeatedParticipant[];
  /** Additional texts to pin as templates. */
  readonly templates?: Readonly<Record<string, string>>;
  /** The position in a conversation and its earlier turns. */
  readonly conversation?: Pick<NewDeliberation, "again" | "history" | "series" | "previous" | "user">;
  /** The models whose answers reactors grade. */
  readonly answering: readonly ModelRef[];
  /** Whether a judge compares two answers. */
  readonly pairwise?: boolean;
  /** Reactor settings that follow from the protocol's settings, by reactor. */
  readonly reactions?: (settings: NewDeliberation["settings"]) => NonNullable<NewDeliberation["reactions"]>;
  readonly notes: readonly Note[];
};

/**
 * A protocol's own opening: its participants and settings. It reads its fields of the caller's `request`. A protocol
 * without one seats the panel in its declared seats.
 */
export type ProtocolOpening = (
  request: Readonly<Record<string, unknown>>,
  context: OpeningContext,
) => Promise<OpeningPart>;
