import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileText } from "../../test/support/hostile-texts.ts";
import { dangersIn, elementsOf, textOf } from "../../test/support/parsed-page.ts";
import { degradedCouncil } from "../../test/support/sample-council.ts";
import { sampleDebate } from "../../test/support/sample-debate.ts";
import { forest, tree } from "../../test/support/sample-forest.ts";
import type { ElementTree } from "../kernel/index.ts";
import { debateChart } from "../protocols/debate/report/chart.ts";
import { costTable } from "../protocols/debate/report/costs.ts";
import { debateRecord } from "../protocols/debate/view/debated.ts";
import { FOREST_PLOT_STYLE, forestPlot } from "../protocols/forest/report-plot.ts";
import { sharesFigure, sharesSvg } from "./contribution-heatmap.ts";
import { checkElement, element, elementHtml, svgFile, type Markup } from "./element.ts";
import { markdownTree } from "./markdown-tree.ts";
import { pageHtml } from "./page.ts";
import { figures, part } from "./part.ts";
import { printable } from "./printable.ts";
import { callTimeline } from "./timeline.ts";

const EVIL = "</title></style></svg><script>alert(1)</script>\u001b[2J\u202e";

describe("HTML of elements", () => {
  it.each<[Markup, string]>([
    [["a<b>&\"'"], "a&lt;b&gt;&amp;&quot;&#39;"],
    [[element("p", { title: '"><script>' })], '<p title="&quot;&gt;&lt;script&gt;"></p>'],
    [[element("p", {}, "a", element("br", {}), "b")], "<p>a<br>b</p>"],
    [[element("p", {}), element("hr", {}), "a", element("em", {}, "b")], "<p></p>\n<hr>\na<em>b</em>"],
    [[element("ul", {}, element("li", {}, "a"), element("li", {}))], "<ul>\n<li>a</li>\n<li></li>\n</ul>"],
    [[element("rect", { x: 1.5, class: undefined })], '<rect x="1.5"/>'],
    [[element("circle", { r: 2 }, element("title", {}, "a"))], '<circle r="2"><title>a</title></circle>'],
  ])("%j", (nodes, html) => {
    expect(elementHtml(nodes)).toBe(html);
  });

  it("is printable, as are the elements", () => {
    expect(element("p", { title: "a\u001b[2J" }, "b\u202ec", "\u0000")).toEqual({
      ...{ tag: "p", attributes: { title: "a" }, children: ["bc"] },
    });
    expect(elementHtml([{ tag: "p", attributes: { title: "\u0007" }, children: ["\u009b1m"] }])).toBe(
      '<p title=""></p>',
    );
  });

  it.each([
    element("script", {}),
    element("style", {}),
    element("p><script", {}),
    element("foreignObject", {}),
    element("p", { onclick: "x" }),
    element("p", { style: "x" }),
    element("p", { 'class="a" onclick': "x" }),
    element("a", { href: "javascript:alert(1)" }),
    element("a", { href: "//evil.test" }),
  ])("ELEMENT-1: $tag $attributes is refused, however deep it stands", (foreign) => {
    expect(() => elementHtml([element("ul", {}, element("li", {}, foreign))])).toThrow(RangeError);
    expect(() => checkElement(foreign)).toThrow(/ \(got "[^"]+.*"\)$/);
  });
});

/** An element's tag, its attributes and its text. Between blocks a document has line breaks of its own. */
type Row = readonly [tag: string, attributes: readonly (readonly string[])[], text: string];
const BLOCKS = /^(?:div|blockquote|[uo]l|li|table|thead|tbody|tr)$/;
const row = (tag: string, attributes: Row[1], text: string): Row => [
  ...([tag, attributes] as const),
  BLOCKS.test(tag) ? text.replaceAll("\n", "") : text,
];

const textIn = (node: ElementTree | string): string =>
  typeof node === "string" ? node : node.children.map(textIn).join("");

const rowsIn = (nodes: Markup): Row[] =>
  nodes.flatMap((node) => {
    if (typeof node === "string") return [];
    const attributes = Object.entries(node.attributes).map(([name, value]) => [name, String(value)]);
    return [row(node.tag, attributes, textIn(node)), ...rowsIn(node.children)];
  });

const rowsOf = (html: string): Row[] =>
  elementsOf(`<!doctype html><body>${html}`)
    .slice(3)
    .map((one) =>
      row(
        one.tagName,
        one.attrs.map(({ name, value }) => [name, value]),
        textOf(one),
      ),
    );

it("HTML-2: of any Markdown, a browser reads the very elements and texts of its tree, and none that acts", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const nodes = markdownTree(text);
      const html = elementHtml(nodes);
      expect(dangersIn(html)).toEqual([]);
      expect(rowsOf(html)).toEqual(rowsIn(nodes));
      // As a page shows it that makes its own elements of the tree.
      for (const [, , shown] of rowsIn(nodes)) expect(shown).toBe(printable(shown));
    }),
    { numRuns: 1_500 },
  );
});

