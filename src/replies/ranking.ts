import { splitLines, type Span } from "../text/fences.ts";
import { jsonObjects } from "./json-objects.ts";
import { findLists, RANKING_MARKER, readOrder, REVIEW_HEADING, type LabelOrder } from "./label-lists.ts";
import { type LabelReader, labelReader } from "./reply-fields.ts";
import { ascribes, blank, closedBlocks } from "./quoted.ts";
import { lineBefore, openReply } from "./verdicts.ts";

// A JSON review with a complete ranking is what was asked for: no marker in prose counts beside it, unless the prose is a review, too. Else
// what stands last is read; where another complete ranking differs from it, none is: a review that corrects itself and one that repeats a
// hostile answer look alike, and asking again is cheap.
// Only a marker, list or object that begins its own line competes. One inside a sentence counts only where no other is found, and one right
// behind a quotation mark or a > never does. A marker in a code block, indented as code, or behind a line that says whose it is (`Answer B
// says:`) is quoted: behind a complete ranking it does not count.
// What stands inside a JSON object is its text and never a marker or a list.
// A last ranking that is not strict and complete refuses; no earlier one is taken in its place.

export type Ranking =
  { readonly ok: true; readonly ranking: string[] } | { readonly ok: false; readonly reason: string };

/** A ranking with where it starts, and the object that it stood in when it was read from JSON. */
export type LocatedRanking =
  | { readonly ok: true; readonly ranking: string[]; readonly at: number; readonly json: object | null }
  | { readonly ok: false; readonly reason: string };

type RankingCandidate = LabelOrder & { readonly at: number; readonly json: object | null };
/** Maximum non-blank lines, from the end, in which a ranking is looked for. */
const MAX_LINES = 5_000;
/** Maximum objects, from the end, among which it is looked for. */
const MAX_OBJECTS = 50;

/** A longer object that does not name a ranking is none. */
const MAX_BARE_LENGTH = 2_000;

const innerMarker = /final ranking[*_`]{0,6}:[*_`]{0,6}/gi;
const quotes = new Set("\"'“”‘’`>«»");

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text without these spans, but for the shortest, which hold no ranking. */
const blankSpans = (text: string, spans: readonly Span[]): string =>
  blank(
    text,
    spans.filter(({ start, end }) => end - start >= 8),
  );

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

