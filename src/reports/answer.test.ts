import { formatCost, unpricedModels } from "./words.ts";
import { describe, expect, it } from "vitest";
import { ModelRef } from "../kernel/index.ts";
import type { PanelSection } from "../views/panel.ts";
import type { Result } from "../views/result.ts";
import {
  answerText,
  bareAnswerText,
  briefAnswerText,
  footerLines,
  warningLines,
  type TextStyle,
} from "./answer.ts";
import {
  byStep,
  degradedCouncil,
  draftGiven,
  opened,
  sampleCall,
  stepKey,
  type Said,
} from "../../test/support/sample-council.ts";
import { shownPanel } from "../../test/support/shown.ts";
import { widthOf } from "./text-width.ts";

const plain: TextStyle = { color: false, width: 80 };
const footer = { next: ["show it", "go on"] };
const RULE = "────";

const sample = (said: Said = {}, changes: Partial<Result> = {}, section: Partial<PanelSection> = {}) =>
  shownPanel(degradedCouncil(said).entries, changes, section);

const ownBlock = (text: string) => text.slice(text.indexOf(RULE)).trimEnd().split("\n");

it.each([
  ["subscription", 0, "subscription, 3 calls"],
  ["free", 0, "free"],
  ["mixed", 0, "free or by subscription"],
  ["mixed", 0.01, "$0.0100 (from several sources)"],
] as const)("says what calls cost: %s, %d", (source, usd, words) => {
  expect(formatCost({ calls: 3, unknown: 0, cost: { source, usd } })).toBe(words);
});

it("says first who was refused the search that was asked for", () => {
  const { result } = sample();
  const participants = result.participants.map((one, at) => ({
    ...one,
    without: at === 0 ? ["search"] : ["effort"],
  }));
  const lines = warningLines(sample({}, { participants }));
  expect(lines).toContain(`Search was refused to: ${result.participants[0]?.name}`);
  expect(warningLines(sample())).toHaveLength(lines.length - 1);
});

it("prints what is missing, the answer, what stands beside it, and how it came about", () => {
  expect(answerText(sample(), plain)).toMatchInlineSnapshot(`
    "Degraded: the review by Skeptic: network: connection reset

    ## The product

    It is **391**, as two of the three found.

    Synthesized from inputs by: Analyst, Builder

    Dissent
    - One draft has 381: a slip in the tens.

    Unique points
    - Splitting 23 into 20 and 3 makes it checkable.

    Rejected
    - Skeptic: 340 + 51 is not 381

    ────────────────────────────────────────
    Final answer  391
    Baseline      majority of drafts = 391 (unchanged)
    Mode          consensus, strategy balanced
    Votes         Answer  At first          At last
                  391     Analyst, Builder  Analyst, Builder
                  381     Skeptic           Skeptic
    Peer ranking  Rank  Member   Score  Tied with
                  1     Analyst  1.00   Builder
                  1     Builder  1.00   Analyst
                  3     Skeptic  0.00
                  Rater agreement: W = 0.83 (n = 3, not significant), 2.4 effective
                  votes
    Contributions (self-reported by the chair)
                  Member   Weight  Reason
                  Analyst  0.60    the working
                  Builder  0.40    the check
    Participants  Analyst  member  openai/gpt-of-analyst        openai
                  Builder  member  anthropic/claude-of-builder  anthropic
                  Skeptic  member  compatible/house             family unknown
                  Chair    chair   openai/gpt-of-chair          openai
    Usage         6 calls · unknown input (1,000 cached) + unknown output tokens ·
                  $0.0126 (list price) + 3 calls unknown
    Time          4.0 s
    Run           Kx7sampleCouncil0001
    "
  `);
});

it("tells the worth of a reviewer's ballot from a member's own part", () => {
  const of = (method: string) => ({ id: "analyst", weight: 0.5, method });
  const text = (...methods: readonly string[]) =>
    answerText(
      sample({}, {}, { contributions: { claimed: [], problem: null, measured: methods.map(of) } }),
      plain,
    );
  expect(text("shapley-vote", "shapley-standing")).toMatch(
    /\(measured\)\n +Member +shapley-vote +shapley-standing\*\n +Analyst +0\.50 +0\.50\n +\* the value of a reviewer's ballot, not of its own draft\n/,
  );
  expect(text("shapley-vote")).not.toContain("ballot");
});

