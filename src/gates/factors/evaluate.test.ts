import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { random } from "../../stats/numbers.ts";
import { createEvaluator, evaluate, vocabularyOf } from "./evaluate.ts";
import { formatFormula, parseFormula } from "./formula.ts";
import { OPERATORS } from "./operators.ts";
import { checkPanel, type FactorPanel } from "./panel.ts";
import { randomFormula } from "./matched.ts";
import { sized } from "../../../test/support/long.ts";

/** Four days of two instruments. */
const panel: FactorPanel = {
  days: 4,
  instruments: 2,
  fields: {
    close: Float64Array.of(1, 10, 2, 20, 4, 10, 8, Number.NaN),
    volume: Float64Array.of(5, 5, 0, 1, 1, 2, 3, 4),
  },
};

const valuesOf = (text: string, of: FactorPanel = panel) => [
  ...evaluate(parseFormula(text, vocabularyOf(of)), of),
];
const none = Number.NaN;

describe("an operator", () => {
  it.each<[string, number[]]>([
    ["close", [1, 10, 2, 20, 4, 10, 8, none]],
    ["add(close, 1)", [2, 11, 3, 21, 5, 11, 9, none]],
    ["sub(close, volume)", [-4, 5, 2, 19, 3, 8, 5, none]],
    ["mul(volume, 2)", [10, 10, 0, 2, 2, 4, 6, 8]],
    ["div(close, volume)", [0.2, 2, none, 20, 4, 5, 8 / 3, none]],
    ["neg(volume)", [-5, -5, -0, -1, -1, -2, -3, -4]],
    ["abs(neg(volume))", [5, 5, 0, 1, 1, 2, 3, 4]],
    ["sign(sub(volume, 2))", [1, 1, -1, -1, -1, 0, 1, 1]],
    ["log(volume)", [Math.log(5), Math.log(5), none, 0, 0, Math.log(2), Math.log(3), Math.log(4)]],
    ["cs_rank(volume)", [0.5, 0.5, 0, 1, 0, 1, 0, 1]],
    ["cs_rank(close)", [0, 1, 0, 1, 0, 1, 0.5, none]],
    ["cs_demean(volume)", [0, 0, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5]],
    ["ts_mean(close, 2)", [none, none, 1.5, 15, 3, 15, 6, none]],
    ["ts_sum(close, 3)", [none, none, none, none, 7, 40, 14, none]],
    [
      "ts_std(volume, 2)",
      [none, none, Math.sqrt(12.5), Math.sqrt(8), Math.sqrt(0.5), Math.sqrt(0.5), Math.sqrt(2), Math.sqrt(2)],
    ],
    ["ts_min(close, 3)", [none, none, none, none, 1, 10, 2, none]],
    ["ts_max(close, 3)", [none, none, none, none, 4, 20, 8, none]],
    ["ts_delta(close, 3)", [none, none, none, none, 3, 0, 6, none]],
    ["ts_return(close, 2)", [none, none, 1, 1, 1, -0.5, 1, none]],
    ["ts_return(volume, 2)", [none, none, -1, -0.8, none, 1, 2, 1]],
  ])("%s gives what it says, and nothing where a value is missing", (text, expected) => {
    const values = valuesOf(text);
    expect(values).toHaveLength(8);
    for (const [at, value] of expected.entries())
      if (Number.isNaN(value)) expect(values[at]).toBeNaN();
      else expect(values[at]).toBeCloseTo(value, 12);
  });

  it("begins a window anew behind a missing value", () => {
    const gap = {
      ...panel,
      instruments: 1,
      days: 8,
      fields: { close: Float64Array.of(1, none, 3, 5, 7, none, 1, 1) },
    };
    expect(valuesOf("ts_mean(close, 2)", gap)).toEqual([none, none, none, 4, 6, none, none, 1]);
  });

  it("is tested by name, all of them", () => {
    const tested = Object.keys(OPERATORS).filter((name) => name.startsWith("ts_") || name.startsWith("cs_"));
    expect(tested).toHaveLength(9);
    expect(Object.keys(OPERATORS)).toHaveLength(17);
  });
});

it("whatever the future brings, the past of any formula stays as it was", () => {
  const value = fc.double({ min: -100, max: 100, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 60, maxLength: 60 }),
      fc.array(value, { minLength: 60, maxLength: 60 }),
      fc.integer({ min: 1, max: 19 }),
      fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
        minLength: 30,
        maxLength: 30,
      }),
      (known, other, ...[day, chances]) => {
        const at = (of: readonly number[]): FactorPanel => ({
          days: 20,
          instruments: 3,
          fields: { close: Float64Array.from(of) },
        });
        const before = at(known);
        const after = at([...known.slice(0, day * 3), ...other.slice(day * 3)]);
        let nth = 0;
        const formula = randomFormula(vocabularyOf(before), { depth: 3 }, () => chances[nth++ % 30] ?? 0);
        const past = (of: FactorPanel) => [...evaluate(formula, of).slice(0, day * 3)];
        expect(past(after)).toEqual(past(before));
      },
    ),
    { numRuns: sized(300) },
  );
});

it("an evaluator gives the same from any day on, whatever it gave before", () => {
  const next = random("evaluator");
  const size = { days: 90, instruments: 4 };
  const field = () => Float64Array.from({ length: 90 * 4 }, () => (next() < 0.01 ? none : 1 + next()));
  const random90: FactorPanel = { ...size, fields: { close: field(), volume: field() } };
  const evaluateFrom = createEvaluator(random90);
  for (let nth = 0; nth < 500; nth += 1) {
    const formula = randomFormula(vocabularyOf(random90), { depth: 1 + (nth % 4) }, next);
    const from = Math.floor(next() * 90);
    const whole = evaluate(formula, random90).slice(from * 4);
    expect(evaluateFrom(formula, from).slice(from * 4), formatFormula(formula)).toEqual(whole);
  }
});

it("refuses a panel whose fields have other sizes, and a field that it lacks", () => {
  expect(() => checkPanel({ ...panel, days: 5 })).toThrow("the field close has 8 values, not 5 days of 2");
  expect(() => checkPanel(panel)).not.toThrow();
  const formula = parseFormula("close", vocabularyOf(panel));
  expect(() => evaluate(formula, { ...panel, fields: {} })).toThrow("the panel has no field close");
});