/** Labels with ranks and nothing else, `{"A": 3, "B": 1, "C": 2}`, unless what stands before calls them scores. */
function readBareRanks(
  json: Record<string, unknown>,
  before: string,
  reader: LabelReader,
): LabelOrder | null {
  const isAll = Object.keys(json).every((name) => reader.whole(name) !== null);
  const order = isAll && !/scor|point|rating|grade/i.test(before) ? readJsonOrder(json, reader) : null;
  return order?.tie === false ? order : null;
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

/** The objects that have a ranking, the last first: those that begin a line (`own`), or the others. */
function findJsonRankings(source: RankingText, own: boolean): RankingCandidate[] {
  const found: RankingCandidate[] = [];
  const { text, objects, reader } = source;
  let attempts = MAX_OBJECTS;
  for (const { start, end } of objects.toReversed()) {
    const piece = text.slice(start, end);
    if (!/rank/i.test(piece) && piece.length > MAX_BARE_LENGTH) continue;
    const before = lineBefore(text, start);
    const alone =
      /^[\s*_`]*(?:`{3,}\s*\w*)?\s*$/.test(before) ||
      RANKING_MARKER.exec(before)?.[0].length === before.trimEnd().length;
    if (alone !== own) continue;
    if (!own && (quotes.has(before.trimEnd().slice(-1)) || before.trimStart().startsWith(">"))) continue;
    if ((attempts -= 1) < 0) break;
    const json: unknown = JSON.parse(piece);
    if (!isRecord(json)) continue;
    const key = Object.keys(json).find((name) => /^(?:final)?[\s_-]?rankings?$/i.test(name));
    const order =
      key === undefined
        ? readBareRanks(json, text.slice(Math.max(0, start - 200), start), reader)
        : readJsonOrder(json[key], reader);
    if (order !== null) found.push({ ...order, at: start, json });
  }
  return found;
}

type RankingText = { readonly text: string; readonly objects: readonly Span[]; readonly reader: LabelReader };

const indentedLine = /^(?: {4}|\t)/;

type Quoted = Span & { readonly ascribed: boolean };

const isMarker = (line: string): boolean => RANKING_MARKER.test(line.slice(0, 300));

/** What a review quotes: code blocks, but for one right behind a marker, and markers that are indented or ascribed. */
function findQuoted(prose: string): Quoted[] {
  const lines = splitLines(prose);
  const blocks = closedBlocks(prose);
  const found: Quoted[] = [];
  let [before, block] = ["", 0];
  for (const [index, { text, at }] of lines.entries()) {
    if (at < (found.at(-1)?.end ?? 0)) continue;
    while ((blocks[block]?.end ?? Infinity) <= at) block += 1;
    const here = blocks[block];
    if (here !== undefined && here.start <= at) {
      const isList = isMarker(before) && before.slice(0, 300).replace(RANKING_MARKER, "").trim() === "";
      if (!isList)
        found.push({ start: here.start, end: here.end, ascribed: ascribes.test(before.slice(-300)) });
      block += 1;
    } else if (isMarker(text) && (ascribes.test(before.slice(-300)) || indentedLine.test(text))) {
      const blank = lines.findIndex((line, other) => other > index && line.text.trim() === "");
      const end = (blank === -1 ? undefined : lines[blank]?.at) ?? prose.length;
      found.push({ start: at, end, ascribed: ascribes.test(before.slice(-300)) });
    }
    if (text.trim() !== "") before = text;
  }
  return found;
}

type MarkedRankings = {
  /** Why there is none behind the last marker; null where there is one. */
  readonly problem: { readonly at: number; readonly why: string } | null;
  /** What stood before strengths and weaknesses in lists that are reviews. */
  readonly covered: RankingCandidate[];
  /** Of all markers, in order; where `problem` is null the last is that of the last marker. */
  readonly found: RankingCandidate[];
};

/** What stands behind each marker that begins a line of `prose`; null without a marker. */
function findMarkedRankings(prose: string, reader: LabelReader): MarkedRankings | null {
  const lines = splitLines(prose);
  const markers = lines.flatMap(({ text }, index) => (isMarker(text) ? [index] : []));
  const last = markers.at(-1);
  if (last === undefined) return null;
  const found: RankingCandidate[] = [];
  const covered: RankingCandidate[] = [];
  let problem: MarkedRankings["problem"] = null;
  for (const [nth, from] of markers.entries()) {
    const marked = lines[from];
    if (marked === undefined) continue;
    const after = marked.text.slice(RANKING_MARKER.exec(marked.text.slice(0, 300))?.[0].length ?? 0);
    const behind = lines.slice(from + 1, markers[nth + 1]).filter((line) => line.text.trim() !== "");
    const section = [{ text: after, at: marked.at }, ...behind].slice(-MAX_LINES);
    const all = findLists(section, reader);
    const lists = all.filter(({ review }) => review === null);
    // A ranking that is followed by strengths and weaknesses looks like a review.
    for (const { review, ...list } of all)
      if (review !== null) covered.push({ ...list, labels: list.labels.slice(0, review), json: null });
    found.push(...lists.map((list) => ({ ...list, json: null })));
    const list = lists.at(-1);
    if (from !== last) continue;
    if (list === undefined)
      problem = { at: marked.at, why: "nothing behind the final ranking marker reads as a ranking" };
    else if (section.slice(list.last + 1).some((line) => REVIEW_HEADING.test(line.text.slice(0, 200))))
      problem = {
        at: list.at,
        why: "strengths and weaknesses follow the last ranking, so it is not the end of the review",
      };
  }
  return { problem, found, covered };
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

const isReview = ({ json }: RankingCandidate): boolean =>
  json !== null && "reviews" in json && Array.isArray(json.reviews) && json.reviews.length > 0;

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
  const quotes = findQuoted(prose);
  const bare = findMarkedRankings(blankSpans(prose, quotes), reader);
  const jsons = findJsonRankings(source, true);
  const isComplete = (one: RankingCandidate): boolean => checkRanking(one, labels).ok;
  const read = (one: RankingCandidate, beside: readonly RankingCandidate[]): LocatedRanking =>
    beside.some(
      (other) =>
        other.at !== one.at && isComplete(other) && other.labels.join("\n") !== one.labels.join("\n"),
    )
      ? { ok: false, reason: "the reply has two final rankings that differ" }
      : checkRanking(one, labels);

  const reviews = jsons.filter((one) => isReview(one) && isComplete(one));
  const [review] = reviews;
  if (review !== undefined) {
    const isProse = splitLines(prose).some((line) => REVIEW_HEADING.test(line.text.slice(0, 200)));
    return read(review, [...reviews, ...(isProse ? (bare?.found ?? []) : [])]);
  }

  const json = jsons[0] ?? findRankedList(source);
  const first = Math.min(...[...(bare?.found ?? []), ...jsons].filter(isComplete).map(({ at }) => at));
  const quoted = quotes
    .filter(({ start, ascribed }) => start < first && !(ascribed && first < Infinity))
    .flatMap(({ start, end }) => {
      const inside = findMarkedRankings(prose.slice(start, end), reader);
      return (inside?.found ?? []).map((one) => ({ ...one, at: one.at + start }));
    });
  // What follows a complete list and looks like more of it does not take the list away.
  const begun = (bare?.found ?? []).flatMap((list) =>
    list.labels.length > labels.length
      ? [{ ...list, labels: list.labels.slice(0, labels.length), tie: false }]
      : [],
  );
  const all = [...jsons, ...(bare?.found ?? []), ...begun, ...(bare?.covered ?? []), ...quoted];
  const marked = bare?.problem ?? bare?.found.at(-1);
  if (marked !== undefined && (json === null || marked.at > json.at))
    return "why" in marked ? { ok: false, reason: marked.why } : read(marked, all);
  if (json !== null) return read(json, all);
  const fenced = quoted.at(-1);
  if (fenced !== undefined) return read(fenced, all);
  const inner = [findJsonRankings(source, false)[0] ?? null, findInnerRanking(prose, reader)].filter(
    (found) => found !== null,
  );
  const last = inner.sort((a, b) => b.at - a.at)[0];
  return last === undefined
    ? { ok: false, reason: "there is neither a final ranking marker nor a JSON ranking" }
    : checkRanking(last, labels);
}

/**
 * Reads a complete strict ranking of `labels`, best first, in the labels' own spelling. It is either JSON with a
 * `ranking` array, alone, fenced or in prose, or a list of labels and ranks,
 * or the last list behind the marker `FINAL RANKING:`, one label
 * a line or all on one (`A, C, B`, `A > C > B`); reasons may follow a label. `Answer A`, `Response A` and `**a**` name A.
 * Refuses a tie, an unknown, repeated or missing label, two rankings that differ, a reply with neither form, and one over 256 KiB. The text is a model's and not trusted: what it quotes of the answers does not decide as long as
 * it ends in a ranking of its own. Time is linear in the text.
 */
export function parseRanking(text: string, labels: readonly string[]): Ranking {
  const located = locateRanking(text, labels);
  return located.ok ? { ok: true, ranking: located.ranking } : located;
}
