import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOSTILE_TEXTS, hostileText } from "../../test/support/hostile-texts.ts";
import { dangersIn, elementsOf, structureOf } from "../../test/support/parsed-page.ts";
import { markdownHtml } from "./markdown-tree.ts";
import { pageHtml, type ReportPage } from "./page.ts";
import { sized } from "../../test/support/long.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

const pageOf = (text: string): ReportPage => ({
  title: text,
  simulated: false,
  summary: text,
  warnings: [text],
  question: `${text}\nmore`,
  answer: text,
  final: text,
  parts: [
    {
      heading: `h${text}`,
      blocks: [
        { kind: "words", text: `w${text}` },
        { kind: "facts", rows: [[`l${text}`, text]] },
        { kind: "table", heads: ["", "a", "b", "c"], rows: [[text, text, text, text]] },
        { kind: "text", text: `t${text}` },
        { kind: "text", text: `t${text}`, verbatim: "json" },
        { kind: "points", texts: [`p${text}`] },
      ],
      folds: true,
    },
    {
      heading: "Empty",
      blocks: [
        { kind: "words", text: "" },
        { kind: "points", texts: [] },
      ],
      parts: [],
    },
  ],
});

describe("no text can act on a page", () => {
  const usual = structureOf(pageHtml(pageOf("plain")));

  it.each(HOSTILE_TEXTS)("%s", (text) => {
    const html = pageHtml(pageOf(text));
    expect(dangersIn(html)).toEqual([]);
    expect(structureOf(html)).toEqual(usual);
  });

  it("nor can a thousand made of them", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const html = pageHtml({ ...pageOf(""), answer: text || "x", parts: [] });
        expect(dangersIn(html)).toEqual([]);
        expect(html.isWellFormed()).toBe(true);
      }),
      { numRuns: sized(1_000) },
    );
  });

  it("takes linear time, whatever it is", () => {
    expectLinearReading(
      (text) => expect(dangersIn(markdownHtml(text))).toEqual([]),
      ["**a", "> ", "[", "| a ", "- "],
      1_024,
    );
  });
});

describe("Markdown on a page", () => {
  it.each([
    ["# A\n\n### B", '<h3 dir="auto">A</h3>\n<h4 dir="auto">B</h4>'],
    [
      "A *b* **c** ~~d~~ `e<f>`",
      '<p dir="auto">A <em>b</em> <strong>c</strong> <del>d</del> <code>e&lt;f&gt;</code></p>',
    ],
    ["```sql\nselect '<x>'\n```", '<pre title="sql"><code>select &#39;&lt;x&gt;&#39;</code></pre>'],
    ["> said", '<blockquote>\n<p dir="auto">said</p>\n</blockquote>'],
    ["3. c\n4. d", '<ol start="3">\n<li dir="auto">c</li>\n<li dir="auto">d</li>\n</ol>'],
    ["- [x] done", '<ul>\n<li dir="auto"><span class="box">☑</span> done</li>\n</ul>'],
    [
      "[x](https://example.org/a?b=1&c)",
      '<p dir="auto"><a href="https://example.org/a?b=1&amp;c" rel="noreferrer noopener nofollow">x</a> <small>(example.org)</small></p>',
    ],
    [
      "https://example.org/a",
      '<p dir="auto"><a href="https://example.org/a" rel="noreferrer noopener nofollow">https://example.org/a</a></p>',
    ],
    ["[x](ftp://example.org)", '<p dir="auto">x (ftp://example.org)</p>'],
    [
      "![a](https://example.org/p.png)",
      '<p dir="auto"><a href="https://example.org/p.png" rel="noreferrer noopener nofollow">image: a</a> <small>(example.org)</small></p>',
    ],
    ["a<br>b <u>c</u>", '<p dir="auto">a<br>b &lt;u&gt;c&lt;/u&gt;</p>'],
    ["", "<p><em>(empty)</em></p>"],
  ])("%s", (text, html) => {
    expect(markdownHtml(text)).toBe(html);
  });

  it("scrolls wide tables, and says so", () => {
    const html = markdownHtml("| a | b | c | d |\n| --- | --: | :-: | --- |\n| 1 | 2 | 3 | 4 | 5 |");
    expect(html).toContain('<td class="end">2</td><td class="middle">3</td><td>4 | 5</td>');
    expect(html).toContain("Scroll the table sideways");
    expect(markdownHtml("| a | b |\n| --- | --- |\n| 1 | 2 |")).not.toContain("Scroll");
  });
});

it("tells what is missing above the answer, the answer before all else, and nothing of what is empty", () => {
  const html = pageHtml({
    ...pageOf("x"),
    warnings: ["Degraded: one"],
    answer: "The **answer**",
    final: "42",
  });
  const places = ["Degraded: one", "<h2>Answer</h2>", ">42</p>", "<strong>answer</strong>", "<details>"].map(
    (one) => html.indexOf(one),
  );
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(html).not.toContain("Empty");
  expect(pageHtml({ ...pageOf("x"), answer: null })).not.toContain("Answer");
  expect(elementsOf(html).filter(({ tagName }) => tagName === "script")).toEqual([]);
});
