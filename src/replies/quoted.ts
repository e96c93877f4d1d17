import { fencedBlocks, splitLines, type FencedBlock, type Span } from "../text/fences.ts";
import { jsonObjects } from "./json-objects.ts";

// What a reply marks as somebody else's does not decide where the reply declares something of its own: a code block, lines that begin with
// > or are indented as code, and what stands behind `Answer B says:` or in quotation marks. Where it declares nothing else, that is read as
// it would be without the marks.

/** `Answer B ends with:`, `It says:`: what follows is quoted. */
export const ascribes =
  /\b(?:sa(?:ys?|id)|claim(?:s|ed)?|writes?|wrote|reads?|states?|stated|contain(?:s|ed)?|includes?d?|end(?:s|ed)?|t(?:ells?|old)|quot(?:es?|ed|ing)|attempt(?:s|ed)?|tr(?:y|ies|ied)|instruct(?:s|ed|ions?)|asks?|demands?|inject(?:s|ed|ion))\b[^.!?]{0,80}[:：][\s*_"“]*$/i;
/** The same within a line, where it names whose words follow: `Answer B says: …`. */
const ascribesInLine =
  /\b(?:(?:answer|response|output|draft|reviewer|member|candidate|assistant|solution|proposal|reply|option|model)\s\(?[A-Z]\d?\)?(?![\p{L}\d])|it|they)\s[^.!?:\n]{0,60}?\b(?:sa(?:ys?|id)|claim(?:s|ed)?|writes?|wrote|states?|stated|end(?:s|ed)?|tells?|told|demands?|asks?|contains?|tr(?:y|ies|ied))\b[^.!?:\n]{0,60}[:：][ \t*_]{0,4}(["“'`]?)/giu;
const quotedAnswer = /["“‘'`«]\s?final answer\b[^"”’'`»\n]{0,200}/gi;
const closingMark = /["”'`]/;

function findInLine(text: string): Span[] {
  const ascribed = [...text.matchAll(ascribesInLine)].map(({ index, 0: words, 1: mark = "" }) => {
    const start = index + words.length;
    const lineEnd = text.indexOf("\n", start);
    const rest = text.slice(start, Math.min(lineEnd < 0 ? text.length : lineEnd, start + 2_000));
    const closed = mark === "" ? -1 : rest.search(closingMark);
    return { start, end: start + (closed < 0 ? rest.length : closed) };
  });
  const marked = [...text.matchAll(quotedAnswer)].map(({ index, 0: words }) => ({
    start: index,
    end: index + words.length,
  }));
  return [...ascribed, ...marked];
}

/** The code blocks of a text; none where one is left open, since nobody can say which lines are inside. */
export function closedBlocks(text: string): readonly FencedBlock[] {
  const blocks = fencedBlocks(text);
  return blocks.every(({ closed }) => closed) ? blocks : [];
}

/** What a reply with LF line ends marks as quoted. A fenced JSON object is a form of its own, and quoted only where it is ascribed. */
export function findQuoted(text: string): Span[] {
  const blocks = closedBlocks(text);
  const found: Span[] = [];
  let [before, block, done, afterBlank, inCode] = ["", 0, 0, true, false];
  let ascribed: number | null = null;
  for (const { text: line, at } of splitLines(text)) {
    if (at < done) continue;
    const end = at + line.length;
    while ((blocks[block]?.end ?? Infinity) <= at) block += 1;
    const here = blocks[block];
    if (here !== undefined && here.start <= at) {
      const isObject = text
        .slice(here.contentStart, here.contentStart + 200)
        .trimStart()
        .startsWith("{");
      if (!isObject || ascribes.test(before.slice(-300))) found.push({ start: here.start, end: here.end });
      [done, before, ascribed, inCode] = [here.end, "", null, false];
      continue;
    }
    if (line.trim() === "") {
      if (ascribed !== null) found.push({ start: ascribed, end: at });
      [ascribed, afterBlank] = [null, true];
      continue;
    }
    inCode = /^(?: {4}|\t)/.test(line) && (afterBlank || inCode);
    if (inCode || /^ {0,3}>/.test(line)) found.push({ start: at, end });
    else if (ascribed === null && ascribes.test(before.slice(-300))) ascribed = at;
    [before, afterBlank] = [line, false];
  }
  if (ascribed !== null) found.push({ start: ascribed, end: text.length });
  return [...found, ...findInLine(text)].toSorted((one, other) => one.start - other.start);
}

/** The text with these parts, in order, as spaces, and every line where it was; of an indented line the last is `mark`. */
export function blank(text: string, spans: readonly Span[], mark = " "): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    if (end <= Math.max(at, start)) continue;
    const from = Math.max(start, at);
    const part = text.slice(from, end);
    const spaces = part.replace(/[^\n]/g, " ");
    parts.push(text.slice(at, from), /^(?: {4}|\t)/.test(part) ? spaces.replace(/ $/, mark) : spaces);
    at = end;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(at);
}

/** A broken object, with quotation marks of any kind or none around a name that judges write. */
const objectStart =
  /\{\s{0,99}(?:(["'])[\w -]{1,60}\1|[“”‘’„][\w -]{1,60}[“”‘’]|(?<=(?<![\w\\}])\{\s{0,99})(?:feedback|reason(?:ing)?|explanation|rationale|score|grade|rating|result|verdict|winner|preference|answer|final_answer))\s{0,9}:/;

/**
 * The words of a reply with LF line ends, every one where it stood: `plain` without what stands in its JSON objects, where nothing is a
 * mark (a broken one reaches to the last brace, else to the end), and `own` also without what is marked as quoted.
 * `blanked`: what stands for an indented line, of which nobody knows whether it belongs to what stands above it.
 */
export function readOwn(text: string, blanked = " "): { readonly plain: string; readonly own: string } {
  const inside = jsonObjects(text).map(({ start, end }) => ({ start: start + 1, end: end - 1 }));
  const whole = blank(text, inside);
  const [broken, close] = [whole.search(objectStart), whole.lastIndexOf("}")];
  const rest = { start: broken + 1, end: close > broken ? close : text.length };
  const plain = broken < 0 ? whole : blank(whole, [rest]);
  return { plain, own: blank(plain, findQuoted(plain), blanked) };
}
