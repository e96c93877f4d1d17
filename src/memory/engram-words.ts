import type { Engram } from "../kernel/index.ts";
import { contentWords } from "../judging/content-words.ts";

/** Of a word that more engrams have, the newest so many count. */
export const WORD_ENGRAMS = 5_000;

/** More words than this are not looked for: the first ones are. */
const ASKED_WORDS = 64;

/** The words that an engram is found by, each once. Not in all languages is there space between them: see `contentWords`. */
export const engramWords = (engram: Pick<Engram, "question" | "summary" | "entities">): string[] =>
  contentWords([engram.question, engram.summary, ...engram.entities].join("\n"));

/** What of these words can be looked for, as the index has them; whatever else stands in them is left out. */
export const askedWords = (words: readonly string[]): string[] =>
  contentWords(words.join("\n")).slice(0, ASKED_WORDS);

/** What a word adds to an engram that has it, when `engrams` have it: the fewer, the more. */
const wordWeight = (engrams: number): number => Math.log(1 + WORD_ENGRAMS / engrams);

/**
 * The best matches first, by the sum of the weights of the words that they have; equal ones newest first.
 * @param found for each word, the engrams that have it, as numbers in the order in which they were put; at most the `WORD_ENGRAMS` newest
 */
export function bestMatches(found: readonly (readonly number[])[], limit: number): number[] {
  const scores = new Map<number, number>();
  for (const engrams of found) {
    const weight = wordWeight(engrams.length);
    for (const engram of engrams) scores.set(engram, (scores.get(engram) ?? 0) + weight);
  }
  return [...scores]
    .sort(([a, scoreOfA], [b, scoreOfB]) => scoreOfB - scoreOfA || b - a)
    .slice(0, limit)
    .map(([engram]) => engram);
}
