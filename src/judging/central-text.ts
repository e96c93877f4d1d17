import { contentWords } from "./content-words.ts";
import { orderByScore } from "./places.ts";
import type { NamedText } from "./trace.ts";

/** Twice the common words over all words of both (Dice 1945, Ecology 26:297): 0 to 1, and 0 for two texts without words. */
const similarity = (first: ReadonlySet<string>, second: ReadonlySet<string>): number => {
  let common = 0;
  for (const word of first) if (second.has(word)) common += 1;
  return common === 0 ? 0 : (2 * common) / (first.size + second.size);
};

/**
 * The id of the text that is most similar to all on the mean, itself included, by their content words: what minimises the
 * expected loss where each text is as likely as any other to be right (minimum Bayes risk: Kumar & Byrne 2004,
 * HLT-NAACL 169). Of equals the first, and one without words only where all are; null for no texts. It needs no answer to be extracted, so it also chooses among
 * texts that no vote can be taken on.
 */
export const centralText = (texts: readonly NamedText[]): string | null => {
  const words = texts.map(({ text }) => new Set(contentWords(text)));
  const totals = words.map((own) => words.reduce((sum, other) => sum + similarity(own, other), 0));
  const order = orderByScore(totals.map((total, index) => [String(index), total]));
  const [first] = order[0] ?? [];
  return first === undefined ? null : (texts[Number(first)]?.id ?? null);
};
