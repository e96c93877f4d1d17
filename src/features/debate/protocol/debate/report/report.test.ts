import { createHash } from "node:crypto";
import { marked, type Token } from "marked";
import { describe, expect, it } from "vitest";
import type { ElementTree } from "../../../../../kernel/index.ts";
import { elementHtml } from "../../../../../reports/element.ts";
import type { DebateRecord } from "../view/record.ts";
import { debateRecord } from "../view/debated.ts";
import { debateChart } from "./document.ts";
import { costTable } from "./costs.ts";
import { debateHtml } from "../../../app/exports.ts";
import { debateMarkdown } from "../../../app/exports.ts";
import { dangersIn, structureOf } from "../../../../../../test/support/parsed-page.ts";
import { sampleMember } from "../../../../../../test/support/sample-council.ts";
import { emptyDebate, sampleDebate, type DebateSaid } from "../../../../../../test/support/sample-debate.ts";

const record = (said: DebateSaid = {}): DebateRecord => debateRecord(sampleDebate(said).entries);
const empty = (): DebateRecord => debateRecord(emptyDebate().entries);

const svgOf = (figure: ElementTree | undefined): string => elementHtml(figure ? [figure] : []);

const headings = (markdown: string): string[] =>
  marked.lexer(markdown).flatMap((token) => (token.type === "heading" ? [token.raw.trim()] : []));

const ORDER = [
  "Problem",
  "Agents",
  "Clarifications",
  "Judge",
  "Round 1",
  "Round 2",
  "Final synthesis",
  "Warnings",
  "Cost per round and total",
];
const PHASES = ["Summaries", "Proposals", "Critiques", "Refinements", "Tool calls", "Confidence"];

