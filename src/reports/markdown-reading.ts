import { Lexer, type MarkedToken, type Token } from "marked";

// READING-1. Reading a text takes a bounded time, and never throws past its caller's `try`: what is too long, too deep or too tangled
//     is not read, and its caller shows it as it was written.

/** What reading may cost, in characters, blocks and squared marks: about 100 ms. What is left then stands as it was written. */
export const MAX_WORK = 500_000;
export const BLOCK_WORK = 100;
/** Marks of one paragraph: reading them takes their number squared. */
const MAX_MARKS = 400;
const MAX_PARAGRAPH_LENGTH = 8_000;
export const MAX_DEPTH = 8;
const DEEP = new RegExp(
  `^[ \\t]*(?:>[ \\t]*|(?:[-*+]|\\d{1,9}[.)])[ \\t]+){${MAX_DEPTH},}|^[ \\t]{${MAX_DEPTH * 5},}[^ \\t]`,
  "m",
);

/** What is left to spend on one text. */
export type ReadingBudget = { work: number };

/** What stands within a line; HTML and text may be either. */
type InlineType = "strong" | "em" | "del" | "codespan" | "br" | "link" | "image" | "html" | "text" | "escape";
export type InlineToken = Extract<MarkedToken, { type: InlineType }>;
export type BlockToken = Exclude<MarkedToken, { type: Exclude<InlineType, "html" | "text"> | "list_item" }>;

/** Reads a paragraph, a list item, a heading with a line below it, HTML or indented code; undefined where that costs too much. */
export function readBlocks(text: string, left: ReadingBudget): readonly Token[] | undefined {
  left.work -= text.length;
  // Not `lex`: what stands within a line is read later, where it is known to be worth it.
  return left.work < 0 || DEEP.test(text) ? undefined : new Lexer().blockTokens(text, []);
}

/**
 * Reads what stands within a line; undefined where that costs too much. Formulas are masked: every text of a token has to go
 * through `restore`.
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
export const unescaped = (text: string): string =>
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
