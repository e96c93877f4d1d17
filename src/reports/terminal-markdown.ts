import { blockReader, type MarkdownBlock } from "./markdown-blocks.ts";
import {
  MAX_WORK,
  readBlock,
  type MarkdownItem,
  type MarkdownNode,
  type MarkdownNodes,
  type MarkdownWord,
  type MarkdownWords,
  type ReadingBudget,
} from "./markdown-reading.ts";
import { printable } from "./printable.ts";
import { styleOf, type Style } from "./style.ts";
import { layOut, span, tableLines, type StyledText } from "./terminal-layout.ts";
import { widthOf } from "./text-width.ts";

// No text can throw, take more than a bounded time, or send a control to the terminal but our own styles (SGR): what is too long, too deep
// or too tangled to be read stands as it was written, wrapped.
// Every word of a text is shown; no line takes more than `width` cells but for an address (URL) that does.
// HTML, formulas and references to links stand as they were written.

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
    const lines = blockLines(block, { desk, width: Math.max(8, face.width) });
    const before = block.isApart && !isFirst ? [""] : [];
    isFirst &&= lines.length === 0;
    return [...before, ...lines];
  };
}

type Rendering = {
  readonly face: MarkdownFace;
  readonly style: Style;
  readonly budget: ReadingBudget;
  /** Characters of code that may still be painted. */
  painted: number;
};
type Place = { readonly desk: Rendering; readonly width: number };

const startRendering = (face: MarkdownFace): Rendering => ({
  face,
  style: styleOf(face.color),
  budget: { work: MAX_WORK, inLines: true },
  painted: MAX_PAINTED_LENGTH,
});

function blockLines(block: MarkdownBlock, place: Place): string[] {
  try {
    return nodesLines(readBlock(block, place.desk.budget), place);
  } catch {
    return plainLines(block.lines, place); // A library's failure on a text is no reason to withhold it.
  }
}

const nodesLines = (nodes: MarkdownNodes, place: Place): string[] =>
  nodes.flatMap((node) => nodeLines(node, place));

