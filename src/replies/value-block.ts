// WHOLE-1. A value is read whole or not at all: what goes on behind its first line (a program, a grid, a table, a column of
//     numbers, a system of equations) is never compared by that line.
import { listItem } from "./captions.ts";
import { cleanValue } from "./final-value.ts";

/** What stands behind a caption: one line, nothing, or a value of several lines, which is read by nobody. */
export type CaptionedValue = { readonly line: string; readonly goesOn: boolean };

const MAX_LOOK_LENGTH = 2_000;
const NOTHING: CaptionedValue = { line: "", goesOn: false };
const SEVERAL: CaptionedValue = { line: "", goesOn: true };

const fence = /^\s{0,3}(?:`{3,}|~{3,})/;
const mathBreak = /^\s*(?:\\[[\]]|\$\$)\s*$/;
const captionMark = /^[\s*_]{0,4}(?:is|:|：|→|[-–—](?=\s))?[\s*_:：]{0,6}(?:\(.{0,60}?\):)?/i;
/** `Answer:` in front of a value that has been announced already. */
const repeatedCaption =
  /^[\s*_#>]{0,8}(?:the |my )?(?:final |correct )?answer[\s*_]{0,4}[:：][\s*_]{0,4}(?=\S)/i;
/** A line of prose that ends with a colon announces what stands below it; `def f(x):` and `a = {:` are code. */
const announces = /^[^()[\]{}=;|]*\p{L}[^()[\]{}=;|]*[:：][\s*_]{0,4}$/u;
const codeWord =
  /^\s*(?:def|class|if|elif|else|for|while|try|except|finally|with|case|default|switch|do|begin)\b/;
/** A row of a grid or a table: numbers, single letters and signs, and no word. */
const row = /^(?=\s*\S)(?:[^\p{L}\n=]|(?<!\p{L})\p{L}(?!\p{L}))*$/u;
/** An equation with a variable on its left side. */
const equation = /^[^=\n]*(?<!\p{L})\p{L}(?!\p{L})[^=\n]*=[^=\n]*$/u;
const assigned = /^[\s$\\(&*-]*(\p{L}[\p{L}\p{N}_{}']{0,20})\s?&?[=≈:]/u;
const endsOpen = /(?:[,&;{([=+*/\\|-]|\\\\|\b(?:and|or))\s*$/;
const beginsInside = /^(?: {2,}|\t|\s*[)\]}&|])/;
const opensBlock = /\\begin\{(?![^]*\\end\{)|^\s*```|^\s*\|/;

/** Whether the line below one belongs to the same value: it is indented, of the same form, or the one above is left open. */
function continues(line: string, below: string): boolean {
  if (below.trim() === "" || fence.test(below) || mathBreak.test(below)) return false;
  return (
    opensBlock.test(line) ||
    endsOpen.test(line) ||
    beginsInside.test(below) ||
    [row, equation, listItem].some((form) => form.test(line) && form.test(below))
  );
}

/** Whether a text ends with a value that began above its last line; `x = 4` below `2x = 8` is what the working comes to. */
export function endsWithBlock(text: string): boolean {
  const lines = text.trimEnd().split("\n");
  if (fence.test(lines.at(-1) ?? "")) lines.pop();
  const [above, last] = lines.slice(-2);
  if (above === undefined || last === undefined) return false;
  const [one, other] = [above, last].map((line) => assigned.exec(line)?.[1]);
  if (one !== undefined && one === other) return false;
  return continues(above, last) && (one !== undefined || !equation.test(last));
}

/** Lines up to the next blank one, or what a fence holds. */
function blockOf(lines: readonly string[]): readonly string[] {
  const [first = ""] = lines;
  if (fence.test(first)) {
    const end = lines.findIndex((line, index) => index > 0 && fence.test(line));
    return lines.slice(1, end === -1 ? lines.length : end).filter((line) => line.trim() !== "");
  }
  const end = lines.findIndex((line) => line.trim() === "" || fence.test(line));
  return (end === -1 ? lines : lines.slice(0, end)).filter((line) => !mathBreak.test(line));
}

const isAnnouncement = (line: string): boolean => announces.test(line) && !codeWord.test(line);

/** A letter with its option may have its reasons below it; what stands below anything else belongs to it. */
const lettered = /^[\s*_>-]{0,6}\(?[A-Z](?:[).:]|\*{1,2}|\s*$)/;
const reasons = /^\s*\p{Lu}?[\p{L}'’]+[ ,]+(?:[^\s]+ ){2,}/u;

function readBelow(lines: readonly string[], depth = 0): CaptionedValue {
  const from = lines.findIndex((line) => line.trim() !== "" && !mathBreak.test(line));
  if (from === -1) return NOTHING;
  const rest = lines.slice(from);
  const block = blockOf(rest);
  const [first = "", second] = block;
  if (depth < 3 && isAnnouncement(first) && !fence.test(rest[0] ?? ""))
    return readBelow(rest.slice(1), depth + 1);
  const value = first.replace(repeatedCaption, "");
  if (second !== undefined)
    return lettered.test(value) && reasons.test(second)
      ? { line: cleanValue(value), goesOn: false }
      : SEVERAL;
  if (!listItem.test(value)) return { line: cleanValue(value), goesOn: false };
  // A list may have blank lines between its items.
  const next = rest.slice(1).find((line) => line.trim() !== "");
  return next !== undefined && listItem.test(next)
    ? SEVERAL
    : { line: cleanValue(value.replace(listItem, "")), goesOn: false };
}

/** What a caption declares: the rest of its line, or where there is none, or it only announces, the block below (WHOLE-1). */
export function valueAfter(text: string): CaptionedValue {
  const lines = text.slice(0, MAX_LOOK_LENGTH).split("\n", 100);
  const own = (lines[0] ?? "").replace(captionMark, "");
  const below = lines.slice(1);
  if (cleanValue(own) === "") return readBelow(below);
  if (fence.test(own)) return readBelow([own, ...below]);
  if (isAnnouncement(own)) return readBelow(below, 1);
  return continues(own, below[0] ?? "")
    ? SEVERAL
    : { line: cleanValue(own.replace(repeatedCaption, "")), goesOn: false };
}

/** What stands between tags, whatever its length: one line, or several, which are read by nobody (WHOLE-1). */
export function valueIn(text: string): CaptionedValue {
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "" && !mathBreak.test(line) && !fence.test(line));
  const [first = "", second] = lines;
  if (second !== undefined) return isAnnouncement(first) || lettered.test(first) ? readBelow(lines) : SEVERAL;
  if (first.length <= MAX_LOOK_LENGTH / 5)
    return { line: cleanValue(first.replace(repeatedCaption, "")), goesOn: false };
  return first.length > MAX_LOOK_LENGTH ? SEVERAL : { line: first.trim(), goesOn: false };
}
