import { describe, expect, it } from "vitest";
import type { Entry } from "../../../../kernel/index.ts";
import { sectionOf, evaluationsIn, type EvaluationReport, sectionSchema, lostEvaluations } from "./view.ts";

const evaluator = (id: string, family: string | null = null) => ({
  id,
  seat: "evaluator",
  persona: { name: `The ${id}`, instructions: "0".repeat(64) },
  model: `lab/${id}`,
  family,
});

/** Entries as far as the fold looks at them. */
const opened = (evaluators: readonly ReturnType<typeof evaluator>[], settings = {}): Entry =>
  entry("deliberation-opened", "", {
    protocol: { name: "evaluation", version: 1 },
    participants: evaluators,
    settings: {
      debate: { id: "deb-1", simulated: false },
      debaters: [
        { id: "agent-architect", role: "architect", families: ["google"] },
        { id: "agent-kiss", role: "kiss", families: [] },
        { id: "judge-main", role: null, families: ["google", "openai"] },
      ],
      requirements: { major: [], minor: [] },
      unfulfilled: [],
      ...settings,
    },
  });

function entry(type: string, step: string, data: unknown): Entry {
  const work = { kind: "evaluation", by: step.split("/")[1] };
  const origin = step === "" ? { by: "open" } : { by: "protocol", step, work };
  // Only what is read is made up.
  return { type, deliberation: "one", origin, data } as unknown as Entry;
}

const NONE = {
  functional_completeness: null,
  performance_scalability: null,
  security: null,
  maintainability_evolvability: null,
  regulatory_compliance: null,
  testability: null,
  requirements_fulfillment: null,
  overall: null,
};

const called = (ok: boolean) => ({
  call: {
    ok,
    ...(ok ? { reply: "{}" } : { failure: { code: "network", message: "gone" } }),
    attempts: 1,
    tokens: { in: 1, out: 2, cached: null },
    cost: { source: "provider", usd: 0.5 },
  },
});

const scored = (step: string, scores: Partial<Record<keyof typeof NONE, number>>, more = {}): Entry =>
  entry("evaluation-given", step, {
    by: step.split("/")[1],
    scores: { ...NONE, ...scores },
    reasons: { security: "Keys are kept." },
    strengths: ["One.", "Two."],
    weaknesses: [],
    clamped: [],
    ignored: [],
    ...more,
    ...called(true),
  });

const failed = (step: string, why = "network: gone"): Entry =>
  entry("degradation-noted", step, { what: "the evaluation", why, weakens: "", ...called(false) });

const closed = (data: unknown): Entry => entry("deliberation-closed", "closing", data);

const reportOf = (entries: readonly Entry[]): EvaluationReport => {
  const report = sectionOf(entries);
  if (!report) throw new Error("no evaluation");
  return sectionSchema.parse(report);
};

const ANSWERED = { outcome: "answered", answer: "evaluated", control: null };

