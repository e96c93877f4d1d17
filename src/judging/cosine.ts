/** Of a vector whose largest component is 1 or −1, so that no square overflows or vanishes; null where there is no direction. */
const scaled = (vector: readonly number[]): readonly number[] | null => {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return largest === 0 ? null : vector.map((value) => value / largest);
};

/**
 * The cosine of the angle between two vectors, from −1 (opposite) to 1 (the same direction); 0 where one of them has no
 * direction, being empty or all zeros. (Salton & McGill 1983, Introduction to Modern Information Retrieval, 4.)
 * @throws RangeError where the lengths differ or a component is no finite number
 */
export const cosine = (first: readonly number[], second: readonly number[]): number => {
  if (first.length !== second.length) {
    throw new RangeError(
      `vectors of ${first.length} and ${second.length} numbers cannot be compared; embed both with one model`,
    );
  }
  if (![...first, ...second].every(Number.isFinite))
    throw new RangeError("a component of a vector is no finite number");
  const one = scaled(first);
  const other = scaled(second);
  if (one === null || other === null) return 0;
  let product = 0;
  let squaresOfOne = 0;
  let squaresOfOther = 0;
  for (const [index, value] of one.entries()) {
    const opposite = other[index] ?? 0;
    product += value * opposite;
    squaresOfOne += value * value;
    squaresOfOther += opposite * opposite;
  }
  // Rounding may leave a trace beyond the range.
  return Math.max(-1, Math.min(1, product / Math.sqrt(squaresOfOne * squaresOfOther)));
};
