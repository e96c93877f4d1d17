import { defineDomain } from "../domain.ts";
import { compileFormula, MAX_CANDIDATE_DEPTH } from "./compile.ts";
import { vocabularyOf } from "./evaluate.ts";
import { GATES } from "./gates.ts";
import { loadSoil, type FactorSoil } from "./soil.ts";
import type { OperatorShape, Vocabulary } from "./formula.ts";

/** Formulas over daily prices that say which instruments will return more than others. */
const factors = defineDomain<FactorSoil>({
  name: "factors",
  load: loadSoil,
  propose: ({ panel }) => describeVocabulary(vocabularyOf(panel)),
  compile: (text, { panel }) => compileFormula(text, vocabularyOf(panel)),
  gates: GATES,
  rubric:
    "whether the evidence of the gates is what the mechanism predicts: in which direction, how strong, how steady, and in what is traded",
});

// A domain is the default export of its module: that is how one is found, whoever wrote it.
// oxlint-disable-next-line import/no-default-export
export default factors;

/**
 * Tells a language model what a candidate is made of. A line `fields: …` and a line for each operator, alone on it, have the
 * vocabulary in a form that a program reads: `add(x, y)`, or `ts_mean(x, window) windows 2 3 5 10 20 60`.
 */
export function describeVocabulary({ fields, operators }: Vocabulary): string {
  return `A candidate is one formula over daily prices of many instruments. Every day it gives each instrument a value. The
instruments are ranked by their values: those with high values are bought, those with low values are sold. A good formula has high
values for the instruments that will return more than the others from this day's close to the next one.

fields: ${fields.join(", ")}

Operators:
${Object.entries(operators).map(describeOperator).join("\n")}

ts_ operators look at the days of a window, the present day included, for each instrument: ts_delta is the last value minus the
first, ts_return the last over the first, minus 1. cs_ operators compare the instruments of one day: cs_rank gives 0 to the
smallest value and 1 to the largest. A window must be one of those listed. Other arguments are fields, operators or integers.
There are no signs such as + or /. At most ${MAX_CANDIDATE_DEPTH} operators stand within each other.

Examples:
${examplesFor(fields).join("\n")}

Write exactly one formula for each candidate, on one line.`;
}

function describeOperator([name, { arity, windows }]: [string, OperatorShape]): string {
  const series = ["x", "y", "z"].slice(0, windows ? arity - 1 : arity);
  return windows
    ? `${name}(${[...series, "window"].join(", ")}) windows ${windows.join(" ")}`
    : `${name}(${series.join(", ")})`;
}

/** Of fields that there are; every soil has `close`. */
function examplesFor(fields: readonly string[]): string[] {
  const other = fields.find((name) => name !== "close") ?? "close";
  return [
    "neg(ts_return(close, 5))",
    "cs_rank(div(ts_mean(close, 5), ts_mean(close, 20)))",
    `mul(cs_rank(ts_delta(${other}, 10)), sign(ts_return(close, 20)))`,
  ];
}
