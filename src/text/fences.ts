/** A part of a text, in UTF-16 units. */
export type Span = { readonly start: number; readonly end: number };

/** A fenced code block; `start` and `end` take in its fence lines, `contentStart` and `contentEnd` leave them out. */
export type FencedBlock = {
  readonly start: number;
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
  /** The first word after the opening fence, in lower case; empty where there is none. */
  readonly language: string;
  /** False when the text ended, or another block began, before a closing fence. */
  readonly closed: boolean;
};

const fenceLine = /(?<![^\n\r]) {0,3}(`{3,}|~{3,})([^\n\r]*)/g;
/** More lines, and more fences, than any text has that is read; what stands behind them is the last line, or no fence. */
const MAX_LINES = 300_000;
const MAX_MARKS = 100_000;

/** The text with every CR LF and CR as LF: readers work on this, so that a line end decides nothing. */
export const normalizeBreaks = (text: string): string =>
  text.includes("\r") ? text.split("\r\n").join("\n").split("\r").join("\n") : text;

/** More lines than any reply has that says something: what reads line by line stays quick. */
export const MAX_REPLY_LINES = 20_000;

/** Whether a text with LF line ends has more than 20,000 of them. */
export function hasTooManyLines(text: string): boolean {
  let at = -1;
  for (let count = 0; count <= MAX_REPLY_LINES; count += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** The last `length` UTF-16 units of a text, of at most 20,000 lines, with LF at the end of every line. */
export function readTail(text: string, length: number): string {
  const tail = normalizeBreaks(text.slice(-2 * length)).slice(-length);
  if (!hasTooManyLines(tail)) return tail;
  let from = tail.length;
  for (let count = 0; count < MAX_REPLY_LINES; count += 1) from = tail.lastIndexOf("\n", from - 1);
  return tail.slice(from + 1);
}

/** A line without its end, and where it starts. */
export type TextLine = { readonly text: string; readonly at: number };

/** Where the line that begins at `from` ends; -1 for the last. Without a CR a search by the engine does. */
function findBreak(text: string, from: number, hasReturns: boolean): number {
  if (!hasReturns) return text.indexOf("\n", from);
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) return at;
  }
  return -1;
}

/** The lines of `text`, at most 300,000, the last with all that is left; CR LF, LF and CR all end one. */
export function splitLines(text: string): TextLine[] {
  const lines: TextLine[] = [];
  const hasReturns = text.includes("\r");
  let start = 0;
  while (lines.length < MAX_LINES - 1) {
    const end = findBreak(text, start, hasReturns);
    if (end < 0) break;
    lines.push({ text: text.slice(start, end), at: start });
    start = end + (text.charAt(end) === "\r" && text.charAt(end + 1) === "\n" ? 2 : 1);
  }
  lines.push({ text: text.slice(start), at: start });
  return lines;
}

type FenceMark = {
  readonly at: number;
  readonly after: number;
  readonly fence: string;
  readonly language: string;
};

function findMarks(text: string): FenceMark[] {
  if (!text.includes("```") && !text.includes("~~~")) return [];
  const marks: FenceMark[] = [];
  for (const { 0: line, 1: mark = "", 2: rest = "", index: at } of text.matchAll(fenceLine)) {
    const info = rest.slice(0, 1_000);
    if (mark.startsWith("`") && info.includes("`")) continue;
    const language = info === "" ? "" : (info.trim().split(/\s/, 1)[0]?.toLowerCase() ?? "");
    if (marks.push({ at, after: at + line.length, fence: mark, language }) === MAX_MARKS) break;
  }
  return marks;
}

/** For each mark, whether a bare fence that is long enough to close it comes after it. */
function findClosable(marks: readonly FenceMark[]): boolean[] {
  const longest = new Map<string, number>();
  return marks
    .toReversed()
    .map(({ fence: mark, language }) => {
      const kind = mark.charAt(0);
      const later = longest.get(kind) ?? 0;
      if (language === "") longest.set(kind, Math.max(later, mark.length));
      return later >= mark.length;
    })
    .toReversed();
}

/**
 * The fenced code blocks of a Markdown text, outermost only (CommonMark 0.31, 4.5), with one difference: a fence
 * with a language opens a block of its own even inside an open one, unless that is of a longer fence and is closed
 * later. So a fence that a model forgot to close does not swallow the block that follows.
 */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  const marks = findMarks(text);
  const closes = findClosable(marks);
  let open: { readonly mark: FenceMark; readonly closable: boolean } | null = null;
  const close = (mark: FenceMark, contentEnd: number, end: number) =>
    blocks.push({
      start: mark.at,
      contentStart: mark.after,
      contentEnd: Math.max(mark.after, contentEnd),
      end,
      language: mark.language,
      closed: end > contentEnd,
    });
  for (const [index, mark] of marks.entries()) {
    if (open !== null) {
      const shorter = mark.fence.length < open.mark.fence.length;
      if (mark.language === "") {
        if (shorter || mark.fence.charAt(0) !== open.mark.fence.charAt(0)) continue;
        close(open.mark, mark.at, mark.after);
        open = null;
        continue;
      }
      if (shorter && open.closable) continue;
      close(open.mark, mark.at, mark.at);
    }
    open = { mark, closable: closes[index] ?? false };
  }
  if (open !== null) close(open.mark, text.length, text.length);
  return blocks;
}

/** The stretches of a text between its fenced code blocks, before the first and behind the last of them. */
export function splitProse(text: string): string[] {
  const blocks = fencedBlocks(text);
  return [...blocks, { start: text.length }].map(({ start }, index) =>
    text.slice(blocks[index - 1]?.end ?? 0, start),
  );
}

/** The start and the end of a text that is longer than both; else the text; LF ends every line. */
export function readEnds(text: string, length: number, between = "\n\n"): string {
  const whole = text.length > 4 * length ? text : normalizeBreaks(text);
  if (whole.length <= 2 * length) return whole;
  const start = normalizeBreaks(whole.slice(0, 2 * length)).slice(0, length);
  return `${start}${between}${readTail(whole, length)}`;
}
