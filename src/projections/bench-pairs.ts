import * as z from "zod";
import { mcnemar } from "../judging/index.ts";
import type { BenchRow } from "./bench-row.ts";
import { pairedDifference } from "./paired-difference.ts";

const counts = {
  both: z.int(),
  onlyFirst: z.int(),
  onlySecond: z.int(),
  neither: z.int(),
};

/** Two arms on the questions that both finished. */
export const BenchPair = z.strictObject({
  first: z.string(),
  second: z.string(),
  n: z.int(),
  ...counts,
  /** The first's accuracy minus the second's with its 95 % interval; null without questions. */
  difference: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** McNemar's exact test, two-sided. */
  p: z.number(),
  /** The same after Holm's correction for all pairs of the table. */
  adjusted: z.number(),
});
export type BenchPair = z.infer<typeof BenchPair>;

/** Every two arms, in the order of `arms`, from finished rows. */
export function benchPairs(arms: readonly string[], rows: readonly BenchRow[]): BenchPair[] {
  const right = new Map(arms.map((arm) => [arm, new Map<string, boolean>()]));
  for (const row of rows) right.get(row.arm)?.set(row.task, row.right);
  const pairs = arms.flatMap((first, index) =>
    arms.slice(index + 1).map((second) => {
      const [one, other] = [right.get(first) ?? new Map(), right.get(second) ?? new Map()];
      const common = [...one.keys()].filter((task) => other.has(task));
      const count = (a: boolean, b: boolean) =>
        common.filter((task) => one.get(task) === a && other.get(task) === b).length;
      const cells = {
        both: count(true, true),
        onlyFirst: count(true, false),
        onlySecond: count(false, true),
        neither: count(false, false),
      };
      const p = mcnemar(cells.onlyFirst, cells.onlySecond);
      return { first, second, n: common.length, ...cells, difference: pairedDifference(cells), p };
    }),
  );
  const adjusted = holm(pairs.map(({ p }) => p));
  return pairs.map((pair, index) => ({ ...pair, adjusted: adjusted[index] ?? 1 }));
}

/** p-values corrected for testing all of them at once (Holm 1979, Scandinavian Journal of Statistics 6:65), in their order. */
export function holm(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => (values[a] ?? 1) - (values[b] ?? 1));
  const adjusted = values.map(() => 1);
  let least = 0;
  order.forEach((at, rank) => {
    least = Math.max(least, Math.min(1, (values[at] ?? 1) * (values.length - rank)));
    adjusted[at] = least;
  });
  return adjusted;
}
