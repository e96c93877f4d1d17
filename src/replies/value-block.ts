// A value is read whole or not at all: what goes on behind its first line (a program, a grid, a table, a column of numbers, a system of
// equations) is never compared by that line.
// A value of several lines equals only one of the same lines, spaces aside. Prose and lists of steps are none, and so is a block behind
// which more of its kind stands.
import { ANSWER_NAMES, listItem } from "./captions.ts";
import { cleanValue, readChoice, readNumberAnswer } from "./final-value.ts";

/** What stands behind a caption: one line, or a value of several, which is compared as it is written; null where it is read by nobody. */
export type CaptionedValue = { readonly line: string } | { readonly whole: string | null };

/** How far a value is read behind its caption, in UTF-16 units; one that reaches farther than half of it is not compared. */
export const MAX_LOOK_LENGTH = 8_000;
/** One between tags, or in a field of its own, may be longer. */
const MAX_TAGGED_LENGTH = 64 * 1024;
const MAX_LINES = 300;
/** What is looked at of a line to see whether the next belongs to it. */
const MAX_LINE_LENGTH = 400;

const fence = /^\s{0,3}(?:`{3,}|~{3,})/;
const mathBreak = /^\s*(?:\\[[\]]|\$\$)\s*$/;
const saysSomething = (line: string): boolean => line.trim() !== "" && !mathBreak.test(line);
const captionMark = /^[\s*_]{0,4}(?:is|:|：|→|[-–—](?=\s))?[\s*_:：]{0,6}(?:\(.{0,60}?\):)?/i;
/** `Answer:` in front of a value that has been announced already. */
const repeatedCaption = new RegExp(
  String.raw`^[\s*_#>]{0,8}(?:(?:so|therefore|thus|hence),? )?(?:(?:the|my|our|final|correct|right|best)\s){0,3}(?:answer|option|choice|${ANSWER_NAMES})[\s*_]{0,4}(?:[:：=]|[-–—](?=\s)|is(?![\p{L}]))[\s*_:]{0,6}(?=\S)`,
  "iu",
);
/** A line as a value, without a caption of its own. */
const bare = (line: string): CaptionedValue => ({
  line: cleanValue(cleanValue(line.replace(repeatedCaption, "")).replace(repeatedCaption, "")),
});
/** Signs of code: `def f(x):` and `a = {:` announce nothing. */
const codeSign = /[()[\]{}=;|]/;
const codeWord =
  /^\s*(?:def|class|if|elif|else|for|while|try|except|finally|with|case|default|switch|do|begin)\b/;
/** A row of a grid or a table: numbers, single letters and signs, and no word. */
const row = /^(?=[^\n]*[\p{L}\p{N}.#])(?:[^\p{L}\n=]|(?<!\p{L})\p{L}(?!\p{L}))*$/u;
/** An equation with a variable on its left side. */
const equation = /^[^=\n]*(?<!\p{L})\p{L}(?!\p{L})[^=\n]*=[^=\n]*$/u;
const assignment = /^[\s$\\([&*-]*(\p{L}[\p{L}\p{N}_{}']{0,20})\s?&?[=≈:]/u;
const endsOpen = /(?:[,&;{([=+*/\\|-]|\\\\|\b(?:and|or))\s*$/;
const beginsInside = /^(?: {2,}|\t|\s*[)\]}&|])/;
const opensBlock = /\\begin\{(?![^]*\\end\{)|^\s*```|^\s*\|/;

const quoteMark = /^\s{0,3}>(?:\s|$)/;
/** Begins a line that says more of the one above. */
const qualifies = /^\s*(?:where|with|and|or|if|otherwise|unless|when|provided|ou|et|oder|und|wobei)\b/;
/** A line of a program that needs no sign of one. */
const statement = /^\s*(?:import|from|using|package|use|require|include|#include|@\w+)\b/;
/** `A: Knight`, `(a) 3`: a letter of which something is said. */
const labelledLine = /^[\s*_>]{0,6}\(?\p{L}(?:\)|\s?[:.)])[\s*_]{0,4}\S/u;

/** Whether a line behind a blank one belongs to the value that the line above begins. */
function continuesApart(above: string, under: string): boolean {
  const line = above.slice(-MAX_LINE_LENGTH).replace(/\*{1,2}\s*$/, "");
  const below = under.slice(0, MAX_LINE_LENGTH);
  if (!saysSomething(below)) return false;
  if (equation.test(line) && equation.test(below)) return true;
  if (isProse(below) && !codeSign.test(below)) return false;
  return endsOpen.test(line) || statement.test(line) || (/[;{]\s*$/.test(line) && codeSign.test(below));
}

/** Whether the line below one belongs to the same value: it is indented, of the same form, or the one above is left open. */
function continues(above: string, under: string): boolean {
  const [line, below] = [above.slice(-MAX_LINE_LENGTH), under.slice(0, MAX_LINE_LENGTH)];
  if (!saysSomething(below) || fence.test(below)) return false;
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
  const last = lines.at(-1);
  const above = lines
    .slice(0, -1)
    .findLast((line, index, all) => saysSomething(line) || index < all.length - 3);
  if (above === undefined || last === undefined || above.trim() === "") return false;
  if (/\b(?:and|or|o|y|ou|et|oder|und|u)\s*$/.test(above.slice(-20))) return true;
  const apart = lines.at(-2) !== above;
  if (apart) {
    const [one, other] = [above, last].map(
      (line) => /^[\s$\\[(]*\$|^\s*\\\[/.test(line) && assignment.exec(line)?.[1],
    );
    return typeof one === "string" && typeof other === "string" && one !== other;
  }
  const [one, other] = [above, last].map((line) => assignment.exec(line)?.[1]);
  if (one !== undefined && one === other) return false;
  return continues(above, last) && (one !== undefined || !equation.test(last));
}

/** Words in a row that make a sentence, a label with its value, a heading, a rule or a tag: more of no grid and of no program. */
const prose =
  /(?:\p{L}[\p{L}'’-]+[,;:]?\s+){3}\p{L}|^\s*(?:#{1,6}\s|[-*_]{3,}\s*$|<\/?\p{L}|[*_]{2}[^*_]+[*_]{2}:?\s*$|[*_]{0,2}\p{L}[\p{L} ]{2,30}[:：]|\p{L}[^=(){}[\];]*\p{L}{2}[.!]\s*$)|\p{Script=Han}{4}/u;

const isProse = (line: string): boolean => prose.test(line.slice(0, MAX_LINE_LENGTH)) && !codeWord.test(line);

/** The lines of a value as they are compared: without what all are indented by, and of a grid without any indentation. */
function writeWhole(lines: readonly string[], plain: boolean, most = MAX_LOOK_LENGTH / 2): CaptionedValue {
  if (plain && lines.some((line) => listItem.test(line) || isProse(line))) return { whole: null };
  const said = lines.filter(saysSomething).slice(0, MAX_LINES);
  const indents = said.map((line) => line.length - line.trimStart().length);
  const common = said.every((line) => row.test(line)) ? Infinity : Math.min(...indents);
  const whole = said.map((line, index) => {
    const indent = " ".repeat(Math.max(0, (indents[index] ?? 0) - common));
    return `${indent}${line.trim().replace(/\s+/g, " ")}`;
  });
  if (said.length === MAX_LINES || said.join("\n").length > most) return { whole: null };
  return { whole: whole.join(whole.some((line) => line.includes("\\begin{")) ? " " : "\n") };
}

/** Whether a line only says that a value comes; without a colon, where one stands right below it. */
const isAnnouncement = (line: string, below = ""): boolean =>
  ((/[:：][\s*_]{0,4}$/.test(line.slice(-6)) && /\p{L}/u.test(line) && !codeSign.test(line)) ||
    (below.trim() !== "" && /\p{L} (?:is|are)[\s*_]{0,4}$/u.test(line.slice(-12)))) &&
  !codeWord.test(line);

/** Whether a text reads as one letter or one number. */
const isSimple = (line: string): boolean =>
  (readChoice(cleanValue(line)) ?? readNumberAnswer(cleanValue(line))) !== null;
/** A letter with its option may have its reasons below it; what stands below anything else belongs to it. */
const letteredLine = /^[\s*_>-]{0,6}\(?[A-Z](?:[).:]|\*{1,2}|\s*$)/;
const reasons = /^\s*\p{Lu}?[\p{L}'’]+[ ,]+(?:[^\s]+ ){2,}/u;

/** Three words and an end, or five characters of a script without blanks. */
const isSentence = (line: string): boolean =>
  /^\p{Script=Han}{5}/u.test(line) ||
  (/^(?:[^\s]+\s+){2,60}[^\s]+[.!]["'*_)\s]*$/.test(line) && !isSimple(line));

/** Lines up to a blank one, and what they come to as one value; what stands below must not go on with them. */
function readLines(lines: readonly string[]): CaptionedValue {
  const end = lines.findIndex((line, index) => index > 0 && (line.trim() === "" || fence.test(line)));
  const block = (end === -1 ? lines : lines.slice(0, end)).filter((line) => !mathBreak.test(line));
  const next = end === -1 ? undefined : lines.slice(end).find(saysSomething);
  const [first = "", second] = block;
  if (second === undefined)
    return next !== undefined && (continues(first, next) || continuesApart(first, next))
      ? { whole: null }
      : bare(first);
  if (letteredLine.test(first) && reasons.test(second)) return bare(first);
  const ends = next === undefined || (isProse(next) && !beginsInside.test(next));
  return ends ? writeWhole(block, true) : { whole: null };
}

function readBelow(lines: readonly string[], depth = 0): CaptionedValue {
  const from = lines.findIndex(saysSomething);
  if (from === -1) return { line: "" };
  const rest = lines.slice(from);
  const [first = "", ...behind] = rest;
  if (fence.test(first)) {
    const end = behind.findIndex((line) => fence.test(line));
    if (end !== -1 && behind.slice(end + 1).some((line) => fence.test(line))) return { whole: null };
    const inside = (end === -1 ? behind : behind.slice(0, end)).filter((line) => line.trim() !== "");
    return inside.length > 1 ? writeWhole(inside, false) : bare(inside[0] ?? "");
  }
  if (depth < 3 && isAnnouncement(first, behind[0])) return readBelow(behind, depth + 1);
  if (!listItem.test(first)) return readLines(rest);
  // A list may have blank lines between its items.
  const next = behind.find((line) => line.trim() !== "") ?? "";
  const hasMore = next !== "" && (listItem.test(next) || behind[0] === next);
  return hasMore ? { whole: null } : bare(first.replace(listItem, ""));
}

/** What a caption declares: the rest of its line, or where there is none, or it only announces, the block below. */
export function valueAfter(text: string): CaptionedValue {
  const lines = text.slice(0, MAX_LOOK_LENGTH).split("\n", MAX_LINES + 2);
  const given = (lines[0] ?? "").replace(captionMark, "");
  const under = lines.slice(1);
  // `> 5` alone is a bound.
  const isQuote =
    quoteMark.test(under.find(saysSomething) ?? "") && (given.trim() === "" || quoteMark.test(given));
  const [own = "", ...below] = isQuote
    ? [given, ...under].map((line) => line.replace(quoteMark, ""))
    : [given, ...under];
  if (cleanValue(own) === "") return readBelow(below);
  if (fence.test(own)) return readBelow([own, ...below]);
  if (isAnnouncement(own, below[0])) return readBelow(below, 1);
  const [next = ""] = below;
  const isText = saysSomething(next) && !fence.test(next);
  // Of a sentence, and of what is said of a letter, the next line says more.
  if (
    isText &&
    (qualifies.test(next) || isSentence(own) || (labelledLine.test(own) && labelledLine.test(next)))
  )
    return isProse(next) || isSimple(own) ? { whole: null } : readLines([own, ...below]);
  const isMore = isText && !isSimple(own) && (!isProse(next) || /^\s*<\p{L}/u.test(own));
  if (isMore || continues(own, next)) return readLines([own, ...below]);
  return continuesApart(own, below.find(saysSomething) ?? "") ? { whole: null } : bare(own);
}

/** What stands between tags or in a field, whatever its length: one line, or several. */
export function valueIn(text: string): CaptionedValue {
  const lines = text.split("\n").filter(saysSomething);
  const said = lines.filter((line) => !fence.test(line));
  const [first = "", second] = said;
  if (second === undefined) return first.length <= 400 ? bare(first) : { line: first.trim() };
  return isAnnouncement(first) || (letteredLine.test(first) && reasons.test(second))
    ? readBelow(lines)
    : writeWhole(said, false, MAX_TAGGED_LENGTH);
}
