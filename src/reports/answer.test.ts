import { describe, expect, it } from "vitest";
import { ModelRef } from "../kernel/index.ts";
import { resultOf, type Result } from "../views/result.ts";
import { answerText, type AnswerStyle } from "./answer.ts";
import {
  byStep,
  degradedCouncil,
  draftGiven,
  opened,
  sampleCall,
  stepKey,
  type Said,
} from "../../test/support/sample-council.ts";
import { widthOf } from "./text-width.ts";
import { unpricedModels } from "./unpriced.ts";

const plain: AnswerStyle = { color: false, width: 80 };
const RULE = "────";

function sampleResult(said: Said = {}, changes: Partial<Result> = {}): Result {
  const result = resultOf(degradedCouncil(said).entries);
  if (!result) throw new Error("the sample was not opened");
  return { ...result, ...changes };
}

const ownBlock = (text: string) => text.slice(text.indexOf(RULE)).trimEnd().split("\n");

it("prints what is missing, the answer, what stands beside it, and how it came about", () => {
  expect(answerText(sampleResult(), plain)).toMatchInlineSnapshot(`
    "Degraded: the review by Skeptic: network: connection reset

    ## The product

    It is **391**, as two of the three found.

    Synthesized from inputs by: Analyst, Builder

    Dissent
    - One draft has 381: a slip in the tens.

    Unique insights
    - Splitting 23 into 20 and 3 makes it checkable.

    Vetoed
    - Skeptic: 340 + 51 is not 381

    ────────────────────────────────────────
    In short   391
    Mode       consensus, strategy balanced
    Control    Drafts' majority: 391 (agrees: deliberating did not change it)
    Votes      391  2 at first  2 at last
               381  1 at first  1 at last
    Standing   1  Analyst  1.00  tied with Builder
               1  Builder  1.00  tied with Analyst
               3  Skeptic  0.00
    Agreement  0.83 (Kendall's W; with so few answers, chance gives much of it), 2.4
               effective votes
    Claimed    by the chair, not measured:
               Analyst  0.60  the working
               Builder  0.40  the check
    Members    Analyst  openai/gpt-of-analyst        openai
               Builder  anthropic/claude-of-builder  anthropic
               Skeptic  compatible/house             family unknown
    Spent      7 calls; tokens unknown in, 1,000 of them cached, unknown out; cost
               unknown: at least one call did not report it
    Time       4.0 s in all; critical path 4.4 s
    Id         Kx7sampleCouncil0001
    Next       parley show Kx7sampleCouncil0001 --all shows drafts, reviews and
               every step
    "
  `);
});

it("tells the worth of a reviewer's ballot from a member's own part", () => {
  const { contributions } = sampleResult();
  const of = (method: string) => ({ id: "analyst", weight: 0.5, method });
  const text = (...methods: readonly string[]) =>
    answerText(sampleResult({}, { contributions: { ...contributions, measured: methods.map(of) } }), plain);
  expect(text("shapley-vote", "shapley-standing")).toMatch(
    /Measured +shapley-vote +shapley-standing\*\n +Analyst +0\.50 +0\.50\n +\* the value of a reviewer's ballot, not of its own draft\n/,
  );
  expect(text("shapley-vote")).not.toContain("ballot");
});

describe("above the answer", () => {
  it("every degradation and the label of simulated models come first", () => {
    const text = answerText(sampleResult({}, { simulated: true }), plain);
    expect(text.split("\n").slice(0, 4)).toEqual([
      "Degraded: the review by Skeptic: network: connection reset",
      "simulated models",
      "",
      "## The product",
    ]);
  });

  it("nothing stands when all went well", () => {
    const text = answerText(sampleResult({}, { status: "answered", degraded: [] }), plain);
    expect(text.startsWith("## The product")).toBe(true);
  });

  it("a failure says why and that there is no answer, an open deliberation how to go on", () => {
    const failed = {
      status: "failed",
      answer: null,
      degraded: [{ what: "failed", why: "1 of 3 members answered" }],
    };
    expect(answerText(sampleResult({}, failed), plain)).toMatch(
      /^Failed: 1 of 3 members answered\nThere is no answer\.\n\n(?=Synth)/,
    );
    const open = resultOf(opened().entries);
    if (!open) throw new Error("the sample was not opened");
    const text = answerText(open, plain);
    expect(text).toMatch(/^Open: .* go on with parley resume Kx7sampleCouncil0001\n/);
    expect(text).toContain("Spent      0 calls");
  });
});