describe("an evaluation", () => {
  it("is the mean of those who gave a number, to two decimals, with the spread of two and more", () => {
    const report = reportOf([
      opened([evaluator("a"), evaluator("b"), evaluator("c")]),
      scored("evaluation/a", { security: 8, overall: 7, testability: 4 }),
      scored("evaluation/b", { security: 8, overall: 8 }),
      scored("evaluation/c", { security: 9 }),
      closed(ANSWERED),
    ]);
    expect(report.evaluation.non_functional.security).toEqual({ average_score: 8.33 });
    expect(report.evaluation.non_functional.testability).toEqual({ average_score: 4 });
    expect(report.evaluation.functional_completeness).toEqual({ average_score: null });
    expect(report.overall_score).toBe(7.5);
    expect(report.spread).toEqual({
      ...NONE,
      security: { low: 8, high: 9, n: 3 },
      overall: { low: 7, high: 8, n: 2 },
    });
    expect(report).toMatchObject({
      status: "answered",
      why: null,
      warnings: [],
      calls: 3,
      cost: { usd: 1.5 },
    });
  });

  it("shows each evaluator's reply in the form in which it was asked for", () => {
    const { agents } = reportOf([
      opened([evaluator("a")]),
      scored("evaluation/a", { security: 8, overall: 7 }),
      closed(ANSWERED),
    ]);
    const none = { reasoning: "", score: null };
    expect(agents).toEqual({
      a: {
        evaluation: {
          functional_completeness: none,
          non_functional: {
            performance_scalability: none,
            security: { reasoning: "Keys are kept.", score: 8 },
            maintainability_evolvability: none,
            regulatory_compliance: none,
            testability: none,
            requirements_fulfillment: none,
          },
        },
        overall_summary: { strengths: "One.\nTwo.", weaknesses: "", overall_score: 7 },
      },
    });
  });

  it("names families that an evaluator shares with a debater, and never guesses one", () => {
    const report = reportOf([
      opened([evaluator("eval-1", "google"), evaluator("eval-2", "anthropic"), evaluator("eval-3")]),
    ]);
    expect(report.families).toEqual([
      { evaluator: "eval-1", family: "google", as: ["agent-architect", "judge-main"] },
    ]);
    expect(report.warnings[0]).toBe(
      "eval-1 is of the same family (google) as agent-architect and judge-main",
    );
  });

  it("says what was clamped, what is no number, and who was left out and why", () => {
    const report = reportOf([
      opened([evaluator("a"), evaluator("b"), evaluator("c"), evaluator("d")]),
      scored("evaluation/a", { security: 10 }, { clamped: ["security"], ignored: ["testability"] }),
      failed("evaluation/b"),
      entry("evaluation-given", "evaluation/d", { scores: { security: 99 } }),
      closed({ outcome: "stopped-by-budget", why: "the budget does not reach for c", best: null }),
    ]);
    expect(report.warnings).toEqual([
      "a: the score for Security was outside of 1 to 10 and counts as 10",
      "a: the score for Testability is no number and does not count",
      "b is left out: network: gone",
      "c is left out: the budget did not reach for it",
      "d is left out: its scores are recorded in a form that is not known here",
    ]);
    expect(report.why).toBe("the budget does not reach for c");
    expect(report.evaluators.map(({ id, skipped }) => [id, skipped === null])).toEqual([
      ["a", true],
      ["b", false],
      ["c", false],
      ["d", false],
    ]);
  });

  it("takes what was asked again in place of what had failed, in whatever order it was recorded", () => {
    const entries = [
      opened([evaluator("a"), evaluator("b")]),
      failed("evaluation/a"),
      scored("evaluation/a/again-1", { overall: 3 }),
      scored("evaluation/b/again-1", { overall: 5 }),
      failed("evaluation/b"),
    ];
    expect(reportOf(entries).overall_score).toBe(4);
    expect([evaluationsIn(entries), lostEvaluations(entries)]).toEqual([2, []]);
  });

  it("that is open says who was not asked yet", () => {
    const entries = [opened([evaluator("a")]), failed("evaluation/a")];
    expect(reportOf([opened([evaluator("a")])])).toMatchObject({
      status: "open",
      overall_score: null,
      evaluators: [{ skipped: "not asked yet" }],
    });
    expect(lostEvaluations(entries)).toEqual([{ code: "network", message: "gone" }]);
  });

  it("is simulated where the debate was", () => {
    const settings = { debate: { id: "deb-1", simulated: true } };
    expect(reportOf([opened([evaluator("a")], settings)]).simulated).toBe(true);
    expect(reportOf([opened([evaluator("a")])]).simulated).toBe(false);
  });

  it("is nothing else", () => {
    const other = entry("deliberation-opened", "", { protocol: { name: "judge", version: 1 } });
    expect([sectionOf([]), sectionOf([other])]).toEqual([undefined, undefined]);
  });
});
