/** The answer shown first, the one shown second, or neither before the other. */
export type Winner = "A" | "B" | "tie";

const noun = String.raw`(?:the\s)?(?:output|response|answer|assistant|option|candidate|reply|model)\s?`;
const mark = "[\"'“”’*_`]{0,4}";
/**
 * `Output (a)`, `Response B`, `(b)`, `**A**`. A small letter needs a noun or brackets, since `a` is an article:
 * `winnerOf` drops the others, as the patterns themselves do not look at the case.
 */
const side = String.raw`(?<![\p{L}\p{N}])${mark}(?:${noun}${mark}[([]?(?<noun>[ab])[)\]]?|[([](?<bracket>[ab])[)\]]|(?<letter>[ab]))(?![\p{L}\p{N}'’])${mark}`;
const tie = String.raw`(?<tie>(?:a\s)?(?:tie[ds]?|draw|equal(?:ly\s(?:good|bad))?|neither|both)\b)`;

type Groups = { readonly [name: string]: string | undefined } | undefined;

const winnerOf = (groups: Groups): Winner | null => {
  if (groups?.["tie"] !== undefined) return "tie";
  const { noun: named, bracket, letter } = groups ?? {};
  const small = letter !== undefined && letter !== letter.toUpperCase();
  const found = named ?? bracket ?? (small ? undefined : letter);
  return found === undefined ? null : found.toUpperCase() === "A" ? "A" : "B";
};

const lead = String.raw`^[\s:=–(*_"'“-]{0,10}`;
const leading = new RegExp(`${lead}(?:${tie}|${side})`, "iu");
/** A small letter with nothing behind it but what closes: only a verdict's own place can be read so. */
const smallLetter = new RegExp(String.raw`${lead}([ab])${mark}\s?[)\]]?[.,;]?(?:\s*$|[\r\n])`, "u");

/** The side, or the tie, that a text names first of all, as one does behind a marker: `A`, `(b)`, `Response A`, `tie`. */
export const wordedSide = (text: string): Winner | null => {
  const [, letter] = smallLetter.exec(text) ?? [];
  return letter === undefined ? winnerOf(leading.exec(text)?.groups) : letter === "a" ? "A" : "B";
};

const therefore = String.raw`^(?:(?:so|therefore|thus|hence|overall),?\s)?`;
const adverbs = String.raw`(?:\s(?:the|clearly|slightly|much|far|overall|significantly|marginally|a|bit|also))*`;
const claim = new RegExp(
  String.raw`${side}(?:\sis${adverbs}\s(?:better|best|superior|preferable|preferred|stronger|winner)(?:\s(?:output|response|answer|one|choice|overall))?|\swins)(?<rest>[^]{0,200})`,
  "iu",
);
const named = new RegExp(
  String.raw`${therefore}(?:(?:my|the)\s)?(?:final\s|overall\s)?(?:verdict|winner|preference|choice|decision|judge?ment|answer|(?:better|best|preferred|stronger|superior)(?:\s(?:output|response|answer|one|choice))?)${mark}\s?(?:is|:|=)\s?(?:${mark}${tie}|${side})(?<rest>[^]{0,200})$`,
  "iu",
);
const even = new RegExp(
  String.raw`${therefore}(?:(?:(?:it\sis|it['’]s|this\sis)\sa\s)?(?:tie|draw)|both\s(?:\w+\s)?are\s(?:equally\sgood|equally\sbad|equal|tied)|neither(?:(?:\s\w+)?\sis\sbetter)?)[.!]?$`,
  "iu",
);
const alone = new RegExp(`^${side}[.!]?$`, "iu");
const openingLetter = /^["'“*_(]{0,4}(?<letter>[AB])[)"'”*_]{0,4}(?:[.,)]|\s[-–—])/;

/** A claim that holds in one respect only, or is weighed against another. */
const qualified =
  /^["'”*_]{0,4}\s(?:in|at|on|with|when|if|regarding|only)\b|\b(?:but|however|although|though|while|whereas|except)\b/i;
/** A claim that is a question, a condition, denied, or somebody else's. */
const reported =
  /\b(?:if|whether|why|how|not|than|while|although|though|unless|argue[sd]?|claim(?:s|ed)?|says?|suggest(?:s|ed)?|would)\b[^,.]{0,60}$/i;
/** What takes back a verdict that has just been given. */
const revoked = /\b(?:except|but|however|although|though)\b/i;
const ends = /^(?:$|[.!,;]|\s(?:because|since|as|for|due|than|and)\b|\s[-–—(])/;

const bare = (line: string): string => line.replace(/^[\s#*_>-]{1,20}/, "").trim();

/**
 * Which side a sentence settles on, or null: `Output (b)`, `Therefore, Output (a) is better because …`, `The better answer
 * is (b).`, `Final verdict: tie`. A heading (a line that begins with `#`) settles nothing unless it names a verdict.
 * `lines` are those of the whole reply: a side alone on a line is a heading where the other one has a line too.
 */
export const verdictIn = (sentence: string, lines: readonly string[]): Winner | null => {
  const text = bare(sentence);
  const said = named.exec(text);
  const rest = said?.groups?.["rest"] ?? "";
  if (said && ends.test(rest)) return revoked.test(rest) ? null : winnerOf(said.groups);
  if (/^\s{0,3}#/.test(sentence)) return null;
  if (even.test(text)) return "tie";
  const only = soleSide(text);
  if (only !== null) return lines.some((line) => isHeadedByOther(line, only)) ? null : only;
  return claimedIn(text);
};

const soleSide = (text: string): Winner | null =>
  winnerOf(alone.exec(text)?.groups) ?? winnerOf(openingLetter.exec(text)?.groups);

const isHeadedByOther = (line: string, side: Winner): boolean => {
  const other = soleSide(bare(line).replace(/:.*$/, ""));
  return other !== null && other !== side;
};

function claimedIn(text: string): Winner | null {
  const found = claim.exec(text);
  const rest = found?.groups?.["rest"] ?? "";
  if (found === null || claim.test(rest) || qualified.test(rest)) return null;
  return reported.test(text.slice(0, found.index)) ? null : winnerOf(found.groups);
}
