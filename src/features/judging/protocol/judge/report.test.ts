import { RunStatus } from "../../../../kernel/index.ts";
import { expect, it } from "vitest";
import type { Judgement, Validation } from "./view.ts";
import { sectionParts } from "./report.ts";
import type { JudgeSection } from "./view.ts";
import { answerText } from "../../../../reports/answer.ts";
import { widthOf } from "../../../../reports/text-width.ts";

const head = {
  id: "abcdefghijkm",
  status: "answered",
  simulated: false,
  model: "openrouter/prometheus-eval/prometheus-7b-v2.0",
  family: null,
  form: "prometheus",
  rubric: "answer-quality",
  calls: 400,
  unknown: 0,
  tokens: { in: 400_000, out: 40_000, cached: null, thinking: null },
  cost: { usd: 1.234, source: "provider" },
};
type TextStyle = Parameters<typeof answerText>[1];

/** What `show` prints of a judge's run. */
function textOf(section: JudgeSection, names: readonly string[], style: TextStyle): string {
  const { id, status, simulated, model, family, calls, unknown, tokens, cost } = section;
  const result = {
    ...{ id, status: RunStatus.parse(status), simulated, calls, unknown, tokens, cost, section },
    protocol: { name: "judge", version: 1 },
    question: "Who is right?",
    ...{
      answer: null,
      finalAnswer: null,
      degraded: [],
      sources: [],
      error: null,
      pack: null,
      control: null,
      grade: null,
      previous: null,
    },
    participants: [
      {
        id: "judge",
        seat: "judge",
        name: "Judge",
        model,
        family,
        options: null,
        without: [],
        answer: null,
        finalAnswer: null,
      },
    ],
    wallMs: null,
    criticalPathMs: 0,
  };
  return answerText({ result, parts: sectionParts(section, result, names), isVerdict: true }, style);
}
const validationText = (validation: Validation, style: TextStyle) => textOf(validation, [], style);
const judgementText = textOf;

const figure = (value: number, n = 100) => ({ value, n, low: value - 0.1, high: value + 0.1 });
const none = { value: null, n: 0, low: null, high: null };

const validation: Validation = {
  ...head,
  kind: "preference",
  measured: true,
  why: null,
  items: 100,
  labelled: 98,
  unread: 2,
  repeat: 2,
  accuracy: figure(0.81),
  kappa: figure(0.63),
  weightedKappa: null,
  flipRate: figure(0.12, 98),
  positionLean: figure(-0.04, 196),
  lengthLean: { all: figure(0.2, 86), ties: figure(0.33, 12), labels: figure(0.05, 80) },
  repeatability: figure(0.97, 200),
  ownFamilyLean: none,
};

it("a validation is a table of figures, each with interval and n", () => {
  expect(validationText(validation, { color: false, width: 80 })).toMatchInlineSnapshot(`
    "Measured on 98 labeled items.

    ────────────────────────────────────────
    Judge         openrouter/prometheus-eval/prometheus-7b-v2.0, family unknown;
                  form prometheus, rubric answer-quality
                  100 pairs in both orders; each prompt 2 times; 98 labeled and
                  read, 2 without a verdict
    Metrics       Metric                   Value    95 % interval   n
                  accuracy                 81 %     71 % to 91 %    100
                  kappa                    0.63     0.53 to 0.73    100
                  position inconsistency   12 %     2 % to 22 %     98
                  position bias            -0.04    -0.14 to +0.06  196
                  length bias              +0.20    +0.10 to +0.30  86
                  on label ties            +0.33    +0.23 to +0.43  12
                  of the labels            +0.05    -0.05 to +0.15  80
                  test-retest consistency  97 %     87 % to 107 %   200
                  self-preference bias     unknown                  0
                  Biases range from -0.50 to +0.50; 0 is none. A verdict that
                  changes with the order counts as a tie.
                  Self-preference bias: no row names an author of the judge's
                  family.
    Participants  Judge  judge  openrouter/prometheus-eval/promethe…  family unknown
    Usage         400 calls · 400,000 input + 40,000 output tokens · $1.23 (charged
                  by the provider)
    Run           abcdefghijkm
    "
  `);
});

it("what is no validation says so first, and why", () => {
  const text = validationText(
    { ...validation, measured: false, why: "it was\nstopped", simulated: true },
    { color: false, width: 80 },
  );
  expect(text.split("\n").slice(0, 3)).toEqual(["Not enough data: it was stopped.", "simulated models", ""]);
});

it("a judge that is no better than chance is said to be, whatever else was measured", () => {
  const kappa = (low: number | null, high: number | null) =>
    validationText(
      { ...validation, kappa: { value: 0, n: 98, low, high } },
      { color: false, width: 80 },
    ).split("\n\n")[0];
  const head = "Measured on 98 labeled items.";
  expect(kappa(-0.2, 0.1)).toBe("No better than chance on these items.");
  expect(kappa(0, 0.3)).toBe("No better than chance on these items.");
  expect(kappa(-0.9, -0.5)).toBe("Worse than chance on these items.");
  expect(kappa(0.1, 0.3)).toBe(head);
  expect(kappa(null, null)).toBe(head);
});

it("grades have no orders, but a kappa with weights", () => {
  const text = validationText(
    {
      ...validation,
      kind: "grade",
      flipRate: null,
      positionLean: null,
      lengthLean: null,
      weightedKappa: figure(0.7),
    },
    { color: false, width: 80 },
  );
  expect(text).toMatch(/kappa, quadratic +0\.70/);
  expect(text).not.toContain("flips");
});

const grades: Judgement = {
  ...head,
  kind: "grade",
  grades: [
    { score: 4, feedback: "Right,\n\u001b[2Jbut short.", why: null },
    { score: null, feedback: "", why: "the reply declares no score" },
  ],
};

it("grades stand beside the answers' names, with the judge's words made printable", () => {
  const text = judgementText(grades, ["a.md", "b.md"], { color: false, width: 80 });
  expect(text).toContain("Scores        a.md: 4/5\n              Right, but short.\n");
  expect(text).toContain(" b.md: no score: the reply declares no score\n");
  expect(text).not.toContain("\u001b");
});

it("a preference says both outcomes, and whether it depends on the order", () => {
  const preference: Judgement = {
    ...head,
    kind: "preference",
    winner: "tie",
    orderSensitive: true,
    reason: "Close.",
    why: null,
    orders: [
      { shown: ["A", "B"], winner: "A", why: null },
      { shown: ["B", "A"], winner: null, why: "the reply is empty" },
    ],
  };
  const text = judgementText(preference, ["a.md", "b.md"], { color: false, width: 80 });
  expect(text).toMatchInlineSnapshot(`
    "Better        tie; position inconsistency: the verdict depends on the order
                  Close.
    Orders        A first, then B: A (a.md)
                  B first, then A: unreadable: the reply is empty
    Judge         openrouter/prometheus-eval/prometheus-7b-v2.0, family unknown;
                  form prometheus, rubric answer-quality
    Participants  Judge  judge  openrouter/prometheus-eval/promethe…  family unknown
    Usage         400 calls · 400,000 input + 40,000 output tokens · $1.23 (charged
                  by the provider)
    Run           abcdefghijkm
    "
  `);
});

it.each([20, 40, 80, 200])("fits into %i columns", (width) => {
  const texts = [
    validationText(validation, { color: false, width }),
    judgementText(grades, ["a".repeat(100)], { color: false, width }),
  ];
  for (const line of texts.join("").split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(width);
});
