import { describe, expect, it } from "vitest";
import { elementHtml } from "../../reports/element.ts";
import { lineChart } from "./line-chart.ts";

const drawn = (...lines: readonly (readonly (number | null)[])[]): string =>
  elementHtml([
    lineChart({
      title: "Figures",
      labels: ["1", "2", "3"],
      lines: lines.map((values, nth) => ({ name: `<b>${nth}`, values })),
    }),
  ]);
const count = (html: string, mark: RegExp): number => html.match(mark)?.length ?? 0;

describe("a chart of lines", () => {
  it("joins no points over a gap", () => {
    const html = drawn([1, null, 3]);
    expect([count(html, /class="dot/g), count(html, /class="trend/g)]).toEqual([2, 0]);
    expect(count(drawn([1, 2, 3]), /class="trend/g)).toBe(2);
  });

  it("names its lines where there are several, as text", () => {
    expect(drawn([1, 2, 3])).not.toContain("&lt;b&gt;0");
    expect(drawn([1, 2, 3], [0, 0, 0])).toContain("&lt;b&gt;1</text>");
  });

  it("stands for nothing, and for one figure, within its box", () => {
    for (const html of [drawn(), drawn([null, null, null]), drawn([5])])
      expect(html).not.toMatch(/NaN|Infinity/);
  });

  it("has no ticks between counts", () => {
    expect(drawn([1, 0, 1])).not.toContain(">0.2</text>");
    expect(drawn([1, 0, 0.9])).toContain(">0.2</text>");
  });

  it("has the ticks that it is given", () => {
    expect(
      elementHtml([
        lineChart({ title: "x", labels: ["1"], ticks: [0, 100], lines: [{ name: "a", values: [3] }] }),
      ]),
    ).toContain(">100</text>");
  });
});
