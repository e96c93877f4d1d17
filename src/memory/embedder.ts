import { LRUCache } from "lru-cache";
import type { Embeddings, World, Engram, MemoryScope } from "../kernel/index.ts";
import { shorten } from "../replies/gist.ts";
import { type Vector, unitVector, type EngramStore } from "./engram-store.ts";
import { embeddingText } from "./query.ts";

/** After a failure, no question is embedded for this time, so that answers do not wait for it. */
const AFTER_FAILURE_MS = 30_000;
/** The number of questions whose vectors are kept. */
const MAX_KEPT_QUERIES = 32;
const MAX_REASON_LENGTH = 300;

type CallBounds = { readonly timeoutMs: number; readonly signal: AbortSignal };

type EmbeddingResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** An embedding model as memory uses it: bounded in time, and never rejecting. */
export type Embedder = ReturnType<typeof createEmbedder>;

/** The prefixes that a model expects. https://huggingface.co/nomic-ai/nomic-embed-text-v1.5 */
function prefixesOf(model: string): { readonly query: string; readonly document: string } {
  return model.includes("nomic-embed")
    ? { query: "search_query: ", document: "search_document: " }
    : { query: "", document: "" };
}

export function createEmbedder(embeddings: Embeddings, world: World) {
  const { model } = embeddings;
  const prefixes = prefixesOf(model);
  const vectors = new LRUCache<string, Vector>({ max: MAX_KEPT_QUERIES });
  let failure: { readonly why: string; readonly untilMs: number } | undefined;

  const embed = async (texts: readonly string[], { timeoutMs: ms, signal }: CallBounds) => {
    const wellFormed = texts.map((text) => text.toWellFormed());
    const result = await withTimeout(async (own) => embeddings.embed(wellFormed, own), { ms, world, signal });
    if (!result.ok) return { ok: false, why: describeFailure(model, result, ms) } as const;
    const count = result.value.length;
    if (count !== texts.length)
      return { ok: false, why: `${model} gave ${count} vectors for ${texts.length}` } as const;
    return { ok: true, value: result.value.map(unitVector) } as const;
  };

  return {
    model,
    /** Embeds a question. */
    async query(text: string, bounds: CallBounds): Promise<EmbeddingResult<Vector>> {
      const known = vectors.get(text);
      if (known) return { ok: true, value: known };
      if (failure && world.now() < failure.untilMs) return { ok: false, why: failure.why };
      const result = await embed([prefixes.query + text], bounds);
      failure =
        result.ok || bounds.signal.aborted
          ? undefined
          : { why: result.why, untilMs: world.now() + AFTER_FAILURE_MS };
      if (!result.ok) return result;
      const [vector] = result.value;
      if (!vector) return { ok: false, why: `${model} gave a vector without a direction` };
      vectors.set(text, vector);
      return { ok: true, value: vector };
    },
    /** Embeds documents, in order; null for a text whose vector has no direction. */
    documents: (texts: readonly string[], bounds: CallBounds): Promise<EmbeddingResult<(Vector | null)[]>> =>
      embed(
        texts.map((text) => prefixes.document + text),
        bounds,
      ),
  };
}

type TimedFailure =
  | { readonly ok: false; readonly why: "late" | "given-up" }
  | { readonly ok: false; readonly why: "failed"; readonly error: unknown };

function describeFailure(model: string, failure: TimedFailure, timeoutMs: number): string {
  if (failure.why === "failed") {
    const { error } = failure;
    const message = error instanceof Error ? error.message : String(error);
    return `${model} failed: ${shorten(message.replaceAll(/[\p{Cc}\s]+/gu, " ").trim(), MAX_REASON_LENGTH)}`;
  }
  return failure.why === "late"
    ? `${model} did not answer within ${timeoutMs / 1_000} s`
    : `${model} was not waited for`;
}