describe("above the answer", () => {
  it("every degradation and the label of simulated models come first", () => {
    const text = answerText(sample({}, { simulated: true }), plain);
    expect(text.split("\n").slice(0, 4)).toEqual([
      "Degraded: the review by Skeptic: network: connection reset",
      "simulated models",
      "",
      "## The product",
    ]);
  });

  it("nothing stands when all went well", () => {
    const text = answerText(sample({}, { status: "answered", degraded: [] }), plain);
    expect(text.startsWith("## The product")).toBe(true);
  });

  it("a failure says why and that there is no answer, an open deliberation how to go on", () => {
    const failed = {
      status: "failed" as const,
      answer: null,
      degraded: [{ what: "failed", why: "1 of 3 members answered" }],
    };
    expect(answerText(sample({}, failed), plain)).toMatch(
      /^Failed: 1 of 3 members answered\nThere is no answer\.\n\n(?=Synth)/,
    );
    const text = answerText(shownPanel(opened().entries), plain);
    expect(text).toMatch(/^Open: this run has not ended\n/);
    expect(text).toMatch(/^Usage +no calls$/m);
  });
});

describe("the answer itself", () => {
  const long = "word ".repeat(100).trim();

  it("is passed through whole without color: not wrapped, not cut, not styled", () => {
    const answer = `# A *title*\n\n${long}\n\n\`\`\`js\nlet x;\n\`\`\`${"y".repeat(100_000)}`;
    expect(answerText(sample({ answer }), { ...plain, width: 40 })).toContain(answer);
  });

  it("is rendered where there is a renderer, as points and texts beside it are", () => {
    const markdown = (text: string, width: number) => [`<${width}>`, ...text.split("\n")];
    const text = answerText(sample(), { ...plain, markdown });
    expect(text).toContain("<80>\n## The product\n");
    expect(text).toContain("- <78>\n  One draft has 381");
  });

  it("cannot send anything to the terminal, from whichever text", () => {
    const hostile = "\u001b[2J\u001b]0;owned\u0007\u009b1;1H\rx\u202e";
    const said = { answer: hostile, dissent: hostile, reason: hostile };
    const person = { name: hostile, model: hostile, family: hostile };
    const everywhere = sample(
      said,
      {
        degraded: [{ what: hostile, why: hostile }],
        participants: sample().result.participants.map((one) => ({ ...one, ...person })),
        finalAnswer: hostile,
        control: { kind: "draft-majority", by: hostile, answer: hostile, agrees: null, overlap: null },
      },
      { footer: hostile, strategy: hostile, vetoed: [{ id: hostile, flaw: hostile }], insights: [hostile] },
    );
    expect(answerText(everywhere, plain) + briefAnswerText(everywhere, plain, footer)).not.toMatch(
      /[^\P{Cc}\n]|\u202e/u,
    );
  });
});

