import type { Engram } from "../kernel/index.ts";
import { contentWords } from "../text/words.ts";
import { extractEntities, entityKey } from "../text/entities.ts";
import { readEnds } from "../text/fences.ts";
import { shorten } from "../replies/gist.ts";

/** Maximum engrams that count for a word, the newest first. */
export const WORD_ENGRAMS = 5_000;

/** More words than this are not looked for: the first ones are. */
const ASKED_WORDS = 64;

/** The words that an engram is found by, each once. Not in all languages is there space between them: see `contentWords`. */
export function engramWords(engram: Pick<Engram, "question" | "summary" | "entities">): string[] {
  return contentWords([engram.question, engram.summary, ...engram.entities].join("\n"));
}

/** What of these words can be looked for, as the index has them; whatever else stands in them is left out. */
export function searchWords(words: readonly string[]): string[] {
  return contentWords(words.join("\n")).slice(0, ASKED_WORDS);
}

/** What a word adds to an engram that has it, when `engrams` have it: the fewer, the more. */
function wordWeight(engrams: number): number {
  return Math.log(1 + WORD_ENGRAMS / engrams);
}

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

/** As much of a question as an engram keeps is looked for. */
export const MAX_QUESTION_LENGTH = 4_000;
const MAX_WORDS = 200;

/** A question taken apart, as engrams are compared with it. */
export type Query = {
  readonly text: string;
  /** Those that carry its content, each once, at most 200. */
  readonly words: readonly string[];
  /** By their keys. */
  readonly entities: readonly string[];
};

export function parseQuery(question: string): Query {
  const text = shorten(readEnds(question, MAX_QUESTION_LENGTH), MAX_QUESTION_LENGTH);
  return {
    text,
    words: contentWords(text).slice(0, MAX_WORDS),
    entities: [...new Set(extractEntities(text).map(entityKey))],
  };
}

type EngramText = Pick<Engram, "question" | "summary" | "entities">;

export function embeddingText({ question, summary }: EngramText): string {
  return question === "" ? summary : `${question}\n\n${summary}`;
}

/** Whether one is the other, or is named within it as whole words: `austen` and `jane austen`. */
function isNamed(one: string, other: string): boolean {
  return one === other || ` ${one} `.includes(` ${other} `) || ` ${other} `.includes(` ${one} `);
}

/** The shares of a question's words and of its entities that an engram has, each 0 to 1; 0 where the question has none. */
export function matchShares(
  query: Query,
  engram: EngramText,
): { readonly words: number; readonly entities: number } {
  const words = new Set(engramWords(engram));
  const entities = engram.entities.map(entityKey);
  const share = (found: number, of: number) => (of === 0 ? 0 : found / of);
  return {
    words: share(query.words.filter((word) => words.has(word)).length, query.words.length),
    entities: share(
      query.entities.filter((entity) => entities.some((other) => isNamed(entity, other))).length,
      query.entities.length,
    ),
  };
}

/** Words in common of all words of both (Jaccard 1901, Bulletin de la Société Vaudoise 37:547): 0 to 1, 0 where neither has one. */
export function commonShare(one: readonly string[], other: readonly string[]): number {
  const all = new Set([...one, ...other]);
  const words = new Set(other);
  return all.size === 0 ? 0 : new Set(one.filter((word) => words.has(word))).size / all.size;
}
