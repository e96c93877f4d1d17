import type { Span } from "../text/fences.ts";
export { parseJson } from "../kernel/canonical.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** UTF-16 units, from the end, in which objects are looked for: more than any reader takes of a reply. */
const MAX_SEARCHED_LENGTH = 2 * 1024 * 1024;

/** The content of a string with its line breaks and tabs escaped. */
const escapeContent = (content: string): string =>
  content.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");

/**
 * A text with the line breaks and tabs in the strings of its JSON escaped: models that write Markdown into a string
 * often forget to, and JSON (RFC 8259, 7) forbids them as they are. Strings are told from the first brace on. Time is
 * linear in the text.
 */
export function escapeBreaks(text: string): string {
  const start = text.indexOf("{");
  if (start < 0 || !/[\n\r\t]/.test(text)) return text;
  const done: string[] = [];
  let from = 0;
  let [opened, mustEscape] = [-1, false];
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code < 0x20) mustEscape ||= code === 0x0a || code === 0x0d || code === 0x09;
    else if (code === QUOTE) {
      if (opened >= 0 && mustEscape) {
        done.push(text.slice(from, opened), escapeContent(text.slice(opened, at)));
        from = at;
      }
      opened = opened < 0 ? at : -1;
      mustEscape = false;
    }
  }
  const rest = opened < 0 ? text.length : opened;
  return done.join("") + text.slice(from, rest) + escapeContent(text.slice(rest));
}

type Expected = "key" | "key-or-close" | "colon" | "value" | "value-or-close" | "comma-or-close";

const scalar = /-?(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?(?:[eE][+-]?\d{1,9})?|true|false|null/y;

/** What may follow the brace of an object. */
const begins = new Set('"} \t\r\n');

/** The index after the string that opens at `start`; null where it breaks the grammar or has no end. */
function stringEnd(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return null;
    if (code !== 0x5c) continue;
    at += 1;
    const escaped = text.charAt(at);
    if (escaped === "u" && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) at += 4;
    else if (escaped === "" || !'"\\/bfnrt'.includes(escaped)) return null;
  }
  return null;
}

/** Adds the object that opens at `start`, or the whole ones inside it where it is broken, to `found`; where to go on. */
function scanObject(text: string, start: number, found: Span[]): number {
  /** Where each open object began; -1 for a list. */
  const open = [start];
  const outside = found.length;
  let expected: Expected = "key-or-close";
  let lastString = start;
  let at = start + 1;
  for (;;) {
    const character = text.charAt(at);
    if (character === "") break;
    if (character === " " || character === "\n" || character === "\r" || character === "\t") {
      at += 1;
      continue;
    }
    const closes =
      expected === "key-or-close" || expected === "value-or-close" || expected === "comma-or-close";
    if (closes && character === ((open.at(-1) ?? -1) >= 0 ? "}" : "]")) {
      const began = open.pop() ?? -1;
      at += 1;
      if (began >= 0) {
        while (found.length > outside && (found.at(-1)?.start ?? -1) > began) found.pop();
        found.push({ start: began, end: at });
      }
      if (open.length === 0) return at;
      expected = "comma-or-close";
    } else if (expected === "comma-or-close") {
      if (character !== ",") break;
      expected = (open.at(-1) ?? -1) >= 0 ? "key" : "value";
      at += 1;
    } else if (expected === "colon") {
      if (character !== ":") break;
      expected = "value";
      at += 1;
    } else if (character === '"') {
      const end = stringEnd(text, at);
      lastString = at;
      if (end === null) break;
      expected = expected === "key" || expected === "key-or-close" ? "colon" : "comma-or-close";
      at = end;
    } else if (expected === "key" || expected === "key-or-close") {
      break;
    } else if (character === "{" || character === "[") {
      open.push(character === "{" ? at : -1);
      expected = character === "{" ? "key-or-close" : "value-or-close";
      at += 1;
    } else {
      scalar.lastIndex = at;
      const value = scalar.exec(text)?.[0];
      if (value === undefined) break;
      expected = "comma-or-close";
      at += value.length;
    }
  }
  // A brace inside the last string may open the real object, so a failure resumes right behind where that string began.
  return Math.max(lastString + 1, found.length > outside ? (found.at(-1)?.end ?? 0) : 0);
}

/**
 * Where the outermost whole JSON objects (RFC 8259) stand in a text of any kind, in order. What stands inside one
 * is not looked at again, so an object quoted in a string of another is never found. Of a text over 2 MiB
 * the end is searched. Time is linear in the text: a scan that fails goes on behind where its last string began, and what it reads again has no string to open.
 */
export function jsonObjects(text: string): Span[] {
  const found: Span[] = [];
  let at = text.indexOf("{", Math.max(0, text.length - MAX_SEARCHED_LENGTH));
  while (at !== -1) {
    const next = begins.has(text.charAt(at + 1)) ? scanObject(text, at, found) : at + 1;
    at = text.indexOf("{", next);
  }
  return found;
}
