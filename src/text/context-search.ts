import * as z from "zod";
import type { Json, ToolSpec } from "../kernel/index.ts";
import { normalizeBreaks, type Span } from "./fences.ts";

/** Something that a participant said, and in which round. */
export type SaidText = {
  readonly round: number;
  readonly by: string;
  readonly kind: string;
  readonly text: string;
};

/** A place where the term stands, with the text around it; `…` where that is cut. */
export type ContextHit = {
  readonly round: number;
  readonly by: string;
  readonly kind: string;
  readonly snippet: string;
};

export type ContextSearch =
  | {
      readonly ok: true;
      /** How often the term stands in all texts, shown or not. */
      readonly total: number;
      /** The newest round first; within a round in the order given. */
      readonly hits: ContextHit[];
    }
  | { readonly ok: false; readonly reason: string };

const MAX_TERM_LENGTH = 200;
/** All lengths of texts from here on are in UTF-16 units. */
const SNIPPET_LENGTH = 200;
/** What stands on each side of a term that fills a snippet by itself. */
const MIN_MARGIN = 40;
/** How far a cut moves to spare a word. */
const MAX_CUT_SHIFT = 40;
const MAX_HITS_EACH = 3;
const MAX_HITS = 20;

export const ContextSearchInput = z.strictObject({
  // JSON Schema counts code points, and zod UTF-16 units: the search itself looks at the length.
  term: z
    .string()
    .meta({ description: "The word or phrase to find.", minLength: 1, maxLength: MAX_TERM_LENGTH }),
});
export type ContextSearchInput = z.infer<typeof ContextSearchInput>;

/** What a model is told of the search. */
export const CONTEXT_SEARCH: ToolSpec = {
  name: "context_search",
  description:
    "Finds a word or phrase in what has been said so far, whatever its case, and shows the text around it. The newest round comes first.",
  parameters: z.toJSONSchema(ContextSearchInput) as Json, // a JSON Schema is JSON
};

/**
 * Where `term` stands in `texts`: as it is written, the spaces around it aside, and whatever its case (by
 * the simple case folding of code points, as ECMA-262 has it for the flags `iu`; `ß` is not `ss`). At most 3 snippets of one text and `most` of all, 20
 * unless given; a snippet has about 200 characters, and occurrences that fit into one have one. Not found is
 * no failure; a blank term, and one of more than 200 code points, is.
 * @throws RangeError unless `most` is a whole number above 0
 */
export function searchContext(
  texts: readonly SaidText[],
  term: string,
  { most = MAX_HITS }: { readonly most?: number } = {},
): ContextSearch {
  if (!Number.isInteger(most) || most < 1)
    throw new RangeError(`most must be an integer of at least 1 (got ${most})`);
  const wanted = normalizeBreaks(term).trim();
  if (wanted === "") return { ok: false, reason: "the term is blank; give a word or a phrase" };
  if (isLonger(wanted, MAX_TERM_LENGTH))
    return { ok: false, reason: `the term has more than ${MAX_TERM_LENGTH} characters; give a shorter one` };
  const pattern = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  let total = 0;
  const hits: ContextHit[] = [];
  for (const { round, by, kind, text } of texts.toSorted((a, b) => b.round - a.round)) {
    const found = findSnippets({
      text: normalizeBreaks(text),
      pattern,
      most: Math.min(MAX_HITS_EACH, most - hits.length),
    });
    total += found.total;
    for (const snippet of found.snippets) hits.push({ round, by, kind, snippet });
  }
  return { ok: true, total, hits };
}

/** By code points; a long text is not taken apart to learn that it is long. */
function isLonger(text: string, most: number): boolean {
  return text.length > 2 * most || [...text].length > most;
}

type TermSearch = { readonly text: string; readonly pattern: RegExp; readonly most: number };

/** Counts the occurrences, and gives the text around them: each stands in one snippet, and of these there are at most `most`. */
function findSnippets({ text, pattern, most }: TermSearch): {
  readonly total: number;
  readonly snippets: string[];
} {
  // White space at either end of a text is not worth an ellipsis.
  const whole = { start: text.length - text.trimStart().length, end: text.trimEnd().length };
  const snippets: string[] = [];
  let total = 0;
  let reach = 0;
  for (const { index, 0: match } of text.matchAll(pattern)) {
    total += 1;
    const hit = { start: index, end: index + match.length };
    if (hit.end <= reach || snippets.length === most) continue;
    const { start, end } = placeSnippet(text, hit, whole);
    reach = end;
    const before = start > whole.start ? "…" : "";
    const after = end < whole.end ? "…" : "";
    snippets.push(`${before}${text.slice(start, end).trim()}${after}`);
  }
  return { total, snippets };
}

/** What a snippet takes in: the hit in the middle, or nearer to one end of the text where that is near. */
function placeSnippet(text: string, hit: Span, whole: Span): Span {
  const length = Math.max(SNIPPET_LENGTH, hit.end - hit.start + 2 * MIN_MARGIN);
  const middle = Math.floor((hit.start + hit.end - length) / 2);
  const start = Math.max(whole.start, Math.min(middle, whole.end - length));
  const end = Math.min(whole.end, start + length);
  return {
    start: start === whole.start ? start : startOfWord(text, start, hit.start),
    end: end === whole.end ? end : endOfWord(text, end, hit.end),
  };
}

/** The nearest beginning of a word from `at` up to `hit`, else one shortly before `at`, else no half code point. */
function startOfWord(text: string, at: number, hit: number): number {
  for (let to = at; to <= Math.min(at + MAX_CUT_SHIFT, hit); to += 1) if (isSpace(text, to - 1)) return to;
  for (let to = at; to > at - MAX_CUT_SHIFT; to -= 1) if (isSpace(text, to - 1)) return to;
  return skipHalfPair(text, at);
}

/** The nearest end of a word from `at` down to `hit`, else one shortly behind `at`, else no half code point. */
function endOfWord(text: string, at: number, hit: number): number {
  for (let to = at; to >= Math.max(at - MAX_CUT_SHIFT, hit); to -= 1) if (isSpace(text, to)) return to;
  for (let to = at; to < at + MAX_CUT_SHIFT; to += 1) if (isSpace(text, to)) return to;
  return skipHalfPair(text, at);
}

/** The ends of a text count. */
function isSpace(text: string, at: number): boolean {
  return text.charAt(at).trim() === "";
}

/** `at`, or one more where that is the middle of a surrogate pair. */
function skipHalfPair(text: string, at: number): number {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at;
}
