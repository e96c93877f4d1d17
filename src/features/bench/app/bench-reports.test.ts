import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BenchArm, BenchReport, BenchRow } from "../contract.ts";
import { benchReport } from "./report.ts";
import { markdownLines } from "../../../reports/terminal-markdown.ts";
import { benchMarkdown } from "./markdown.ts";
import { rowsCsv } from "./row.ts";
import { benchSvg } from "../protocol/report-plot.ts";
import { widthOf } from "../../../reports/text-width.ts";
import { formatDifference, describeFlips, describePair } from "../protocol/report-words.ts";

const arm = (name: string, deliberates = false): BenchArm => ({
  name,
  what: `what ${name} is`,
  protocol: "ask@1",
  seats: [
    { seat: "member", model: "lab/x" },
    { seat: "member", model: "lab/x" },
  ],
  deliberates,
});

/** Right on the first so many of 20 questions, at this price. */
const rows = (
  name: string,
  { right, usd, simulated = false }: { right: number; usd: number; simulated?: boolean },
): BenchRow[] =>
  Array.from({ length: 20 }, (_, index) => ({
    arm: name,
    task: String(index),
    kind: index % 2 === 0 ? "even" : "odd",
    deliberations: ["x"],
    openedAt: "2026-01-01T00:00:00.000Z",
    outcome: index === 19 ? "inconclusive" : "answered",
    finished: true,
    failed: null,
    answer: index === 19 ? null : "1",
    right: index < right,
    control: { answer: "1", right: index < right - 2 || index === 18 },
    drafts: ["m1", "m2"].map((by, seat) => ({
      by,
      model: "lab/x",
      answer: "1",
      right: (index + seat) % 3 > 0,
    })),
    calls: 3,
    tokens: { in: 100, out: 50 },
    latencyMs: 200,
    steps: [],
    usd,
    simulated,
  }));

const report = (simulated: boolean): BenchReport =>
  benchReport({
    tasks: { file: "t.jsonl", count: 21 },
    seed: "7",
    arms: [arm("single"), arm("council", true)],
    rows: [
      ...rows("single", { right: 9, usd: 0.001, simulated }),
      ...rows("council", { right: 18, usd: 0.01, simulated }),
    ],
  });

