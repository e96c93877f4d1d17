import type { Span } from "../text/fences.ts";

const escapes = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/**
 * A text with the line breaks and tabs in the strings of its JSON escaped: models that write Markdown into a string
 * often forget to, and JSON (RFC 8259, 7) forbids them as they are. Strings are told from the first brace on. Time is
 * linear in the text.
 */
export function escapeBreaks(text: string): string {
  const start = text.indexOf("{");
  if (start < 0) return text;
  let inside = false;
  const json = text.slice(start).replaceAll(/\\[^]|["\n\r\t]/g, (found) => {
    if (found === '"') inside = !inside;
    return inside ? (escapes.get(found) ?? found) : found;
  });
  return text.slice(0, start) + json;
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

/** The object that opens at `start`, or the whole ones inside it where it is broken; and where to go on. */
type Scan = {
  readonly found: readonly Span[];
  readonly next: number;
};

function scanObject(text: string, start: number): Scan {
  const open: { readonly kind: string; readonly at: number }[] = [{ kind: "{", at: start }];
  const whole: Span[] = [];
  let expected: Expected = "key-or-close";
  let lastString = start;
  let at = start + 1;
  // A brace inside the last string may open the real object, so a failure resumes right behind where that string began.
  const failed = (): Scan => ({
    found: whole,
    next: Math.max(lastString + 1, whole.at(-1)?.end ?? 0),
  });
  for (;;) {
    const character = text.charAt(at);
    if (character === "") return failed();
    if (character === " " || character === "\n" || character === "\r" || character === "\t") {
      at += 1;
      continue;
    }
    const closes =
      expected === "key-or-close" || expected === "value-or-close" || expected === "comma-or-close";
    if (closes && character === (open.at(-1)?.kind === "{" ? "}" : "]")) {
      const closed = open.pop();
      at += 1;
      if (closed?.kind === "{") {
        while ((whole.at(-1)?.start ?? -1) > closed.at) whole.pop();
        whole.push({ start: closed.at, end: at });
      }
      if (open.length === 0) return { found: whole, next: at };
      expected = "comma-or-close";
    } else if (expected === "comma-or-close") {
      if (character !== ",") return failed();
      expected = open.at(-1)?.kind === "{" ? "key" : "value";
      at += 1;
    } else if (expected === "colon") {
      if (character !== ":") return failed();
      expected = "value";
      at += 1;
    } else if (character === '"') {
      const end = stringEnd(text, at);
      lastString = at;
      if (end === null) return failed();
      expected = expected === "key" || expected === "key-or-close" ? "colon" : "comma-or-close";
      at = end;
    } else if (expected === "key" || expected === "key-or-close") {
      return failed();
    } else if (character === "{" || character === "[") {
      open.push({ kind: character, at });
      expected = character === "{" ? "key-or-close" : "value-or-close";
      at += 1;
    } else {
      scalar.lastIndex = at;
      const value = scalar.exec(text)?.[0];
      if (value === undefined) return failed();
      expected = "comma-or-close";
      at += value.length;
    }
  }
}

/**
 * Where the outermost whole JSON objects (RFC 8259) stand in a text of any kind, in order. What stands inside one
 * is not looked at again, so an object quoted in a string of another is never found. Time is linear in the
 * text: a scan that fails goes on behind where its last string began, and what it reads again has no string to open.
 */
export function jsonObjects(text: string): Span[] {
  const found: Span[] = [];
  let at = text.indexOf("{");
  while (at !== -1) {
    if (!begins.has(text.charAt(at + 1))) {
      at = text.indexOf("{", at + 1);
      continue;
    }
    const { found: inside, next } = scanObject(text, at);
    for (const span of inside) found.push(span);
    at = text.indexOf("{", next);
  }
  return found;
}

/** The value of a JSON text; null where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
