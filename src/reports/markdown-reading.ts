import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { blocksOf, cellsOf, LIST_ITEM, TABLE_RULE, type MarkdownBlock } from "./markdown-blocks.ts";
import { printable } from "./printable.ts";

// Reading a text takes a bounded time, and never throws past its caller's `try`: what is too long, too deep or too tangled is not read, and
// its caller shows it as it was written.

/** What reading may cost, in characters, blocks and squared marks: about 100 ms. What is left then stands as it was written. */
export const MAX_WORK = 500_000;
const BLOCK_WORK = 100;
/** Marks of one paragraph: reading them takes their number squared. */
const MAX_MARKS = 400;
const MAX_PARAGRAPH_LENGTH = 8_000;
const MAX_DEPTH = 8;
const DEEP = new RegExp(
  `^[ \\t]*(?:>[ \\t]*|(?:[-*+]|\\d{1,9}[.)])[ \\t]+){${MAX_DEPTH},}|^[ \\t]{${MAX_DEPTH * 5},}[^ \\t]`,
  "m",
);

/**
 * What is left to spend on one text. `inLines`: it is read for a terminal, block by block, where every list item is a block and
 * laying out what was read costs as well.
 */
export type ReadingBudget = { work: number; readonly inLines?: boolean };

type LinkTarget = {
  readonly href: string;
  readonly title: string;
  /** What it is called, as it was written. */
  readonly text: string;
};
/** What stands within a line, with formulas and references as they are shown. `raw`: with its marks. */
export type MarkdownWord =
  | string
  | { readonly kind: "strong" | "em" | "del"; readonly words: MarkdownWords }
  | { readonly kind: "codespan"; readonly text: string; readonly raw: string }
  | { readonly kind: "br" }
  | ({ readonly kind: "link"; readonly words: MarkdownWords } & LinkTarget)
  | ({ readonly kind: "image" } & LinkTarget);
export type MarkdownWords = readonly MarkdownWord[];

/**
 * A part of a text as data. `tight`: a paragraph of a list without blank lines; `plain`: what stands as it was written, and `rough`:
 * where even wrapping it would cost too much; `space`: an empty line.
 */
export type MarkdownNode =
  | { readonly kind: "code"; readonly lines: readonly string[]; readonly language: string }
  | { readonly kind: "heading"; readonly words: MarkdownWords; readonly depth: number }
  | ({ readonly kind: "list" } & MarkdownList)
  | { readonly kind: "paragraph" | "tight"; readonly words: MarkdownWords }
  | { readonly kind: "plain" | "rough"; readonly lines: readonly string[] }
  /** Without nodes where reading them would cost too much. */
  | { readonly kind: "quote"; readonly lines: readonly string[]; readonly nodes: MarkdownNodes | undefined }
  | { readonly kind: "rule" | "space" }
  | ({ readonly kind: "table" } & MarkdownTable);
export type MarkdownNodes = readonly MarkdownNode[];

type MarkdownList = {
  /** The number of the first item; undefined for a list without numbers. */
  readonly start: number | undefined;
  readonly isLoose: boolean;
  readonly items: readonly MarkdownItem[];
};
/** `isDone`: undefined for what is no task. */
export type MarkdownItem = {
  readonly isDone: boolean | undefined;
  readonly nodes: MarkdownNodes;
  readonly raw: string;
};
/** Every row has as many cells as there are heads. */
export type MarkdownTable = {
  readonly heads: readonly MarkdownWords[];
  readonly aligns: readonly ("left" | "center" | "right")[];
  readonly rows: readonly (readonly MarkdownWords[])[];
};

/** Reads blocks that follow each other. List items with nothing between them are one list, but for a reader in lines. */
export function readMarkdown(
  blocks: readonly MarkdownBlock[],
  budget: ReadingBudget,
  quotes = 0,
): MarkdownNodes {
  const runs: MarkdownBlock[] = [];
  for (const block of blocks) {
    const last = runs.at(-1);
    if (budget.inLines === true || !last || !isItem(last) || !isItem(block)) runs.push(block);
    else {
      const lines = [...last.lines, ...(block.isApart ? [""] : []), ...block.lines];
      runs[runs.length - 1] = { ...last, lines };
    }
  }
  return runs.flatMap((run, index) => {
    const nodes = readBlock(run, budget, quotes);
    return run.isApart && index > 0 ? [{ kind: "space" }, ...nodes] : nodes;
  });
}

const isItem = ({ kind, lines: [first = ""] }: MarkdownBlock): boolean =>
  kind === "text" && LIST_ITEM.test(first);

