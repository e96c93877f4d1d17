import { contentWords } from "../text/words.ts";

/** Numbers of a vector; a power of two, so that the low bits of a hash choose one. */
const DIMENSIONS = 256;

/** The share of a word's weight that its trigrams have together, beside that of its stem. */
const TRIGRAM_SHARE = 0.5;

/** 32 bits of a text: FNV-1a (Fowler, Noll & Vo) with the last mixing of MurmurHash3, whose low bits are good. */
const hash = (text: string): number => {
  let bits = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
};

/**
 * How much a word says, from 0.4 to 1. There is no collection to count documents in: as frequent words are short (Zipf
 * 1935, The Psycho-biology of Language), length stands for rarity, and the most frequent are no content words at all.
 */
const weigh = (word: string): number => (/^\d/.test(word) ? 1 : Math.min(1, Math.max(0.4, word.length / 8)));

/** What simulated models sign and label their texts with: it says nothing of what they are about. */
const ownMarks = /\[simulated [0-9a-f]{6}\]|\bFinal answer:/g;

const trigrams = (word: string): string[] => {
  const signs = [..."^", ...word, ..."$"];
  return signs.slice(2).map((last, index) => `${signs[index] ?? ""}${signs[index + 1] ?? ""}${last}`);
};

/**
 * A text as a vector of length 1, the same for the same text everywhere: its content words' stems and their trigrams,
 * each added at a place and with a sign that its hash gives, so that what falls together by accident cancels out in the
 * mean (feature hashing: Weinberger, Dasgupta, Langford, Smola & Attenberg 2009, ICML 1113). Texts that share most of
 * their content words are near each other, others about at right angles. A text without words has a direction of its
 * own.
 */
export const textVector = (text: string): readonly number[] => {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  const add = (feature: string, weight: number): void => {
    const bits = hash(feature);
    const place = bits & (DIMENSIONS - 1);
    vector[place] = (vector[place] ?? 0) + (bits >>> 31 === 0 ? weight : -weight);
  };
  const stems = new Set(contentWords(text.replaceAll(ownMarks, " ")).map(stem));
  for (const word of stems) {
    const weight = weigh(word);
    const parts = trigrams(word);
    add(`stem ${word}`, weight);
    for (const part of parts) add(`part ${part}`, (weight * TRIGRAM_SHARE) / Math.sqrt(parts.length));
  }
  let length = Math.hypot(...vector);
  if (length === 0) {
    add(`text ${text.trim()}`, 1);
    length = 1;
  }
  return vector.map((value) => value / length);
};

/** Endings of English words that leave the meaning about as it is, the longer before those that they end in. */
const endings = "ations ation ments ment ness ingly ings ing edly ed ers er ly".split(" ");

const MIN_STEM_LENGTH = 3;

const without = (word: string, ending: string): string =>
  word.endsWith(ending) && word.length - ending.length >= MIN_STEM_LENGTH
    ? word.slice(0, -ending.length)
    : word;

/**
 * An English word without its commonest endings, so that `caches`, `cached` and `caching` are one; not always a word.
 * Plural, then one ending, then a last vowel and a doubled last letter, as the first steps of Porter's algorithm go
 * (Porter 1980, Program 14:130) without its conditions. A word of other letters is itself.
 */
export const stem = (word: string): string => {
  if (!/^[a-z]+$/.test(word)) return word;
  const singular = /(?:ss|us|is)$/.test(word) ? word : without(word, "s");
  const ending = endings.find((one) => without(singular, one) !== singular);
  const base = ending === undefined ? singular : without(singular, ending);
  const open = base.replace(/[eiy]{1,2}$/, "");
  const trimmed = open.length >= MIN_STEM_LENGTH ? open : base;
  return trimmed.length > MIN_STEM_LENGTH ? trimmed.replace(/([b-df-hj-np-tv-z])\1$/, "$1") : trimmed;
};