describe("the answer itself", () => {
  const long = "word ".repeat(100).trim();

  it("is passed through whole without color: not wrapped, not cut, not styled", () => {
    const answer = `# A *title*\n\n${long}\n\n\`\`\`js\nlet x;\n\`\`\`${"y".repeat(100_000)}`;
    expect(answerText(sampleResult({ answer }), { ...plain, width: 40 })).toContain(answer);
  });

  it("is lightly styled with color", () => {
    const text = answerText(sampleResult(), { ...plain, color: true });
    expect(text).toContain("\u001b[1mThe product\u001b[22m\n\nIt is \u001b[1m391\u001b[22m, as");
  });

  it("cannot send anything to the terminal, from whichever text", () => {
    const hostile = "\u001b[2J\u001b]0;owned\u0007\u009b1;1H\rx\u202e";
    const result = sampleResult({ answer: hostile, dissent: hostile, reason: hostile });
    const everywhere: Result = {
      ...result,
      degraded: [{ what: hostile, why: hostile }],
      footer: hostile,
      members: result.members.map((member) => ({
        ...member,
        name: hostile,
        model: hostile,
        family: hostile,
      })),
      strategy: hostile,
      finalAnswer: hostile,
      control: { kind: "draft-majority", by: hostile, answer: hostile, agrees: null, overlap: null },
      vetoed: [{ id: hostile, flaw: hostile }],
      insights: [hostile],
    };
    expect(answerText(everywhere, plain)).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  });
});

describe("our own block", () => {
  it.each([80, 60, 59, 40, 24])("fits into %i cells, with wide names too", (width) => {
    const result = sampleResult({ reason: "很".repeat(200) });
    const wide = {
      ...result,
      members: result.members.map((member) => ({
        ...member,
        name: "分析者".repeat(10),
        model: "m".repeat(200),
      })),
    };
    for (const text of [answerText(result, { ...plain, width }), answerText(wide, { ...plain, width })]) {
      expect(Math.max(...ownBlock(text).map(widthOf))).toBeLessThanOrEqual(width);
    }
  });

  it("says whether deliberating changed what the drafts' majority said", () => {
    const control = { kind: "draft-majority", by: "analyst", answer: "381", overlap: null } as const;
    const words = (agrees: boolean | null) =>
      answerText(sampleResult({}, { control: { ...control, agrees } }), plain);
    expect(words(false)).toContain("Drafts' majority: 381 (differs: deliberating changed it)");
    expect(words(null)).toContain("Drafts' majority: 381 (cannot be compared with the answer)");
    expect(answerText(sampleResult({}, { control: null }), plain)).toContain("Control    none was recorded");
  });

  it("names the author of a best-ranked draft and does not print the draft", () => {
    const draft = "a long essay ".repeat(50);
    const { members } = sampleResult();
    const result = sampleResult(
      {},
      {
        members: members.map((member) => ({ ...member, answer: draft + member.name, finalAnswer: null })),
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
    expect(text).toContain("Best draft: Builder's (cannot be compared");
    expect(text).not.toContain("essay");
  });

  it("tells a vote's winner", () => {
    const text = answerText(sampleResult({}, { mode: "vote", strategy: null }), plain);
    expect(text).toContain("vote: Analyst came first, tied");
    expect(text).toContain("Voted      1  Analyst  1.00  tied with Builder");
  });

  it.each([
    [{ usd: 0.0123, source: "table" }, "$0.0123, price table"],
    [{ usd: 12.3, source: "provider" }, "$12.30, as the provider charged"],
    [{ usd: 0.00001, source: "table" }, "under $0.0001, price table"],
    [{ usd: 0, source: "free" }, "; free"],
    [{ usd: null, source: "unknown" }, "cost unknown: at least one call did not report it"],
  ])("says of the cost %o: %s", (cost, words) => {
    // As wide as it needs, so that the words stand on one line.
    expect(answerText(sampleResult({}, { cost }), { ...plain, width: 200 })).toContain(words);
  });

  it("names the models without a price", () => {
    const sample = opened();
    const call = {
      model: ModelRef.parse("compatible/house"),
      cost: { source: "unknown", usd: null },
    } as const;
    const draft = draftGiven("analyst", "x");
    if (draft.type === "answer-given") draft.data.call = sampleCall("x", call);
    sample.add(draft, byStep("draft/analyst"));
    const result = resultOf(sample.entries);
    const unpriced = unpricedModels(sample.entries);
    expect(unpriced).toEqual(["compatible/house"]);
    expect(result && answerText(result, { color: false, width: 200, unpriced })).toContain(
      "cost unknown: no price for compatible/house",
    );
  });

  it("bounds what is absurdly long, but for the answer", () => {
    const flood = "z".repeat(1_000_000);
    const result = sampleResult(
      { dissent: flood, reason: flood },
      { degraded: [{ what: flood, why: flood }], insights: Array.from({ length: 500 }, () => "one") },
    );
    const text = answerText(result, plain);
    expect(text.length).toBeLessThan(10_000);
    expect(text).toContain("- and 480 more: parley show Kx7sampleCouncil0001 --all");
  });
});

it("keeps a step's key out of it", () => {
  expect(answerText(sampleResult(), plain)).not.toContain(stepKey("synthesis/chair"));
});
