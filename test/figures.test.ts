import { expect, it } from "vitest";
import { debateChart } from "../src/features/debate/protocol/debate/report/document.ts";
import { costTable } from "../src/features/debate/protocol/debate/report/costs.ts";
import { debateRecord } from "../src/features/debate/protocol/debate/view/debated.ts";
import { FOREST_PLOT_STYLE, forestPlot } from "../src/features/forest/protocol/report-plot.ts";
import { sharesFigure, sharesSvg } from "../src/features/contributions/app/text.ts";
import { element, elementHtml, svgFile } from "../src/reports/element.ts";
import { pageHtml } from "../src/reports/page.ts";
import { figures, part } from "../src/reports/part.ts";
import { callTimeline } from "../src/reports/deliberation-journal.ts";
import { dangersIn, elementsOf, rowsIn, rowsOf, textOf } from "./support/parsed-page.ts";
import { degradedCouncil } from "./support/sample-council.ts";
import { sampleDebate } from "./support/sample-debate.ts";
import { forest, tree } from "./support/sample-forest.ts";

const EVIL = "</title></style></svg><script>alert(1)</script>\u001b[2J\u202e";
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

it("has no block where nothing is drawn", () => {
  expect(figures(forestPlot(cycles.slice(1)))).toEqual([]);
  expect(figures(callTimeline([], String))).toEqual([]);
});

it.each([
  ["forest", svgFile(drawn.forest ?? element("svg", {}), FOREST_PLOT_STYLE)],
  ["shares", sharesSvg(shares)],
])("a file of %s has one style, below its title", (_, file) => {
  expect(file).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>\n<title[^<]*<\/title>\n<style>/);
  expect(file.endsWith("\n</svg>\n")).toBe(true);
  const elements = elementsOf(file).filter(({ tagName }) => /^(?:style|script)$/.test(tagName));
  expect(elements.map((one) => [one.tagName, textOf(one).includes('"DejaVu Sans"')])).toEqual([
    ["style", true],
  ]);
});