describe("figures", () => {
  const { entries } = degradedCouncil();
  const shares = [
    {
      ...{ persona: EVIL, strategy: EVIL, runs: 1, claimed: { n: 1, mean: 0.4, sum: 0.4 } },
      ...{ measured: { "leave-one-out": { n: 1, mean: 0.2 } }, sessions: 2, winRate: 0.5 },
    },
  ];
  const cycles = ["cycle_001", "cycle_002"].map((cycle_id) =>
    forest({ cycle_id, trees: [tree("flow", { name: EVIL }), tree("value")] }),
  );
  const drawn = {
    timeline: callTimeline(entries, () => EVIL),
    debate: debateChart(costTable(debateRecord(sampleDebate({ problem: EVIL }).entries))),
    forest: forestPlot(cycles),
    shares: sharesFigure(shares),
  };

  it.each(Object.entries(drawn))("ELEMENT-1: %s stands in a page without a style of its own", (_, figure) => {
    expect(figure?.tag).toBe("svg");
    const html = elementHtml(figure ? [figure] : []);
    expect(dangersIn(html)).toEqual([]);
    expect(rowsOf(html).slice(1)).toEqual(rowsIn(figure?.children ?? []));
    const page = pageHtml({
      ...{ title: "t", simulated: false, summary: "", warnings: [], question: "t", answer: null, final: "" },
      parts: [part("Figure", ...figures(figure))],
    });
    expect(dangersIn(page)).toEqual([]);
    expect(elementsOf(page).filter(({ tagName }) => tagName === "style")).toHaveLength(1);
    expect(page).toContain(html);
  });

  it("is a file with its texts and its style escaped", () => {
    const file = svgFile(element("svg", {}, element("title", {}, EVIL), element("text", {}, EVIL)), EVIL);
    expect(elementsOf(file).map(({ tagName }) => tagName)).toEqual([
      ...["html", "head", "body", "svg", "title", "style", "text"],
    ]);
    expect(() => svgFile(element("svg", { onload: "x" }), "")).toThrow(RangeError);
  });

  it("has no block where nothing is drawn", () => {
    expect(figures(forestPlot(cycles.slice(1)))).toEqual([]);
    expect(figures(callTimeline([], String))).toEqual([]);
  });

  it.each([
    ["forest", svgFile(drawn.forest ?? element("svg", {}), FOREST_PLOT_STYLE)],
    ["shares", sharesSvg(shares)],
  ])("a file of %s has one style, below its title", (_, file) => {
    expect(file).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>\n<title[^<]*<\/title>\n<style>/,
    );
    expect(file.endsWith("\n</svg>\n")).toBe(true);
    const elements = elementsOf(file).filter(({ tagName }) => /^(?:style|script)$/.test(tagName));
    expect(elements.map((one) => [one.tagName, textOf(one).includes('"DejaVu Sans"')])).toEqual([
      ["style", true],
    ]);
  });
});