/**
 * Gives the value of `work` if it ends within `ms`, or else why not. It never rejects, even where `work` throws or ignores its
 * signal, which is aborted once nobody waits any more.
 */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { ms, world, signal }: { readonly ms: number; readonly world: World; readonly signal: AbortSignal },
): Promise<{ readonly ok: true; readonly value: T } | TimedFailure> {
  if (signal.aborted) return { ok: false, why: "given-up" };
  const own = new AbortController();
  const giveUp = () => own.abort();
  signal.addEventListener("abort", giveUp, { once: true });
  const run = async () => {
    try {
      return { ok: true, value: await work(own.signal) } as const;
    } catch (error) {
      return own.signal.aborted
        ? ({ ok: false, why: "given-up" } as const)
        : ({ ok: false, why: "failed", error } as const);
    }
  };
  // Sleeping ends with the abort, too.
  const sleep = async () => {
    await world.sleep(ms, own.signal);
    return { ok: false, why: signal.aborted ? "given-up" : "late" } as const;
  };
  try {
    return await Promise.race([run(), sleep()]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    own.abort();
  }
}

const BATCH = 64;
const BATCH_MS = 120_000;
/** Maximum engrams passed over because they cannot be embedded. */
const MAX_PASSED = 100;
/** Maximum failures in a row when embedding one by one; beyond that, it is the model, not the text. */
const HOPELESS = 3;

export type Reembedded = {
  readonly embedded: number;
  /** Engrams that the model gives no vector for. */
  readonly passed: number;
  /** Why it ended before all had a vector; null where all have. */
  readonly why: string | null;
};

export type OnEmbedded = (done: { readonly embedded: number }) => void;

type EmbeddingWork = {
  readonly store: EngramStore;
  readonly embedder: Embedder;
  readonly scope: MemoryScope;
};

/** Gives the model's vector to the live engrams that have none, newest first. @throws Fault `store-unavailable` */
export async function embedMissing(
  work: EmbeddingWork,
  onProgress: OnEmbedded,
  signal: AbortSignal,
): Promise<Reembedded> {
  const { store, embedder, scope } = work;
  const passed = new Set<string>();
  let embedded = 0;
  let why: string | null = null;
  while (why === null) {
    if (signal.aborted) return { embedded, passed: passed.size, why: "it was given up" };
    const limit = BATCH + passed.size;
    const left = await store.unembedded(scope, { model: embedder.model, limit });
    const batch = left.filter(({ id }) => !passed.has(id)).slice(0, BATCH);
    if (batch.length === 0) break;
    const came = await embedBatch(work, batch, signal);
    embedded += came.embedded;
    for (const id of came.passed) passed.add(id);
    ({ why } = came);
    if (came.embedded > 0) onProgress({ embedded });
    if (passed.size > MAX_PASSED)
      why ??= `${embedder.model} gives no vectors for more than ${MAX_PASSED} engrams`;
  }
  return { embedded, passed: passed.size, why };
}

type EmbeddedBatch = {
  readonly embedded: number;
  readonly passed: readonly string[];
  readonly why: string | null;
};

/** All at once; where that fails one by one, so that one text that a model refuses does not hold up the others. */
async function embedBatch(
  work: EmbeddingWork,
  batch: readonly Engram[],
  signal: AbortSignal,
): Promise<EmbeddedBatch> {
  const whole = await embedAll(work, batch, signal);
  if (whole.why === null) return whole;
  const passed: string[] = [];
  let embedded = 0;
  let inRow = 0;
  for (const engram of batch) {
    const one = await embedAll(work, [engram], signal);
    if (signal.aborted) return { embedded, passed, why: "it was given up" };
    inRow = one.embedded > 0 ? 0 : inRow + 1;
    embedded += one.embedded;
    if (inRow > 0) passed.push(engram.id);
    if (one.why !== null && (inRow >= HOPELESS || inRow === batch.length))
      return { embedded, passed: [], why: one.why };
  }
  return { embedded, passed, why: null };
}

async function embedAll(
  { store, embedder, scope }: EmbeddingWork,
  batch: readonly Engram[],
  signal: AbortSignal,
): Promise<EmbeddedBatch> {
  const came = await embedder.documents(batch.map(embeddingText), { timeoutMs: BATCH_MS, signal });
  if (!came.ok) return { embedded: 0, passed: [], why: came.why };
  const vectors = new Map<Engram["id"], Vector>();
  const passed: string[] = [];
  for (const [index, { id }] of batch.entries()) {
    const vector = came.value[index];
    if (vector) vectors.set(id, vector);
    else passed.push(id);
  }
  if (vectors.size > 0) await store.embed(scope, { model: embedder.model, vectors });
  return { embedded: vectors.size, passed, why: null };
}

/** One batch in passing, for when a model has changed; whether it succeeded. @throws Fault `store-unavailable` */
export async function catchUp(work: EmbeddingWork, most: number, signal: AbortSignal): Promise<boolean> {
  const { store, embedder, scope } = work;
  const left = await store.unembedded(scope, { model: embedder.model, limit: most });
  if (left.length === 0) return true;
  const came = await embedAll(work, left, signal);
  return came.why === null && came.passed.length === 0;
}
