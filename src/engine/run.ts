import type {
  Budget,
  Call,
  Cap,
  DataOf,
  Entry,
  Event,
  EventType,
  ModelRequest,
  NewEvent,
  Quote,
  StepKey,
  Work,
} from "../kernel/index.ts";

/** The event types that a model's reply may become: those that carry `call`. */
export type ReplyEventType = { [T in EventType]: "call" extends keyof DataOf<T> ? T : never }[EventType];

/** What a step ends in: one of the declared types, and nothing widens what `ends` declares. The engine adds the model's `call` itself. */
export type StepOutcome<T extends EventType> = T extends EventType
  ? { type: T; data: Omit<DataOf<T>, "call"> }
  : never;

export type StepSpec<T extends EventType> = {
  /** Names the step by meaning: `review/alice`, `round-2/critique/bob/of/alice`. */
  readonly key: string;
  /** The event types in which it may end. */
  readonly outcomes: readonly T[];
  /** What the step is about, for views; no part of its digest. */
  readonly work?: Work | undefined;
};

export type CallSpec<T extends ReplyEventType> = StepSpec<T> & {
  readonly request: ModelRequest;
  /** Bounds the call, retries included. */
  readonly timeoutMs?: number;
  /** Requests sent at most, the first one included; by default as often as failures like this one deserve. */
  readonly attempts?: number;
  /** The share of the budget that was held back for this call. */
  readonly share?: string;
};

export type WorkSpec<T extends EventType> = StepSpec<T> & {
  /** All that the work depends on: a JSON value, covered by the step's digest. */
  readonly input: unknown;
};

/** Turns a reply, or the final failure, into the step's event. Pure. */
export type ReadReply<T extends ReplyEventType> = (call: Call) => StepOutcome<NoInfer<T>>;

/** May run twice, if the process dies between its return and its recording. */
export type EffectWork<T extends EventType> = (signal: AbortSignal) => Promise<StepOutcome<NoInfer<T>>>;

/** The same, with the steps that its outcome comes after. */
export type JoinWork<T extends EventType> = (
  signal: AbortSignal,
) => Promise<{ readonly ending: StepOutcome<NoInfer<T>>; readonly after: readonly StepKey[] }>;

/**
 * One attempt to carry one deliberation forward. What is recorded is recalled, never redone; the first to
 * record a step wins, and everybody else adopts it.
 *
 * Three kinds of step: `call` makes one model call and reads its reply; `derive` computes from what is
 * known, and a replay computes it again; `effect` depends on time, money, a race or the outside, and a
 * replay believes the journal.
 */
export interface StepRunner {
  readonly signal: AbortSignal;
  /** At most one model call. */
  call<T extends ReplyEventType>(spec: CallSpec<T>, read: ReadReply<T>): Promise<Event<T>>;
  /** `make` is pure. */
  derive<T extends EventType>(spec: WorkSpec<T>, make: () => StepOutcome<NoInfer<T>>): Promise<Event<T>>;
  effect<T extends EventType>(spec: WorkSpec<T>, work: EffectWork<T>): Promise<Event<T>>;
  /**
   * The client's event of this request. While it is missing the drive goes on with what else it can do,
   * then ends as `waiting`; another process continues when the event has come.
   */
  awaits(request: string): Promise<Entry>;
}

/** How many of some calls fit together, from the first, and which cap is in the way of the rest. */
export type Affordable = { readonly fits: number; readonly cap?: Cap };

/** What phases and admissions need beyond what protocols see. */
export interface StepScope extends StepRunner {
  /** The steps that everything later in this scope comes after. */
  readonly frontier: readonly StepKey[];
  /** What is recorded of an effect, here or at the fork's parent; nothing is appended. */
  recorded<T extends EventType>(spec: WorkSpec<T>): Event<T> | undefined;
  /** Whether this call's step is recorded, here or at the fork's parent, so that it will cost nothing. */
  settled(key: string, request: ModelRequest): boolean;
  /** A part of this run with its own end, which must come no later than this run's, and its own causality. `recallOnly`: a step that is not recorded halts instead of working. */
  scope(options: { readonly signal?: AbortSignal; readonly recallOnly?: boolean }): StepScope;
  /**
   * An effect that comes after what its work names when it ends, rather than after what preceded its start.
   * `adopt: false` makes it anew although a fork's parent has one of the same digest.
   */
  join<T extends EventType>(
    spec: WorkSpec<T> & { readonly adopt: boolean },
    work: JoinWork<T>,
  ): Promise<Event<T>>;
  /** Reads what rivals recorded meanwhile. */
  catchUp(): Promise<void>;
  readonly budget: {
    readonly capped: boolean;
    readonly caps: Budget;
    quote(request: ModelRequest): Quote;
    affordable(quotes: readonly (Quote | undefined)[]): Affordable;
    hold(share: string, quote: Quote): void;
  };
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** An ending as the union of events that the journal takes. */
export const toEvent = <T extends EventType>(ending: StepOutcome<T>, call?: Call): NewEvent =>
  // `Ending<T>` is NewEvent's member T without `call`, which only MadeType endings receive back.
  (call ? { type: ending.type, data: { ...ending.data, call } } : ending) as NewEvent;
