/**
 * The standard normal distribution function, by the series of Marsaglia (Evaluating the Normal Distribution, Journal
 * of Statistical Software 11(4), 2004): exact to about 15 digits within ±7, and 0 or 1 beyond.
 */
export const normalCdf = (x: number): number => {
  if (Math.abs(x) > 7) return x < 0 ? 0 : 1;
  let sum = x;
  let term = x;
  for (let odd = 3; Math.abs(term) > 1e-17 * Math.abs(sum); odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
};

/** The x within ±7 whose `normalCdf` is nearest to `probability`, by bisection. */
export const normalQuantile = (probability: number): number => {
  let [low, high] = [-7, 7];
  for (let halving = 0; halving < 60; halving += 1) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};
