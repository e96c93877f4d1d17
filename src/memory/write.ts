import { extractEntities } from "../text/entities.ts";
import { extractGist, shorten } from "../replies/gist.ts";
import { detectIntent } from "../text/intent.ts";
import type { Engram, EngramId, MemoryScope, Remembered, WrittenEngram } from "../kernel/index.ts";
import type { EngramStore, StoredEngram, Vector } from "./engram-store.ts";
import { engramWords, commonShare, embeddingText, MAX_QUESTION_LENGTH } from "./query.ts";
import type { MemoryBackend } from "./candidates.ts";

// An engram is written once; writing it again returns the stored one, and adds a vector that is missing.
// Without an embedding the engram is written all the same, and says why.
// A cluster has the id of its first engram, and no engram moves between clusters.

/** How long an embedding may take while an engram is written: nobody waits for it. */
const EMBED_MS = 30_000;
/** Maximum engrams among which near-duplicates by words are looked for. */
const MAX_ALIKE = 20;
const MAX_ENTITIES = 40;
/** The label of a simulated answer: it stays in the summary, and names nothing. */
const SIMULATED = /^\[simulated [0-9a-f]{6}\]\s*/;

/** What is remembered of an answer. */
function engramOf({ answer, mergeAt: _, ...given }: Remembered): Engram {
  return {
    ...given,
    type: "episodic",
    question: shorten(given.question, MAX_QUESTION_LENGTH),
    summary: extractGist(answer),
    intent: detectIntent(given.question),
    // The question's own come first: there is room for so many only.
    entities: extractEntities(
      `${given.question.slice(0, MAX_QUESTION_LENGTH)}\n\n${answer.replace(SIMULATED, "")}`,
      MAX_ENTITIES,
    ),
  };
}

/** @throws Fault `store-unavailable` */
export async function write(
  parts: MemoryBackend,
  answer: Remembered,
  signal: AbortSignal,
): Promise<WrittenEngram> {
  const { store } = parts;
  const scope = { organization: answer.organization, user: answer.user };
  const [before] = await store.get(scope, [answer.id]);
  if (before) return again(parts, before, signal);
  const engram = engramOf(answer);
  const embedding = await embed(parts, engram, signal);
  const cluster = await clusterOf(parts, { engram, vector: embedding.vector, mergeAt: answer.mergeAt });
  if (!(await store.put(engram, cluster))) {
    const [rival] = await store.get(scope, [answer.id]);
    if (rival) return again(parts, rival, signal);
  }
  await keep(parts, engram, embedding.vector);
  return { engram, cluster, unembedded: embedding.why };
}

/** What was written before. */
async function again(
  parts: MemoryBackend,
  { engram, cluster, embedded, forgotten }: StoredEngram,
  signal: AbortSignal,
): Promise<WrittenEngram> {
  if (forgotten !== null) return { engram, cluster, unembedded: "it was forgotten" };
  if (!parts.embedder || embedded.includes(parts.embedder.model))
    return { engram, cluster, unembedded: null };
  const { vector, why } = await embed(parts, engram, signal);
  await keep(parts, engram, vector);
  return { engram, cluster, unembedded: why };
}

async function embed(
  { embedder }: MemoryBackend,
  engram: Engram,
  signal: AbortSignal,
): Promise<{ readonly vector: Vector | null; readonly why: string | null }> {
  if (!embedder) return { vector: null, why: null };
  const came = await embedder.documents([embeddingText(engram)], { timeoutMs: EMBED_MS, signal });
  if (!came.ok) return { vector: null, why: came.why };
  const [vector = null] = came.value;
  return { vector, why: vector ? null : `${embedder.model} gave a vector without a direction` };
}

async function keep(
  { store, embedder }: MemoryBackend,
  engram: Engram,
  vector: Vector | null,
): Promise<void> {
  if (!embedder || !vector) return;
  const { organization, user, id } = engram;
  await store.embed({ organization, user }, { model: embedder.model, vectors: new Map([[id, vector]]) });
}

type ClusterCandidate = { readonly engram: Engram; readonly vector: Vector | null; readonly mergeAt: number };

/** The cluster of the engram that it nearly repeats; its own where there is none. */
async function clusterOf({ store, embedder }: MemoryBackend, placed: ClusterCandidate): Promise<EngramId> {
  const { engram, vector, mergeAt } = placed;
  const scope = { organization: engram.organization, user: engram.user };
  if (embedder && vector) {
    const [near] = await store.nearest(scope, { model: embedder.model, vector, limit: 1 });
    const [stored] = near && near.similarity >= mergeAt ? await store.get(scope, [near.id]) : [];
    if (stored) return stored.cluster;
  }
  const alike = await likest({ store, scope, model: vector && embedder ? embedder.model : null }, placed);
  return alike?.cluster ?? engram.id;
}

/** By words, among those that cannot be compared by meaning. */
async function likest(
  {
    store,
    scope,
    model,
  }: { readonly store: EngramStore; readonly scope: MemoryScope; readonly model: string | null },
  { engram, mergeAt }: ClusterCandidate,
): Promise<StoredEngram | undefined> {
  const words = engramWords(engram);
  if (words.length === 0) return undefined;
  const ids = await store.matching(scope, { words, limit: MAX_ALIKE });
  const found = (await store.get(scope, ids))
    .filter(({ embedded }) => model === null || !embedded.includes(model))
    .map((stored) => ({ stored, share: commonShare(words, engramWords(stored.engram)) }))
    .filter(({ share }) => share >= mergeAt)
    .sort((a, b) => b.share - a.share || (a.stored.engram.id < b.stored.engram.id ? -1 : 1));
  return found[0]?.stored;
}
