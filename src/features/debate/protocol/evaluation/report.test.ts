import { describe, expect, it } from "vitest";
import type { EvaluationReport } from "./view.ts";
import { EVALUATION_CSV_HEADER, evaluationCsv, evaluationMarkdown } from "./report.ts";

const average = (average_score: number | null) => ({ average_score });
const row = (score: number | null, reasoning = "") => ({ reasoning, score });

const agent = (score: number, reasoning: string): EvaluationReport["agents"][string] => ({
  evaluation: {
    functional_completeness: row(score, reasoning),
    non_functional: {
      performance_scalability: row(score),
      security: row(null),
      maintainability_evolvability: row(score),
      regulatory_compliance: row(score),
      testability: row(score),
      requirements_fulfillment: row(score),
    },
  },
  overall_summary: { strengths: "Short.", weaknesses: "", overall_score: score },
});

const evaluator = (id: string, skipped: string | null = null) => ({
  id,
  name: `The ${id}`,
  model: `lab/${id}`,
  family: null,
  skipped,
});
const range = { low: 8, high: 9, n: 2 };

const report: EvaluationReport = {
  evaluation: {
    functional_completeness: average(8.5),
    non_functional: {
      performance_scalability: average(8.5),
      security: average(null),
      maintainability_evolvability: average(8.5),
      regulatory_compliance: average(8.5),
      testability: average(8.33),
      requirements_fulfillment: average(10),
    },
  },
  overall_score: 8.5,
  agents: { "eval-1": agent(8, "Whole."), "eval-2": agent(9, "") },
  id: "abcdefghijkm",
  debate: "deb-1",
  status: "answered",
  why: null,
  simulated: false,
  spread: {
    functional_completeness: range,
    performance_scalability: range,
    security: null,
    maintainability_evolvability: range,
    regulatory_compliance: range,
    testability: range,
    requirements_fulfillment: range,
    overall: range,
  },
  evaluators: [evaluator("eval-1"), evaluator("eval-2")],
  families: [],
  warnings: [],
  calls: 2,
  unknown: 0,
  tokens: { in: 1_000, out: 200, cached: null, thinking: null },
  cost: { usd: 0.5, source: "provider" },
};

describe("an evaluation as a document", () => {
  it("is a table of averages, with spread and own scores of several evaluators", () => {
    expect(evaluationMarkdown(report)).toMatchInlineSnapshot(`
      "# Evaluation of deb-1

      2 of 2 evaluators gave scores.

      ## Scores

      | Metric | Average | Spread | eval-1 | eval-2 |
      | --- | --- | --- | --- | --- |
      | Functional Completeness | 8.50 | 8–9 | 8 | 9 |
      | Performance & Scalability | 8.50 | 8–9 | 8 | 9 |
      | Security | N/A | N/A | N/A | N/A |
      | Maintainability & Evolvability | 8.50 | 8–9 | 8 | 9 |
      | Regulatory Compliance | 8.50 | 8–9 | 8 | 9 |
      | Testability | 8.33 | 8–9 | 8 | 9 |
      | Requirements Fulfillment | 10.00 | 8–9 | 8 | 9 |
      | Overall Score | 8.50 | 8–9 | 8 | 9 |

      ## Evaluators

      | Id | Name | Model | Family | Scores |
      | --- | --- | --- | --- | --- |
      | eval-1 | The eval-1 | lab/eval-1 | family unknown | yes |
      | eval-2 | The eval-2 | lab/eval-2 | family unknown | yes |

      ## eval-1

      - Functional Completeness, 8: Whole.

      ### Strengths

      > Short.

      ## eval-2

      ### Strengths

      > Short.

      Usage: 2 calls · 1,000 input + 200 output tokens · $0.5000 (charged by the provider) · run abcdefghijkm
      "
    `);
  });

  it("has one column for one evaluator", () => {
    const one = { ...report, agents: { "eval-1": agent(8, "") }, evaluators: [evaluator("eval-1")] };
    expect(evaluationMarkdown(one)).toContain("| Metric | Average |\n");
  });

  it("says first what is simulated, what is missing and what to beware of", () => {
    const text = evaluationMarkdown({
      ...report,
      simulated: true,
      status: "stopped-by-budget",
      why: "the budget does not reach for eval-3",
      evaluators: [...report.evaluators, evaluator("eval-3", "the budget did not reach for it")],
      warnings: ["eval-1 is of the same family (google) as agent-architect"],
    });
    expect(text.split("| Metric")[0]).toBe(
      [
        "# Evaluation of deb-1",
        "**simulated models**",
        "2 of 3 evaluators gave scores. stopped-by-budget: the budget does not reach for eval-3",
        "## Warnings",
        "- eval-1 is of the same family (google) as agent-architect",
        "## Scores",
        "",
      ].join("\n\n"),
    );
    expect(text).toContain("| eval-3 | The eval-3 | lab/eval-3 | family unknown | none |");
  });

  it("keeps its structure, whatever a model, a file or a provider says", () => {
    const hostile = "x\n\n# Heading\n| a | b |\n<script>alert(1)</script>\u001b[2J ```";
    const text = evaluationMarkdown({
      ...report,
      debate: hostile,
      warnings: [hostile],
      agents: {
        "eval-1": {
          ...agent(8, hostile),
          overall_summary: { strengths: hostile, weaknesses: hostile, overall_score: 8 },
        },
      },
    });
    const outside = text.replaceAll(/^ *(`{3,})text\n[^]*?\n *\1$/gm, "");
    expect(outside.match(/^#+ .*$/gm)).toEqual([
      expect.stringMatching(/^# Evaluation of x # Heading/),
      "## Warnings",
      "## Scores",
      "## Evaluators",
      "## eval-1",
      "### Strengths",
      "### Weaknesses",
    ]);
    expect(outside).not.toMatch(/(?<!\\)<script/);
    expect(text).not.toContain("\u001b");
  });
});

describe("an evaluation as a record", () => {
  it("has the columns of Dialectic's tables, two decimals, and nothing where there is no score", () => {
    expect(EVALUATION_CSV_HEADER).toBe(
      "debate,Functional Completeness,Performance & Scalability,Security,Maintainability & Evolvability," +
        "Regulatory Compliance,Testability,Requirements Fulfillment,Overall Score",
    );
    expect(evaluationCsv(report, "deb-1")).toBe("deb-1,8.50,8.50,,8.50,8.50,8.33,10.00,8.50");
    expect(evaluationCsv({ ...report, overall_score: null }, "deb-1")).toMatch(/,10\.00,$/);
  });

  it.each([
    ['a "b", c', '"a ""b"", c"'],
    ["a\r\nb", "a b"],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'=1"],
    ["\u001b[0m=1", "'=1"],
    ["=a,b", '"\'=a,b"'],
    ["", ""],
  ])("CSV-2: %j is the cell %j", (debate, cell) => {
    expect(evaluationCsv(report, debate)).toBe(`${cell},8.50,8.50,,8.50,8.50,8.33,10.00,8.50`);
  });
});