describe("the markdown", () => {
  it("tells everything", () => {
    expect(debateMarkdown(record())).toMatchSnapshot();
  });

  it("keeps its order, and each round its phases'", () => {
    const found = headings(debateMarkdown(record()));
    const of = (level: string) =>
      found.flatMap((one) => (one.startsWith(`${level} `) ? [one.slice(level.length + 1)] : []));
    expect(of("#")).toEqual(["A queue for jobs"]);
    expect(of("##")).toEqual(ORDER);
    const without = (left: string) => PHASES.filter((one) => one !== left);
    expect(of("###").filter((one) => PHASES.includes(one))).toEqual([
      ...without("Summaries"),
      ...without("Tool calls"),
    ]);
  });

  it("says nothing of what is empty", () => {
    const [round] = record().rounds;
    if (!round) throw new Error("the sample has a round");
    const none = {
      summaries: [],
      proposals: [],
      critiques: [],
      refinements: [],
      tools: [],
      confidence: null,
    };
    const bare = { ...record(), agents: [], rounds: [{ ...round, ...none, closed: false }], degraded: [] };
    for (const text of [
      debateMarkdown(bare),
      debateMarkdown(empty()),
      debateHtml(bare),
      debateHtml(empty()),
    ]) {
      for (const phase of [...PHASES.slice(0, -1), "Warnings"]) expect(text).not.toContain(`>${phase}<`);
      expect(text).not.toMatch(/\bNo (?!such)[a-z]+ (?:is|are|were|in|has)\b|\bNone\b/);
      // No heading is followed by another of its own level, or by nothing.
      expect(text).not.toMatch(/^(#+) [^\n]*\n+\1 /m);
    }
    expect(debateMarkdown(bare)).toContain("This round has not come to its end.");
    expect(debateMarkdown(empty())).toContain("There is no final synthesis, and no judge to write one.");
  });

  it("keeps code fences whole: every text can be read back as it was written", () => {
    const text = "before\n```ts\nconst a = 1;\n```\n\n`````\n~~~~\nafter";
    const blocks = marked
      .lexer(debateMarkdown(record({ text })))
      .flatMap((token) => (token.type === "code" ? [String(token["text"])] : []));
    // Two proposals, three refinements, three critiques, a summary; the synthesis stands plain.
    expect(blocks.filter((block) => block.startsWith(text))).toHaveLength(9);
  });

  it("does not repeat what is carried, unless it stands nowhere above", () => {
    const text = debateMarkdown(record());
    expect(text).toContain("Proposal carried over from round 1 (no call).");
    expect(text).toContain("Refinement carried over from round 1 (no call).");
    expect(text.split("(refinement 1 of tester)")).toHaveLength(2);
    const [first, second] = record().rounds;
    if (!first || !second) throw new Error("the sample has two rounds");
    const proposals = second.proposals.map((one) => ({ ...one, text: `${one.text} in other words` }));
    const other = debateMarkdown({ ...record(), rounds: [first, { ...second, proposals }] });
    expect(other).toContain("Carried over from an earlier round (no call).");
    expect(other).toContain("in other words");
  });

  it("tells a lower bound where a part is unknown", () => {
    const [first, ...others] = record().rounds;
    if (!first) throw new Error("the sample has a round");
    const rounds = [{ ...first, usd: null, tokens: null, calls: null }, ...others];
    const text = debateMarkdown({ ...record(), rounds, usd: null, tokens: null, calls: null });
    expect(text).toContain("| Round 1 | 55 | unknown | unknown | unknown |");
    expect(text).toContain("| Total |  | unknown | unknown, at least 10,496 | unknown, at least $0.0168 |");
  });
});

describe("the page", () => {
  it("is one file that lets nothing in but its own style", () => {
    const html = debateHtml(record());
    const style = /<style>([^]*?)<\/style>/.exec(html)?.[1] ?? "";
    const digest = createHash("sha256").update(style).digest("base64");
    expect(html).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'">`,
    );
    expect(html.match(/<(?:script|link|img|iframe|object|form|base)\b/gi)).toBeNull();
    expect(html.match(/ (?:src|style|on\w+)=/gi)).toBeNull();
    expect(html.match(/url\(|@import|https?:/gi)).toBeNull();
    expect(html).not.toMatch(/href="/);
  });

  it("is well formed, with every link and label at its place", () => {
    const html = debateHtml(record());
    const open: string[] = [];
    for (const [, end, name = "", self] of html
      .replace(/<style>[^]*?<\/style>/, "")
      .matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*?(\/?)>/g)) {
      if (["meta", "br"].includes(name) || self === "/") continue;
      if (end === "/") expect(open.pop()).toBe(name);
      else open.push(name);
    }
    expect(open).toEqual([]);
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, to] of html.matchAll(/(?:href="#|aria-labelledby=")([^"]*)"/g))
      for (const id of (to ?? "").split(" ")) expect(ids).toContain(id);
  });

  it("tells what the markdown tells, the answer first and the rounds folded", () => {
    const html = debateHtml(record());
    const [title = "", ...others] = headings(debateMarkdown(record()));
    expect(html.indexOf("<h2>Answer</h2>")).toBeLessThan(html.indexOf("<h2 dir"));
    for (const heading of [title, ...others])
      if (!/Problem|Judge$|Final synthesis|Warnings/.test(heading))
        expect(html).toContain(
          `>${heading.replace(/^#+ /, "").replaceAll("\\", "").replaceAll("'", "&#39;")}</h`,
        );
    expect(html).not.toContain("<details open");
    expect(html.match(/<details>\n<summary><h2 dir="auto">Round \d/g)).toHaveLength(2);
  });

  it("draws confidence and cost beside their table", () => {
    expect(svgOf(debateChart(costTable(record())))).toMatchSnapshot();
    const html = debateHtml(record());
    expect(html.indexOf("<svg")).toBeLessThan(html.lastIndexOf("<table>"));
    expect(html).toContain('<th scope="row">Total</th><td></td><td>13</td><td>17,056</td><td>$0.0273</td>');
  });
});

describe("the chart", () => {
  const column = (label: string, figures: Partial<DebateRecord["outside"] & { confidence: number }>) => ({
    label,
    name: label,
    confidence: null,
    tokens: null,
    usd: null,
    ...figures,
  });
  const chart = (...columns: readonly ReturnType<typeof column>[]) =>
    svgOf(debateChart({ simulated: false, heads: [], rows: [], columns }));

  it("is none of nothing", () => {
    expect(chart(column("1", {}), column("final", { tokens: 0, usd: 0 }))).toBe("");
  });
  it("joins no points over a gap, and keeps within its scale", () => {
    const svg = chart(
      column("1", { confidence: 50 }),
      column("2", {}),
      column("3", { confidence: 0 }),
      column("4", { confidence: 100 }),
    );
    expect(svg.match(/class="dot"/g)).toHaveLength(3);
    expect(svg.match(/class="trend"/g)).toHaveLength(1);
    expect([...svg.matchAll(/class="dot"[^>]* cy="([^"]*)"/g)].map(([, y]) => y)).toEqual([
      "85",
      "140",
      "30",
    ]);
    expect(svg).toContain("Cost: none is known");
  });
  it("counts tokens where money is not known, and marks what is unknown", () => {
    const svg = chart(column("1", { tokens: 50, usd: 1 }), column("final", { tokens: null }));
    expect(svg).toContain(">Tokens<");
    expect(svg.match(/class="bar"/g)).toHaveLength(1);
    expect(svg).toContain(">?<");
    expect(svg).toContain("Bars: Tokens. 1: no confidence, 50; final: no confidence, unknown.");
  });
  it("names so many columns as there is room for, and the last", () => {
    const svg = chart(...Array.from({ length: 30 }, (_, index) => column(`r${index + 1}`, { tokens: 1 })));
    const labels = [...svg.matchAll(/>(r\d+)</g)].map(([, label]) => label);
    expect(labels.length).toBeLessThanOrEqual(12);
    expect([labels[0], labels.at(-1)]).toEqual(["r1", "r30"]);
  });
});

it("says on every surface that models are simulated, and only then", () => {
  const [html, markdown] = [debateHtml(empty()), debateMarkdown(empty())];
  expect(markdown).toMatch(/^# [^\n]+\n\n> \*\*Simulated models\.\*\*/);
  expect(markdown).toContain("sim/ada (simulated)");
  expect(html).toMatch(/<title>[^<]* \(simulated models\)<\/title>/);
  expect(html).toMatch(/<p class="warning" role="note"><strong>simulated models<\/strong>/);
  const drawn = { ...empty(), outside: { calls: 1, tokens: 5, usd: 1 } };
  expect(debateHtml(drawn)).toContain("cost by round (simulated models)</title>");
  expect(`${debateHtml(record())}${debateMarkdown(record())}`).not.toMatch(/simulated/i);
});

describe("no text breaks the structure (HTML-1)", () => {
  const usual = { html: structureOf(debateHtml(record())), headings: headings(debateMarkdown(record())) };
  const hostile = [
    ["an open fence", "```\n# Status: answered\n## Cost by round and in all"],
    ["a fence that closes early", "```\nx\n```\n````\n## Judge\n`````"],
    ["tildes", "~~~\n## Judge"],
    ["raw HTML", "</pre></details><h2>Judge</h2><script>alert(1)</script><!-- "],
    ["attributes", "\"><img src=x onerror=alert(1)> ' onload='x"],
    ["an end of the style", "</style></title></svg><style>*{display:none}</style>"],
    ["a table's end", "a | b | c || \\| d"],
    ["entities", "&lt;script&gt; &amp;amp; &#60;b&#62;"],
    [
      "an image and a link",
      "![x](http://evil.test/p.png) [a](javascript:alert(1))\n[Judge]: http://evil.test",
    ],
    ["escapes", "\u001b[2J\u001b]0;title\u0007x\u0000\u202ey"],
    ["carriage returns", "x\r## Judge\r\n# y\u2028# z"],
    ["lone surrogates", "a\ud800b\udc00"],
  ] as const;

  it.each(hostile)("%s", (_, text) => {
    const said: DebateSaid = {
      problem: `A queue for jobs\n${text}`,
      question: text,
      answer: text,
      text,
      point: text,
      tool: text,
      why: text,
    };
    const hostileRecord = record(said);
    const [html, markdown] = [debateHtml(hostileRecord), debateMarkdown(hostileRecord)];
    expect(structureOf(html)).toEqual(usual.html);
    expect(dangersIn(html)).toEqual([]);
    // The solution's own headings stand below it.
    const outer = (found: readonly string[]) => found.filter((one) => /^##? /.test(one));
    expect(outer(headings(markdown))).toEqual(outer(usual.headings));
    const kinds = new Set<string>();
    // What is called gives no promises.
    void marked.walkTokens(marked.lexer(markdown), (token: Token) => void kinds.add(token.type));
    for (const kind of ["html", "def", "image"]) expect([...kinds]).not.toContain(kind);
    for (const out of [html, markdown]) {
      // oxlint-disable-next-line no-control-regex
      expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028]/);
      expect(out.isWellFormed()).toBe(true);
    }
  });

  it("names neither", () => {
    const name = '<b>`a`|**c**\n# d & "e"';
    const persona = { ...sampleMember("x").persona, name };
    const participants = [
      sampleMember("architect", { seat: "agent", persona }),
      sampleMember("tester", { seat: "agent", persona }),
      sampleMember("judge", { seat: "judge", persona }),
    ];
    const entries = sampleDebate({}, { participants }).entries;
    const [html, markdown] = [debateHtml(debateRecord(entries)), debateMarkdown(debateRecord(entries))];
    expect(structureOf(html)).toEqual(usual.html);
    expect(headings(markdown)).toHaveLength(usual.headings.length);
    // Two of one name are told apart by their ids.
    expect(html).toContain("&lt;b&gt;`a`|**c** # d &amp; &quot;e&quot; (tester)</h4>");
  });

  it("nor a file's, whose words are anything", () => {
    const evil = "<i>\n# x";
    const changed = { ...record(), id: evil, status: evil, startedAt: evil, endedAt: evil };
    expect(structureOf(debateHtml(changed))).toEqual(usual.html);
    expect(headings(debateMarkdown(changed))).toEqual(usual.headings);
  });
});
