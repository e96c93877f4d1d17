import { element, elementHtml, printableMarkup, type Markup } from "./element.ts";
import { blocksOf } from "./markdown-blocks.ts";
import {
  MAX_WORK,
  readMarkdown,
  type MarkdownItem,
  type MarkdownNode,
  type MarkdownNodes,
  type MarkdownTable,
  type MarkdownWord,
  type MarkdownWords,
} from "./markdown-reading.ts";
import { printable } from "./printable.ts";

// HTML-2. A model's Markdown becomes our own elements around escaped text: no HTML of its own, nothing that loads or runs. A link leads to
//     http, https or mailto and shows its host; an image is a link to it. Else: a link or an image sends the reader's data away.

/** The level of the highest heading, and the depths that the text uses. */
type Headings = { readonly level: number; readonly depths: readonly number[] };

/** Renders a model's text whole as HTML; its headings begin at `level`. Never throws. */
export const markdownHtml = (text: string, level?: number): string => elementHtml(markdownTree(text, level));

/** Makes elements of a model's whole text; its headings begin at `level`. Never throws; what cannot be read in bounded time stands as it was written. */
export function markdownTree(text: string, level = 3): Markup {
  const clean = printable(text);
  if (clean.trim() === "") return [element("p", {}, element("em", {}, "(empty)"))];
  if (clean.length > MAX_WORK) return plainTree(clean);
  const blocks = blocksOf(clean);
  const found = blocks.flatMap(({ kind, lines }) =>
    kind === "heading" ? [/#+/.exec(lines[0] ?? "")?.[0].length ?? 1] : [],
  );
  const depths = [...new Set(found)].sort((a, b) => a - b);
  return nodesTree(readMarkdown(blocks, { work: MAX_WORK }), { level, depths });
}

const nodesTree = (nodes: MarkdownNodes, headings: Headings): Markup =>
  nodes.flatMap((node) => nodeTree(node, headings));

function nodeTree(node: MarkdownNode, headings: Headings): Markup {
  switch (node.kind) {
    case "code": {
      const title = node.language === "" ? undefined : node.language.slice(0, 40);
      return [element("pre", { title }, element("code", {}, node.lines.join("\n")))];
    }
    case "heading": {
      const rank = headings.depths.indexOf(node.depth);
      const level = Math.min(6, headings.level + (rank < 0 ? node.depth - 1 : rank));
      const shown = printableMarkup(wordsTree(node.words));
      // A no-break space keeps the place of an empty one.
      return [element(`h${level}`, { dir: "auto" }, ...(shown.length > 0 ? shown : ["\u00a0"]))];
    }
    case "list": {
      const { start } = node;
      const items = node.items.map((item) => itemTree(item, headings));
      const tag = start === undefined ? "ul" : "ol";
      return [element(tag, { start: start === 1 ? undefined : start }, ...items)];
    }
    case "paragraph":
      return [element("p", { dir: "auto" }, ...wordsTree(node.words))];
    case "tight":
      return wordsTree(node.words);
    case "plain":
    case "rough":
      return plainTree(node.lines.join("\n"));
    case "quote":
      return node.nodes
        ? [element("blockquote", {}, ...nodesTree(node.nodes, headings))]
        : plainTree(node.lines.join("\n"));
    case "rule":
      return [element("hr", {})];
    case "space":
      return [];
    case "table":
      return tableTree(node);
  }
}

/** As it was written, line by line. */
const plainTree = (text: string): Markup => [element("p", { class: "plain", dir: "auto" }, text.trim())];

function itemTree({ isDone, nodes }: MarkdownItem, headings: Headings): Markup[number] {
  const box = isDone === undefined ? [] : [element("span", { class: "box" }, isDone ? "☑" : "☐"), " "];
  return element("li", { dir: "auto" }, ...box, ...nodesTree(nodes, headings));
}

const ALIGNS = { left: undefined, center: "middle", right: "end" };

function tableTree({ heads, aligns, rows }: MarkdownTable): Markup {
  const cell = (tag: "th" | "td") => (words: MarkdownWords, column: number) =>
    element(
      tag,
      { scope: tag === "th" ? "col" : undefined, class: ALIGNS[aligns[column] ?? "left"] },
      ...wordsTree(words),
    );
  return scrollingTable(
    heads.map(cell("th")),
    rows.map((row) => row.map(cell("td"))),
  );
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

const wordsTree = (words: MarkdownWords, isLinked = false): Markup =>
  words.flatMap((word) => wordTree(word, isLinked));

function wordTree(word: MarkdownWord, isLinked: boolean): Markup {
  if (typeof word === "string") return [word];
  switch (word.kind) {
    case "strong":
    case "em":
    case "del":
      return [element(word.kind, {}, ...wordsTree(word.words, isLinked))];
    case "codespan":
      return [element("code", {}, word.text)];
    case "br":
      return [element("br", {})];
    case "link": {
      const shown = wordsTree(word.words, true);
      return isLinked ? shown : linkTree(word.href, word.text, shown);
    }
    case "image": {
      const text = `image: ${word.text}`;
      return isLinked ? [text] : linkTree(word.href, text, [text]);
    }
  }
}

/** A link to the web or to a mailbox, with its host behind it; anything else is text. */
function linkTree(href: string, text: string, shown: Markup): Markup {
  const url = addressIn(href);
  if (!url) return href === "" ? shown : [...shown, ` (${href})`];
  const host = url.protocol === "mailto:" ? url.pathname : url.host;
  const link = element("a", { href: url.href, rel: "noreferrer noopener nofollow" }, ...shown);
  return text === href || text === url.href ? [link] : [link, " ", element("small", {}, `(${host})`)];
}

const PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

function addressIn(href: string): URL | undefined {
  const clean = href.trim();
  if (!/^(?:https?:\/\/|mailto:)/i.test(clean) || !URL.canParse(clean)) return undefined;
  const url = new URL(clean);
  return PROTOCOLS.has(url.protocol) ? url : undefined;
}
