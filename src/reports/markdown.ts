import type { MarkedToken, Token, Tokens } from "marked";
import type { ReportBlock, ReportPart } from "../kernel/index.ts";
import { blocksOf, type MarkdownBlock } from "./markdown-blocks.ts";
import { MAX_WORK, readBlocks, readInline, type ReadingBudget } from "./markdown-reading.ts";
import { inline, printable } from "./printable.ts";

// No foreign text can end, open or restyle a part of the document: it stands in a fence longer than any run of backticks in it, in a block
// quote, or on one line with its punctuation escaped.
// Text that could reach beyond its quote when the document is rendered (raw HTML, an image that would be fetched, a link definition) is
// never quoted but fenced.

const REACHES_OUT = /<[A-Za-z!?/]|!\[|\]:/;

/** A foreign text as a block of its own, whole: as a quote, so that its markdown is rendered, where that is safe. */
export function block(text: string): string {
  const clean = printable(text).replace(/^\n+/, "").trimEnd();
  if (clean === "") return "*(empty)*";
  if (REACHES_OUT.test(clean)) return fencedBlock(clean);
  return clean
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

/**
 * A foreign text as a part of the document's own: its Markdown stands as it was written, its headings from `level` on. A block of it
 * that could reach beyond it, or that cannot be read in bounded time, is fenced.
 */
export function plainMarkdown(text: string, level: number): string {
  const clean = printable(text).replace(/^\n+/, "").trimEnd();
  if (clean === "") return "*(empty)*";
  const left = { work: MAX_WORK };
  return blocksOf(clean)
    .map(
      (one, index) => `${index === 0 ? "" : one.isApart ? "\n\n" : "\n"}${plainBlock(one, { level, left })}`,
    )
    .join("");
}

type PlainPlace = { readonly level: number; readonly left: ReadingBudget };

function plainBlock({ kind, lines, language = "" }: MarkdownBlock, { level, left }: PlainPlace): string {
  const text = lines.join("\n");
  if (kind === "code") return fencedBlock(text, language.replaceAll(/[^\w+#.-]/g, "").slice(0, 40));
  const whole = kind === "quote" ? lines.map((line) => `> ${line}`).join("\n") : text;
  const blocks = kind === "plain" ? undefined : readBlocks(whole, left);
  const words = blocks && readInline(whole, left)?.tokens;
  if (!blocks || !words) return fencedBlock(whole);
  const [first] = blocks;
  if (blocks.length === 1 && first?.type === "heading" && isContained(words, whole)) {
    const { depth, text: heading } = first as Tokens.Heading; // as its type says
    return `${"#".repeat(Math.min(6, level - 1 + depth))} ${heading.replaceAll(/\s+/g, " ")}`;
  }
  return isContained([...blocks, ...words], whole, { headings: false }) ? whole : fencedBlock(whole);
}

/** Whether nothing in a text but its code is HTML, an image or a link's definition; or a heading, where there are to be none. */
function isContained(tokens: readonly Token[], text: string, { headings = true } = {}): boolean {
  let isSafe = true;
  let rest = text;
  for (const { type, raw } of allTokens(tokens)) {
    if (["html", "image", "def"].includes(type) || (type === "heading" && !headings)) isSafe = false;
    if (type === "codespan" || type === "code") rest = rest.replaceAll(raw, "");
  }
  return isSafe && !REACHES_OUT.test(rest);
}

/** These tokens and all within them. Not by `walkTokens`, which brings a renderer of HTML with it. */
function* allTokens(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token;
    const known = token as MarkedToken; // without extensions there are no others
    if (known.type === "table")
      for (const cell of [...known.header, ...known.rows.flat()]) yield* allTokens(cell.tokens);
    else if (known.type === "list") yield* allTokens(known.items);
    else if ("tokens" in known) yield* allTokens(known.tokens ?? []);
  }
}

/** A text verbatim in a fence that nothing in it can close. */
export function fencedBlock(text: string, language = "text"): string {
  const clean = printable(text);
  const runs = (clean.match(/`+/g) ?? []).map(({ length }) => length);
  const fence = "`".repeat(runs.reduce((most, length) => Math.max(most, length + 1), 3));
  return `${fence}${language}\n${clean}\n${fence}`;
}

/** A bullet for each text; one of several lines stands as a block under its bullet. */
export const bullets = (texts: readonly string[]): string =>
  texts
    .map((text) => {
      const clean = printable(text).trim();
      return clean.includes("\n")
        ? `-\n  ${block(clean).replaceAll("\n", "\n  ")}`
        : `- ${inline(clean, 20_000)}`;
    })
    .join("\n");

/** A table of foreign texts under our own heads; without rows nothing. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) => line(heads.map((_, column) => inline(row[column] ?? "", 300))));
  return [line(heads), line(heads.map(() => "---")), ...body].join("\n");
}

/** A section, or nothing when it has no content; parts are set apart by blank lines. */
export function section(heading: string, ...parts: readonly string[]): string {
  const filled = parts.filter((part) => part !== "");
  return filled.length > 0 ? [heading, ...filled].join("\n\n") : "";
}

type PartStyle = {
  /** 1 to 6: how deep the heading stands. */
  readonly level: number;
  /** How a foreign text stands: quoted where that is safe, or always in a fence. */
  readonly quote?: (text: string) => string;
  /** Whether what reads it can fold a part. */
  readonly folds?: boolean;
};

export function partMarkdown({ heading, blocks, parts = [], folds }: ReportPart, style: PartStyle): string {
  const content = [
    ...blocks.map((one) => blockMarkdown(one, style.quote ?? block)),
    ...parts.map((part) => partMarkdown(part, { ...style, level: style.level + 1 })),
  ];
  if (heading === "") return content.filter((one) => one !== "").join("\n\n");
  const head = `${"#".repeat(Math.min(6, style.level))} ${inline(heading, 200)}`;
  if (typeof folds !== "string" || !content.some(Boolean)) return section(head, ...content);
  const summary = `<summary>${inline(heading, 200)}</summary>`;
  return style.folds ? section("<details>", summary, ...content, "</details>") : section(head, inline(folds));
}

export function blockMarkdown(one: ReportBlock, quote: (text: string) => string = block): string {
  switch (one.kind) {
    case "words":
      return inline(one.text);
    case "warning":
      return `> **${inline(one.title)}** ${inline(one.text)}`;
    case "facts":
      return one.rows.map(([label, text]) => `- **${inline(label)}**: ${inline(text)}`).join("\n");
    case "table":
      return table(one.heads, one.rows);
    case "text":
      if (one.isOwn === true) return plainMarkdown(one.text, 3);
      return one.verbatim === undefined ? quote(one.text) : fencedBlock(one.text, one.verbatim);
    case "points":
      return bullets(one.texts);
    case "figure":
      return "";
  }
}
