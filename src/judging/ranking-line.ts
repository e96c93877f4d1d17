import type { LabelReader } from "./labels.ts";

/** Labels as one line orders them, best first; a null is something label-like that is not known, as `written` shows. */
export type Order = {
  readonly labels: readonly (string | null)[];
  readonly written: readonly string[];
  /** Whether two of them are put level. */
  readonly tie: boolean;
};

/** One label in a list. `number` is null for a bullet or a bare line; `rest` is what follows the label. */
export type Item = {
  readonly number: number | null;
  readonly label: string | null;
  readonly written: string;
  readonly tie: boolean;
  readonly rest: string;
};

const maximumLine = 2_000;
const itemHead =
  /^[\s#*_`•+-]*(?:(?:rank|place|position|no\.)\s*)?#?(?:(\d{1,2})(?:st|nd|rd|th)?(?:\s+place)?[\s.):\]–—*_-]+)?/i;
const inlineNumber = /[\s*_`]*\d{1,2}(?:st|nd|rd|th)?[.):][\s*_`]*/iy;
const level = /\s*(?:>=|≥|⪰|=(?!>)|~|≈|≡|&|\/|and\b|tie[sd]?\b(?:\s+with\b)?)\s*/iy;
const above = /\s*(?:>+|-+>|=+>|→|➔|≻|»|;|,(?:\s*and\b)?(?:\s*then\b)?|then\b)\s*/iy;
const blank = /[\s*_`]+/y;
const nothing = /^[\s.!*_`"'”’)\]}]*$/;
const because = /^[*_`"'”’)\]]*(?:[,;.:]\s|\s*[(–—]|\s+-\s|[,;.:]?\s*(?:because|since|as)\b)/i;
const levelWord = /^[\s*_]*\(?\s*(?:tie[sd]?\b|=)/i;
const joined = /^\s*(?:&|\/|and\b|~|≈)\s*/i;
const separator = /^\s*[:–—(,.;|-]/;

const lengthAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
};

/**
 * A line that is nothing but an order of two or more labels: `A, C, B`, `A > C > B`, `1. A 2. C 3. B`. With
 * `reasons`, words may follow it (`A > B, because …`). Null for any other line. Lines over 2,000 characters are none.
 */
export const readOrder = (line: string, reader: LabelReader, reasons: boolean): Order | null => {
  if (line.length > maximumLine) return null;
  const labels: (string | null)[] = [];
  const written: string[] = [];
  let tie = false;
  let tieAhead = false;
  let at = 0;
  let end = 0;
  for (;;) {
    const number = lengthAt(inlineNumber, line, at);
    const mention = (number > 0 ? reader.at(line, at + number) : null) ?? reader.at(line, at);
    if (mention === null) break;
    labels.push(mention.label);
    written.push(mention.written);
    tie ||= tieAhead;
    end = mention.end;
    const equal = lengthAt(level, line, end);
    const step = equal > 0 ? equal : lengthAt(above, line, end);
    tieAhead = equal > 0;
    at = end + (step > 0 ? step : lengthAt(blank, line, end));
    if (at === end || (step === 0 && line.charAt(at) === "(")) break;
  }
  if (labels.length < 2 || labels.every((label) => label === null)) return null;
  const rest = line.slice(end);
  if (nothing.test(rest)) return { labels, written, tie };
  return reasons && because.test(rest) && rest.trim().split(/\s+/, 3).length > 1
    ? { labels, written, tie }
    : null;
};

/** A line that puts one label in a list: `1. Response A – …`, `**A**`, `- Answer B`. Null for any other line. */
export const readItem = (line: string, reader: LabelReader): Item | null => {
  const text = line.slice(0, maximumLine);
  const [head = "", digits] = itemHead.exec(text) ?? [];
  const numbered = digits === undefined ? null : reader.at(text, head.length);
  const mention = numbered ?? reader.at(text, /^[\s#*_`•+-]*/.exec(text)?.[0].length ?? 0);
  if (mention === null) return null;
  const number = numbered === null || digits === undefined ? null : Number(digits);
  const rest = text.slice(mention.end);
  const also = joined.exec(rest)?.[0];
  const tie = levelWord.test(rest) || (also !== undefined && reader.at(rest, also.length)?.label != null);
  const item = { number, label: mention.label, written: mention.written, tie, rest };
  if (nothing.test(rest) || rest === ":") return item;
  if (number === null) return null;
  return tie || separator.test(rest) || (mention.named && /^\s/.test(rest)) ? item : null;
};
