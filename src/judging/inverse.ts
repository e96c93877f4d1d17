/** The inverse of a symmetric positive definite matrix, by Gauss–Jordan elimination, which needs no pivoting there. */
export const inverse = (matrix: readonly (readonly number[])[]): number[][] => {
  const size = matrix.length;
  const rows = matrix.map((row, index) => [...row, ...row.map((_, column) => Number(column === index))]);
  for (const [index, row] of rows.entries()) {
    const pivot = row[index] ?? 0;
    for (let column = 0; column < 2 * size; column += 1) row[column] = (row[column] ?? 0) / pivot;
    for (const [other, target] of rows.entries()) {
      const factor = other === index ? 0 : (target[index] ?? 0);
      if (factor === 0) continue;
      for (let column = 0; column < 2 * size; column += 1)
        target[column] = (target[column] ?? 0) - factor * (row[column] ?? 0);
    }
  }
  return rows.map((row) => row.slice(size));
};
