import { addTo } from "./numbers.ts";

/** How far apart two labels are; 0 for the same. */
type Disagreement<T> = (first: T, second: T) => number;

/** 1 − observed over expected disagreement, the expected one of every label of the one against every of the other. */
function chanceCorrected<T>(
  first: readonly T[],
  second: readonly T[],
  disagreement: Disagreement<T>,
): number | null {
  if (first.length !== second.length)
    throw new RangeError(
      `${first.length} labels against ${second.length}; give one of each rater for every item`,
    );
  let observed = 0;
  let expected = 0;
  const [rows, columns] = [new Map<T, number>(), new Map<T, number>()];
  for (const [index, label] of first.entries()) {
    const other = second[index] ?? label;
    observed += disagreement(label, other);
    addTo(rows, label, 1);
    addTo(columns, other, 1);
  }
  for (const [label, count] of rows)
    for (const [other, otherCount] of columns)
      expected += (disagreement(label, other) * count * otherCount) / first.length;
  return expected === 0 ? null : 1 - observed / expected;
}

/**
 * Cohen's κ of two raters who labeled the same items, each list in the order of the items: agreement beyond what
 * their own shares of each label give by chance, 1 for full agreement, 0 for chance (Cohen 1960, Educational and
 * Psychological Measurement 20:37). Null where chance alone agrees always: no items, or one label throughout.
 * @throws RangeError for lists of different length
 */
export function kappa(first: readonly string[], second: readonly string[]): number | null {
  return chanceCorrected(first, second, (one, other) => Number(one !== other));
}

/**
 * Cohen's κ for grades, where a near miss counts less than a far one: disagreement grows with the square of
 * the difference (Cohen 1968, Psychological Bulletin 70:213). Null as `kappa`.
 * @throws RangeError for lists of different length and grades that are not finite numbers
 */
export function weightedKappa(first: readonly number[], second: readonly number[]): number | null {
  if (![...first, ...second].every(Number.isFinite))
    throw new RangeError("every grade must be a finite number");
  return chanceCorrected(first, second, (one, other) => (one - other) ** 2);
}
