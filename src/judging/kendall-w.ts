import { sum } from "./mean.ts";

/** The ranks of the values, 1 the smallest, equals sharing the mean of their places. */
const midranks = (values: readonly number[]): number[] =>
  values.map((value) => {
    const less = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return less + (equal + 1) / 2;
  });

/**
 * Kendall's coefficient of concordance W of m complete rankings (rows) of the same n items (columns), corrected for
 * ties: 12 S / (m² (n³ − n) − m Σ (t³ − t)), S the squared deviations of the columns' rank sums from their mean
 * and t the size of each group of equals in a row (Kendall & Gibbons, Rank Correlation Methods, 5th ed., ch. 6).
 * From 0 (none) to 1 (all rank alike); chance alone gives 1/m. Rows hold ranks or any scores that ascend with them.
 * Null where it is not defined: no rows, fewer than two items, rows of unequal length, NaN in one, or every row
 * one tie.
 */
export const kendallW = (rankings: readonly (readonly number[])[]): number | null => {
  const raters = rankings.length;
  const items = rankings[0]?.length ?? 0;
  if (items < 2 || rankings.some((row) => row.length !== items || row.some(Number.isNaN))) return null;
  const rows = rankings.map(midranks);
  const totals = Array.from({ length: items }, (_, item) => sum(rows.map((row) => row[item] ?? 0)));
  const mean = (raters * (items + 1)) / 2;
  const deviation = sum(totals.map((total) => (total - mean) ** 2));
  const ties = sum(
    rankings.map((row) =>
      sum(
        [...new Set(row)]
          .map((value) => row.filter((other) => other === value).length)
          .map((t) => t ** 3 - t),
      ),
    ),
  );
  const greatest = raters ** 2 * (items ** 3 - items) - raters * ties;
  return greatest <= 0 ? null : (12 * deviation) / greatest;
};
