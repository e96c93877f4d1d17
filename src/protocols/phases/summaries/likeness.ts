import type { Embeddings } from "../../../kernel/index.ts";
import { textSimilarity } from "../../../stats/text-similarity.ts";
import { cosine } from "../../../text/words.ts";
import { excerpt } from "./passages.ts";

/** How alike any two of some texts are. */
export type Likeness = {
  readonly by: "embeddings" | "words";
  /** The embedding model; null where words were compared. */
  readonly model: string | null;
  /** Why words were compared although embeddings are configured; null where that is not so. */
  readonly why: string | null;
  /** Of the texts at these indices: 1 says the same; from words at least 0, from embeddings at least -1. */
  readonly between: (one: number, other: number) => number;
};

/** The method's name as recorded, which tells where words were compared. */
export const labelMethod = (name: string, by: Likeness["by"]): string =>
  by === "words" ? `${name} (by words)` : name;

/**
 * Compares texts by their embeddings, or by their words where no model is configured, the provider fails, or its reply is
 * not one vector of one length for each text.
 *
 * @throws the signal's reason where it is aborted: an interruption is not a failure of the embeddings
 */
export async function compareTexts(
  texts: readonly string[],
  embeddings: Embeddings | null,
  signal: AbortSignal,
): Promise<Likeness> {
  if (!embeddings) return compareWords(texts, null);
  let vectors: readonly (readonly number[])[];
  try {
    vectors = await embeddings.embed(
      texts.map((text) => text.toWellFormed()),
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    return compareWords(texts, error instanceof Error ? error.message : String(error));
  }
  const flaw = findFlaw(vectors, texts.length);
  if (flaw !== undefined) return compareWords(texts, flaw);
  return {
    by: "embeddings",
    model: embeddings.model,
    why: null,
    between: (one, other) => cosine(vectors[one] ?? [], vectors[other] ?? []),
  };
}

/** A provider's message may be a page. */
const MAX_REASON_LENGTH = 300;
/** Characters of each text that are compared by words, which every comparison counts anew. */
const MAX_COMPARED_LENGTH = 1_200;

function compareWords(texts: readonly string[], why: string | null): Likeness {
  const compared = texts.map((text) => text.slice(0, MAX_COMPARED_LENGTH));
  return {
    by: "words",
    model: null,
    why: why === null ? null : excerpt(why, MAX_REASON_LENGTH),
    between: (one, other) => textSimilarity(compared[one] ?? "", compared[other] ?? ""),
  };
}

/** Why the vectors are not one for each text, all of one length; undefined where they are. */
function findFlaw(vectors: readonly (readonly number[])[], count: number): string | undefined {
  if (!Array.isArray(vectors) || vectors.length !== count)
    return `there is not one vector for each of ${count} texts`;
  const length = vectors[0]?.length ?? 0;
  if (length === 0 || vectors.some((vector) => vector.length !== length))
    return "the vectors are not of one length";
  return vectors.every((vector) => vector.every(Number.isFinite))
    ? undefined
    : "a vector holds what is no number";
}

/** Sums of cosines that differ by less are one: what is left of them is rounding. */
const EQUAL = 1e-9;

/**
 * Groups `count` items by leaders (Hartigan 1975, Clustering Algorithms, chapter 3): each item in turn joins the group
 * whose first item it is most like, of equals the older, where that is at least `threshold`; else it begins a group.
 * Takes at most count × groups comparisons.
 *
 * @returns the items' indices, in order, group by group
 */
export function clusterItems(count: number, between: Likeness["between"], threshold: number): number[][] {
  const clusters: number[][] = [];
  for (let item = 0; item < count; item += 1) {
    let nearest: { readonly cluster: number[]; readonly alike: number } | undefined;
    for (const cluster of clusters) {
      const alike = between(cluster[0] ?? 0, item);
      if (alike >= threshold && alike > (nearest?.alike ?? -Infinity)) nearest = { cluster, alike };
    }
    if (nearest) nearest.cluster.push(item);
    else clusters.push([item]);
  }
  return clusters;
}

/**
 * The item of a group that is nearest to its centroid, of equals the newest. It is the one most like all the others
 * together: for unit vectors the cosine with their centroid is the sum of the cosines with them, but for a factor that
 * is the same for every item. So words, which have no centroid, are measured the same way.
 *
 * @param cluster not empty
 */
export function chooseRepresentative(cluster: readonly number[], between: Likeness["between"]): number {
  const totals = cluster.map(() => 0);
  for (const [at, item] of cluster.entries()) {
    for (let next = at + 1; next < cluster.length; next += 1) {
      const alike = between(item, cluster[next] ?? item);
      totals[at] = (totals[at] ?? 0) + alike;
      totals[next] = (totals[next] ?? 0) + alike;
    }
  }
  const most = Math.max(...totals);
  const at = totals.findLastIndex((total) => total >= most - EQUAL);
  return cluster[at] ?? 0;
}