/** Reads one block. Never throws. `quotes`: how many it stands in. */
export function readBlock(block: MarkdownBlock, budget: ReadingBudget, quotes = 0): MarkdownNodes {
  budget.work -= BLOCK_WORK;
  if (budget.work < 0) return [{ kind: "rough", lines: block.lines }];
  try {
    return blockNodes(block, { budget, quotes });
  } catch {
    return [{ kind: "plain", lines: block.lines }]; // A library's failure on a text is no reason to withhold it.
  }
}

type BlockReading = { readonly budget: ReadingBudget; readonly quotes: number };

function blockNodes(
  { kind, lines, language = "" }: Omit<MarkdownBlock, "isApart">,
  reading: BlockReading,
): MarkdownNodes {
  const { budget, quotes } = reading;
  const text = lines.join("\n");
  if (budget.inLines === true) budget.work -= text.length * (LAYOUT_WORK[kind] ?? 0);
  switch (kind) {
    case "code":
      return [{ kind, lines, language }];
    case "rule":
      return [{ kind }];
    case "heading": {
      const [, marks = "#", words = ""] = /^ {0,3}(#{1,6})[ \t]*(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(text) ?? [];
      return [{ kind, depth: marks.length, words: readWords(words, budget) }];
    }
    case "quote": {
      const isRead = quotes < MAX_DEPTH && budget.work >= 0;
      return [{ kind, lines, nodes: isRead ? readMarkdown(blocksOf(text), budget, quotes + 1) : undefined }];
    }
    case "table":
      return [budget.work < 0 ? { kind: "rough", lines } : readTable(lines, budget)];
    case "math":
    case "plain":
      return [{ kind: "plain", lines }];
    case "text": {
      const tokens = readBlocks(text, budget);
      return tokens?.flatMap((token) => tokenNodes(token, reading)) ?? [{ kind: "plain", lines }];
    }
  }
}

/** What a character costs that is laid out in lines. */
const LAYOUT_WORK: { readonly [K in MarkdownBlock["kind"]]?: number } = { code: 1, quote: 1, table: 10 };

function readTable(lines: readonly string[], budget: ReadingBudget): MarkdownNode {
  const [head = "", rule = "", ...rest] = lines;
  if (!TABLE_RULE.test(rule)) return { kind: "plain", lines };
  const heads = cellsOf(head);
  const rows = rest.map((row) => {
    const cells = cellsOf(row);
    // What stands beyond the last column is part of it, so that nothing is lost.
    const last = cells.slice(heads.length - 1).join(" | ");
    const shown = heads.map((_, column) => (column === heads.length - 1 ? last : (cells[column] ?? "")));
    return shown.map((cell) => readWords(cell, budget));
  });
  const aligns = cellsOf(rule).map((cell) =>
    !cell.endsWith(":") ? "left" : cell.startsWith(":") ? "center" : "right",
  );
  return { kind: "table", heads: heads.map((cell) => readWords(cell, budget)), aligns, rows };
}

/** What stands within a line; HTML and text may be either. */
type InlineType = "strong" | "em" | "del" | "codespan" | "br" | "link" | "image" | "html" | "text" | "escape";
type InlineToken = Extract<MarkedToken, { type: InlineType }>;
type BlockToken = Exclude<MarkedToken, { type: Exclude<InlineType, "html" | "text"> | "list_item" }>;

function tokenNodes(given: Token, reading: BlockReading): MarkdownNodes {
  // Without extensions there are no other tokens than its own.
  const token = given as BlockToken;
  const { budget } = reading;
  const written = () => token.raw.trimEnd().split("\n");
  switch (token.type) {
    case "checkbox":
      return []; // Its item says it.
    case "space":
      return token.raw.includes("\n\n") ? [{ kind: "space" }] : [];
    case "heading":
      return [{ kind: "heading", depth: token.depth, words: readWords(token.text, budget) }];
    case "list": {
      const start = token.ordered ? Number(token.start) : undefined;
      const items = token.items.map((item) => readItem(item, reading));
      return [{ kind: "list", start, isLoose: token.loose, items }];
    }
    case "paragraph":
      return [{ kind: "paragraph", words: readWords(token.text, budget) }];
    case "text":
      return [{ kind: "tight", words: readWords(token.text, budget) }];
    case "code":
      return blockNodes({ kind: "code", lines: token.text.split("\n"), language: token.lang ?? "" }, reading);
    case "blockquote":
      return blockNodes({ kind: "quote", lines: token.text.split("\n") }, reading);
    case "table":
      return blockNodes({ kind: "table", lines: written() }, reading);
    case "hr":
      return [{ kind: "rule" }];
    case "html":
    case "def":
    default:
      return [{ kind: "plain", lines: written() }];
  }
}

function readItem({ task, checked, raw, tokens }: Tokens.ListItem, reading: BlockReading): MarkdownItem {
  const [first, ...rest] = tokens;
  const isBoxed = task && first && "text" in first && typeof first.text === "string";
  // The box that stands before what a task says.
  const named = isBoxed ? { ...first, text: String(first.text).replace(/^\[[ xX]\]\s*/, "") } : first;
  const nodes = (named ? [named, ...rest] : rest).flatMap((token) => tokenNodes(token, reading));
  return { isDone: task ? checked === true : undefined, nodes, raw };
}

/** What stands within a line; as it was written where reading it would cost too much. */
function readWords(text: string, budget: ReadingBudget): MarkdownWords {
  const read = readInline(text, budget);
  if (!read) return [text];
  // A reference such as `&#27;` has become the character that it names.
  const show = (part: string) => printable(read.restore(part));
  const wordsOf = (tokens: readonly Token[]): MarkdownWords => tokens.flatMap(wordsIn);
  const wordsIn = (given: Token): MarkdownWord | MarkdownWords => {
    const token = given as InlineToken; // as above
    switch (token.type) {
      case "strong":
      case "em":
      case "del":
        return { kind: token.type, words: wordsOf(token.tokens) };
      case "codespan":
        return { kind: "codespan", text: show(token.text), raw: show(token.raw) };
      case "br":
        return { kind: "br" };
      case "link":
      case "image": {
        const address = { href: show(token.href), title: show(token.title ?? ""), text: show(token.text) };
        if (token.type === "image") return { kind: "image", ...address };
        return { kind: "link", ...address, words: wordsOf(token.tokens) };
      }
      case "text":
        return token.tokens ? wordsOf(token.tokens) : show(readEntities(token.text));
      case "escape":
        return show(token.text);
      case "html":
      default:
        return /^<br\s*\/?>$/i.test(token.raw) ? { kind: "br" } : show(token.raw);
    }
  };
  return wordsOf(read.tokens);
}

/** The tokens of a paragraph, a list item, a heading with a line below it, HTML or indented code; undefined where that costs too much. */
export function readBlocks(text: string, left: ReadingBudget): readonly Token[] | undefined {
  left.work -= text.length;
  // Not `lex`: what stands within a line is read later, where it is known to be worth it.
  return left.work < 0 || DEEP.test(text) ? undefined : new Lexer().blockTokens(text, []);
}

/**
 * The tokens of what stands within a line; undefined where that costs too much. Formulas are masked: every text of a token has
 * to go through `restore`.
 */
export function readInline(
  text: string,
  left: ReadingBudget,
): { readonly tokens: readonly Token[]; readonly restore: (shown: string) => string } | undefined {
  const marks = text.match(/[*_~`[\]<!\\$]/g)?.length ?? 0;
  const cost = text.length + marks * marks;
  if (marks > MAX_MARKS || text.length > MAX_PARAGRAPH_LENGTH || cost > left.work) return undefined;
  left.work -= cost;
  const masked = maskFormulas(text);
  return { tokens: Lexer.lexInline(masked.text), restore: masked.restore };
}

const ENTITIES: { readonly [entity: string]: string | undefined } = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

/** The entities that models write for a character's sake; no other can become a control. */
const readEntities = (text: string): string =>
  text.includes("&")
    ? text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
    : text;

/** `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` that is no price: nothing in them is Markdown. */
const FORMULA =
  /\\\([^\n`]{1,300}?\\\)|\\\[[^\n`]{1,300}?\\\]|\$\$[^$\n`]{1,300}\$\$|\$(?=[^\s$])[^$\n`]{0,200}[^\s$\\`]\$(?!\d)/g;
const FIRST_MASK = 0xe000;
const MASK = /[\ue000-\uf8ff]/;
const MASKS = new RegExp(MASK, "g");

/** Puts a character of private use for each formula, which no mark can be part of. */
function maskFormulas(text: string): { readonly text: string; readonly restore: (shown: string) => string } {
  const formulas: string[] = [];
  if (!/[$\\]/.test(text) || MASK.test(text)) return { text, restore: (shown) => shown };
  const masked = text.replaceAll(FORMULA, (formula) =>
    formulas.length < 6_000 ? String.fromCharCode(FIRST_MASK + formulas.push(formula) - 1) : formula,
  );
  return {
    text: masked,
    restore: (shown) => shown.replaceAll(MASKS, (mask) => formulas[mask.charCodeAt(0) - FIRST_MASK] ?? mask),
  };
}
