import { parseJson } from "./canonical.ts";
import type { Json } from "./ids.ts";
import type { WebSource } from "./model.ts";

// Sources are foreign text: an address of the web without a user name, a title of one line, both bounded before they are recorded.

/** Of one reply: a report of a deep search has more, of which these come first. */
const MAX_SOURCES = 30;
const MAX_URL_LENGTH = 2_000;
const MAX_TITLE_LENGTH = 200;

const ADDRESS = /^https?:\/\/([^\s/?#\\@<>"'`\p{C}]+)(?:[/?#][^\s<>"\\`\p{C}]*)?$/iu;

/** The host of a source's address, with its port. */
export const hostOf = (url: string): string => (ADDRESS.exec(url)?.[1] ?? "").toLowerCase();

/** What a provider or a tool says of its sources: the first of each address that is one of the web. */
export function readSources(
  given: Iterable<{ readonly url?: unknown; readonly title?: unknown }>,
): WebSource[] {
  const found = new Map<string, WebSource>();
  for (const { url: written, title } of given) {
    if (found.size === MAX_SOURCES) break;
    if (typeof written !== "string" || written.length > MAX_URL_LENGTH || !ADDRESS.test(written)) continue;
    const url = written.replace(/^[^/]*\/\/[^/?#]*/, (origin) => origin.toLowerCase()); // however its host is written
    const line = typeof title === "string" ? oneLine(title.slice(0, 4 * MAX_TITLE_LENGTH)) : "";
    if (!found.has(url)) found.set(url, line === "" || line === url ? { url } : { url, title: line });
  }
  return [...found.values()];
}

const oneLine = (text: string): string =>
  [...text.replaceAll(/[\s\p{C}]+/gu, " ").trim()].slice(0, MAX_TITLE_LENGTH).join("").toWellFormed();

// The end of a sentence is none of an address.
const IN_TEXT = /https?:\/\/[^\s<>"\\`\])}\p{C}]*[^\s<>"\\`\])}\p{C}.,;:!?'*_]/giu;
const MAX_DEPTH = 8;

/** The addresses in a search tool's result, with the titles that stand beside them. */
export const sourcesInResult = (result: Json): WebSource[] => readSources(pairsIn(result, MAX_DEPTH));

function* pairsIn(value: Json, depth: number): Generator<{ url: unknown; title?: unknown }> {
  if (depth === 0) return;
  if (typeof value === "string") {
    // Servers of tools write their results as JSON in a text, or as prose.
    const written = /^\s*[[{]/.test(value) ? (parseJson(value) as Json | undefined) : undefined;
    if (written !== undefined) yield* pairsIn(written, depth - 1);
    else for (const [url] of value.matchAll(IN_TEXT)) yield { url };
  } else if (value !== null && typeof value === "object") {
    const own = new Map(Object.entries(value));
    const url = own.get("url") ?? own.get("link") ?? own.get("href") ?? own.get("uri");
    if (typeof url === "string") yield { url, title: own.get("title") ?? own.get("name") };
    else for (const one of own.values()) yield* pairsIn(one, depth - 1);
  }
}

/** A source with its number in the run. */
export type NumberedSource = WebSource & { readonly n: number };

/** These sources under their numbers: those that are known stay as they are, and each new address gets the next one. */
export function numberSources(
  known: readonly NumberedSource[],
  sources: readonly WebSource[],
): readonly NumberedSource[] {
  const byUrl = new Map(known.map((one) => [one.url, one]));
  let last = known.reduce((most, { n }) => Math.max(most, n), 0);
  return sources.map((source) => {
    const numbered = byUrl.get(source.url) ?? { ...source, n: (last += 1) };
    byUrl.set(source.url, numbered);
    return numbered;
  });
}
