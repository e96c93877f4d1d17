// Markdown, block by block, line by line:
// A line is looked at once when it is complete; a block is given out once, when it has ended. Whatever the pieces that a text comes in, its
// blocks are the same.
// What is kept is one open block of bounded length: a longer one is given out in parts, a paragraph or a list as `plain`.

/** A block of the outermost level, with its lines as they were written; a quote's are without their marks. */
export type MarkdownBlock = {
  /** `text`: anything that is read further, such as a paragraph or one list item; `plain`: too long for that. */
  readonly kind: "code" | "heading" | "math" | "plain" | "quote" | "rule" | "table" | "text";
  readonly lines: readonly string[];
  /** Whether a blank line stands before it. */
  readonly isApart: boolean;
  /** What a fence is labeled with: `sql`. */
  readonly language?: string;
  /** Whether it ends with the next block of its kind: a part of one that is too long. */
  readonly isPart?: boolean;
};

/** Characters of a block; what goes on is a part of it. */
const MAX_LENGTH = { code: 16_384, math: 8_192, quote: 65_536, table: 32_768, text: 16_384, plain: 8_192 };

/** A longer line begins nothing: it is text. */
const MAX_LINE_LENGTH = 8_000;

const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const UNDERLINE = /^ {0,3}(?:-+|=+)[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
export const LIST_ITEM = /^( *)(?:[-*+]|(\d{1,9})[.)])(?:[ \t]|$)/;
export const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const MATH = /^ {0,3}(\$\$|\\\[)/;

type Open = {
  kind: keyof typeof MAX_LENGTH;
  readonly lines: string[];
  readonly isApart: boolean;
  length: number;
  /** What ends it: a fence's run, a formula's mark. */
  readonly end?: string;
  /** Columns before a list item's mark. */
  readonly item?: number;
  /** Columns before a fence: taken from its lines. */
  readonly indent?: number;
  readonly language?: string;
  isPart?: boolean;
};

/** Reads blocks from complete lines and pieces of them. */
export function blockReader() {
  let done: MarkdownBlock[] = [];
  let open: Open | undefined;
  let blank = false;
  let partial = "";

  const give = (block: MarkdownBlock) => void done.push(block);
  const close = () => {
    if (!open) return;
    const { kind, lines, isApart, language, isPart = false } = open;
    if (lines.length > 0 || kind === "code") {
      const label = language === undefined || language === "" ? {} : { language };
      give({ kind, lines, isApart, ...label, ...(isPart ? { isPart } : {}) });
    }
    open = undefined;
  };
  const begin = (kind: Open["kind"], line: string, more: Partial<Open> = {}) => {
    close();
    open = { kind, lines: [], isApart: blank, length: 0, ...more };
    blank = false;
    if (kind !== "code") push(line);
  };
  const push = (line: string) => {
    if (!open) return;
    open.lines.push(line);
    open.length += line.length + 1;
    if (open.length < MAX_LENGTH[open.kind]) return;
    const { end, indent } = open;
    const kind = open.kind === "text" ? "plain" : open.kind;
    Object.assign(open, { kind, isPart: true });
    close();
    open = {
      ...{ kind, lines: [], isApart: false, length: 0, isPart: true },
      ...(end === undefined ? {} : { end }),
      ...(indent === undefined ? {} : { indent }),
    };
  };
  const single = (kind: "heading" | "rule", line: string) => {
    close();
    give({ kind, lines: [line], isApart: blank });
    blank = false;
  };

  /** Whether the line belongs to the fence or the formula that is open. */
  const isVerbatim = (line: string): boolean => {
    if (open?.kind === "code") {
      const end = open.end ?? "";
      const isEnd = line.trimStart().startsWith(end) && /^ {0,3}(`+|~+)[ \t]*$/.test(line);
      if (isEnd) close();
      else push(line.slice(Math.min(open.indent ?? 0, line.length - line.trimStart().length)));
      return true;
    }
    if (open?.kind !== "math") return false;
    push(line);
    if (open && line.trimEnd().endsWith(open.end ?? "")) close();
    return true;
  };
  const addLine = (line: string): void => {
    if (isVerbatim(line)) return;
    if (line.trim() === "") {
      // A list item may go on after it.
      if (open?.item === undefined) close();
      blank = true;
      return;
    }
    const indent = line.length - line.trimStart().length;
    if (open?.item !== undefined && indent >= open.item + 2) {
      if (blank) push("");
      blank = false;
      return push(line);
    }
    if (blank) close();
    const isText = open?.kind === "text";
    if (line.length > MAX_LINE_LENGTH)
      return isText || open?.kind === "plain" ? push(line) : begin("text", line);
    const fence = FENCE.exec(line);
    if (fence) {
      const [, before = "", end = "", language = ""] = fence;
      return begin("code", line, { end, indent: before.length, language: language.trim() });
    }
    if (QUOTE.test(line)) {
      const inner = line.replace(QUOTE, "");
      return open?.kind === "quote" ? push(inner) : begin("quote", inner);
    }
    if (isText && open?.item === undefined && UNDERLINE.test(line)) {
      push(line);
      return close();
    }
    if (RULE.test(line)) return single("rule", line);
    if (HEADING.test(line)) return single("heading", line);
    const math = MATH.exec(line)?.[1];
    if (math !== undefined) {
      const end = math === "$$" ? "$$" : "\\]";
      const isWhole = line.trim().length > 2 && line.trimEnd().endsWith(end);
      begin("math", line, { end });
      return isWhole ? close() : undefined;
    }
    const item = LIST_ITEM.exec(line);
    const isItem = item && (!isText || open?.item !== undefined || item[2] === undefined || item[2] === "1");
    if (isItem) return begin("text", line, { item: item[1]?.length ?? 0 });
    if (open?.kind === "table") return line.includes("|") ? push(line) : begin("text", line);
    if (isText && TABLE_RULE.test(line) && startTable(line)) return;
    if (isText || open?.kind === "plain") return push(line);
    begin("text", line);
  };
  /** Makes the open paragraph's last line a table's head, where this line may stand below it. */
  const startTable = (line: string): boolean => {
    const head = open?.item === undefined ? open?.lines.at(-1) : undefined;
    if (!open || head === undefined || !head.includes("|") || cellsOf(head).length !== cellsOf(line).length)
      return false;
    open.lines.pop();
    blank = open.lines.length === 0 && open.isApart;
    begin("table", head);
    push(line);
    return true;
  };

  const taken = (): MarkdownBlock[] => {
    const blocks = done;
    done = [];
    return blocks;
  };
  return {
    /** Takes a piece of printable text, and gives the blocks that ended with it. */
    add(piece: string): MarkdownBlock[] {
      if (!piece.includes("\n")) {
        partial += piece;
        return [];
      }
      const lines = (partial + piece).split("\n");
      partial = lines.pop() ?? "";
      for (const line of lines) addLine(line);
      return taken();
    },
    /** The blocks that are left. */
    end(): MarkdownBlock[] {
      if (partial !== "") addLine(partial);
      partial = "";
      close();
      return taken();
    },
    /**
     * The end of what is not given out yet, as it was written: at most so many lines, and so many characters; with an empty line
     * before it where one belongs there.
     */
    tail(lines: number, length: number): string {
      const before = (open ? open.isApart : blank) ? [""] : [];
      const last = [...before, ...(open?.lines ?? []), ...(open && blank ? [""] : [])].slice(-lines);
      return [...last, partial.slice(-length)].join("\n").slice(-length);
    },
  };
}

export function blocksOf(text: string): readonly MarkdownBlock[] {
  const reader = blockReader();
  return [...reader.add(`${text}\n`), ...reader.end()];
}

/** The cells of a table's row, as they were written. */
export function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(String.raw`\|`, "|"));
}
