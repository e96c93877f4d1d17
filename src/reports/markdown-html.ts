import type { Token, Tokens } from "marked";
import { escaped } from "./html.ts";
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

/** Renders a model's text whole as HTML; its headings begin at `level`. Never throws; what cannot be read in bounded time stands as it was written. */
export function markdownHtml(text: string, level = 3): string {
  const clean = printable(text);
  if (clean.trim() === "") return "<p><em>(empty)</em></p>";
  if (clean.length > MAX_WORK) return plainHtml(clean);
  const blocks = blocksOf(clean);
  const found = blocks.flatMap(({ kind, lines }) =>
    kind === "heading" ? [/#+/.exec(lines[0] ?? "")?.[0].length ?? 1] : [],
  );
  const depths = [...new Set(found)].sort((a, b) => a - b);
  return blocksHtml(blocks, { left: { work: MAX_WORK }, level, depths, nesting: 0 });
}

/** List items stand in one list as long as nothing else is between them. */
function blocksHtml(blocks: readonly MarkdownBlock[], writing: Writing): string {
  const runs: MarkdownBlock[][] = [];
  for (const block of blocks) {
    const last = runs.at(-1);
    if (block.kind === "text" && isItem(block) && last?.[0] && isItem(last[0])) last.push(block);
    else runs.push([block]);
  }
  return runs.map((run) => runHtml(run, writing)).join("\n");
}

const isItem = ({ kind, lines: [first = ""] }: MarkdownBlock): boolean =>
  kind === "text" && /^ *(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(first);

function runHtml(run: readonly MarkdownBlock[], writing: Writing): string {
  const [block] = run;
  if (!block) return "";
  const lines = run.flatMap((one, index) => [...(one.isApart && index > 0 ? [""] : []), ...one.lines]);
  const joined = run.length > 1 ? { ...block, lines } : block;
  writing.left.work -= BLOCK_WORK;
  if (writing.left.work < 0) return plainHtml(lines.join("\n"));
  try {
    return blockHtml(joined, writing);
  } catch {
    return plainHtml(lines.join("\n")); // A library's failure on a text is no reason to withhold it.
  }
}

function blockHtml({ kind, lines, language }: MarkdownBlock, writing: Writing): string {
  const text = lines.join("\n");
  switch (kind) {
    case "code":
      return codeHtml(text, language);
    case "rule":
      return "<hr>";
    case "heading": {
      const [, marks = "#", words = ""] = /^ {0,3}(#{1,6})[ \t]*(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(text) ?? [];
      return headingHtml(words, marks.length, writing);
    }
    case "quote":
      return writing.nesting >= MAX_DEPTH
        ? plainHtml(text)
        : `<blockquote>\n${blocksHtml(blocksOf(text), { ...writing, nesting: writing.nesting + 1 })}\n</blockquote>`;
    case "table":
      return tableHtml(lines, writing);
    case "math":
    case "plain":
      return plainHtml(text);
    case "text": {
      const tokens = readBlocks(text, writing.left);
      return tokens ? tokensHtml(tokens, writing) : plainHtml(text);
    }
  }
}

const codeHtml = (text: string, language = ""): string =>
  `<pre${language === "" ? "" : ` title="${escaped(language.slice(0, 40))}"`}><code>${escaped(text)}</code></pre>`;

/** As it was written, line by line. */
const plainHtml = (text: string): string => `<p class="plain" dir="auto">${escaped(text.trim())}</p>`;

function headingHtml(words: string, depth: number, writing: Writing): string {
  const rank = writing.depths.indexOf(depth);
  const level = Math.min(6, writing.level + (rank < 0 ? depth - 1 : rank));
  return `<h${level} dir="auto">${inlineHtml(words, writing) || "&nbsp;"}</h${level}>`;
}

function tableHtml(lines: readonly string[], writing: Writing): string {
  const [head = "", rule = "", ...rows] = lines;
  if (!TABLE_RULE.test(rule)) return plainHtml(lines.join("\n"));
  const heads = cellsOf(head);
  const aligns = cellsOf(rule).map((cell) =>
    cell.endsWith(":") ? (cell.startsWith(":") ? "middle" : "end") : "",
  );
  const cell = (tag: string, text: string, column: number) => {
    const align = aligns[column] ?? "";
    return `<${tag}${align === "" ? "" : ` class="${align}"`}>${inlineHtml(text, writing)}</${tag.split(" ", 1)[0] ?? ""}>`;
  };
  const body = rows.map((row) => {
    const cells = cellsOf(row);
    // What stands beyond the last column is part of it, so that nothing is lost.
    const last = cells.slice(heads.length - 1).join(" | ");
    const shown = heads.map((_, column) => (column === heads.length - 1 ? last : (cells[column] ?? "")));
    return `<tr>${shown.map((one, column) => cell("td", one, column)).join("")}</tr>`;
  });
  return scrolling(
    heads.length,
    `<thead><tr>${heads.map((one, column) => cell('th scope="col"', one, column)).join("")}</tr></thead>\n<tbody>\n${body.join("\n")}\n</tbody>`,
  );
}

/** A table in a box of its own that scrolls, and can be reached by keyboard, where it is wider than the page; a narrow screen says so. */
export const scrolling = (columns: number, rows: string): string =>
  `<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n${rows}\n</table></div>${columns > 3 ? '\n<p class="hint">Scroll the table sideways to see all columns.</p>' : ""}`;

const tokensHtml = (tokens: readonly Token[], writing: Writing): string =>
  tokens
    .map((token) => tokenHtml(token, writing))
    .filter((html) => html !== "")
    .join("\n");

function tokenHtml(given: Token, writing: Writing): string {
  // Without extensions there are no other tokens than its own.
  const token = given as BlockToken;
  switch (token.type) {
    case "checkbox":
    case "space":
      return "";
    case "heading":
      return headingHtml(token.text, token.depth, writing);
    case "code":
      return codeHtml(token.text, token.lang);
    case "list": {
      const tag = token.ordered ? "ol" : "ul";
      const start = token.ordered && Number(token.start) !== 1 ? ` start="${Number(token.start)}"` : "";
      const items = token.items.map((item) => itemHtml(item, writing));
      return `<${tag}${start}>\n${items.join("\n")}\n</${tag}>`;
    }
    case "table":
      return tableHtml(token.raw.trimEnd().split("\n"), writing);
    case "blockquote":
      return blockHtml({ kind: "quote", lines: token.text.split("\n"), isApart: false }, writing);
    case "hr":
      return "<hr>";
    case "paragraph":
      return `<p dir="auto">${inlineHtml(token.text, writing)}</p>`;
    case "text":
      return inlineHtml(token.text, writing);
    case "html":
    case "def":
    default:
      return plainHtml(token.raw);
  }
}

function itemHtml(item: Tokens.ListItem, writing: Writing): string {
  const box = item.task ? `<span class="box">${item.checked === true ? "☑" : "☐"}</span> ` : "";
  const tokens = item.tokens.map((token, at) =>
    at === 0 && item.task && "text" in token && typeof token.text === "string"
      ? { ...token, text: token.text.replace(/^\[[ xX]\]\s*/, "") }
      : token,
  );
  return `<li dir="auto">${box}${tokensHtml(tokens, writing)}</li>`;
}

function inlineHtml(text: string, { left }: Writing): string {
  const read = readInline(text, left);
  // A reference such as `&#27;` has become the character that it names: `escaped` makes it printable.
  const inline = { escape: (shown: string) => escaped(read?.restore(shown) ?? shown), isLinked: false };
  return read ? inlineTokens(read.tokens, inline) : escaped(text);
}

type InlinePlace = { readonly escape: (text: string) => string; readonly isLinked: boolean };

const inlineTokens = (tokens: readonly Token[], place: InlinePlace): string =>
  tokens.map((token) => inlineToken(token, place)).join("");

const TAGS = { strong: "strong", em: "em", del: "del" } as const;

function inlineToken(given: Token, place: InlinePlace): string {
  const { escape } = place;
  // As above.
  const token = given as InlineToken;
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return `<${TAGS[token.type]}>${inlineTokens(token.tokens, place)}</${TAGS[token.type]}>`;
    case "codespan":
      return `<code>${escape(token.text)}</code>`;
    case "br":
      return "<br>";
    case "link":
      return linkHtml(
        token.href,
        { shown: inlineTokens(token.tokens, { escape, isLinked: true }), text: token.text },
        place,
      );
    case "image": {
      const text = `image: ${token.text}`;
      return linkHtml(token.href, { shown: escape(text), text }, place);
    }
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? "<br>" : escape(token.raw);
    case "text":
      return "tokens" in token && token.tokens
        ? inlineTokens(token.tokens, place)
        : escape(unescaped(token.text));
    case "escape":
      return escape(token.text);
    default:
      return escape(given.raw); // An extension's, of which there are none.
  }
}

/** A link to the web or to a mailbox, with its host behind it; anything else is text. */
function linkHtml(
  href: string,
  { shown, text }: { readonly shown: string; readonly text: string },
  { escape, isLinked }: InlinePlace,
): string {
  if (isLinked) return shown;
  const url = addressIn(href);
  if (!url) return href === "" ? shown : `${shown} (${escape(href)})`;
  const host = url.protocol === "mailto:" ? url.pathname : url.host;
  const link = `<a href="${escaped(url.href)}" rel="noreferrer">${shown}</a>`;
  return text === href || text === url.href ? link : `${link} <small>(${escaped(host)})</small>`;
}

const PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

function addressIn(href: string): URL | undefined {
  const clean = printable(href).trim();
  if (!/^(?:https?:\/\/|mailto:)/i.test(clean) || !URL.canParse(clean)) return undefined;
  const url = new URL(clean);
  return PROTOCOLS.has(url.protocol) ? url : undefined;
}
