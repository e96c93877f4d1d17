import type { Token, Tokens } from "marked";
import { element, elementHtml, printableMarkup, type Markup } from "./element.ts";
import type { ElementTree } from "../kernel/index.ts";
import { blocksOf, cellsOf, TABLE_RULE, type MarkdownBlock } from "./markdown-blocks.ts";
import {
  BLOCK_WORK,
  MAX_DEPTH,
  MAX_WORK,
  readBlocks,
  readInline,
  unescaped,
  type BlockToken,
  type InlineToken,
  type ReadingBudget,
} from "./markdown-reading.ts";
import { printable } from "./printable.ts";

// HTML-2. A model's Markdown becomes our own elements around escaped text: no HTML of its own, nothing that loads or runs. A link
//     leads to http, https or mailto and shows its host; an image is a link to it.

type Writing = {
  readonly left: ReadingBudget;
  /** The level of the highest heading, and the depths that the text uses. */
  readonly level: number;
  readonly depths: readonly number[];
  readonly nesting: number;
};

/** Renders a model's text whole as HTML; its headings begin at `level`. Never throws. */
export const markdownHtml = (text: string, level?: number): string => elementHtml(markdownTree(text, level));

/** Reads a model's text whole as elements; its headings begin at `level`. Never throws; what cannot be read in bounded time stands as it was written. */
export function markdownTree(text: string, level = 3): Markup {
  const clean = printable(text);
  if (clean.trim() === "") return [element("p", {}, element("em", {}, "(empty)"))];
  if (clean.length > MAX_WORK) return plainTree(clean);
  const blocks = blocksOf(clean);
  const found = blocks.flatMap(({ kind, lines }) =>
    kind === "heading" ? [/#+/.exec(lines[0] ?? "")?.[0].length ?? 1] : [],
  );
  const depths = [...new Set(found)].sort((a, b) => a - b);
  return blocksTree(blocks, { left: { work: MAX_WORK }, level, depths, nesting: 0 });
}

/** List items stand in one list as long as nothing else is between them. */
function blocksTree(blocks: readonly MarkdownBlock[], writing: Writing): Markup {
  const runs: MarkdownBlock[][] = [];
  for (const block of blocks) {
    const last = runs.at(-1);
    if (block.kind === "text" && isItem(block) && last?.[0] && isItem(last[0])) last.push(block);
    else runs.push([block]);
  }
  return runs.flatMap((run) => runTree(run, writing));
}

const isItem = ({ kind, lines: [first = ""] }: MarkdownBlock): boolean =>
  kind === "text" && /^ *(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(first);

function runTree(run: readonly MarkdownBlock[], writing: Writing): Markup {
  const [block] = run;
  if (!block) return [];
  const lines = run.flatMap((one, index) => [...(one.isApart && index > 0 ? [""] : []), ...one.lines]);
  const joined = run.length > 1 ? { ...block, lines } : block;
  writing.left.work -= BLOCK_WORK;
  if (writing.left.work < 0) return plainTree(lines.join("\n"));
  try {
    return blockTree(joined, writing);
  } catch {
    return plainTree(lines.join("\n")); // A library's failure on a text is no reason to withhold it.
  }
}

function blockTree({ kind, lines, language }: MarkdownBlock, writing: Writing): Markup {
  const text = lines.join("\n");
  switch (kind) {
    case "code":
      return codeTree(text, language);
    case "rule":
      return [element("hr", {})];
    case "heading": {
      const [, marks = "#", words = ""] = /^ {0,3}(#{1,6})[ \t]*(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(text) ?? [];
      return headingTree(words, marks.length, writing);
    }
    case "quote": {
      if (writing.nesting >= MAX_DEPTH) return plainTree(text);
      const quoted = blocksTree(blocksOf(text), { ...writing, nesting: writing.nesting + 1 });
      return [element("blockquote", {}, ...quoted)];
    }
    case "table":
      return tableTree(lines, writing);
    case "math":
    case "plain":
      return plainTree(text);
    case "text": {
      const tokens = readBlocks(text, writing.left);
      return tokens ? tokensTree(tokens, writing) : plainTree(text);
    }
  }
}

const codeTree = (text: string, language = ""): Markup => [
  element("pre", { title: language === "" ? undefined : language.slice(0, 40) }, element("code", {}, text)),
];

/** As it was written, line by line. */
const plainTree = (text: string): Markup => [element("p", { class: "plain", dir: "auto" }, text.trim())];

function headingTree(words: string, depth: number, writing: Writing): Markup {
  const rank = writing.depths.indexOf(depth);
  const level = Math.min(6, writing.level + (rank < 0 ? depth - 1 : rank));
  const shown = inlineTree(words, writing);
  // A no-break space keeps the place of an empty one.
  return [element(`h${level}`, { dir: "auto" }, ...(shown.length > 0 ? shown : ["\u00a0"]))];
}

function tableTree(lines: readonly string[], writing: Writing): Markup {
  const [head = "", rule = "", ...rows] = lines;
  if (!TABLE_RULE.test(rule)) return plainTree(lines.join("\n"));
  const heads = cellsOf(head);
  const aligns = cellsOf(rule).map((cell) =>
    cell.endsWith(":") ? (cell.startsWith(":") ? "middle" : "end") : undefined,
  );
  const body = rows.map((row) => {
    const cells = cellsOf(row);
    // What stands beyond the last column is part of it, so that nothing is lost.
    const last = cells.slice(heads.length - 1).join(" | ");
    const shown = heads.map((_, column) => (column === heads.length - 1 ? last : (cells[column] ?? "")));
    return shown.map((one, column) => element("td", { class: aligns[column] }, ...inlineTree(one, writing)));
  });
  const first = heads.map((one, column) =>
    element("th", { scope: "col", class: aligns[column] }, ...inlineTree(one, writing)),
  );
  return scrollingTable(first, body);
}

/** A table in a box of its own that scrolls, and can be reached by keyboard, where it is wider than the page; a narrow screen says so. */
export function scrollingTable(heads: Markup, rows: readonly Markup[]): Markup {
  const table = element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows.map((cells) => element("tr", {}, ...cells))),
  );
  const hint = element("p", { class: "hint" }, "Scroll the table sideways to see all columns.");
  return [
    element("div", { class: "table", role: "group", "aria-label": "Table", tabindex: 0 }, table),
    ...(heads.length > 3 ? [hint] : []),
  ];
}

const tokensTree = (tokens: readonly Token[], writing: Writing): Markup =>
  tokens.flatMap((token) => tokenTree(token, writing));

function tokenTree(given: Token, writing: Writing): Markup {
  // Without extensions there are no other tokens than its own.
  const token = given as BlockToken;
  switch (token.type) {
    case "checkbox":
    case "space":
      return [];
    case "heading":
      return headingTree(token.text, token.depth, writing);
    case "code":
      return codeTree(token.text, token.lang);
    case "list": {
      const start = token.ordered && Number(token.start) !== 1 ? Number(token.start) : undefined;
      const items = token.items.map((item) => itemTree(item, writing));
      return [element(token.ordered ? "ol" : "ul", { start }, ...items)];
    }
    case "table":
      return tableTree(token.raw.trimEnd().split("\n"), writing);
    case "blockquote":
      return blockTree({ kind: "quote", lines: token.text.split("\n"), isApart: false }, writing);
    case "hr":
      return [element("hr", {})];
    case "paragraph":
      return [element("p", { dir: "auto" }, ...inlineTree(token.text, writing))];
    case "text":
      return inlineTree(token.text, writing);
    case "html":
    case "def":
    default:
      return plainTree(token.raw);
  }
}

function itemTree(item: Tokens.ListItem, writing: Writing): ElementTree {
  const box = item.task ? [element("span", { class: "box" }, item.checked === true ? "☑" : "☐"), " "] : [];
  const tokens = item.tokens.map((token, at) =>
    at === 0 && item.task && "text" in token && typeof token.text === "string"
      ? { ...token, text: token.text.replace(/^\[[ xX]\]\s*/, "") }
      : token,
  );
  return element("li", { dir: "auto" }, ...box, ...tokensTree(tokens, writing));
}

function inlineTree(text: string, { left }: Writing): Markup {
  const read = readInline(text, left);
  // A reference such as `&#27;` has become the character that it names.
  return printableMarkup(
    read ? inlineTokens(read.tokens, { restore: read.restore, isLinked: false }) : [text],
  );
}

type InlinePlace = { readonly restore: (text: string) => string; readonly isLinked: boolean };

const inlineTokens = (tokens: readonly Token[], place: InlinePlace): Markup =>
  tokens.flatMap((token) => inlineToken(token, place));

function inlineToken(given: Token, place: InlinePlace): Markup {
  const { restore } = place;
  // As above.
  const token = given as InlineToken;
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return [element(token.type, {}, ...inlineTokens(token.tokens, place))];
    case "codespan":
      return [element("code", {}, restore(token.text))];
    case "br":
      return [element("br", {})];
    case "link":
      return linkTree(
        token.href,
        { shown: inlineTokens(token.tokens, { restore, isLinked: true }), text: token.text },
        place,
      );
    case "image": {
      const text = `image: ${token.text}`;
      return linkTree(token.href, { shown: [restore(text)], text }, place);
    }
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? [element("br", {})] : [restore(token.raw)];
    case "text":
      return "tokens" in token && token.tokens
        ? inlineTokens(token.tokens, place)
        : [restore(unescaped(token.text))];
    case "escape":
      return [restore(token.text)];
    default:
      return [restore(given.raw)]; // An extension's, of which there are none.
  }
}

/** A link to the web or to a mailbox, with its host behind it; anything else is text. */
function linkTree(
  href: string,
  { shown, text }: { readonly shown: Markup; readonly text: string },
  { restore, isLinked }: InlinePlace,
): Markup {
  if (isLinked) return shown;
  const url = addressIn(href);
  if (!url) return href === "" ? shown : [...shown, ` (${restore(href)})`];
  const host = url.protocol === "mailto:" ? url.pathname : url.host;
  const link = element("a", { href: url.href, rel: "noreferrer noopener" }, ...shown);
  return text === href || text === url.href
    ? [link]
    : [link, " ", element("small", {}, `(${restore(host)})`)];
}

const PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

function addressIn(href: string): URL | undefined {
  const clean = printable(href).trim();
  if (!/^(?:https?:\/\/|mailto:)/i.test(clean) || !URL.canParse(clean)) return undefined;
  const url = new URL(clean);
  return PROTOCOLS.has(url.protocol) ? url : undefined;
}
