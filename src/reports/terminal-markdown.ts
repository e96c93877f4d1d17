import type { Token, Tokens } from "marked";
import { blockReader, cellsOf, TABLE_RULE, type MarkdownBlock } from "./markdown-blocks.ts";
import {
  BLOCK_WORK,
  MAX_DEPTH,
  MAX_WORK,
  readBlocks,
  readInline,
  unescaped,
  type BlockToken,
  type InlineToken,
} from "./markdown-reading.ts";
import { printable } from "./printable.ts";
import { styleOf, type Style } from "./style.ts";
import { layOut, span, tableLines, type StyledText } from "./terminal-layout.ts";
import { widthOf } from "./text-width.ts";

// TMD-1. No text can throw, take more than a bounded time, or send a control to the terminal but our own styles (SGR): what is too
//     long, too deep or too tangled to be read stands as it was written, wrapped.
// TMD-2. Every word of a text is shown; no line takes more than `width` cells but for an address (URL) that does.
// TMD-3. HTML, formulas and references to links stand as they were written.

/** How Markdown is to look. */
export type MarkdownFace = {
  readonly width: number;
  /** Without color, marks of emphasis and code stay where they are. */
  readonly color: boolean;
  /** Gives code with its tokens painted; undefined where it is left plain. */
  readonly highlight?: ((code: string, language: string, style: Style) => string[] | undefined) | undefined;
};

/** Code of one text that is painted, so that it costs about 100 ms at most. */
const MAX_PAINTED_LENGTH = 24_000;

/** Renders a whole text of a model's; lines without line ends. */
export function markdownLines(text: string, face: MarkdownFace): string[] {
  if (text.length > MAX_WORK)
    return roughLines(
      printable(text)
        .split("\n")
        // No pattern: a run of line ends can be longer than a pattern's stack.
        .filter((line, index, all) => line !== "" || all[index - 1] !== ""),
      face.width,
    );
  const reader = blockReader();
  const renderer = markdownRenderer(face);
  return [...reader.add(printable(text)), ...reader.end()].flatMap(renderer);
}

/** Renders blocks of one printable text in their order; what one may cost is counted over all of them. */
export function markdownRenderer(face: MarkdownFace): (block: MarkdownBlock) => string[] {
  const desk = startRendering(face);
  let isFirst = true;
  return (block) => {
    const lines = safeBlockLines(block, { desk, width: Math.max(8, face.width), depth: 0 });
    const before = block.isApart && !isFirst ? [""] : [];
    isFirst &&= lines.length === 0;
    return [...before, ...lines];
  };
}

type Rendering = {
  readonly face: MarkdownFace;
  readonly style: Style;
  readonly left: { work: number; painted: number };
};
type Place = { readonly desk: Rendering; readonly width: number; readonly depth: number };

const startRendering = (face: MarkdownFace): Rendering => ({
  face,
  style: styleOf(face.color),
  left: { work: MAX_WORK, painted: MAX_PAINTED_LENGTH },
});

function safeBlockLines(block: MarkdownBlock, place: Place): string[] {
  const { left } = place.desk;
  left.work -= BLOCK_WORK;
  if (left.work < 0) return roughLines(block.lines, place.width);
  try {
    return blockLines(block, place);
  } catch {
    return plainLines(block.lines, place); // A library's failure on a text is no reason to withhold it. (TMD-1)
  }
}

function blockLines(block: MarkdownBlock, place: Place): string[] {
  const { lines, kind } = block;
  const { style } = place.desk;
  switch (kind) {
    case "code":
      return codeLines(lines, block.language ?? "", place);
    case "rule":
      return [style.dim("─".repeat(Math.min(40, place.width)))];
    case "heading":
      return headingLines(lines[0] ?? "", place);
    case "quote":
      return quoteLines(lines, place);
    case "table":
      return tableOf(lines, place);
    case "math":
    case "plain":
      return plainLines(lines, place);
    case "text":
      return textLines(lines.join("\n"), place);
  }
}

/** Lines as they were written, wrapped where that costs nothing: of any text, in no time. */
function roughLines(lines: readonly string[], width: number): string[] {
  const rough: string[] = [];
  for (const line of lines) {
    const text = line.includes("\t") ? line.replaceAll("\t", "    ") : line;
    if (text.length <= width || /[^ -~]/.test(text)) {
      rough.push(text);
      continue;
    }
    for (let at = 0; at < text.length;) {
      const space = text.length - at > width ? text.slice(at, at + width + 1).lastIndexOf(" ") : Infinity;
      const end = at + (space > 0 ? Math.min(space, text.length - at) : width);
      rough.push(text.slice(at, end));
      at = text[end] === " " ? end + 1 : end;
    }
  }
  return rough;
}