function nodeLines(node: MarkdownNode, place: Place): string[] {
  const { width, desk } = place;
  switch (node.kind) {
    case "code":
      return codeLines(node.lines, node.language, place);
    case "heading":
      return headingLines(node.words, node.depth, place);
    case "list":
      return node.items.flatMap((item, index) => {
        const mark = node.start === undefined ? "• " : `${node.start + index}. `;
        const lines = itemLines(item, mark, place);
        return node.isLoose && index > 0 ? ["", ...lines] : lines;
      });
    case "paragraph":
    case "tight":
      return paragraph(node.words, place);
    case "plain":
      return plainLines(node.lines, place);
    case "rough":
      return roughLines(node.lines, width);
    case "quote":
      return quoteLines(node.lines, node.nodes, place);
    case "rule":
      return [desk.style.dim("─".repeat(Math.min(40, width)))];
    case "space":
      return [""];
    case "table": {
      const heads = node.heads.map((cell) => spansOf(cell, desk, ["bold"]));
      const body = node.rows.map((row) => row.map((cell) => spansOf(cell, desk)));
      return tableLines({ heads, body, align: node.aligns }, { width, style: desk.style });
    }
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
  plainLines(text.split("\n"), { desk: startRendering(face), width: face.width });

const LABELS = { tight: "", code: "  ", quote: "│ " };

function codeLines(lines: readonly string[], label: string, { desk, width }: Place): string[] {
  const { face, style } = desk;
  const code = lines.map((line) => line.replaceAll("\t", "    "));
  const [language = ""] = label.toLowerCase().split(/[\s,{]/);
  const whole = code.join("\n");
  if (face.color) desk.painted -= whole.length;
  const isPainted = face.color && desk.painted >= 0;
  const painted = isPainted ? face.highlight?.(whole, language, style) : undefined;
  return code.flatMap((line, index) => {
    const cells = Math.max(1, width - LABELS.code.length);
    if (painted && widthOf(line) <= cells) return [LABELS.code + (painted[index] ?? line)];
    return layOut([span(line)], { width: cells, style, isVerbatim: true }).map((one) => LABELS.code + one);
  });
}

function headingLines(words: MarkdownWords, level: number, place: Place): string[] {
  const { style, face } = place.desk;
  if (!face.color) {
    const indent = " ".repeat(level + 1);
    const lines = paragraph(words, { ...place, width: place.width - indent.length });
    return prefixLines(lines, `${"#".repeat(level)} `, indent);
  }
  const bold = paragraph(words, place, ["bold", ...(level === 1 ? (["underline"] as const) : [])]);
  return bold.map((one) => (level > 4 ? style.dim(one) : one));
}

function quoteLines(lines: readonly string[], nodes: MarkdownNodes | undefined, place: Place): string[] {
  const { desk, width } = place;
  if (!nodes || width < 12)
    return plainLines(
      lines.map((line) => `> ${line}`),
      place,
    );
  const bar = desk.style.dim(LABELS.quote.trimEnd());
  return nodesLines(nodes, { desk, width: width - 2 }).map((line) => (line === "" ? bar : `${bar} ${line}`));
}

function itemLines({ isDone, nodes, raw }: MarkdownItem, before: string, { desk, width }: Place): string[] {
  const mark = isDone === undefined ? before : `${before}[${isDone ? "x" : " "}] `;
  if (width - mark.length < 4) return plainLines(raw.trimEnd().split("\n"), { desk, width });
  const lines = nodesLines(nodes, { desk, width: width - mark.length });
  while (lines.at(-1) === "") lines.pop();
  return prefixLines(lines.length > 0 ? lines : [""], mark, " ".repeat(mark.length));
}

const prefixLines = (lines: readonly string[], first: string, rest: string): string[] =>
  lines.map((line, index) => (line === "" && index > 0 ? "" : (index === 0 ? first : rest) + line));

const paragraph = (words: MarkdownWords, { desk, width }: Place, styles?: Styles): string[] =>
  layOut(spansOf(words, desk, styles), { width: Math.max(2, width), style: desk.style });

type Styles = StyledText["styles"];

/** What stands within a line, as texts and their styles. */
const spansOf = (words: MarkdownWords, desk: Rendering, styles: Styles = []): StyledText[] =>
  words
    .flatMap((word) => wordSpans(word, desk, styles))
    .map((one) => ({ ...one, text: one.text.replaceAll("\t", " ") }));

function wordSpans(word: MarkdownWord, desk: Rendering, styles: Styles): StyledText[] {
  if (typeof word === "string") return [span(word, styles)];
  const { color } = desk.face;
  switch (word.kind) {
    case "strong":
    case "em":
    case "del": {
      const [name, mark] = EMPHASIS[word.kind];
      const inner = spansOf(word.words, desk, [...styles, name]);
      return color ? inner : [span(mark, styles), ...inner, span(mark, styles)];
    }
    case "codespan":
      return [color ? span(word.text, [...styles, "cyan"]) : span(word.raw, styles)];
    case "br":
      return [span("\n", styles)];
    case "link":
    case "image": {
      const { href, title } = word;
      const address = span(`(${href}${title === "" ? "" : ` "${title}"`})`, [...styles, "dim"]);
      if (word.kind === "image") return [span(`[image: ${word.text}]`, styles), span(" ", styles), address];
      const inner = spansOf(word.words, desk, [...styles, "underline"]);
      const shown = inner.map((one) => one.text).join("");
      return href.replace(/^(?:mailto:|https?:\/\/)/, "") === shown.replace(/^https?:\/\//, "")
        ? inner
        : [...inner, span(" ", styles), address];
    }
  }
}

const EMPHASIS = { strong: ["bold", "**"], em: ["italic", "*"], del: ["strike", "~~"] } as const;
