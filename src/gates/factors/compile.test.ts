import { describe, expect, it } from "vitest";
import { compileFormula } from "./compile.ts";
import { parseFormula, type Vocabulary } from "./formula.ts";
import { OPERATORS } from "./operators.ts";
import { describeVocabulary } from "./index.ts";
import { expectLinearReading } from "../../../test/support/growth.ts";

const WORDS: Vocabulary = { fields: ["open", "close"], operators: OPERATORS };
const plain = "neg(ts_return(close, 5))";

describe("the first formula of a text is compiled", () => {
  it.each([
    [plain],
    ["  neg( ts_return(close,5) ) \n"],
    ["`neg(ts_return(close, 5))`"],
    ["```\nneg(ts_return(close, 5))\n```"],
    ["```python\nformula = neg(\n  ts_return(close, 5)\n)\n```"],
    ["formula = neg(ts_return(close, 5))"],
    ["- neg(ts_return(close, 5))"],
    ["1. **neg(ts_return(close, 5))** is a reversal"],
    ["**Formula:** neg (ts_return(close, 5))."],
    ["Reversal - neg(ts_return(close, 5)) - because prices (often) overshoot."],
    ["Prices (often) overshoot: neg(ts_return(close, 5)), or add(close, open)"],
  ])("%j", (text) => {
    expect(compileFormula(text, WORDS)).toEqual({ ok: true, text: plain });
  });

  it.each(["close", "formula = close", "`close`", "An idea.\n\nclose\n"])("%j is a field", (text) => {
    expect(compileFormula(text, WORDS)).toEqual({ ok: true, text: "close" });
  });
});

it.each([
  ["", "no formula was found: one is a field, or an operator with its arguments in brackets"],
  ["7", "no formula was found: one is a field, or an operator with its arguments in brackets"],
  [
    "Buy what fell (a lot).",
    "no formula was found: one is a field, or an operator with its arguments in brackets",
  ],
  ["frobnicate(ts_mean(close, 5))", "there is no operator frobnicate (at 1)"],
  ["ts_mean(close, 7)", "ts_mean takes a window of 2, 3, 5, 10, 20, 60 (at 1)"],
  ["formula = add(close, high)", "there is no field high (at 12)"],
  ["neg(close", "a comma or a closing bracket is expected (at 10)"],
  ["close - ts_mean(close, 5)", "formulas have no signs such as + and /; use add, sub, mul and div"],
  ["2 * ts_mean(close, 5)", "formulas have no signs such as + and /; use add, sub, mul and div"],
  ["-ts_mean(close, 5)", "formulas have no signs such as + and /; use add, sub, mul and div"],
  [
    "ts_mean(close, 5) / ts_mean(close, 20)",
    "formulas have no signs such as + and /; use add, sub, mul and div",
  ],
  ["neg(close)**2", "formulas have no signs such as + and /; use add, sub, mul and div"],
  [`${"neg(".repeat(6)}close${")".repeat(6)}`, "at most 5 operators stand within each other (got 6)"],
])("%j is refused, and the refusal says why", (text, why) => {
  expect(compileFormula(text, WORDS)).toEqual({ ok: false, why });
});

it("refuses a text that is too long", () => {
  expect(compileFormula("x".repeat(20_001), WORDS)).toEqual({
    ok: false,
    why: "the text has 20001 characters; at most 20000 are read",
  });
});

it("reads what anybody may write in linear time", () => {
  const pieces = ["f (", "f(", "- ", "a* ", " ", "```", "close\n", "(", "1."];
  expectLinearReading((text) => compileFormula(text, WORDS), pieces, 2_500);
});

it("tells a model the vocabulary, in lines that a program reads", () => {
  const lines = describeVocabulary(WORDS).split("\n");
  expect(lines).toContain("fields: open, close");
  expect(lines).toContain("add(x, y)");
  expect(lines).toContain("neg(x)");
  expect(lines).toContain("ts_mean(x, window) windows 2 3 5 10 20 60");
  expect(lines.filter((line) => /^\w+\((?:x|x, y)(?:, window\) windows [\d ]+|\))$/.test(line))).toHaveLength(
    Object.keys(OPERATORS).length,
  );
  const from = lines.indexOf("Examples:") + 1;
  for (const example of lines.slice(from, from + 3)) expect(() => parseFormula(example, WORDS)).not.toThrow();
});