/** Lines as they were written, wrapped below their own beginning. */
const plainLines = (lines: readonly string[], { desk, width }: Place): string[] =>
  lines.flatMap((line) => {
    const text = line.replaceAll("\t", "    ");
    const indent = Math.min(/^ */.exec(text)?.[0].length ?? 0, Math.floor(width / 2));
    const laid = layOut([span(text.trim())], { width: width - indent, style: desk.style });
    return laid.map((one) => " ".repeat(indent) + one);
  });

/** A text as it was written, in lines of at most `width` cells. */
export const plainText = (text: string, face: MarkdownFace): string[] =>
  plainLines(text.split("\n"), { desk: startRendering(face), width: face.width, depth: 0 });

const LABELS = { tight: "", code: "  ", quote: "│ " };

function codeLines(lines: readonly string[], label: string, { desk, width }: Place): string[] {
  const { face, style } = desk;
  const code = lines.map((line) => line.replaceAll("\t", "    "));
  const [language = ""] = label.toLowerCase().split(/[\s,{]/);
  const whole = code.join("\n");
  desk.left.work -= whole.length;
  if (face.color) desk.left.painted -= whole.length;
  const isPainted = face.color && desk.left.painted >= 0;
  const painted = isPainted ? face.highlight?.(whole, language, style) : undefined;
  return code.flatMap((line, index) => {
    const cells = Math.max(1, width - LABELS.code.length);
    if (painted && widthOf(line) <= cells) return [LABELS.code + (painted[index] ?? line)];
    return layOut([span(line)], { width: cells, style, isVerbatim: true }).map((one) => LABELS.code + one);
  });
}

function headingLines(line: string, place: Place): string[] {
  const [, marks = "", text = ""] = /^ {0,3}(#{1,6})[ \t]*(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line) ?? [];
  return headed(text, marks.length, place);
}

function headed(text: string, level: number, place: Place): string[] {
  const { style, face } = place.desk;
  if (!face.color) {
    const indent = " ".repeat(level + 1);
    const lines = paragraph(text, { ...place, width: place.width - indent.length });
    return prefixed(lines, `${"#".repeat(level)} `, indent);
  }
  const bold = paragraph(text, place, ["bold", ...(level === 1 ? (["underline"] as const) : [])]);
  return bold.map((one) => (level > 4 ? style.dim(one) : one));
}

function quoteLines(lines: readonly string[], { desk, width, depth }: Place): string[] {
  const bar = desk.style.dim(LABELS.quote.trimEnd());
  desk.left.work -= lines.reduce((sum, line) => sum + line.length, 0);
  if (depth >= MAX_DEPTH || desk.left.work < 0 || width < 12)
    return plainLines(
      lines.map((line) => `> ${line}`),
      { desk, width, depth },
    );
  const reader = blockReader();
  const place = { desk, width: width - 2, depth: depth + 1 };
  const inner = [...reader.add(`${lines.join("\n")}\n`), ...reader.end()].flatMap((block, index) => [
    ...(block.isApart && index > 0 ? [""] : []),
    ...safeBlockLines(block, place),
  ]);
  return inner.map((line) => (line === "" ? bar : `${bar} ${line}`));
}

/** A paragraph, a list item, a heading with a line below it, HTML or indented code: read by `marked`. */
function textLines(text: string, place: Place): string[] {
  const tokens = readBlocks(text, place.desk.left);
  return tokens ? tokenLines(tokens, place) : plainLines(text.split("\n"), place);
}

const tokenLines = (tokens: readonly Token[], place: Place): string[] =>
  tokens.flatMap((token) => tokenBlock(token, place));

function tokenBlock(given: Token, place: Place): string[] {
  // Without extensions there are no other tokens than its own.
  const token = given as BlockToken;
  switch (token.type) {
    case "checkbox":
      return []; // Its item says it.
    case "space":
      return token.raw.includes("\n\n") ? [""] : [];
    case "heading":
      return headed(token.text, token.depth, place);
    case "code":
      return codeLines(token.text.split("\n"), token.lang ?? "", place);
    case "list":
      return token.items.flatMap((item, index) => itemLines(token, { item, index }, place));
    case "table":
      return tableOf(token.raw.trimEnd().split("\n"), place);
    case "blockquote":
      return quoteLines(token.text.split("\n"), place);
    case "hr":
      return [place.desk.style.dim("─".repeat(Math.min(40, place.width)))];
    case "paragraph":
    case "text":
      return paragraph(token.text, place);
    case "html":
    case "def":
    default:
      return plainLines(token.raw.trimEnd().split("\n"), place);
  }
}

function itemLines(
  list: Tokens.List,
  { item, index }: { readonly item: Tokens.ListItem; readonly index: number },
  { desk, width, depth }: Place,
): string[] {
  const task = item.task ? `[${item.checked === true ? "x" : " "}] ` : "";
  const mark = (list.ordered ? `${Number(list.start) + index}. ` : "• ") + task;
  if (width - mark.length < 4) return plainLines(item.raw.trimEnd().split("\n"), { desk, width, depth });
  const place = { desk, width: width - mark.length, depth: depth + 1 };
  const lines = item.tokens.flatMap((token, at) =>
    tokenBlock(at === 0 ? withoutTask(token, task) : token, place),
  );
  while (lines.at(-1) === "") lines.pop();
  const apart = list.loose && index > 0 ? [""] : [];
  return [...apart, ...prefixed(lines.length > 0 ? lines : [""], mark, " ".repeat(mark.length))];
}

/** What a task says, without the box that stands before it. */
const withoutTask = (token: Token, task: string): Token =>
  task !== "" && "text" in token && typeof token.text === "string"
    ? { ...token, text: token.text.replace(/^\[[ xX]\]\s*/, "") }
    : token;

const prefixed = (lines: readonly string[], first: string, rest: string): string[] =>
  lines.map((line, index) => (line === "" && index > 0 ? "" : (index === 0 ? first : rest) + line));

type StyleName = keyof Style;

function paragraph(text: string, { desk, width }: Place, styles: readonly StyleName[] = []): string[] {
  return layOut(spansOf(text, desk, styles), { width: Math.max(2, width), style: desk.style });
}

function tableOf(lines: readonly string[], place: Place): string[] {
  const { desk, width } = place;
  desk.left.work -= 10 * lines.reduce((sum, line) => sum + line.length, 0);
  if (desk.left.work < 0) return roughLines(lines, width);
  const [head = "", rule = "", ...rows] = lines;
  if (!TABLE_RULE.test(rule)) return plainLines(lines, place);
  const heads = cellsOf(head);
  const read = (cell: string, styles: readonly StyleName[] = []) => spansOf(cell, desk, styles);
  const body = rows.map((row) => {
    const cells = cellsOf(row);
    // What stands beyond the last column is part of it, so that nothing is lost. (TMD-2)
    const last = cells.slice(heads.length - 1).join(" | ");
    return heads.map((_, column) => read(column === heads.length - 1 ? last : (cells[column] ?? "")));
  });
  const align = cellsOf(rule).map((cell) =>
    !cell.endsWith(":") ? "left" : cell.startsWith(":") ? "center" : "right",
  );
  const styled = heads.map((cell) => read(cell, ["bold"]));
  return tableLines({ heads: styled, body, align }, { width, style: desk.style });
}

/** What stands within a line, as texts and their styles. */
function spansOf(text: string, desk: Rendering, styles: readonly StyleName[]): StyledText[] {
  const read = readInline(text, desk.left);
  if (!read) return [span(text.replaceAll("\t", " "), styles)];
  const spans = inlineSpans(read.tokens, { desk, styles });
  // A reference such as `&#27;` has become the character that it names. (TMD-1)
  return spans.map((one) => ({ ...one, text: printable(read.restore(one.text)).replaceAll("\t", " ") }));
}

type Inline = { readonly desk: Rendering; readonly styles: readonly StyleName[] };

const inlineSpans = (tokens: readonly Token[], inline: Inline): StyledText[] =>
  tokens.flatMap((token) => tokenSpans(token, inline));

function tokenSpans(given: Token, { desk, styles }: Inline): StyledText[] {
  // As above.
  const token = given as InlineToken;
  const within = (name: StyleName, mark: string, tokens: readonly Token[]): StyledText[] => {
    const inner = inlineSpans(tokens, { desk, styles: [...styles, name] });
    return desk.face.color ? inner : [span(mark, styles), ...inner, span(mark, styles)];
  };
  switch (token.type) {
    case "strong":
      return within("bold", "**", token.tokens);
    case "em":
      return within("italic", "*", token.tokens);
    case "del":
      return within("strike", "~~", token.tokens);
    case "codespan":
      return [desk.face.color ? span(token.text, [...styles, "cyan"]) : span(token.raw, styles)];
    case "br":
      return [span("\n", styles)];
    case "link": {
      const inner = inlineSpans(token.tokens, { desk, styles: [...styles, "underline"] });
      const shown = inner.map((one) => one.text).join("");
      return token.href.replace(/^(?:mailto:|https?:\/\/)/, "") === shown.replace(/^https?:\/\//, "")
        ? inner
        : [...inner, ...addressSpans(token, styles)];
    }
    case "image":
      return [span(`[image: ${token.text}]`, styles), ...addressSpans(token, styles)];
    case "html":
      return [span(/^<br\s*\/?>$/i.test(token.raw) ? "\n" : token.raw, styles)];
    case "text":
      return "tokens" in token && token.tokens
        ? inlineSpans(token.tokens, { desk, styles })
        : [span(unescaped(token.text), styles)];
    case "escape":
      return [span(token.text, styles)];
    default:
      return [span(given.raw, styles)]; // An extension's, of which there are none.
  }
}

const addressSpans = (
  { href, title }: Tokens.Link | Tokens.Image,
  styles: readonly StyleName[],
): StyledText[] => [
  span(" ", styles),
  span(`(${href}${title == null || title === "" ? "" : ` "${title}"`})`, [...styles, "dim"]),
];
