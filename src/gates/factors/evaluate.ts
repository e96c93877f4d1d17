import { formatFormula, type Formula, type Vocabulary } from "./formula.ts";
import { OPERATORS, type Operator } from "./operators.ts";
import type { FactorPanel } from "./panel.ts";

/** The words of formulas over a panel. */
export const vocabularyOf = (panel: Pick<FactorPanel, "fields">): Vocabulary => ({
  fields: Object.keys(panel.fields),
  operators: OPERATORS,
});

type Operators = { readonly [name: string]: Operator };

/** The values of a parsed formula, day by day as the panel's. @throws RangeError for a field that the panel lacks */
export const evaluate = (
  formula: Formula,
  panel: FactorPanel,
  operators: Operators = OPERATORS,
): Float64Array => createEvaluator(panel, operators)(formula);

/** The values of a formula from a day on (the first, unless given). What stands before that day is no value. */
export type FormulaEvaluator = (formula: Formula, from?: number) => Float64Array;

/** How much memory the values of formulas that come again may take. */
const MAX_SHARED_BYTES = 96 * 2 ** 20;

/**
 * Evaluates many formulas over one panel: what one call gave is overwritten by the next. Operators over fields alone, which
 * come again in many formulas, are evaluated once.
 */
export function createEvaluator(panel: FactorPanel, operators: Operators = OPERATORS): FormulaEvaluator {
  const { days, instruments } = panel;
  const size = { days, instruments };
  const free: Float64Array[] = [];
  const kept = new Set(Object.values(panel.fields));
  const shared = new Map<string, Float64Array>();
  const maxShared = MAX_SHARED_BYTES / (days * instruments * Float64Array.BYTES_PER_ELEMENT);
  const take = () => free.pop() ?? new Float64Array(days * instruments);
  const giveBack = (values: Float64Array) => {
    if (!kept.has(values)) free.push(values);
  };

  function valuesOf(formula: Formula, from: number): Float64Array {
    if (formula.kind === "field") return fieldOf(formula.name, panel);
    if (formula.kind === "integer") return take().fill(formula.value, from * instruments);
    if (!isShallow(formula)) return applied(formula, from);
    const key = formatFormula(formula);
    const known = shared.get(key);
    if (known) return known;
    if (shared.size >= maxShared) return applied(formula, from);
    const values = applied(formula, 0);
    shared.set(key, values);
    kept.add(values);
    return values;
  }

  function applied(formula: FormulaCall, from: number): Float64Array {
    const operator = Object.hasOwn(operators, formula.op) ? operators[formula.op] : undefined;
    if (!operator) throw new RangeError(`there is no operator ${formula.op}`);
    const { series, window } = splitArgs(formula.args, operator);
    const since = Math.max(0, from - Math.max(0, window - 1));
    const args = series.map((arg) => valuesOf(arg, since));
    const out = take();
    operator.apply({ args, window, size, from, out });
    for (const arg of args) giveBack(arg);
    return out;
  }

  let result: Float64Array | undefined;
  return (formula, from = 0) => {
    if (result) giveBack(result);
    result = valuesOf(formula, from);
    return result;
  };
}

type FormulaCall = Extract<Formula, { readonly kind: "call" }>;

const isShallow = ({ args }: FormulaCall): boolean => args.every(({ kind }) => kind !== "call");

function fieldOf(name: string, panel: FactorPanel): Float64Array {
  const field = Object.hasOwn(panel.fields, name) ? panel.fields[name] : undefined;
  if (!field) throw new RangeError(`the panel has no field ${name}`);
  return field;
}

/** The arguments of an operator that are series, and its window: 0 where it takes none. */
export function splitArgs(
  args: readonly Formula[],
  { windows }: Pick<Operator, "windows">,
): { readonly series: readonly Formula[]; readonly window: number } {
  const last = args.at(-1);
  return windows && last?.kind === "integer"
    ? { series: args.slice(0, -1), window: last.value }
    : { series: args, window: 0 };
}
