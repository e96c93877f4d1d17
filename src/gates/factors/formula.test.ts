import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  complexityOf,
  depthOf,
  fieldsOf,
  formatFormula,
  FormulaError,
  parseFormula,
  type Vocabulary,
} from "./formula.ts";
import { OPERATORS } from "./operators.ts";
import { randomFormula } from "./matched.ts";
import { expectLinearReading } from "../../../test/support/growth.ts";

const WORDS: Vocabulary = { fields: ["open", "close", "volume"], operators: OPERATORS };

const problemOf = (text: string): string => {
  try {
    parseFormula(text, WORDS);
  } catch (error) {
    if (error instanceof FormulaError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "";
};

describe("a formula", () => {
  it.each([
    ["close", 0, "simple"],
    ["cs_rank(close)", 1, "simple"],
    [" cs_rank( ts_mean(close,5) ) ", 2, "medium"],
    ["add(cs_rank(ts_mean(close, 5)), mul(volume, -1))", 3, "complex"],
  ] as const)("%s is parsed, %i deep and %s", (text, depth, complexity) => {
    const formula = parseFormula(text, WORDS);
    expect([depthOf(formula), complexityOf(formula)]).toEqual([depth, complexity]);
    expect(parseFormula(formatFormula(formula), WORDS)).toEqual(formula);
  });

  it("names each field once", () => {
    expect(fieldsOf(parseFormula("add(cs_rank(close), sub(ts_mean(volume, 3), close))", WORDS))).toEqual([
      "close",
      "volume",
    ]);
  });

  it.each([
    ["frobnicate(close)", "operator: there is no operator frobnicate (at 1)"],
    ["constructor(close)", "operator: there is no operator constructor (at 1)"],
    ["cs_rank(bogus)", "field: there is no field bogus (at 9)"],
    ["toString", "field: there is no field toString (at 1)"],
    ["ts_mean(close, 7)", "window: ts_mean takes a window of 2, 3, 5, 10, 20, 60 (at 1)"],
    ["ts_mean(close, volume)", "window: ts_mean takes a window of 2, 3, 5, 10, 20, 60 (at 1)"],
    ["add(close)", "arity: add takes 2 arguments (got 1) (at 1)"],
    ["add(1, 2)", "arity: add takes a field or another operator (at 1)"],
    ["", "syntax: a field, an integer or an operator is expected (at 1)"],
    ["neg()", "syntax: a field, an integer or an operator is expected (at 5)"],
    ["neg(close", "syntax: a comma or a closing bracket is expected (at 10)"],
    ["neg(close) + 1", "syntax: the end is expected (at 12)"],
    ["1.5", "syntax: a field, an integer or an operator is expected (at 1)"],
    ["99999999999999999999", "size: an integer is too large (at 1)"],
    [`${"neg(".repeat(40)}close${")".repeat(40)}`, "size: a formula is at most 32 deep (at 133)"],
    ["x".repeat(2_001), "size: a formula has at most 2000 characters (at 2001)"],
  ])("%s is refused, with its place", (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it("that is random comes back from its text, as deep as was asked for, the same every time", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5 }),
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 }),
        (depth, chances) => {
          const next = () => {
            let nth = 0;
            return () => chances[nth++ % chances.length] ?? 0;
          };
          const formula = randomFormula(WORDS, { depth }, next());
          expect(depthOf(formula)).toBe(depth);
          expect(parseFormula(formatFormula(formula), WORDS)).toEqual(formula);
          expect(randomFormula(WORDS, { depth }, next())).toEqual(formula);
        },
      ),
    );
  });

  it("is read in linear time, whatever it says", () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void problemOf(text)));
    expectLinearReading(problemOf, ["neg("], 500);
    expectLinearReading((text) => problemOf(`add(${text}`), ["close,"], 500);
  });
});