describe("our own block", () => {
  it.each([80, 60, 59, 40, 24])("fits into %i cells, with wide names too", (width) => {
    const said = { reason: "很".repeat(200) };
    const result = sample(said);
    const person = { name: "分析者".repeat(10), model: "m".repeat(200) };
    const wide = sample(said, {
      participants: result.result.participants.map((one) => ({ ...one, ...person })),
    });
    for (const text of [answerText(result, { ...plain, width }), answerText(wide, { ...plain, width })]) {
      expect(Math.max(...ownBlock(text).map(widthOf))).toBeLessThanOrEqual(width);
    }
  });

  it("says whether deliberating changed what the drafts' majority said", () => {
    const control = { kind: "draft-majority", by: "analyst", answer: "381", overlap: null } as const;
    const words = (agrees: boolean | null) =>
      answerText(sample({}, { control: { ...control, agrees } }), plain);
    expect(words(false)).toContain("majority of drafts = 381 (changed)");
    expect(words(null)).toContain("majority of drafts = 381 (not comparable with the answer)");
    expect(answerText(sample({}, { control: null }), plain)).toMatch(/^Baseline +not recorded$/m);
  });

  it("names the author of a best-ranked draft and does not print the draft", () => {
    const draft = "a long essay ".repeat(50);
    const result = sample(
      {},
      {
        control: {
          kind: "best-draft",
          by: "builder",
          answer: `${draft}Builder`,
          agrees: null,
          overlap: null,
        },
      },
    );
    const text = answerText(result, plain);
    expect(text).toContain("Builder's draft (not comparable");
    expect(text).not.toContain("essay");
  });

  it("tells a vote's winner", () => {
    const text = answerText(sample({}, {}, { mode: "vote", strategy: null }), plain);
    expect(text).toContain("vote, tied: Analyst, Builder");
    expect(text).toMatch(/^Vote +Rank +Member +Score +Tied with\n +1 +Analyst +1\.00 +Builder$/m);
  });

  it.each([
    [{ usd: 0.0123, source: "table" }, "$0.0123 (list price) + 3 calls unknown"],
    [{ usd: 12.3, source: "provider" }, "$12.30 (charged by the provider)"],
    [{ usd: 0.00001, source: "table" }, "under $0.0001 (list price)"],
    [{ usd: 0, source: "free" }, " · free"],
    [{ usd: null, source: "unknown" }, "cost unknown + 3 calls unknown"],
  ])("says of the cost %o: %s", (cost, words) => {
    // As wide as it needs, so that the words stand on one line.
    expect(answerText(sample({}, { cost }), { ...plain, width: 200 })).toContain(words);
  });

  it("names the models without a price", () => {
    const priced = opened();
    const call = {
      model: ModelRef.parse("compatible/house"),
      cost: { source: "unknown", usd: null },
    } as const;
    const draft = draftGiven("analyst", "x");
    if (draft.type === "answer-given") draft.data.call = sampleCall("x", call);
    priced.add(draft, byStep("draft/analyst"));
    // Where the usage is not reported, it is that which is missing, whatever the price.
    const uncounted = draftGiven("pragmatist", "x");
    const tokens = { in: null, out: null, cached: null, reasoning: null };
    const silent = { ...call, model: ModelRef.parse("openai/gpt-5"), tokens };
    if (uncounted.type === "answer-given") uncounted.data.call = sampleCall("x", silent);
    priced.add(uncounted, byStep("draft/pragmatist"));
    const unpriced = unpricedModels(priced.entries);
    expect(unpriced).toEqual(["compatible/house"]);
    expect(answerText(shownPanel(priced.entries), { color: false, width: 200, unpriced })).toContain(
      "cost unknown (no price for compatible/house)",
    );
  });

  it("bounds what is absurdly long, but for the answer", () => {
    const flood = "z".repeat(1_000_000);
    const result = sample(
      { dissent: flood, reason: flood },
      { degraded: [{ what: flood, why: flood }] },
      { insights: Array.from({ length: 500 }, () => "one") },
    );
    const text = answerText(result, plain);
    expect(text.length).toBeLessThan(10_000);
    expect(text).toContain("- and 480 more");
  });
});

it("keeps a step's key out of it", () => {
  expect(answerText(sample(), plain)).not.toContain(stepKey("synthesis/chair"));
});

it("is brief where somebody waits for it: what is missing, the answer, and three lines", () => {
  expect(briefAnswerText(sample(), plain, footer)).toMatchInlineSnapshot(`
    "Degraded: the review by Skeptic: network: connection reset

    ## The product

    It is **391**, as two of the three found.

    Final answer: 391 · Baseline: majority of drafts = 391 (unchanged)
    6 calls · $0.0126 (list price) + 3 calls unknown · 4.0 s
    Kx7sampleCouncil0001 · show it · go on
    "
  `);
});

