import type {
  AnnotatedEngram,
  Annotation,
  EngramId,
  MemoryScope,
  Recall,
  RecallQuery,
  Remembered,
  RetireRules,
  WrittenEngram,
} from "./engram.ts";
import type { DeliberationId, StepKey, Json } from "./ids.ts";
import type { Delta } from "./model.ts";
import type { Work } from "./origin.ts";

/**
 * What a call does while nothing is recorded yet: it starts, then its text comes piece by piece. Lossy and
 * in-process: another process sees events only.
 */
export type Frame = {
  readonly deliberation: DeliberationId;
  readonly step: StepKey;
  readonly work?: Work | undefined;
} & ({ readonly kind: "started" } | { readonly kind: "text"; readonly delta: Delta });

/** Where tokens go. `emit` must not throw and must not block. */
export interface Frames {
  emit(frame: Frame): void;
}

/** Turns texts into vectors, all of one length, in the order given. `model` is stored beside every vector. */
export interface Embeddings {
  readonly model: string;
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>;
}

/** What participants may call. `arguments` has been parsed but not believed. */
export interface Tools {
  call(
    name: string,
    input: Json,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly result: Json } | { readonly ok: false; readonly reason: string }>;
}

/** Runs a deterministic check outside of any model. */
export interface Executor {
  execute(
    check: Json,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly metrics: Json } | { readonly ok: false; readonly reason: string }>;
}

/** What deliberations remember of each other. Everything is separated by organization and user. */
export interface Memory {
  /** What of it fits a question. Never fails for want of an embedding: `how` says what was done without. */
  recall(query: RecallQuery, signal: AbortSignal): Promise<Recall>;
  /** Writes an engram once: a second time it is what was written the first time. @throws Fault `store-unavailable` */
  write(answer: Remembered, signal: AbortSignal): Promise<WrittenEngram>;
  /** Adds what somebody said of an engram, once per event. @throws Fault `store-unavailable` */
  annotate(
    engram: MemoryScope & { readonly id: EngramId },
    annotation: Annotation,
    rules: RetireRules,
  ): Promise<AnnotatedEngram>;
}

/** Time and chance, injected so that tests own them. */
export interface World {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A new unguessable name of letters and digits. */
  readonly id: () => string;
  /** Resolves `ms` from now, or as soon as `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}
