import type { DeliberationId, EngramId, MemoryScope } from "../kernel/index.ts";
import type { Embedder } from "./embedder.ts";
import { type EngramStore, type Near, type StoredEngram, type Vector, cosineOf } from "./engram-store.ts";
import { matchShares, type Query } from "./query.ts";
import type { RecallCandidate } from "./rank.ts";

/** Maximum engrams without a vector that are counted: what is said of them is a hint, not a figure to live by. */
const MAX_COUNTED = 100;

export type MemoryBackend = { readonly store: EngramStore; readonly embedder: Embedder | null };

export type CandidateSearch = {
  readonly scope: MemoryScope;
  readonly query: Query;
  /** Maximum candidates of each search. */
  readonly limit: number;
  readonly timeoutMs: number;
  readonly without?: DeliberationId | undefined;
};

export type CandidateSearchResult = {
  readonly candidates: readonly RecallCandidate[];
  /** In words: by what they were found, and what could not be used. */
  readonly how: string;
};

/** The question's vector, or in words why there is none. */
type QuestionVector =
  | { readonly ok: true; readonly model: string; readonly vector: Vector }
  | { readonly ok: false; readonly why: string };

/**
 * Candidates by meaning and by words, both searched at once; without a vector of the question by words alone. Never fails
 * for want of an embedding. @throws Fault `store-unavailable`
 */
export async function findCandidates(
  { store, embedder }: MemoryBackend,
  search: CandidateSearch,
  signal: AbortSignal,
): Promise<CandidateSearchResult> {
  const { scope, query, limit, without } = search;
  const nearest = async () => {
    const meaning = await meaningOf(embedder, search, signal);
    return { meaning, near: meaning.ok ? await store.nearest(scope, { ...meaning, limit, without }) : [] };
  };
  const [byWords, { meaning, near }] = await Promise.all([
    query.words.length === 0 ? [] : store.matching(scope, { words: query.words, limit, without }),
    nearest(),
  ]);
  const ids = [...new Set([...near.map(({ id }) => id), ...byWords])];
  // Where as many were near as were asked for, those without a vector are not looked for: nobody misses them.
  const few = embedder !== null && near.length < limit;
  const [stored, similarities, unembedded] = await Promise.all([
    store.get(scope, ids),
    similaritiesOf(store, { scope, meaning, near, ids }),
    few ? store.unembedded(scope, { model: embedder.model, limit: MAX_COUNTED }) : [],
  ]);
  return {
    candidates: candidatesOf(query, stored, similarities),
    how: describeSearch(meaning, query, unembedded.length),
  };
}

/** Engrams that are given, compared with a question as those are that a search finds. */
export async function compareEngrams(
  { store, embedder }: MemoryBackend,
  { engrams, ...search }: CandidateSearch & { readonly engrams: readonly StoredEngram[] },
  signal: AbortSignal,
): Promise<CandidateSearchResult> {
  const { scope, query } = search;
  const meaning = await meaningOf(embedder, search, signal);
  const ids = engrams.map(({ engram }) => engram.id);
  const similarities = await similaritiesOf(store, { scope, meaning, near: [], ids });
  return { candidates: candidatesOf(query, engrams, similarities), how: describeSearch(meaning, query, 0) };
}

async function meaningOf(
  embedder: Embedder | null,
  { query, timeoutMs }: Pick<CandidateSearch, "query" | "timeoutMs">,
  signal: AbortSignal,
): Promise<QuestionVector> {
  if (!embedder) return { ok: false, why: "no embedding model is set" };
  if (query.text.trim() === "") return { ok: false, why: "there is no question" };
  const came = await embedder.query(query.text, { timeoutMs, signal });
  return came.ok ? { ok: true, model: embedder.model, vector: came.value } : came;
}

type SimilarityRequest = {
  readonly scope: MemoryScope;
  readonly meaning: QuestionVector;
  readonly near: readonly Near[];
  readonly ids: readonly EngramId[];
};

/** What the search has told already is not computed again. */
async function similaritiesOf(
  store: EngramStore,
  { scope, meaning, near, ids }: SimilarityRequest,
): Promise<ReadonlyMap<EngramId, number>> {
  // Rounding may leave a trace beyond the range.
  const inRange = (similarity: number) => Math.max(-1, Math.min(1, similarity));
  const similarities = new Map(near.map(({ id, similarity }) => [id, inRange(similarity)]));
  const missing = ids.filter((id) => !similarities.has(id));
  if (!meaning.ok || missing.length === 0) return similarities;
  const vectors = await store.vectors(scope, { model: meaning.model, ids: missing });
  for (const [id, vector] of vectors) {
    const similarity = cosineOf(meaning.vector, vector);
    if (similarity !== null) similarities.set(id, similarity);
  }
  return similarities;
}

function candidatesOf(
  query: Query,
  all: readonly StoredEngram[],
  similarities: ReadonlyMap<EngramId, number>,
): readonly RecallCandidate[] {
  return all.map((stored) => ({
    stored,
    similarity: similarities.get(stored.engram.id) ?? null,
    ...matchShares(query, stored.engram),
  }));
}

function describeSearch(meaning: QuestionVector, { words }: Query, unembedded: number): string {
  const hasWords = words.length > 0;
  if (!meaning.ok)
    return hasWords
      ? `full text alone: ${meaning.why}`
      : `nothing to search by: ${meaning.why}, and it has no words`;
  const by = hasWords
    ? `semantic (${meaning.model}) and full text`
    : `semantic (${meaning.model}) alone: the question has no words to search by`;
  if (unembedded === 0) return by;
  const count = unembedded < MAX_COUNTED ? `${unembedded}` : `${MAX_COUNTED} or more`;
  return `${by}; ${count} ${unembedded === 1 ? "engram has" : "engrams have"} no vector of it yet`;
}
