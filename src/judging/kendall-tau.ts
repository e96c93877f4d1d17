/**
 * Kendall's τ of two strict rankings, best first, over the candidates that both list: the pairs that stand alike less
 * those that stand the other way round, over all pairs, from −1 (reversed) to 1 (the same) (Kendall 1938, Biometrika
 * 30:81). Null where fewer than two candidates are common.
 */
export const kendallTau = (first: readonly string[], second: readonly string[]): number | null => {
  const place = new Map(second.map((id, index) => [id, index]));
  const common = first.flatMap((id) => place.get(id) ?? []);
  let balance = 0;
  for (const [index, one] of common.entries())
    for (const later of common.slice(index + 1)) balance += Math.sign(later - one);
  return common.length < 2 ? null : balance / ((common.length * (common.length - 1)) / 2);
};
