import { createHash } from "node:crypto";
import type { ReportBlock, ReportPart } from "../kernel/index.ts";
import { element, elementHtml, escapeHtml } from "./element.ts";
import { markdownHtml, scrollingTable } from "./markdown-tree.ts";
import { hasContent, isEmptyBlock } from "./part.ts";
import { oneLine } from "./printable.ts";

// PAGE-1. The page is one file that fetches nothing: its policy lets in nothing but its own styles and script, by their digests. Else:
//     opening a report tells others that it was read, and what stands in it.
// It is read without scripts: what is folded opens by itself, and what is printed is what stands open.

/** Content Security Policy Level 3: no images but the page's own, no frames, no forms; styles and a script that are known by their digests. */
function policyOf(screen: PageScreen | undefined): string {
  // PAGE-1
  const styles = [PAGE_STYLE, ...(screen ? [screen.style] : [])].map(digestSource);
  return [
    "default-src 'none'",
    ...(screen ? [`script-src ${digestSource(screen.script)}`] : []),
    `style-src ${styles.join(" ")}`,
    // What is attached stands in the page itself.
    "img-src data:",
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
  const name = escapeHtml(oneLine(title, 200));
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
    `<p>${escapeHtml(summary)}</p>`,
    ...warnings.map((title) => blockHtml({ kind: "warning", title, text: "" }, 2)),
    "</header>",
    "<main>",
    ...(answer === null
      ? []
      : [
          '<section class="answer">',
          "<h2>Answer</h2>",
          ...(final === "" ? [] : [`<p class="final" dir="auto">${escapeHtml(final)}</p>`]),
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
  const name = heading === "" ? "" : `<h${deep} dir="auto">${escapeHtml(oneLine(heading, 200))}</h${deep}>`;
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
      return `<p class="words">${escapeHtml(block.text)}</p>`;
    case "warning":
      return `<p class="warning" role="note"><strong>${escapeHtml(block.title)}</strong> ${escapeHtml(block.text)}</p>`;
    case "facts":
      return `<dl>\n${block.rows.map(([label, text]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(text)}</dd>`).join("\n")}\n</dl>`;
    case "table":
      return tableHtml(block.heads, block.rows);
    case "text":
      return block.verbatim === undefined
        ? textHtml(block.text, level + 1)
        : `<pre><code>${escapeHtml(block.text)}</code></pre>`;
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

/** The whole style of a run's page: light and dark, wide and narrow, on a screen and on paper. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1f24; --faint: #59616d; --line: #d9dde3; --sunk: #f5f6f8; --mark: #0b62a8; --warn: #fff4d6; --edge: #b07a00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --ink: #e8ebef; --faint: #a5adb8; --line: #333a44; --sunk: #1c2127; --mark: #6cb8f5; --warn: #33290f; --edge: #d9a400; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1.25rem 4rem; max-width: 58rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
h4, h5, h6 { font-size: 1rem; margin: 1rem 0 .4rem; }
p { margin: .5rem 0; }
a { color: var(--mark); }
header p, main .words { color: var(--faint); }
.warning, main .warning { color: var(--ink); background: var(--warn); border-left: .3rem solid var(--edge); padding: .6rem .9rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 1rem 0; }
dt { color: var(--faint); }
dd { margin: 0; }
summary { cursor: pointer; }
summary h2, summary h3, summary h4, summary h5, summary h6 { display: inline-block; margin: .5rem 0; border: 0; padding: 0; }
summary::marker { color: var(--faint); }
details { margin: .4rem 0; }
details details { margin-left: 1rem; }
main > details { border-top: 1px solid var(--line); }
pre { margin: .5rem 0 1rem; padding: .8rem 1rem; background: var(--sunk); border: 1px solid var(--line); border-radius: .4rem; font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; tab-size: 4; }
code { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
:not(pre) > code { background: var(--sunk); border-radius: .2rem; padding: .1em .25em; }
.text { margin: .5rem 0 1rem; }
.text li > p { margin: .2rem 0; }
.answer { font-size: 1.05rem; }
.final { padding: .6rem .9rem; background: var(--sunk); border-left: .3rem solid var(--mark); font-weight: 600; }
.plain { white-space: pre-wrap; }
blockquote { margin: .5rem 0; padding-left: .9rem; border-left: .2rem solid var(--line); }
hr { border: 0; border-top: 1px solid var(--line); }
ul, ol { padding-left: 1.5rem; }
.points li > p:first-child { margin-top: 0; }
.hint { display: none; color: var(--faint); font-size: .85rem; }
.end { text-align: right; }
.middle { text-align: center; }
.table { overflow-x: auto; margin: .75rem 0; background: linear-gradient(to right, var(--paper) 30%, transparent), linear-gradient(to left, var(--paper) 30%, transparent) 100% 0, linear-gradient(to right, var(--line), transparent), linear-gradient(to left, var(--line), transparent) 100% 0; background-repeat: no-repeat; background-size: 2rem 100%, 2rem 100%, .6rem 100%, .6rem 100%; background-attachment: local, local, scroll, scroll; }
table { border-collapse: collapse; font-size: .92rem; overflow-wrap: normal; }
th, td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 600; min-width: 5.5rem; }
thead th { color: var(--faint); font-weight: 600; }
.chart { display: block; width: 100%; max-width: 32rem; height: auto; margin: 1rem 0; }
.chart text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink); }
.chart .grid { stroke: var(--line); }
.chart .trend { stroke: var(--mark); stroke-width: 2; }
.chart .dot, .chart .bar { fill: var(--mark); }
.chart .failed { fill: var(--edge); }
.chart .faint { fill: var(--faint); }
:target { scroll-margin-top: 1rem; }
@media (max-width: 36rem) {
  body { padding: 1rem .8rem 3rem; }
  h1 { font-size: 1.35rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
  pre { padding: .6rem .7rem; font-size: .8rem; }
  details details { margin-left: .4rem; }
  .hint { display: block; }
}
@media print {
  :root { --paper: #ffffff; --ink: #000000; --faint: #444444; --line: #bbbbbb; --sunk: #ffffff; --mark: #000000; --warn: #ffffff; --edge: #000000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { margin: 1rem 0 .4rem; font-size: 13pt; }
  h2, h3, h4 { break-after: avoid; }
  details:not([open]) { display: none; }
  .table { background: none; overflow: visible; }
  .hint { display: none; }
  .chart, tr { break-inside: avoid; }
}
img { max-width: 100%; height: auto; }
`;
