/** English words that say little by themselves. Those that turn a sentence round (`not`, `no`, `never`) are not among them. */
const stopWords = new Set(
  `a about after all also am an and any are as at be because been before being between both but by ca can could d did
  do does doing done during each for from further get gets had has have having he her here hers him his how i if in
  into is it its itself just let like ll m may me might more most much must my of on once one only or other our ours
  out over own re s same shall she should so some such than that the their theirs them then there these they this
  those through to too under until up upon us ve very was we were what when where which while who whom why will with
  wo would you your yours`.split(/\s+/),
);

/** One sign is a word where words are not spaced; elsewhere letters and digits in a row are, at most 40 of them. */
export const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}]){1,40}/gu;

/** The words of a text that carry its content, each once, in lower case and in the order of their first use; `don't` has `not`. */
export const contentWords = (text: string): string[] => {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .replace(/n['’]t\b/g, " not")
      .match(word) ?? [];
  return [...new Set(words)].filter((found) => !stopWords.has(found));
};
