import type {
  AnnotatedEngram,
  Annotation,
  EngramId,
  MemoryScope,
  Recall,
  RecallQuery,
  PinOutcome,
  Remembered,
  RetireRules,
  ToldFact,
  WrittenEngram,
} from "./engram.ts";
import type { DeliberationId, StepKey, Json } from "./ids.ts";
import type { CallNews, Delta } from "./model.ts";
import type { Work } from "./origin.ts";

/** Live progress of a call before it is recorded: its start, what it waits for and thinks, its text in pieces, `isObject` where JSON is asked for. Lossy, and visible in this process only. */
export type Frame = {
  readonly deliberation: DeliberationId;
  readonly step: StepKey;
  readonly work?: Work | undefined;
} & (
  | {
      readonly kind: "started";
      /** How long such a call usually takes, in milliseconds, where that is known. */
      readonly expectedMs?: number | undefined;
    }
  | { readonly kind: "text"; readonly delta: Delta; readonly isObject?: boolean }
  | CallNews
);

/** Receives live frames. `emit` must not throw or block. */
export interface Frames {
  emit(frame: Frame): void;
}

/** Embeds texts as vectors of one length, in the order of the texts. `model` is stored with every vector. */
export interface Embeddings {
  readonly model: string;
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>;
}

/**
 * Tools for participants. `input` is parsed JSON, but not validated. `lost`: the tool could not be reached, so that whoever
 * called it goes without it.
 */
export interface Tools {
  call(
    name: string,
    input: Json,
    signal: AbortSignal,
  ): Promise<
    | { readonly ok: true; readonly result: Json }
    | { readonly ok: false; readonly reason: string; readonly lost?: true }
  >;
}

/** Runs a deterministic check without a model. */
export interface Executor {
  execute(
    check: Json,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly metrics: Json } | { readonly ok: false; readonly reason: string }>;
}

/** Memory across deliberations, separated by organization and user. */
export interface Memory {
  /** Returns the engrams that fit a question. Without an embedding it searches by keywords; `how` says so. */
  recall(query: RecallQuery, signal: AbortSignal): Promise<Recall>;
  /** Returns all engrams that have anything in common with a question, best first and at most `rules.most`, without facts. */
  find(query: RecallQuery, signal: AbortSignal): Promise<Pick<Recall, "engrams" | "how">>;
  /** Pins a fact that a participant was told; a deliberation pins each once, whatever becomes of it. @throws Fault `store-unavailable` */
  pinTold(fact: ToldFact): Promise<PinOutcome>;
  /** Writes an engram; a second write returns the first one. @throws Fault `store-unavailable` */
  write(answer: Remembered, signal: AbortSignal): Promise<WrittenEngram>;
  /** Adds an annotation to an engram, once per event. @throws Fault `store-unavailable` */
  annotate(
    engram: MemoryScope & { readonly id: EngramId },
    annotation: Annotation,
    rules: RetireRules,
  ): Promise<AnnotatedEngram>;
}

/** Clock, random ids and timers, injected for tests. */
export interface World {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Returns a new unguessable name of letters and digits. */
  readonly id: () => string;
  /** Resolves after `ms`, or as soon as `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}
