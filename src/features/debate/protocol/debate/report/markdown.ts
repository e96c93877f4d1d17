import { blockMarkdown, fencedBlock, partMarkdown, section } from "../../../../../reports/markdown.ts";
import { inline, printable } from "../../../../../reports/printable.ts";
import type { DebateRecord } from "../view/record.ts";
import { debateDocument } from "./document.ts";

/**
 * A debate as a markdown document, whole, wherever it stands. Foreign texts stand in fences that nothing in them can
 * close, so no text of a model, a user or a file can change the document's structure. Ends in a newline.
 */
export function debateMarkdown(record: DebateRecord): string {
  const { title, blocks, parts } = debateDocument(record);
  const sections = [
    section(`# ${inline(title, 200)}`, ...blocks.map((block) => blockMarkdown(block, fenceText))),
    ...parts.map((part) => partMarkdown(part, { level: 2, quote: fenceText })),
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

function fenceText(text: string): string {
  const clean = printable(text).replace(/^\n+/, "").trimEnd();
  return clean === "" ? "*(empty)*" : fencedBlock(clean);
}