it("has its dissent, what was rejected and whose inputs it is from with it, for a program, too", () => {
  const dissent = {
    points: [
      "Dissent: one draft has 381",
      "Rejected: Skeptic: a slip in the tens",
      ...Array.from({ length: 9 }, (_, nth) => `Dissent: ${nth}`),
    ],
    from: "Synthesized from inputs by: Analyst, Builder",
  };
  const shown = { ...sample(), dissent };
  const lines = [...dissent.points.slice(0, 4), "and 7 more", "Synthesized from inputs by: Analyst, Builder"];
  expect(bareAnswerText(shown).trimEnd().split("\n").slice(-6)).toEqual(lines);
  for (const line of lines) expect(briefAnswerText(shown, plain, footer)).toContain(line);
  // Where nobody disagrees a program gets the answer alone.
  expect(bareAnswerText({ ...shown, dissent: { ...dissent, points: [] } })).toBe(bareAnswerText(sample()));
});

it("says above the answer that nobody reviewed it", () => {
  const shown = { ...sample(), cautions: ["Nobody reviewed the drafts"] };
  expect(briefAnswerText(shown, plain, footer)).toMatch(/Nobody reviewed the drafts\n[^]*It is \*\*391/);
});

describe("the lines after an answer", () => {
  const claims = { id: "analyst", score: 1, place: 1, low: null, high: null, tiedWith: [] };
  const samples = [
    sample(),
    sample({}, { finalAnswer: null, answer: "An essay." }, { votes: [], standing: [claims] }),
    sample(
      {},
      {
        cost: { usd: 0.0079, source: "table" },
        tokens: { in: 5_960, out: 1_153, cached: 0, thinking: null },
      },
    ),
    sample({}, { finalAnswer: "長い".repeat(300) }),
    sample(
      {},
      { participants: sample().result.participants.map((one) => ({ ...one, model: "m".repeat(300) })) },
    ),
  ];
  it.each([200, 80, 60, 40, 24])("are at most three, each within %i cells", (width) => {
    for (const one of samples) {
      const lines = footerLines(one, { width, ...footer });
      expect(lines.length).toBeLessThanOrEqual(3);
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width);
    }
  });

  it("leaves out clauses that do not fit, before it cuts a word", () => {
    const shown = { ...sample(), agreement: "Ranked first by peers: Challenger, 2 points of dissent" };
    const at = (width: number) => footerLines(shown, { width, ...footer })[0];
    expect(at(40)).toBe("Ranked first by peers: Challenger");
    expect(at(60)).toContain("2 points of dissent");
    expect(at(20)).toBe("Ranked first by pee…");
  });

  it("tell agreement and baseline, cost, time and models, and how to go on", () => {
    const agreement = "2 of 3: 391, 1 of 3: 381";
    const cost = { usd: 0.0079, source: "table" };
    const tokens = { in: 5_960, out: 1_153, cached: 0, thinking: null };
    const lines = footerLines({ ...sample({}, { cost, tokens }), agreement }, { width: 300, ...footer });
    expect(lines).toEqual([
      "2 of 3: 391, 1 of 3: 381 · Baseline: majority of drafts = 391 (unchanged)",
      "6 calls · $0.0079 (list price) + 3 calls unknown · 4.0 s · Models: gpt-of-analyst, claude-of-builder, house · 7,113 tokens",
      "Kx7sampleCouncil0001 · show it · go on",
    ]);
  });

  it("call a program that takes its own model by its name", () => {
    const models = ["codex/default", "claude/sonnet?effort=high", "agy/default?effort=low"];
    const participants = sample().result.participants.map((one, at) => ({
      ...one,
      model: models[at] ?? "-",
    }));
    const [, line] = footerLines(sample({}, { participants }), { width: 300, ...footer });
    expect(line).toContain("Models: codex, sonnet, agy");
  });

  it("count a family that several models are from", () => {
    const participants = sample().result.participants.map((one) => ({ ...one, family: "openai" }));
    expect(footerLines(sample({}, { participants }), { width: 300, ...footer })[1]).toContain(
      "house (3 of 3 from openai)",
    );
  });
});
