import { word } from "./content-words.ts";
import { mean } from "./mean.ts";
import type { NamedText } from "./trace.ts";

/** How often each word and each pair of neighbours occurs. Case, punctuation and the marks of Markdown do not count. */
const countsOf = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  let before: string | undefined;
  for (const [found] of text.normalize("NFKC").toLowerCase().matchAll(word)) {
    counts.set(found, (counts.get(found) ?? 0) + 1);
    // A space is in no word, so a pair is never taken for one.
    const pair = before === undefined ? undefined : `${before} ${found}`;
    if (pair !== undefined) counts.set(pair, (counts.get(pair) ?? 0) + 1);
    before = found;
  }
  return counts;
};

const product = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number => {
  let sum = 0;
  for (const [key, count] of a) sum += count * (b.get(key) ?? 0);
  return sum;
};

/**
 * How alike two texts are, 0 to 1: the cosine of how often they use each word and each pair of neighbouring words
 * (the vector space model: Salton, Wong & Yang 1975, CACM 18:613). 1 for texts of the same words in the same order, and for two
 * texts without words; 0 where only one has none. Time is linear in the texts.
 */
export function textSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const first = countsOf(a);
  const second = countsOf(b);
  if (first.size === 0 || second.size === 0) return first.size === second.size ? 1 : 0;
  // One root of both squares is exact for equal counts, which two roots are not.
  return Math.min(1, product(first, second) / Math.sqrt(product(first, first) * product(second, second)));
}

/** How alike what the same authors wrote in two rounds is: the mean over those who are in both; null for nobody. */
export function similarityOfRounds(before: readonly NamedText[], after: readonly NamedText[]): number | null {
  const texts = new Map(before.map(({ id, text }) => [id, text]));
  const similarities = after.flatMap(({ id, text }) => {
    const earlier = texts.get(id);
    return earlier === undefined ? [] : [textSimilarity(earlier, text)];
  });
  return similarities.length === 0 ? null : mean(similarities);
}
