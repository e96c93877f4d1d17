import { redactSecrets } from "../kernel/index.ts";
import { readEnds } from "./fences.ts";

/** English words that say little by themselves. Those that turn a sentence round (`not`, `no`, `never`) are not among them. */
const stopWords = new Set(
  `a about after all also am an and any are as at be because been before being between both but by ca can could d did
  do does doing done during each for from further get gets had has have having he her here hers him his how i if in
  into is it its itself just let like ll m may me might more most much must my of on once one only or other our ours
  out over own re s same shall she should so some such than that the their theirs them then there these they this
  those through to too under until up upon us ve very was we were what when where which while who whom why will with
  wo would you your yours`.split(/\s+/),
);

/** Maximum UTF-16 units read from the start and from the end of a text. */
const MAX_READ_LENGTH = 64 * 1024;

/** One sign is a word where words are not spaced; elsewhere letters and digits in a row are, at most 40 of them. */
export const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}]){1,40}/gu;

/**
 * The words of a text that carry its content, each once, in lower case and in the order of their first use; `don't` has
 * `not`. Of a text over 128 KiB the start and the end are read.
 */
export function contentWords(text: string): string[] {
  const words =
    readEnds(text, MAX_READ_LENGTH, " ")
      .normalize("NFKC")
      .toLowerCase()
      .replace(/n['’]t\b/g, " not")
      .match(WORD) ?? [];
  return [...new Set(words)].filter((found) => !stopWords.has(found));
}

/** Of a vector whose largest component is 1 or −1, so that no square overflows or vanishes; null where there is no direction. */
function scaleVector(vector: readonly number[]): readonly number[] | null {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return largest === 0 ? null : vector.map((value) => value / largest);
}

/**
 * The cosine of the angle between two vectors, from −1 (opposite) to 1 (the same direction); 0 where one of them has no
 * direction, being empty or all zeros. (Salton & McGill 1983, Introduction to Modern Information Retrieval, 4.)
 * @throws RangeError where the lengths differ or a component is not a finite number
 */
export function cosine(first: readonly number[], second: readonly number[]): number {
  if (first.length !== second.length)
    throw new RangeError(
      `vectors of ${first.length} and ${second.length} numbers cannot be compared; embed both with one model`,
    );
  if (![...first, ...second].every(Number.isFinite))
    throw new RangeError("every component of a vector must be a finite number");
  const [one, other] = [scaleVector(first), scaleVector(second)];
  if (one === null || other === null) return 0;
  let [product, squaresOfOne, squaresOfOther] = [0, 0, 0];
  for (const [index, value] of one.entries()) {
    const opposite = other[index] ?? 0;
    product += value * opposite;
    squaresOfOne += value * value;
    squaresOfOther += opposite * opposite;
  }
  // Rounding may leave a trace beyond the range.
  return Math.max(-1, Math.min(1, product / Math.sqrt(squaresOfOne * squaresOfOther)));
}

/**
 * The known word closest to what somebody wrote: the one it is the beginning of, else the one that takes the
 * fewest insertions, deletions, substitutions and swaps of neighbours (Levenshtein 1966, Damerau 1964; no
 * place is edited twice). Of equals the first; undefined only where nothing is known. Capitals do not count. Of very many
 * known words, as a server may list, those beyond a bound on the work count only where the word begins them.
 */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  const start = word.slice(0, MAX_LENGTH).toLowerCase();
  let best: { readonly one: string; readonly away: number } | undefined;
  let cells = 0;
  for (const one of known) {
    const length = Math.min(one.length, MAX_LENGTH);
    // Nothing that it begins is nearer than one edit.
    const isBegun =
      start.length >= 3 &&
      (best === undefined || best.away > 1) &&
      one.slice(0, start.length).toLowerCase() === start;
    const fewest = Math.min(isBegun ? 1 : Infinity, Math.abs(start.length - length));
    if (best !== undefined && (fewest >= best.away || (cells > MAX_CELLS && !isBegun))) continue;
    cells += start.length * length;
    const away = editDistance(word, one);
    if (best === undefined || away < best.away) best = { one, away };
  }
  return best?.one;
}

/**
 * The known word that somebody meant who wrote this one: the nearest, where it is at most two edits away, or one from a word of
 * up to five characters. `shared`: how many characters all known words begin with, which say nothing.
 */
export function findMeant(word: string, known: readonly string[], shared = 0): string | undefined {
  const nearest = findNearest(word, known);
  const edits = word.length - shared > 5 ? 2 : 1;
  return nearest !== undefined && editDistance(word, nearest) <= edits ? nearest : undefined;
}

/** Cells of edit tables that one search fills: some 5 ms. */
const MAX_CELLS = 200_000;

/** Edits from one word to the other, capitals ignored; at most 1 where `word` begins `known`. */
export function editDistance(word: string, known: string): number {
  const from = word.slice(0, MAX_LENGTH).toLowerCase();
  const to = known.slice(0, MAX_LENGTH).toLowerCase();
  const edits = countEdits(from, to);
  return from.length >= 3 && to.startsWith(from) ? Math.min(1, edits) : edits;
}

const MAX_LENGTH = 100;

function countEdits(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let left = 1; left <= from.length; left += 1) {
    const next = [left];
    for (let right = 1; right <= to.length; right += 1) {
      const substituted = (row[right - 1] ?? 0) + (from[left - 1] === to[right - 1] ? 0 : 1);
      const edits = Math.min(substituted, (row[right] ?? 0) + 1, (next[right - 1] ?? 0) + 1);
      const swaps = from[left - 1] === to[right - 2] && from[left - 2] === to[right - 1];
      next.push(swaps && left > 1 && right > 1 ? Math.min(edits, (before[right - 2] ?? 0) + 1) : edits);
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}

/** Foreign text as part of one line: control and formatting characters gone, cut at `most` UTF-16 units. */
export function toOneLine(text: string, most: number): string {
  const clean = text
    .slice(0, most * 4)
    .replaceAll(UNPRINTABLE, " ")
    .replaceAll(/ {2,}/g, " ")
    .trim();
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Control and formatting characters, unpaired surrogates, line ends; a space stays what it is. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]+/gu;

/** A value as an error may show it: bounded, and without what looks like a key or a password. */
export function quoteValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "a mapping";
  return toOneLine(
    redactSecrets(JSON.stringify(typeof value === "string" ? value.slice(0, 2_000) : value) ?? typeof value),
    80,
  );
}
