/** Endings of English words that leave the meaning about as it is, the longer before those that they end in. */
const endings = [
  "ations",
  "ation",
  "ments",
  "ment",
  "ness",
  "ingly",
  "ings",
  "ing",
  "edly",
  "ed",
  "ers",
  "er",
  "ly",
];

/** What has to be left of a word. */
const shortest = 3;

const without = (word: string, ending: string): string =>
  word.endsWith(ending) && word.length - ending.length >= shortest ? word.slice(0, -ending.length) : word;

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
  const trimmed = open.length >= shortest ? open : base;
  return trimmed.length > shortest ? trimmed.replace(/([b-df-hj-np-tv-z])\1$/, "$1") : trimmed;
};
