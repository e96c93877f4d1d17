import { contentWords, entitiesOf, entityKey, shortened } from "../judging/index.ts";
import type { Engram } from "../kernel/index.ts";
import { engramWords } from "./engram-words.ts";

/** As much of a question as an engram keeps is looked for. */
export const LONGEST_QUESTION = 4_000;
const MOST_WORDS = 200;

/** A question taken apart, as engrams are compared with it. */
export type Query = {
  readonly text: string;
  /** Those that carry its content, each once, at most 200. */
  readonly words: readonly string[];
  /** By their keys. */
  readonly entities: readonly string[];
};

export function queryOf(question: string): Query {
  const text = shortened(question, LONGEST_QUESTION);
  return {
    text,
    words: contentWords(text).slice(0, MOST_WORDS),
    entities: [...new Set(entitiesOf(text).map(entityKey))],
  };
}

type Told = Pick<Engram, "question" | "summary" | "entities">;

/** What is embedded of an engram. */
export const documentOf = ({ question, summary }: Told): string =>
  question === "" ? summary : `${question}\n\n${summary}`;

/** Whether one is the other, or is named within it as whole words: `austen` and `jane austen`. */
const isNamed = (one: string, other: string): boolean =>
  one === other || ` ${one} `.includes(` ${other} `) || ` ${other} `.includes(` ${one} `);

/** The shares of a question's words and of its entities that an engram has, each 0 to 1; 0 where the question has none. */
export function sharesOf(query: Query, engram: Told): { readonly words: number; readonly entities: number } {
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
