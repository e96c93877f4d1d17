import {
  fencedBlocks,
  hasTooManyLines,
  MAX_REPLY_LINES,
  normalizeBreaks,
  type Span,
} from "../text/fences.ts";
import { jsonObjects } from "./json-objects.ts";

/** Longer replies are refused unread: nobody ranks, grades or prefers in more, and reading holds up everything else. */
const MAX_REPLY_LENGTH = 256 * 1024;

/** A JSON object that a reply holds: its own entries, and where it stands. */
export type FoundObject = { readonly entries: ReadonlyMap<string, unknown>; readonly span: Span };

/** What stands behind one marker of a reply, to at most `lookAhead` characters, and where the marker stands. */
export type Marked = { readonly behind: string; readonly at: number };

const MAX_OBJECTS = 50;
const LOOK_AHEAD_LENGTH = 120;
const quotes = new Set("\"'“”‘’`«»");

/** What a reply declares, and the judge's words for it, which are looked for only when they are needed. */
export type Declaration<T> = { readonly value: T; readonly words: () => string };

/**
 * A reply as readers read it, with LF at the end of every line; refused where that is longer than `max` characters or has
 * more than 20,000 lines.
 */
export function openReply(
  reply: string,
  max = MAX_REPLY_LENGTH,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string } {
  const text = reply.length > 2 * max ? reply : normalizeBreaks(reply);
  if (text.length > max) return { ok: false, reason: `the reply is longer than ${max} characters` };
  if (hasTooManyLines(text)) return { ok: false, reason: `the reply has more than ${MAX_REPLY_LINES} lines` };
  return { ok: true, text };
}

/** The last JSON objects of a text, in order; names are in lower case. */
export function findObjects(text: string): FoundObject[] {
  return jsonObjects(text)
    .slice(-MAX_OBJECTS)
    .flatMap((span): FoundObject[] => {
      const value: unknown = JSON.parse(text.slice(span.start, span.end));
      if (typeof value !== "object" || value === null) return [];
      const entries = Object.entries(value).map(([name, inner]) => [name.toLowerCase(), inner] as const);
      return [{ entries: new Map<string, unknown>(entries), span }];
    });
}

/** Whether an object is among the judge's own words: what is quoted is blank in `own`. */
export const isOwnObject =
  (own: string) =>
  ({ span }: FoundObject): boolean =>
    own.charAt(span.start) === "{";

/** The value of the first of these names that the object has. */
function findEntry({ entries }: FoundObject, names: readonly string[]): unknown {
  return entries.get(names.find((one) => entries.has(one)) ?? "");
}

/** What the objects that have one of `names` declare with it; `words` name the judge's own words. */
export function readObjects<T>(
  text: string,
  objects: readonly FoundObject[],
  form: {
    readonly names: readonly string[];
    readonly words: readonly string[];
    /** Undefined for a value that declares nothing. */
    readonly read: (value: unknown) => T | undefined;
  },
): Declaration<T>[] {
  return objects.flatMap((object): Declaration<T>[] => {
    const hasName = form.names.some((name) => object.entries.has(name));
    const value = hasName ? form.read(findEntry(object, form.names)) : undefined;
    if (value === undefined) return [];
    const words = findEntry(object, form.words);
    return [
      {
        value,
        words: () => (typeof words === "string" ? words.trim() : feedbackAroundObject(text, object.span)),
      },
    ];
  });
}

/** The line that stands behind a marker, and the words around both. */
export function readBehind(text: string, { behind, at }: Marked): { line: string; words: () => string } {
  const [line = ""] = behind.trimStart().split(/[\r\n]/, 1);
  const end = text.indexOf(line, at) + line.length;
  return { line, words: () => feedbackAround(text, { start: at, end }) };
}

/** What stands before `at` on its line, as far as 200 characters back. */
export function lineBefore(text: string, at: number): string {
  return (
    text
      .slice(Math.max(0, at - 200), at)
      .split(/[\r\n]/)
      .at(-1) ?? ""
  );
}

/**
 * What stands behind each marker of the text. One inside of a JSON object is text; one right behind a quotation
 * mark, or on a line that begins with `>`, is quoted: neither counts.
 */
export function findMarked(text: string, marker: RegExp, objects: readonly FoundObject[]): Marked[] {
  return [...text.matchAll(marker)].flatMap(({ index: at, 0: mark }): Marked[] => {
    if (objects.some(({ span }) => span.start < at && at < span.end)) return [];
    if (quotes.has(text.charAt(at - 1))) return [];
    if (/^\s*>/.test(lineBefore(text, at))) return [];
    const end = at + mark.length;
    return [{ behind: text.slice(end, end + LOOK_AHEAD_LENGTH), at }];
  });
}

/** The words of a reply before its verdict or, where there are none, behind it; without the heading `Feedback:`. */
export function feedbackAround(text: string, verdict: Span): string {
  const before = removeHeading(text.slice(0, verdict.start));
  return before === "" ? removeHeading(text.slice(verdict.end)) : before;
}

const heading = /^[\s#*_("'“]*feedback[*_]{0,3}\s*:[*_]{0,3}\s*/i;

function removeHeading(text: string): string {
  return text.replace(heading, "").trim();
}

/** The words of a reply around a JSON verdict, as `feedbackAround`, without the fence in which it stands alone. */
function feedbackAroundObject(text: string, { start, end }: Span): string {
  const block = fencedBlocks(text).find(
    (one) =>
      one.contentStart <= start &&
      end <= one.contentEnd &&
      text.slice(one.contentStart, start).trim() === "" &&
      text.slice(end, one.contentEnd).trim() === "",
  );
  return feedbackAround(text, block ?? { start, end });
}
