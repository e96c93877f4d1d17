import type { Engram, MemoryScope } from "../kernel/index.ts";
import type { Embedder } from "./embedder.ts";
import type { EngramStore, Vector } from "./engram-store.ts";
import { embeddingText } from "./query.ts";

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
export async function reembed(
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
