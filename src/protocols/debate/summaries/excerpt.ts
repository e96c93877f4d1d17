/** What says that a text went on; it counts. */
const CUT_SIGN = " …";

/**
 * The beginning of a text, trimmed and well-formed: all of it where it has at most `maxLength` UTF-16 units, else up to
 * the end of a sentence or of a word, with an ellipsis that counts. Never longer than `maxLength`.
 */
export function excerptOf(text: string, maxLength: number): string {
  const whole = text.toWellFormed().trim();
  if (whole.length <= maxLength) return whole;
  if (maxLength < CUT_SIGN.length) return CUT_SIGN.trim().slice(0, Math.max(0, maxLength));
  const end = cutAt(whole, 0, maxLength - CUT_SIGN.length);
  return `${whole.slice(0, end).trimEnd()}${CUT_SIGN}`.trim();
}

/**
 * Where to cut a text so that at most `most` UTF-16 units stand between `from` and the cut: after the last sentence of
 * the second half of them, else after its last word, else between two characters. Looks at no more than `most` units.
 */
export function cutAt(text: string, from: number, most: number): number {
  const limit = from + most;
  if (limit >= text.length) return text.length;
  let afterWord: number | undefined;
  for (let at = limit; at > from + most / 2; at -= 1) {
    if (endsSentence(text, at)) return at;
    if (afterWord === undefined && isSpace(text, at)) afterWord = at;
  }
  return afterWord ?? (splitsPair(text, limit) ? limit - 1 : limit);
}

const isSpace = (text: string, at: number): boolean => text.charAt(at).trim() === "";

/** A line's end, a stop before a space, or a stop of the scripts that write no space after it. */
const endsSentence = (text: string, at: number): boolean =>
  text.charAt(at) === "\n" ||
  "。！？".includes(text.charAt(at - 1)) ||
  (".!?…".includes(text.charAt(at - 1)) && isSpace(text, at));

/** Whether a cut here would leave half of a surrogate pair on either side. */
const splitsPair = (text: string, at: number): boolean => {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
};
