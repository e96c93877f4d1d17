import type { AnswerSigns } from "../kernel/index.ts";
import { readEnds } from "./fences.ts";
import { WORD } from "./words.ts";

/** Maximum UTF-16 units read from the start and from the end of a question and of an answer. */
const MAX_READ_LENGTH = 32 * 1024;

/** What an answer is told by: its question, its text, and the tools that were called for it. */
export type AnswerTraits = {
  readonly question: string;
  readonly answer: string;
  readonly tools: readonly string[];
};

/** In one case and width, with straight apostrophes and single spaces. Upper case first: `ß` is `ss`. */
function foldText(text: string): string {
  return readEnds(text, MAX_READ_LENGTH, " ")
    .toWellFormed()
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/\s+/g, " ")
    .trim();
}

const IN_WORD = /[\p{L}\p{M}\p{N}_]/u;
/** Scripts that put no space between words: there a phrase stands wherever its signs do. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The whole character that ends before `at`. */
function charBefore(text: string, at: number): string {
  const low = text.charCodeAt(at - 1);
  return text.slice(low >= 0xdc00 && low <= 0xdfff ? at - 2 : at - 1, at);
}

/** The whole character that begins at `at`. */
function charAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

/** Whether a word may end before `at` and another begin there. */
function isBreak(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true;
  const [one, other] = [charBefore(text, at), charAt(text, at)];
  return !IN_WORD.test(one) || !IN_WORD.test(other) || UNSPACED.test(one) || UNSPACED.test(other);
}

/** Finds whole phrases in a text, both folded. */
function phraseFinder(text: string): (phrase: string) => boolean {
  const [OPEN, SHUT] = [1, 2];
  let known: Uint8Array | undefined; // a hostile text may hold a part of a word at every place
  const breaksAt = (at: number): boolean => {
    known ??= new Uint8Array(text.length + 1);
    const state = known[at] === 0 ? (known[at] = isBreak(text, at) ? OPEN : SHUT) : known[at];
    return state === OPEN;
  };
  return (phrase) => {
    if (phrase === "") return false;
    for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1))
      if (breaksAt(at) && breaksAt(at + phrase.length)) return true;
    return false;
  };
}

/** Whether a text has no more words than this; a sign is a word where words are not spaced. */
function hasAtMostWords(text: string, most: number): boolean {
  let words = 0;
  for (const _found of text.matchAll(WORD)) if ((words += 1) > most) return false;
  return true;
}

type FoldedTraits = {
  readonly tools: ReadonlySet<string>;
  readonly answer: string;
  readonly asks: (phrase: string) => boolean;
  readonly says: (phrase: string) => boolean;
};

function matchesSigns(signs: AnswerSigns, { tools, answer, asks, says }: FoldedTraits): boolean {
  const { tools: wanted, question, answer: said, "at-most": most } = signs;
  const called = (name: string) => tools.has(foldText(name));
  return (
    (wanted === undefined || (wanted === "any" ? tools.size > 0 : wanted.some(called))) &&
    (most === undefined || hasAtMostWords(answer, most)) &&
    (question === undefined || question.some((phrase) => asks(foldText(phrase)))) &&
    (said === undefined || said.some((phrase) => says(foldText(phrase))))
  );
}

/**
 * The first rule whose signs all hold for an answer; null where none does. Phrases are looked for as whole words, in any case
 * of letters, and are never read as patterns; tools are compared by their whole names. Of a text over 64 KiB the start and the end are read.
 */
export function findMatchingRule<R extends { readonly when: AnswerSigns }>(
  rules: readonly R[],
  { question, answer, tools }: AnswerTraits,
): R | null {
  if (rules.length === 0) return null;
  const text = foldText(answer);
  const traits = {
    tools: new Set(tools.map(foldText)),
    answer: text,
    asks: phraseFinder(foldText(question)),
    says: phraseFinder(text),
  };
  return rules.find(({ when }) => matchesSigns(when, traits)) ?? null;
}