describe("the document", () => {
  it("says what ran, what came out, and what is missing", () => {
    expect(benchMarkdown(report(false), { plot: "plot.svg" })).toMatchSnapshot();
  });
  it("says above everything else that models are simulated", () => {
    expect(benchMarkdown(report(true))).toMatch(/^# [^\n]+\n\n> \*\*Simulated models\.\*\*/);
    expect(benchMarkdown(report(false))).not.toContain("imulated");
  });
  it("leaves out what there is nothing of: pairs of one arm, a panel of one member", () => {
    const [own] = rows("single", { right: 9, usd: 0 });
    const alone = own ? [{ ...own, kind: null, drafts: own.drafts.slice(0, 1) }] : [];
    const text = benchMarkdown(
      benchReport({ tasks: { file: "t", count: 1 }, seed: null, arms: [arm("single")], rows: alone }),
    );
    expect(text.match(/^## .*/gm)).toEqual(["## Accuracy and cost"]);
  });
  it("counts an outage apart, above every figure, and tests nothing of nothing", () => {
    const outage = rows("single", { right: 0, usd: 0 }).map((row) => ({
      ...row,
      outcome: "failed",
      answer: null,
      finished: false,
      failed: "network: no",
    }));
    const text = benchMarkdown(
      benchReport({
        tasks: { file: "t", count: 20 },
        seed: null,
        arms: [arm("single"), arm("council", true)],
        rows: outage,
      }),
    );
    expect(text).toMatch(/^# [^\n]+\n\n> \*\*Failed\.\*\* single 20 of 20: /);
    expect(text).toMatch(/\| single +\| – +\| 0 /);
    expect(text).toContain("single: 20 failed; council: 20 not finished");
    expect(text).toContain("Missing: council 20 of 20. Unfinished");
    expect(text).toMatch(/\| single − council \| 0 +\| 0 : 0 +\| – +\| – +\| no common questions yet/);
  });
  it.each([40, 60, 80, 120])("loses no word in %i columns of a terminal, tables included", (width) => {
    const lines = markdownLines(benchMarkdown(report(true)), { width, color: false });
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    const words = (text: string) => text.match(/[\p{L}\d]{4,}/gu) ?? [];
    const shown = lines.join(" ").replaceAll(/\s/g, "");
    for (const word of words(benchMarkdown(report(true)))) expect(shown).toContain(word);
    expect(lines.filter((line) => line.includes("|"))).toEqual([]);
  });
  it("lets no foreign text be markdown", () => {
    const hostile = report(false);
    const arms = hostile.arms.map((one) => ({ ...one, seats: [{ seat: "member", model: "lab/<b>|`x`" }] }));
    const text = benchMarkdown({ ...hostile, arms, tasks: { file: "a|b\n# c", count: 21, open: 0 } });
    expect(text).not.toMatch(/<b>|^# c/m);
  });
});

describe("the readings", () => {
  const pair = { first: "a", second: "b", n: 40, both: 0, neither: 0, difference: null, p: 1 };
  it("tell arms apart only where the corrected test does", () => {
    expect(describePair({ ...pair, onlyFirst: 2, onlySecond: 12, adjusted: 0.01 })).toBe("b is better");
    expect(describePair({ ...pair, onlyFirst: 2, onlySecond: 12, adjusted: 0.06 })).toBe(
      "no significant difference",
    );
    expect(describePair({ ...pair, onlyFirst: 0, onlySecond: 5, adjusted: 0.06 })).toBe("underpowered");
    expect(describePair({ ...pair, n: 0, onlyFirst: 0, onlySecond: 0, adjusted: 1 })).toBe(
      "no common questions yet",
    );
  });
  it("say what deliberating did", () => {
    const flips = { n: 40, controlRight: 20, rightToNone: 0, noneToRight: 0 };
    expect(describeFlips({ ...flips, rightToWrong: 0, wrongToRight: 8, p: 0.008 })).toBe(
      "deliberation helped",
    );
    expect(describeFlips({ ...flips, rightToWrong: 8, wrongToRight: 0, p: 0.008 })).toBe(
      "deliberation harmed",
    );
    expect(describeFlips({ ...flips, rightToWrong: 2, wrongToRight: 3, p: 1 })).toBe(
      "underpowered: 5 changed",
    );
    expect(describeFlips({ ...flips, n: 0, rightToWrong: 0, wrongToRight: 0, p: 1 })).toBe(
      "no majority of drafts to compare with",
    );
  });
  it("give differences in points with their sign", () => {
    expect(formatDifference({ value: 0.1, low: -0.025, high: 0.2 })).toBe("+10.0 (−2.5 to +20.0)");
    expect(formatDifference({ value: 0, low: -0.0001, high: 0.0001 })).toBe("0.0 (0.0 to 0.0)");
  });
});

/** The labels of a plot, as boxes. */
function labelBoxes(
  svg: string,
): { name: string; left: number; right: number; top: number; bottom: number }[] {
  const texts = svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" class="label"( text-anchor="end")?>([^<]*)</g);
  return [...texts].map(([, x, y, end, name = ""]) => {
    const left = end === undefined ? Number(x) : Number(x) - name.length * 7;
    return { name, left, right: left + name.length * 7, top: Number(y) - 12, bottom: Number(y) + 3 };
  });
}

describe("the plot", () => {
  it("has a point and a label for every arm, its axis in money where that is known", () => {
    const svg = benchSvg(report(false));
    expect(svg.match(/<circle/g)).toHaveLength(2);
    expect(labelBoxes(svg).map(({ name }) => name)).toEqual(["single", "council"]);
    expect(svg).toContain("US dollars per question");
    expect(svg).not.toContain("simulated");
    expect(benchSvg(report(true))).toContain("simulated models");
  });
  it("falls back on tokens, then on calls", () => {
    const priced = report(false);
    const without = (perQuestion: object) => ({
      ...priced,
      arms: priced.arms.map((one) => ({ ...one, perQuestion: { ...one.perQuestion, ...perQuestion } })),
    });
    expect(benchSvg(without({ usd: 0 }))).toContain("tokens per question");
    expect(benchSvg(without({ usd: null }))).toContain("tokens per question");
    expect(benchSvg(without({ usd: null, tokensIn: null }))).toContain("model calls per question");
  });
  it("is a picture without any arm, too", () => {
    const empty = benchReport({
      tasks: { file: "t", count: 3 },
      seed: null,
      arms: [arm("single")],
      rows: [],
    });
    expect(benchSvg(empty)).toContain("No arm has finished a question yet");
  });
  it("escapes foreign text", () => {
    const one = report(false);
    const svg = benchSvg({ ...one, arms: one.arms.map((each) => ({ ...each, name: '<script>"&' })) });
    expect(svg).toContain("&lt;script&gt;&quot;&amp;");
    expect(svg).not.toContain("<script");
  });
  it("legend entries of up to eight arms never overlap and stay inside", () => {
    const figures = fc.record({
      right: fc.integer({ min: 0, max: 20 }),
      usd: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(fc.array(figures, { minLength: 1, maxLength: 8 }), (all) => {
        const names = all.map((_, index) => `self-consistency-${index}`);
        const svg = benchSvg(
          benchReport({
            tasks: { file: "t", count: 20 },
            seed: null,
            arms: names.map((name) => arm(name)),
            rows: all.flatMap((one, index) => rows(names[index] ?? "", one)),
          }),
        );
        const boxes = labelBoxes(svg);
        expect(boxes).toHaveLength(all.length);
        for (const [index, a] of boxes.entries()) {
          expect(a.left).toBeGreaterThanOrEqual(60);
          expect(a.right).toBeLessThanOrEqual(760);
          for (const b of boxes.slice(index + 1))
            expect(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("rows.csv", () => {
  it("has a line a row under its header, with nothing in it that a spreadsheet would compute", () => {
    const [first] = rows("=1+1", { right: 1, usd: 0.5 });
    if (!first) throw new Error("there are no rows");
    const steps = [{ kind: "draft", calls: 2, tokens: { in: 10, out: null } }];
    const row = { ...first, task: 'a,"b"\nc', answer: "-1", steps, usd: null, control: null };
    expect(rowsCsv([row, first]).split("\n")).toEqual([
      "arm,task,kind,outcome,finished,failed,answer,right,control_answer,control_right,drafts,drafts_right,calls,tokens_in,tokens_out,steps,latency_ms,usd,deliberation",
      `'=1+1,"a,""b"" c",even,answered,true,,'-1,true,,,2,1,3,100,50,draft 2/10/,200,,x`,
      "'=1+1,0,even,answered,true,,1,true,1,false,2,1,3,100,50,,200,0.5,x",
      "",
    ]);
  });
});
