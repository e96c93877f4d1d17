import { describe, expect, it } from "vitest";
import { EVALUATION_METRICS, parseEvaluation } from "./evaluation.ts";

const scored = (score: unknown, reasoning: unknown = "because") => ({ score, reasoning });
const evaluation = {
  functional_completeness: scored(9),
  non_functional: {
    performance_scalability: scored(8),
    security: scored(7),
    maintainability_evolvability: scored(6),
    regulatory_compliance: scored(null, ""),
    testability: scored(5.5),
    requirements_fulfillment: scored(4),
  },
};
const overall_summary = { strengths: "clear", weaknesses: "- slow\n- dear", overall_score: 7 };
const reply = (changes: object = {}) => JSON.stringify({ evaluation, overall_summary, ...changes });
const scores = {
  functional_completeness: 9,
  performance_scalability: 8,
  security: 7,
  maintainability_evolvability: 6,
  regulatory_compliance: null,
  testability: 5.5,
  requirements_fulfillment: 4,
  overall: 7,
};

describe("parseEvaluation", () => {
  it("reads all eight scores with their reasons", () => {
    const read = {
      ok: true,
      scores,
      reasons: Object.fromEntries(
        EVALUATION_METRICS.filter((name) => name !== "overall" && name !== "regulatory_compliance").map(
          (name) => [name, "because"],
        ),
      ),
      strengths: ["clear"],
      weaknesses: ["slow", "dear"],
      clamped: [],
      ignored: [],
    };
    expect(parseEvaluation(reply())).toEqual(read);
    expect(parseEvaluation(`Well {then}:\n\`\`\`json\n${reply()}\n\`\`\``)).toEqual(read);
    expect(parseEvaluation(reply().replaceAll("_", ""))).toEqual(read);
  });

  it("draws to the bounds what is beyond, ignores what is no number, and says so", () => {
    const changed = {
      functional_completeness: scored(11),
      non_functional: {
        performance_scalability: scored(0),
        security: scored("8/10"),
        maintainability_evolvability: 6,
        testability: scored([5]),
        requirements_fulfillment: scored(-1e99),
      },
    };
    expect(parseEvaluation(reply({ evaluation: changed, overall_summary: "fine" }))).toEqual({
      ok: true,
      scores: {
        functional_completeness: 10,
        performance_scalability: 1,
        security: null,
        maintainability_evolvability: null,
        regulatory_compliance: null,
        testability: null,
        requirements_fulfillment: 1,
        overall: null,
      },
      reasons: {
        functional_completeness: "because",
        performance_scalability: "because",
        security: "because",
        testability: "because",
        requirements_fulfillment: "because",
      },
      strengths: [],
      weaknesses: [],
      clamped: ["functional_completeness", "performance_scalability", "requirements_fulfillment"],
      ignored: ["security", "testability"],
    });
  });

  it.each([
    ["nothing", "", "the reply is empty"],
    ["words", "9 out of 10", 'there is no JSON object with "evaluation"'],
    [
      "no number at all",
      '{"evaluation": {"functional_completeness": {"score": "9"}}}',
      "no score in the evaluation is a number",
    ],
    [
      "infinity",
      '{"evaluation": {"functional_completeness": {"score": 1e999}}}',
      "no score in the evaluation is a number",
    ],
    [
      "a list",
      '{"evaluation": [9], "__proto__": {"overall_score": 9}}',
      "no score in the evaluation is a number",
    ],
  ])("refuses %s", (_, text, reason) => {
    expect(parseEvaluation(text)).toEqual({ ok: false, reason });
  });
});
