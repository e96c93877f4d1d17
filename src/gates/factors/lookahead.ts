import { random } from "../../stats/numbers.ts";
import type { GateFinding } from "../domain.ts";
import type { FactorPanel } from "./panel.ts";

/** What is examined: anything that makes values of a panel, cell by cell. */
export type Examined = {
  readonly panel: FactorPanel;
  readonly compute: (panel: FactorPanel) => Float64Array;
  readonly seed: string;
};

const CUTS = 5;

/**
 * Changes every value after several days, and compares what stands at or before each of them. It finds a look at the future
 * that reaches over one of these days; it proves nothing of others.
 */
export function examineLookahead({ panel, compute, seed }: Examined): GateFinding {
  const before = Float64Array.from(compute(panel));
  const next = random(`lookahead ${seed}`);
  for (let nth = 1; nth <= CUTS; nth += 1) {
    const cut = Math.min(panel.days - 2, Math.floor((nth * panel.days) / (CUTS + 1)));
    const after = compute(changeAfter(panel, cut, next));
    for (let at = 0; at < (cut + 1) * panel.instruments; at += 1)
      if (!Object.is(before[at], after[at])) {
        const day = Math.floor(at / panel.instruments);
        const detail = `the value of day ${day + 1} changes when the days after day ${cut + 1} do`;
        return { passed: false, lookahead: true, value: cut - day, threshold: null, detail };
      }
  }
  const detail = `with other values after each of ${CUTS} days, nothing at or before them changes`;
  return { passed: true, value: null, threshold: null, detail };
}

function changeAfter(
  { days, instruments, fields }: FactorPanel,
  cut: number,
  next: () => number,
): FactorPanel {
  const changed = Object.entries(fields).map(([name, values]) => {
    const other = Float64Array.from(values);
    for (let at = (cut + 1) * instruments; at < other.length; at += 1)
      other[at] = next() < 0.1 ? Number.NaN : (other[at] as number) * (0.5 + next());
    return [name, other] as const;
  });
  return { days, instruments, fields: Object.fromEntries(changed) };
}
