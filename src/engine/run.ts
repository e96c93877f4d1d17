import type {
  Budget,
  Call,
  Cap,
  Needs,
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

/** The event types that a model's reply can produce: those with a `call` field. */
export type ReplyEventType = { [T in EventType]: "call" extends keyof DataOf<T> ? T : never }[EventType];

/** A step's outcome event: one of the types listed in `outcomes`. The engine adds the model's `call`. */
export type StepOutcome<T extends EventType> = T extends EventType
  ? { type: T; data: Omit<DataOf<T>, "call"> }
  : never;

export type StepSpec<T extends EventType> = {
  /** A name by meaning: `review/alice`, `round-2/critique/bob/of/alice`. */
  readonly key: string;
  /** The allowed event types of its outcome. */
  readonly outcomes: readonly T[];
  /** What the step is about, for views; not part of its digest. */
  readonly work?: Work | undefined;
};

/** A course of a run: where nobody has more to say than needed, the usual one, and the one with all that may happen. */
export type Course = "shortest" | "usual" | "longest";

/** What a dry run's reply or effect is made of. */
export type DryDesk = {
  readonly course: Course;
  /** The characters that the reply's limit leaves room for. */
  readonly room: number;
  /** A text of so many characters, by default of `room`. */
  readonly text: (characters?: number) => string;
  /** What counts in a prompt as so many characters, and is a few. */
  readonly standIn: (characters: number) => string;
};

/** How a dry run answers a call. */
export type DryReply = {
  /** A reply that the step's reader takes; by default a text, with a final answer or without. */
  readonly reply?: (desk: DryDesk) => string;
  /** What befalls it on the longest course, because a run then asks for more: it cannot be read, or the call fails. */
  readonly mishap?: "unread" | "lost" | undefined;
  /** The phase that it is listed under; by default its kind of work, with the round. */
  readonly phase?: string | undefined;
};

export type CallSpec<T extends ReplyEventType> = StepSpec<T> & {
  readonly request: ModelRequest;
  /** Limits the call, including retries. */
  readonly timeoutMs?: number;
  /** Maximum number of requests, including the first; the default depends on the failure. */
  readonly attempts?: number;
  /** The share of the budget held back for this call; by default the one of its key. */
  readonly share?: string;
  /** The setting that limits its reply, as users write it. */
  readonly limitedBy?: string;
  /** For estimates; by default a dry run answers it with any text. */
  readonly dry?: DryReply;
};

export type WorkSpec<T extends EventType> = StepSpec<T> & {
  /** Everything that the work depends on, as a JSON value. The step's digest covers it. */
  readonly input: unknown;
};

/** An effect that has a time of its own, and what it comes to when that is up. */
export type EffectSpec<T extends EventType> = WorkSpec<T> & {
  readonly limit?: {
    /** Also the time that the deliberation's cap leaves bounds it. */
    readonly ms: number;
    /** The outcome of work that has not ended by then; its signal has aborted. */
    late(this: void): StepOutcome<NoInfer<T>>;
  };
  /** For estimates: what a dry run takes for the outcome of its work. Without it there is no estimate. */
  readonly dry?: (this: void, desk: DryDesk) => StepOutcome<NoInfer<T>> | Promise<StepOutcome<NoInfer<T>>>;
};

/** Converts a reply or a final failure into the step's event. Pure. */
export type ReadReply<T extends ReplyEventType> = (call: Call) => StepOutcome<NoInfer<T>>;

/** Runs twice if the process dies between its return and its recording. */
export type EffectWork<T extends EventType> = (signal: AbortSignal) => Promise<StepOutcome<NoInfer<T>>>;

/** An effect that also returns the steps that its outcome depends on. */
export type JoinWork<T extends EventType> = (
  signal: AbortSignal,
) => Promise<{ readonly ending: StepOutcome<NoInfer<T>>; readonly after: readonly StepKey[] }>;

/**
 * Runs the steps of one deliberation. A recorded step is recalled and never repeated. If two processes run a step, the
 * first record wins and both use it.
 *
 * There are three kinds of step. `call` makes one model call and reads its reply. `derive` computes from known data; a
 * replay computes it again. `effect` depends on time, money, a race or the outside world; a replay trusts the journal.
 */
export interface StepRunner {
  readonly signal: AbortSignal;
  /** Makes at most one model call. */
  call<T extends ReplyEventType>(spec: CallSpec<T>, read: ReadReply<T>): Promise<Event<T>>;
  /** Computes an event; `make` must be pure. */
  derive<T extends EventType>(spec: WorkSpec<T>, make: () => StepOutcome<NoInfer<T>>): Promise<Event<T>>;
  effect<T extends EventType>(spec: EffectSpec<T>, work: EffectWork<T>): Promise<Event<T>>;
  /**
   * Waits for the client's event of this request. Meanwhile the drive runs its other steps, then ends as `waiting`; a
   * later drive continues when the event is recorded.
   */
  awaits(request: string): Promise<Entry>;
}

/** How many calls, from the first, fit the budget together, the cap that the next one would exceed, and what all of them need. */
export type Affordable = { readonly fits: number; readonly cap?: Cap; readonly needs?: Needs };

/** The part of the step runner that only phases and admissions use. */
export interface StepScope extends StepRunner {
  /** The steps that the next step in this scope depends on. */
  readonly frontier: readonly StepKey[];
  /** Returns an effect's recorded event, here or at the fork's parent, without appending. */
  recorded<T extends EventType>(spec: WorkSpec<T>): Event<T> | undefined;
  /** True if this call's step is recorded, here or at the fork's parent, so that it costs nothing. */
  settled(key: string, request: ModelRequest): boolean;
  /** Creates a nested scope with its own signal and frontier. `recallOnly`: an unrecorded step halts instead of running. */
  scope(options: { readonly signal?: AbortSignal; readonly recallOnly?: boolean }): StepScope;
  /**
   * Runs an effect whose dependencies are the steps that its work returns, not those before its start. `adopt: false`
   * runs it even if the fork's parent has one with the same digest.
   */
  join<T extends EventType>(
    spec: WorkSpec<T> & { readonly adopt: boolean },
    work: JoinWork<T>,
  ): Promise<Event<T>>;
  /** Reads what other processes have recorded. */
  catchUp(): Promise<void>;
  readonly budget: {
    readonly capped: boolean;
    readonly caps: Budget;
    quote(request: ModelRequest): Quote;
    affordable(quotes: readonly (Quote | undefined)[]): Affordable;
    hold(share: string, quotes: readonly Quote[], optional?: boolean): void;
    release(share: string): void;
  };
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const toEvent = <T extends EventType>(ending: StepOutcome<T>, call?: Call): NewEvent =>
  // `StepOutcome<T>` is NewEvent's member T without `call`, which only a ReplyEventType receives.
  (call ? { type: ending.type, data: { ...ending.data, call } } : ending) as NewEvent;
