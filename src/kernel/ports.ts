import type { DeliberationId, StepKey } from "./ids.ts";
import type { Json } from "./json.ts";
import type { Delta } from "./model.ts";

/**
 * What a call does while nothing is recorded yet: it starts, then its text comes piece by piece. Lossy and
 * in-process: another process sees events only.
 */
export type Frame = { readonly deliberation: DeliberationId; readonly step: StepKey } & (
  { readonly kind: "started" } | { readonly kind: "text"; readonly delta: Delta }
);

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

/** Engrams fit for a question, best first, as data to be fenced. */
export interface Memory {
  recall(question: string, signal: AbortSignal): Promise<readonly Json[]>;
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
