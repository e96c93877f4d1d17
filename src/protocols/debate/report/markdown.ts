import type { DebateRecord } from "../view/record.ts";
import { debateDocument } from "./document.ts";
import type { Block, Part } from "./part.ts";
import { bullets, fencedBlock, inline, section, table } from "../../../reports/markdown.ts";
import { printable } from "../../../reports/printable.ts";

/**
 * A debate as a markdown document, whole, wherever it stands. Foreign texts stand in fences that nothing in them can
 * close, so no text of a model, a user or a file can change the document's structure. Ends in a newline.
 */
export function debateMarkdown(record: DebateRecord): string {
  const { title, blocks, parts } = debateDocument(record);
  const sections = [section(`# ${inline(title, 200)}`, ...blocks.map(blockText)), ...parts.map(sectionAt(2))];
  return `${sections.join("\n\n")}\n`;
}

const sectionAt =
  (level: number) =>
  ({ heading, blocks, parts = [] }: Part): string =>
    section(
      `${"#".repeat(level)} ${inline(heading, 200)}`,
      ...blocks.map(blockText),
      ...parts.map(sectionAt(level + 1)),
    );

function blockText(block: Block): string {
  switch (block.kind) {
    case "words":
      return inline(block.text);
    case "warning":
      return `> **${inline(block.title)}** ${inline(block.text)}`;
    case "facts":
      return block.rows.map(([label, text]) => `- **${label}**: ${inline(text)}`).join("\n");
    case "table":
      return table(block.heads, block.rows);
    case "text": {
      const clean = printable(block.text).replace(/^\n+/, "").trimEnd();
      return clean === "" ? "*(empty)*" : fencedBlock(clean);
    }
    case "points":
      return bullets(block.texts);
    case "costs":
      return table(block.costs.heads, block.costs.rows);
  }
}
