import { WORD, contentWords } from "../text/words.ts";
import { readEnds } from "../text/fences.ts";
import { addTo, mean } from "./numbers.ts";
import type { NamedText } from "../text/trace.ts";
import { orderByScore } from "./ballot-rules.ts";

/** Maximum UTF-16 units compared from the start and from the end of a text. */
const MAX_READ_LENGTH = 64 * 1024;

/** How often each word and each pair of neighbours occurs. Case, punctuation and the marks of Markdown do not count. */
function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  let before: string | undefined;
  for (const [found] of readEnds(text, MAX_READ_LENGTH).normalize("NFKC").toLowerCase().matchAll(WORD)) {
    addTo(counts, found, 1);
    // A space is in no word, so a pair is never taken for one.
    if (before !== undefined) addTo(counts, `${before} ${found}`, 1);
    before = found;
  }
  return counts;
}

function dotProduct(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [key, count] of a) sum += count * (b.get(key) ?? 0);
  return sum;
}

/**
 * How alike two texts are, 0 to 1: the cosine of how often they use each word and each pair of neighbouring words
 * (the vector space model: Salton, Wong & Yang 1975, CACM 18:613). 1 for texts of the same words in the same order, and for two
 * texts without words; 0 where only one has none. Of a text over 128 KiB the start and the end count. Time is linear.
 */
export function textSimilarity(a: string, b: string): number {
  return a === b ? 1 : similarity(countWords(a), countWords(b));
}

function similarity(first: ReadonlyMap<string, number>, second: ReadonlyMap<string, number>): number {
  if (first.size === 0 || second.size === 0) return first.size === second.size ? 1 : 0;
  // One root of both squares is exact for equal counts, which two roots are not.
  return Math.min(
    1,
    dotProduct(first, second) / Math.sqrt(dotProduct(first, first) * dotProduct(second, second)),
  );
}

/** The largest similarity of a text to any of these; null where there are none. */
export function likenessTo(texts: readonly string[]): (text: string) => number | null {
  const counted = [...new Set(texts)].map(countWords);
  return (text) => {
    const own = countWords(text);
    return counted.length === 0 ? null : Math.max(...counted.map((other) => similarity(own, other)));
  };
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

/** Twice the common words over all words of both (Dice 1945, Ecology 26:297): 0 to 1, and 0 for two texts without words. */
function diceSimilarity(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
  let common = 0;
  for (const word of first) if (second.has(word)) common += 1;
  return common === 0 ? 0 : (2 * common) / (first.size + second.size);
}

/**
 * The id of the text that is most similar to all on the mean, itself included, by their content words: what minimizes the
 * expected loss where each text is as likely as any other to be right (minimum Bayes risk: Kumar & Byrne 2004,
 * HLT-NAACL 169). Of equals the first, and one without words only where all are; null for no texts. It needs no answer to be extracted, so it also chooses among
 * texts that no vote can be taken on.
 */
export function centralText(texts: readonly NamedText[]): string | null {
  const words = texts.map(({ text }) => new Set(contentWords(readEnds(text, MAX_READ_LENGTH))));
  const totals = words.map((own) => words.reduce((sum, other) => sum + diceSimilarity(own, other), 0));
  const order = orderByScore(totals.map((total, index) => [String(index), total]));
  const [first] = order[0] ?? [];
  return first === undefined ? null : (texts[Number(first)]?.id ?? null);
}
