import type { LabelReader } from "./reply-fields.ts";
import type { TextLine } from "../text/fences.ts";

/** A line that begins with the marker `FINAL RANKING:`, its decoration included; a list may follow on the line. */
export const RANKING_MARKER =
  /^[\s#*_`-]{0,40}(?:\d{1,2}[.)]\s*)?[*_`]{0,6}(?:(?:my|the|overall)\s)?final\s{1,4}ranking[*_`]{0,6}\s{0,4}(?:\([^)]{0,80}\)[*_`]{0,6})?\s{0,4}(?:[:：][*_`]{0,6}|[-–—]\s|$)/i;

/** The heading of an answer's strengths or weaknesses, at the start of a line or behind a label. */
export const REVIEW_HEADING =
  /^[\s>#*_`•+:–—(.\d)-]*(?:(?:key|main)\s+)?(?:(strengths?|pros)|weakness(?:es)?|cons)\b[\s*_`]*(?::|\(|$)/i;

const leadWords = new Set(
  "a answer answers are as based best final following from full here i in is my of on order our overall preference rank ranked ranking response responses resulting so the therefore this to worst would".split(
    " ",
  ),
);

/** How many characters of the line introduce a ranking (`My order:`), 0 where it begins with anything else. */
export function measureLeadIn(line: string): number {
  const colon = line.slice(0, 100).search(/[:：]/);
  if (colon === -1) return 0;
  const words =
    line
      .slice(0, colon)
      .toLowerCase()
      .match(/[^\s*_#()-]+/g) ?? [];
  const leads = words.some((word) => word.startsWith("rank") || word === "order");
  return leads && words.every((word) => leadWords.has(word)) ? colon + 1 : 0;
}

/** Labels as one line orders them, best first; a null is something label-like that is not known, as `written` shows. */
export type LabelOrder = {
  readonly labels: readonly (string | null)[];
  readonly written: readonly string[];
  /** Whether two of them are put level. */
  readonly tie: boolean;
};

/** One label in a list. `number` is null for a bullet or a bare line; `rest` is what follows the label. */
export type LabelItem = {
  readonly number: number | null;
  readonly label: string | null;
  readonly written: string;
  readonly tie: boolean;
  readonly rest: string;
};

const MAX_LINE_LENGTH = 2_000;
const itemHead =
  /^[\s#*_`•+-]*(?:(?:rank|place|position|no\.)\s*)?#?(?:(\d{1,2})(?:st|nd|rd|th)?(?:\s+place)?[\s.):\]–—*_-]+)?/i;
const inlineNumber = /[\s*_`]*\d{1,2}(?:st|nd|rd|th)?[.):][\s*_`]*/iy;
const level = /\s*(?:>=|≥|⪰|=(?!>)|~|≈|≡|&|\/|and\b|tie[sd]?\b(?:\s+with\b)?)\s*/iy;
const above = /\s*(?:>+|-+>|=+>|→|➔|≻|»|;|,(?:\s*and\b)?(?:\s*then\b)?|then\b)\s*/iy;
const blank = /[\s*_`]+/y;
const nothing = /^[\s.!*_`"'”’)\]}]*$/;
const because = /^[*_`"'”’)\]]*(?:[,;.:]\s|\s*[(–—]|\s+-\s|[,;.:]?\s*(?:because|since|as)\b)/i;
const levelWord = /^[\s*_]*\(?\s*(?:tie[sd]?\b|=)/i;
const joiner = /^\s*(?:&|\/|and\b|~|≈)\s*/i;
const separator = /^\s*[:–—(,.;|-]/;

function matchLength(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/**
 * A line that is nothing but an order of two or more labels: `A, C, B`, `A > C > B`, `1. A 2. C 3. B`. With
 * `reasons`, words may follow it (`A > B, because …`). Null for any other line. Lines over 2,000 characters are none.
 */
export function readOrder(line: string, reader: LabelReader, reasons: boolean): LabelOrder | null {
  if (line.length > MAX_LINE_LENGTH) return null;
  const labels: (string | null)[] = [];
  const written: string[] = [];
  let tie = false;
  let tieAhead = false;
  let at = 0;
  let end = 0;
  for (;;) {
    const number = matchLength(inlineNumber, line, at);
    const mention = (number > 0 ? reader.at(line, at + number) : null) ?? reader.at(line, at);
    if (mention === null) break;
    labels.push(mention.label);
    written.push(mention.written);
    tie ||= tieAhead;
    end = mention.end;
    const equal = matchLength(level, line, end);
    const step = equal > 0 ? equal : matchLength(above, line, end);
    tieAhead = equal > 0;
    at = end + (step > 0 ? step : matchLength(blank, line, end));
    if (at === end || (step === 0 && line.charAt(at) === "(")) break;
  }
  if (labels.length < 2 || labels.every((label) => label === null)) return null;
  const rest = line.slice(end);
  if (nothing.test(rest)) return { labels, written, tie };
  return reasons && because.test(rest) && rest.trim().split(/\s+/, 3).length > 1
    ? { labels, written, tie }
    : null;
}

/** A line that puts one label in a list: `1. Response A – …`, `**A**`, `- Answer B`. Null for any other line. */
export function readItem(line: string, reader: LabelReader): LabelItem | null {
  const text = line.slice(0, MAX_LINE_LENGTH);
  const [head = "", digits] = itemHead.exec(text) ?? [];
  const numbered = digits === undefined ? null : reader.at(text, head.length);
  const mention = numbered ?? reader.at(text, /^[\s#*_`•+-]*/.exec(text)?.[0].length ?? 0);
  if (mention === null) return null;
  const number = numbered === null || digits === undefined ? null : Number(digits);
  const rest = text.slice(mention.end);
  const also = joiner.exec(rest)?.[0];
  const tie = levelWord.test(rest) || (also !== undefined && reader.at(rest, also.length)?.label != null);
  const item = { number, label: mention.label, written: mention.written, tie, rest };
  if (nothing.test(rest) || rest === ":") return item;
  if (number === null) return null;
  return tie || separator.test(rest) || (mention.named && /^\s/.test(rest)) ? item : null;
}

/** `review`: how many labels stood in it when strengths or weaknesses began, which makes it a review; else null. */
export type LabelList = { at: number; last: number; numbered: boolean; review: number | null } & {
  labels: (string | null)[];
  written: string[];
  tie: boolean;
};

/** Every list of labels in the lines, in order. A list whose entries are reviewed in between is a review. */
export function findLists(lines: readonly TextLine[], reader: LabelReader): LabelList[] {
  const lists: LabelList[] = [];
  let open: LabelList | null = null;
  for (const [index, { text, at }] of lines.entries()) {
    const start = { at, last: index, review: null };
    const led = text.slice(measureLeadIn(text));
    const order = readOrder(led, reader, index === 0 || led !== text);
    if (order !== null) {
      const { labels, written, tie } = order;
      lists.push({ labels: [...labels], written: [...written], tie, ...start, numbered: false });
      open = null;
      continue;
    }
    const item = readItem(text, reader);
    if (item === null) {
      if (open !== null && !open.numbered) open = null;
      if (open !== null && REVIEW_HEADING.test(text.slice(0, 200))) open.review ??= open.labels.length;
      continue;
    }
    const numbered = item.number !== null;
    const follows: boolean = open !== null && open.numbered === numbered && item.number !== 1;
    if (open === null || !follows) {
      open = { labels: [], written: [], tie: numbered && item.number !== 1, ...start, numbered };
      lists.push(open);
    } else if (numbered && item.number !== open.labels.length + 1) open.tie = true;
    if (REVIEW_HEADING.test(item.rest.slice(0, 200))) open.review ??= open.labels.length;
    open.labels.push(item.label);
    open.written.push(item.written);
    open.tie ||= item.tie;
    open.last = index;
  }
  return lists.filter((list) => list.labels.some((label) => label !== null));
}
