import type { ReportBlock, ReportPart } from "../../../kernel/index.ts";
import { createHash } from "node:crypto";
import type { DebateRecord } from "../view/record.ts";
import { debateChart } from "./chart.ts";
import { debateDocument } from "./document.ts";
import { DEBATE_PAGE_STYLE } from "./page-style.ts";
import { escaped } from "../../../reports/html.ts";
import { oneLine, printable } from "../../../reports/printable.ts";

// PAGE-1. The page is one file that fetches nothing: its policy lets in nothing but its own style, by that style's digest.
// PAGE-2. It is read without scripts. What can be folded stands open, so that it is printed and found.

/** Content Security Policy Level 3: no scripts, no images, no frames, no forms; one style, known by its digest. */
const POLICY = [
  // PAGE-1
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(DEBATE_PAGE_STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** A debate as a page of its own, whole, wherever it stands. Foreign texts are shown as they were written, escaped. Ends in a newline. */
export function debateHtml(record: DebateRecord): string {
  const { title, simulated, blocks, parts, costs } = debateDocument(record);
  const placed = parts.map((part, index) => ({ part, id: `part-${index + 1}` }));
  const chart = debateChart(costs);
  const name = escaped(oneLine(title, 200));
  return `${[
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${name}${simulated ? " (simulated models)" : ""}</title>`,
    `<style>${DEBATE_PAGE_STYLE}</style>`,
    "</head>",
    "<body>",
    "<header>",
    `<h1 dir="auto">${name}</h1>`,
    ...blocks.map(blockHtml),
    "</header>",
    '<nav aria-label="Contents">',
    "<ol>",
    ...placed.map(contentsRow),
    "</ol>",
    "</nav>",
    "<main>",
    ...placed.map((one) => partHtml(one, one === placed.at(-1) ? chart : undefined)),
    "</main>",
    "</body>",
    "</html>",
  ].join("\n")}\n`;
}

/** A part and its place in the page; no foreign text stands in an id. */
type Placed = { readonly part: ReportPart; readonly id: string };

const below = ({ part, id }: Placed): Placed[] =>
  (part.parts ?? []).map((one, index) => ({ part: one, id: `${id}-${index + 1}` }));

/** Rounds are listed with their phases. */
function contentsRow(placed: Placed): string {
  const link = ({ part, id }: Placed) => `<a href="#${id}">${escaped(part.heading)}</a>`;
  const phases = placed.part.folds === true ? below(placed) : [];
  const list = phases.length > 0 ? `<ul>${phases.map((one) => `<li>${link(one)}</li>`).join("")}</ul>` : "";
  return `<li>${link(placed)}${list}</li>`;
}

/** `figure` stands above what the part says. */
function partHtml(placed: Placed, figure?: string): string {
  const { part, id } = placed;
  const level = Math.min(6, id.split("-").length);
  const heading = `<h${level} dir="auto">${escaped(oneLine(part.heading, 200))}</h${level}>`;
  const content = [
    ...(figure === undefined ? [] : [figure]),
    ...part.blocks.map(blockHtml),
    ...below(placed).map((one) => partHtml(one)),
  ].join("\n");
  return part.folds === true // PAGE-2
    ? `<details open id="${id}">\n<summary>${heading}</summary>\n${content}\n</details>`
    : `<section id="${id}">\n${heading}\n${content}\n</section>`;
}

function blockHtml(block: ReportBlock): string {
  switch (block.kind) {
    case "words":
      return `<p>${escaped(block.text)}</p>`;
    case "warning":
      return `<p class="warning" role="note"><strong>${escaped(block.title)}</strong> ${escaped(block.text)}</p>`;
    case "facts":
      return `<dl>\n${block.rows.map(([label, text]) => `<dt>${escaped(label)}</dt><dd>${escaped(text)}</dd>`).join("\n")}\n</dl>`;
    case "table":
      return tableHtml(block.heads, block.rows);
    case "text":
      return textHtml(block.text);
    case "points":
      return `<ul class="points">\n${block.texts.map((text) => `<li dir="auto">${escaped(text.trim())}</li>`).join("\n")}\n</ul>`;
  }
}

function textHtml(text: string): string {
  const clean = printable(text).replace(/^\n+/, "").trimEnd();
  return clean === "" ? "<p><em>(empty)</em></p>" : `<pre dir="auto">${escaped(clean)}</pre>`;
}

/** In a box of its own that scrolls, and can be reached by keyboard, where it is wider than the page. */
function tableHtml(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads
    .map((one) => (one === "" ? "<td></td>" : `<th scope="col">${escaped(one)}</th>`))
    .join("");
  const body = rows.map(([first = "", ...rest]) => {
    const cells = rest.map((cell) => `<td>${escaped(cell)}</td>`).join("");
    return `<tr><th scope="row">${escaped(first)}</th>${cells}</tr>`;
  });
  return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join("\n")}\n</tbody>\n</table></div>`;
}
