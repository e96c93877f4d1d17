import { fencedBlocks } from "../text/fences.ts";
import { jsonObjects, type Span } from "./json-objects.ts";

/** Longer replies are refused unread; an event could not hold one anyway. */
export const MAX_REPLY_LENGTH = 4_000_000;

/** A JSON object that a reply holds: its own entries, and where it stands. */
export type FoundObject = { readonly entries: ReadonlyMap<string, unknown>; readonly span: Span };

/** What stands behind one marker of a reply, to at most `lookAhead` characters, and where the marker stands. */
export type Marked = { readonly behind: string; readonly at: number };

const MAX_OBJECTS = 50;
const LOOK_AHEAD_LENGTH = 120;
const quotes = new Set("\"'“”‘’`«»");

/** The last JSON objects of a text, in order; names are in lower case. */
export function findObjects(text: string): FoundObject[] {
  return jsonObjects(text)
    .slice(-MAX_OBJECTS)
    .flatMap((span): FoundObject[] => {
      const value: unknown = JSON.parse(text.slice(span.start, span.end));
      if (typeof value !== "object" || value === null) return [];
      const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [
        name.toLowerCase(),
        inner,
      ]);
      return [{ entries: new Map(entries), span }];
    });
}

/** The first of these names that the object has, with its value. */
export function findEntry({ entries }: FoundObject, names: readonly string[]): { value: unknown } | null {
  const name = names.find((one) => entries.has(one));
  return name === undefined ? null : { value: entries.get(name) };
}

/**
 * What stands behind each marker of the text. One inside of a JSON object is text; one right behind a quotation
 * mark, or on a line that begins with `>`, is quoted: neither counts.
 */
export function findMarked(text: string, marker: RegExp, objects: readonly FoundObject[]): Marked[] {
  return [...text.matchAll(marker)].flatMap((match): Marked[] => {
    const at = match.index;
    if (objects.some(({ span }) => span.start < at && at < span.end)) return [];
    if (quotes.has(text.charAt(at - 1))) return [];
    const [line = ""] = text
      .slice(Math.max(0, at - 200), at)
      .split(/[\r\n]/)
      .slice(-1);
    if (/^\s*>/.test(line)) return [];
    const end = at + match[0].length;
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
export function feedbackAroundObject(text: string, { start, end }: Span): string {
  const block = fencedBlocks(text).find(
    (one) =>
      one.contentStart <= start &&
      end <= one.contentEnd &&
      text.slice(one.contentStart, start).trim() === "" &&
      text.slice(end, one.contentEnd).trim() === "",
  );
  return feedbackAround(text, block ?? { start, end });
}
