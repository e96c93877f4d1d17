import { type LabelReader, labelReader } from "./reply-fields.ts";
import { splitLines, type Span, type TextLine } from "../text/fences.ts";
import { jsonObjects } from "./json-objects.ts";
import { openReply } from "./verdicts.ts";

/** A line that begins with the marker `FINAL RANKING:`, its decoration included; a list may follow on the line. */
export const RANKING_MARKER =
  /^[\s#*_`-]{0,40}(?:\d{1,2}[.)]\s*)?[*_`]{0,6}(?:(?:my|the|overall)\s)?final\s{1,4}ranking[*_`]{0,6}\s{0,4}(?:\([^)]{0,80}\)[*_`]{0,6})?\s{0,4}(?:[:：][*_`]{0,6}|[-–—]\s|$)/i;

/** The heading of an answer's strengths or weaknesses, at the start of a line or behind a label. */
export const REVIEW_HEADING =
  /^[\s#*_`•+:–—(.\d)-]*(?:(?:key|main)\s+)?(?:(strengths?|pros)|weakness(?:es)?|cons)\b[\s*_`]*(?::|\(|$)/i;

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
const joined = /^\s*(?:&|\/|and\b|~|≈)\s*/i;
const separator = /^\s*[:–—(,.;|-]/;

function matchLength(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/**
 * A line that is nothing but an order of two or more labels: `A, C, B`, `A > C > B`, `1. A 2. C 3. B`. With
 * `reasons`, words may follow it (`A > B, because …`). Null for any other line. Lines over 2,000 characters are none.
 */
function readOrder(line: string, reader: LabelReader, reasons: boolean): LabelOrder | null {
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
  const also = joined.exec(rest)?.[0];
  const tie = levelWord.test(rest) || (also !== undefined && reader.at(rest, also.length)?.label != null);
  const item = { number, label: mention.label, written: mention.written, tie, rest };
  if (nothing.test(rest) || rest === ":") return item;
  if (number === null) return null;
  return tie || separator.test(rest) || (mention.named && /^\s/.test(rest)) ? item : null;
}

// RANKING-1. What stands last wins: of markers, of lists behind the last marker, of JSON objects, and between these.
// RANKING-2. Only a marker, list or object that begins its own line competes. One inside a sentence counts only where no
//     other is found, and one right behind a quotation mark or a > never does.
// RANKING-3. What stands inside a JSON object is its text and never a marker or a list.
// RANKING-4. A last ranking that is not strict and complete refuses; no earlier one is taken in its place.

export type Ranking =
  { readonly ok: true; readonly ranking: string[] } | { readonly ok: false; readonly reason: string };

/** A ranking with where it starts, and the object that it stood in when it was read from JSON. */
export type LocatedRanking =
  | { readonly ok: true; readonly ranking: string[]; readonly at: number; readonly json: object | null }
  | { readonly ok: false; readonly reason: string };

type RankingCandidate = LabelOrder & { readonly at: number; readonly json: object | null };
type LabelList = { at: number; last: number; numbered: boolean; review: boolean } & {
  labels: (string | null)[];
  written: string[];
  tie: boolean;
};

/** Maximum non-blank lines, from the end, in which a ranking is looked for. */
const MAX_LINES = 5_000;
/** Maximum objects, from the end, among which it is looked for. */
const MAX_OBJECTS = 50;

const innerMarker = /final ranking[*_`]{0,6}:[*_`]{0,6}/gi;
const fenceLine = /^ {0,3}(?:`{3,}|~{3,})/;
const quotes = new Set("\"'“”‘’`>«»");

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same text with every span blanked and every line where it was. */
function blankSpans(text: string, spans: readonly Span[]): string {
  let rest = "";
  let at = 0;
  for (const { start, end } of spans) {
    if (end - start < 8) continue;
    rest += text.slice(at, start) + text.slice(start, end).replace(/[^\r\n]/g, " ");
    at = end;
  }
  return rest + text.slice(at);
}

const labelNames = /^(?:label|answer|response|name|id|candidate|option)$/i;
const rankNames = /^(?:rank|ranking|position|place)$/i;

/** What an object of a list ranks and where, `{"label": "A", "rank": 1}`; null for any other. */
function readRankedLabel(value: unknown): { readonly written: string; readonly rank: number } | null {
  if (!isRecord(value)) return null;
  const entries = Object.entries(value);
  const rank = Number(entries.find(([name]) => rankNames.test(name))?.[1] ?? NaN);
  const written = entries.find(([name]) => labelNames.test(name))?.[1];
  return Number.isInteger(rank) && typeof written === "string" ? { written, rank } : null;
}

/** The order of labels with ranks: they run from 1 upwards. */
function orderByRank(
  given: readonly { readonly written: string; readonly rank: number }[],
  reader: LabelReader,
): LabelOrder {
  const ranked = given.toSorted((a, b) => a.rank - b.rank);
  const written = ranked.map((one) => one.written);
  const tie = ranked.some(({ rank }, index) => rank !== index + 1);
  return { labels: written.map((label) => reader.whole(label)), written, tie };
}

function readJsonOrder(value: unknown, reader: LabelReader): LabelOrder | null {
  if (typeof value === "string") return readOrder(value, reader, false);
  if (isRecord(value)) {
    const ranked = Object.entries(value).map(([written, rank]) => ({ written, rank: Number(rank ?? NaN) }));
    const whole = ranked.length > 1 && ranked.every(({ rank }) => Number.isInteger(rank));
    return whole ? orderByRank(ranked, reader) : null;
  }
  if (!Array.isArray(value)) return null;
  const ranked = value.map(readRankedLabel).filter((one) => one !== null);
  if (ranked.length > 1 && ranked.length === value.length) return orderByRank(ranked, reader);
  const tie = value.some((entry) => Array.isArray(entry) && entry.length > 1);
  const written = value
    .flat()
    .map((entry) => (typeof entry === "string" || typeof entry === "number" ? String(entry) : typeof entry));
  return { labels: written.map((entry) => reader.whole(entry)), written, tie };
}

/** The last list of objects with a label and a rank that stands by itself: `[{"label": "A", "rank": 1}, …]`. */
function findRankedList({ text, objects, reader }: RankingText): RankingCandidate | null {
  const ranked: { written: string; rank: number }[] = [];
  let at = 0;
  for (const { start, end } of objects.slice(-MAX_OBJECTS).toReversed()) {
    if (ranked.length > 0 && !/^\s*,\s*$/.test(text.slice(end, at))) break;
    const one = readRankedLabel(JSON.parse(text.slice(start, end)));
    if (one === null && ranked.length > 0) return null;
    if (one === null) continue;
    ranked.unshift(one);
    at = start;
  }
  const [before = ""] = /(?:^|[\r\n])([^\r\n]{0,200})\[\s*$/
    .exec(text.slice(Math.max(0, at - 300), at))
    ?.slice(1) ?? [null];
  const alone = before !== null && !/["'“‘>]/.test(before);
  return ranked.length > 1 && alone ? { ...orderByRank(ranked, reader), at, json: null } : null;
}

/** The last object that has a ranking, first among those that begin a line (`own`), else among the others. */
function findJsonRanking(source: RankingText, own: boolean): RankingCandidate | null {
  const { text, objects, reader } = source;
  let attempts = MAX_OBJECTS;
  for (const { start, end } of objects.toReversed()) {
    const piece = text.slice(start, end);
    if (!/rank/i.test(piece)) continue;
    const before =
      text
        .slice(Math.max(0, start - 200), start)
        .split(/[\r\n]/)
        .at(-1) ?? "";
    const alone =
      /^[\s*_`]*(?:`{3,}\s*\w*)?\s*$/.test(before) ||
      RANKING_MARKER.exec(before)?.[0].length === before.trimEnd().length;
    if (alone !== own) continue;
    if (!own && (quotes.has(before.trimEnd().slice(-1)) || before.trimStart().startsWith(">"))) continue;
    if ((attempts -= 1) < 0) break;
    const json: unknown = JSON.parse(piece);
    if (!isRecord(json)) continue;
    const key = Object.keys(json).find((name) => /^(?:final)?[\s_-]?ranking$/i.test(name));
    const order = key === undefined ? null : readJsonOrder(json[key], reader);
    if (order !== null) return { ...order, at: start, json };
  }
  return null;
}

/** Every list of labels in the lines, in order. A list whose entries are reviewed in between is a review. */
function findLists(lines: readonly TextLine[], reader: LabelReader): LabelList[] {
  const lists: LabelList[] = [];
  let open: LabelList | null = null;
  for (const [index, { text, at }] of lines.entries()) {
    const start = { at, last: index, review: false };
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
      if (open !== null && REVIEW_HEADING.test(text.slice(0, 200))) open.review = true;
      continue;
    }
    const numbered = item.number !== null;
    const follows: boolean = open !== null && open.numbered === numbered && item.number !== 1;
    if (open === null || !follows) {
      open = { labels: [], written: [], tie: numbered && item.number !== 1, ...start, numbered };
      lists.push(open);
    } else if (numbered && item.number !== open.labels.length + 1) open.tie = true;
    open.labels.push(item.label);
    open.written.push(item.written);
    open.tie ||= item.tie;
    open.review ||= REVIEW_HEADING.test(item.rest.slice(0, 200));
    open.last = index;
  }
  return lists.filter((list) => !list.review && list.labels.some((label) => label !== null));
}

type RankingText = { readonly text: string; readonly objects: readonly Span[]; readonly reader: LabelReader };

/** What stands behind the last marker that begins a line: a candidate, why there is none, or null without a marker. */
function findMarkedRanking(
  prose: string,
  reader: LabelReader,
): { at: number; found: RankingCandidate | string } | null {
  const lines = splitLines(prose);
  const from = lines.findLastIndex((line) => RANKING_MARKER.test(line.text.slice(0, 300)));
  const marked = lines[from];
  if (marked === undefined) return null;
  const after = marked.text.slice(RANKING_MARKER.exec(marked.text.slice(0, 300))?.[0].length ?? 0);
  const written = lines
    .slice(from + 1)
    .filter((line) => line.text.trim() !== "" && !fenceLine.test(line.text));
  const section = [{ text: after, at: marked.at }, ...written].slice(-MAX_LINES);
  const list = findLists(section, reader).at(-1);
  if (list === undefined)
    return { at: marked.at, found: "nothing behind the final ranking marker reads as a ranking" };
  if (section.slice(list.last + 1).some((line) => REVIEW_HEADING.test(line.text.slice(0, 200))))
    return {
      at: list.at,
      found: "strengths and weaknesses follow the last ranking, so it is not the end of the review",
    };
  return { at: list.at, found: { ...list, json: null } };
}

/** A marker inside a line, with nothing but an order from there to the line's end. */
function findInnerRanking(prose: string, reader: LabelReader): RankingCandidate | null {
  const places = [...prose.matchAll(innerMarker)].slice(-20);
  for (const place of places.toReversed()) {
    const before = prose
      .slice(Math.max(0, place.index - 200), place.index)
      .trimEnd()
      .replace(/[*_]{1,3}$/, "")
      .trimEnd();
    if (!/[.!?;:…)]$/.test(before)) continue;
    const [line = ""] = prose
      .slice(place.index + place[0].length)
      .slice(0, 2_001)
      .split(/[\r\n]/, 1);
    const order = /["“”\]}]/.test(line) ? null : readOrder(line, reader, false);
    if (order !== null) return { ...order, at: place.index, json: null };
  }
  return null;
}

function checkRanking(candidate: RankingCandidate, labels: readonly string[]): LocatedRanking {
  const { labels: named, written, tie, at, json } = candidate;
  const unknown = named.findIndex((label) => label === null);
  const ranking = named.filter((label) => label !== null);
  const repeated = ranking.find((label, index) => ranking.indexOf(label) !== index);
  const missing = labels.find((label) => !ranking.includes(label));
  if (unknown !== -1)
    return {
      ok: false,
      reason: `the ranking names ${JSON.stringify((written[unknown] ?? "").slice(0, 40))}, which is no answer`,
    };
  if (repeated !== undefined) return { ok: false, reason: `the ranking names ${repeated} more than once` };
  if (tie) return { ok: false, reason: "the ranking has a tie or its numbers do not run from 1 upwards" };
  if (missing !== undefined) return { ok: false, reason: `the ranking leaves out ${missing}` };
  return { ok: true, ranking, at, json };
}

/** As `parseRanking`, with where the ranking stood. */
export function locateRanking(reply: string, labels: readonly string[]): LocatedRanking {
  const reader = labelReader(labels);
  if (reader === null || labels.length === 0)
    return { ok: false, reason: "the labels to rank are none, or read alike" };
  const opened = openReply(reply);
  if (!opened.ok) return opened;
  const { text } = opened;
  const source = { text, objects: jsonObjects(text), reader };
  const prose = blankSpans(text, source.objects);
  const json = findJsonRanking(source, true) ?? findRankedList(source);
  const marked = findMarkedRanking(prose, reader);
  if (marked !== null && (json === null || marked.at > json.at))
    return typeof marked.found === "string"
      ? { ok: false, reason: marked.found }
      : checkRanking(marked.found, labels);
  const inner = [findJsonRanking(source, false), findInnerRanking(prose, reader)].filter(
    (found) => found !== null,
  );
  const last = json ?? inner.sort((a, b) => b.at - a.at)[0];
  return last === undefined
    ? { ok: false, reason: "there is neither a final ranking marker nor a JSON ranking" }
    : checkRanking(last, labels);
}

/**
 * Reads a complete strict ranking of `labels`, best first, in the labels' own spelling. It is either JSON with a
 * `ranking` array, alone, fenced or in prose, or a list of labels and ranks,
 * or the last list behind the marker `FINAL RANKING:`, one label
 * a line or all on one (`A, C, B`, `A > C > B`); reasons may follow a label. `Answer A`, `Response A` and `**a**` name A.
 * Refuses a tie, an unknown, repeated or missing label, a reply with neither form, and one over 256 KiB. The text is a model's and not trusted: what it quotes of the answers does not decide as long as
 * it ends in a ranking of its own. Time is linear in the text.
 */
export function parseRanking(text: string, labels: readonly string[]): Ranking {
  const located = locateRanking(text, labels);
  return located.ok ? { ok: true, ranking: located.ranking } : located;
}
