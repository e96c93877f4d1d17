/**
 * The probability of at most `most` successes in `n` independent trials that each succeed with probability `p`.
 * Summed from logarithms, so that thousands of trials neither overflow nor vanish.
 */
export const binomialAtMost = (most: number, n: number, p: number): number => {
  if (most < 0) return 0;
  if (p === 0 || most >= n) return 1;
  if (p === 1) return 0;
  const odds = Math.log(p) - Math.log1p(-p);
  let logarithm = n * Math.log1p(-p);
  let sum = 0;
  for (let successes = 0; successes <= most; successes += 1) {
    sum += Math.exp(logarithm);
    logarithm += Math.log((n - successes) / (successes + 1)) + odds;
  }
  return Math.min(1, sum);
};
