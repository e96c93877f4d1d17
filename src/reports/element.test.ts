import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileText } from "../../test/support/hostile-texts.ts";
import { dangersIn, elementsOf, rowsIn, rowsOf } from "../../test/support/parsed-page.ts";
import { checkElement, element, elementHtml, svgFile, type Markup } from "./element.ts";
import { markdownTree } from "./markdown-tree.ts";
import { printable } from "./printable.ts";
import { sized } from "../../test/support/long.ts";

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
    { numRuns: sized(1_500) },
  );
});

it("a file has its texts and its style escaped", () => {
  const file = svgFile(element("svg", {}, element("title", {}, EVIL), element("text", {}, EVIL)), EVIL);
  expect(elementsOf(file).map(({ tagName }) => tagName)).toEqual([
    ...["html", "head", "body", "svg", "title", "style", "text"],
  ]);
  expect(() => svgFile(element("svg", { onload: "x" }), "")).toThrow(RangeError);
});
