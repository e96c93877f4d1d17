import type { Formula, Vocabulary } from "./formula.ts";
import { OPERATORS } from "./operators.ts";
import type { FactorPanel } from "./panel.ts";

/** The words of formulas over a panel. */
export const vocabularyOf = (panel: Pick<FactorPanel, "fields">): Vocabulary => ({
  fields: Object.keys(panel.fields),
  operators: OPERATORS,
});

/** The values of a parsed formula, day by day as the panel's. @throws RangeError for a field that the panel lacks */
export function evaluate(formula: Formula, panel: FactorPanel): Float64Array {
  if (formula.kind === "field") {
    const field = Object.hasOwn(panel.fields, formula.name) ? panel.fields[formula.name] : undefined;
    if (!field) throw new RangeError(`the panel has no field ${formula.name}`);
    return field;
  }
  const { days, instruments } = panel;
  if (formula.kind === "integer") return new Float64Array(days * instruments).fill(formula.value);
  const operator = OPERATORS[formula.op];
  if (!operator) throw new RangeError(`there is no operator ${formula.op}`);
  const isWindowed = operator.windows !== undefined;
  const last = formula.args.at(-1);
  const window = isWindowed && last?.kind === "integer" ? last.value : 0;
  const series = isWindowed ? formula.args.slice(0, -1) : formula.args;
  return operator.apply({
    args: series.map((arg) => evaluate(arg, panel)),
    window,
    size: { days, instruments },
  });
}
