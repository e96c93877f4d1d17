import { createHash } from "node:crypto";
import type { ReportBlock, ReportPart } from "../kernel/index.ts";
import { element, elementHtml } from "./element.ts";
import { escaped } from "./html.ts";
import { markdownHtml, scrollingTable } from "./markdown-tree.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { hasContent, isEmptyBlock } from "./part.ts";
import { oneLine } from "./printable.ts";

// PAGE-1. The page is one file that fetches nothing: its policy lets in nothing but its own styles and script, by their digests. Else:
//     opening a report tells others that it was read, and what stands in it.
// It is read without scripts: what is folded opens by itself, and what is printed is what stands open.

/** Content Security Policy Level 3: no images, no frames, no forms; styles and a script that are known by their digests. */
function policyOf(screen: PageScreen | undefined): string {
  // PAGE-1
  const styles = [PAGE_STYLE, ...(screen ? [screen.style] : [])].map(digestSource);
  return [
    "default-src 'none'",
    ...(screen ? [`script-src ${digestSource(screen.script)}`] : []),
    `style-src ${styles.join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    ...(screen ? ["require-trusted-types-for 'script'", "trusted-types 'none'"] : []),
  ].join("; ");
}

const digestSource = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** A run's screen within its page, for whoever lets scripts run; `vite.file.config.ts` makes the script and the style. */
export type PageScreen = {
  readonly script: string;
  readonly style: string;
  /** The run's entries as JSON. */
  readonly journal: string;
};

/** What a page shows: what is missing, then the answer, then how it came about. */
export type ReportPage = {
  readonly title: string;
  readonly simulated: boolean;
  /** How it ended and what it took, on one line. */
  readonly summary: string;
  readonly warnings: readonly string[];
  /** The whole question; it is left out where the title says it all. */
  readonly question: string;
  /** Foreign; null where there is none. */
  readonly answer: string | null;
  /** The short definite answer, or nothing. */
  readonly final: string;
  readonly parts: readonly ReportPart[];
  readonly screen?: PageScreen | undefined;
};

/** Renders a page of its own, whole. Foreign texts are rendered as Markdown, escaped. Ends in a newline. */
export function pageHtml(page: ReportPage): string {
  const { title, simulated, summary, warnings, question, answer, final, parts, screen } = page;
  const name = escaped(oneLine(title, 200));
  const isLong = question.trim() !== title;
  const body = parts.filter(hasContent).map((part) => partHtml(part, 2));
  return `${[
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(screen)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${name}${simulated ? " (simulated models)" : ""}</title>`,
    `<style>${PAGE_STYLE}</style>`,
    // The script turns it on.
    ...(screen ? [`<style media="not all">${screen.style}</style>`] : []),
    "</head>",
    "<body>",
    "<header>",
    `<h1 dir="auto">${name}</h1>`,
    `<p>${escaped(summary)}</p>`,
    ...warnings.map((title) => blockHtml({ kind: "warning", title, text: "" }, 2)),
    "</header>",
    "<main>",
    ...(answer === null
      ? []
      : [
          '<section class="answer">',
          "<h2>Answer</h2>",
          ...(final === "" ? [] : [`<p class="final" dir="auto">${escaped(final)}</p>`]),
          textHtml(answer, 3),
          "</section>",
        ]),
    ...(isLong
      ? [partHtml({ heading: "Question", blocks: [{ kind: "text", text: question }], folds: true }, 2)]
      : []),
    ...body,
    "</main>",
    ...(screen
      ? [
          `<script type="application/json" id="journal">${screen.journal.replaceAll("<", "\\u003c")}</script>`,
          `<script type="module">${screen.script}</script>`,
        ]
      : []),
    "</body>",
    "</html>",
  ].join("\n")}\n`;
}

function partHtml({ heading, blocks, parts = [], folds = false }: ReportPart, level: number): string {
  const deep = Math.min(6, level);
  const name = heading === "" ? "" : `<h${deep} dir="auto">${escaped(oneLine(heading, 200))}</h${deep}>`;
  const content = [
    ...blocks.filter((block) => !isEmptyBlock(block)).map((block) => blockHtml(block, deep)),
    ...parts.filter(hasContent).map((part) => partHtml(part, level + 1)),
  ].join("\n");
  return folds && name !== ""
    ? `<details>\n<summary>${name}</summary>\n${content}\n</details>`
    : `<section>\n${name}\n${content}\n</section>`;
}

function blockHtml(block: ReportBlock, level: number): string {
  switch (block.kind) {
    case "words":
      return `<p class="words">${escaped(block.text)}</p>`;
    case "warning":
      return `<p class="warning" role="note"><strong>${escaped(block.title)}</strong> ${escaped(block.text)}</p>`;
    case "facts":
      return `<dl>\n${block.rows.map(([label, text]) => `<dt>${escaped(label)}</dt><dd>${escaped(text)}</dd>`).join("\n")}\n</dl>`;
    case "table":
      return tableHtml(block.heads, block.rows);
    case "text":
      return block.verbatim === undefined
        ? textHtml(block.text, level + 1)
        : `<pre><code>${escaped(block.text)}</code></pre>`;
    case "points":
      return `<ul class="points">\n${block.texts.map((text) => `<li dir="auto">${markdownHtml(text.trim(), level + 1)}</li>`).join("\n")}\n</ul>`;
    case "figure":
      return elementHtml([block.figure]);
  }
}

const textHtml = (text: string, level: number): string =>
  `<div class="text">\n${markdownHtml(text, level)}\n</div>`;

function tableHtml(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const first = heads.map((one) => (one === "" ? element("td", {}) : element("th", { scope: "col" }, one)));
  const body = rows.map(([name = "", ...rest]) => [
    element("th", { scope: "row" }, name),
    ...rest.map((cell) => element("td", {}, cell)),
  ]);
  return elementHtml(scrollingTable(first, body));
}
