import { evaluate, splitArgs, vocabularyOf } from "./evaluate.ts";
import { type Formula, parseFormula } from "./formula.ts";
import { OPERATORS } from "./operators.ts";
import { type Days, type Earnings, earningsIn, positionsFrom } from "./portfolio.ts";
import type { FactorSoil } from "./soil.ts";

/** What the gates measure of a candidate. */
export type Study = {
  readonly formula: Formula;
  readonly values: Float64Array;
  readonly positions: Float64Array;
  /** Of every day but the last. */
  readonly earnings: Earnings;
  /** How many days pass before the longest of its windows within windows is full. */
  readonly warmUp: number;
};

/** The last study of a soil: the gates of one candidate come after each other. */
const lastStudies = new WeakMap<FactorSoil, { readonly candidate: string; readonly study: Study }>();

/** @throws FormulaError for a candidate that is no formula of the soil's vocabulary */
export function studyCandidate(soil: FactorSoil, candidate: string): Study {
  const last = lastStudies.get(soil);
  if (last?.candidate === candidate) return last.study;
  const { panel, returns } = soil;
  const formula = parseFormula(candidate, vocabularyOf(panel));
  const values = evaluate(formula, panel);
  const { instruments, days } = panel;
  const study = {
    formula,
    values,
    positions: positionsFrom(values, panel),
    earnings: earningsIn(values, { instruments, returns }, { from: 0, to: days - 1 }),
    warmUp: warmUpOf(formula),
  };
  lastStudies.set(soil, { candidate, study });
  return study;
}

export const earningsOf = ({ earnings }: Study, { from, to }: Days): Earnings => earnings.subarray(from, to);

/** How many earlier days a formula looks at. */
function warmUpOf(formula: Formula): number {
  if (formula.kind !== "call") return 0;
  const operator = OPERATORS[formula.op] ?? {};
  const { series, window } = splitArgs(formula.args, operator);
  return Math.max(0, window - 1) + Math.max(...series.map(warmUpOf));
}
