export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Null where any value is unknown. */
export function sumKnown(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

/** Adds to a number of a map; one that is missing counts as 0. */
export function addTo<K>(map: Map<K, number>, key: K, value: number): void {
  map.set(key, (map.get(key) ?? 0) + value);
}

/** Numbers, each under its names with tabs between them: no name has one. */
export type Sums = Map<string, number>;

export function addSums(to: Sums, from: Sums): void {
  for (const [names, value] of from) addTo(to, names, value);
}

/** The sums whose first names are these, under the rest of their names. */
export function sumsUnder(sums: Sums, first: string): Sums {
  const under = [...sums].filter(([names]) => names.startsWith(`${first}\t`));
  return new Map(under.map(([names, value]) => [names.slice(first.length + 1), value]));
}

/** Adds to a number of a list; one that is missing counts as 0. */
export function increase(list: number[] | undefined, index: number, by: number): void {
  if (list !== undefined) list[index] = (list[index] ?? 0) + by;
}

/** Lists by key, in the order of their first value (`Map.groupBy` of newer Nodes). */
export function groupBy<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** NaN of none. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/**
 * The standard normal distribution function, by the series of Marsaglia (Evaluating the Normal Distribution, Journal
 * of Statistical Software 11(4), 2004): exact to about 15 digits within ±7, and 0 or 1 beyond.
 */
export function normalCdf(x: number): number {
  if (Math.abs(x) > 7) return x < 0 ? 0 : 1;
  let sum = x;
  let term = x;
  for (let odd = 3; Math.abs(term) > 1e-17 * Math.abs(sum); odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** The x within ±7 whose `normalCdf` is nearest to `probability`, by bisection. */
export function normalQuantile(probability: number): number {
  let [low, high] = [-7, 7];
  for (let halving = 0; halving < 60; halving += 1) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The inverse of a symmetric positive definite matrix, by Gauss–Jordan elimination, which needs no pivoting there. */
export function inverse(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length;
  const rows = matrix.map((row, index) => [...row, ...row.map((_, column) => Number(column === index))]);
  for (const [index, row] of rows.entries()) {
    const pivot = row[index] ?? 0;
    for (const [column, value] of row.entries()) row[column] = value / pivot;
    for (const [other, target] of rows.entries()) {
      const factor = other === index ? 0 : (target[index] ?? 0);
      if (factor === 0) continue;
      for (const [column, value] of row.entries()) increase(target, column, -factor * value);
    }
  }
  return rows.map((row) => row.slice(size));
}

/** Four 32-bit words from a text: FNV-1a from four offsets, each word mixed to its end as MurmurHash3 does. */
function hashWords(text: string): [number, number, number, number] {
  const word = (offset: number) => {
    let hash = 0x811c9dc5 ^ offset;
    for (let index = 0; index < text.length; index += 1)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return hash ^ (hash >>> 16);
  };
  return [word(0), word(0x9e3779b9), word(0x3c6ef372), word(0xdaa66d2b)];
}

/**
 * Repeatable chance for resampling, no secret: numbers in [0, 1) that depend on the seed alone and are the same on every
 * machine. The generator sfc32 of PractRand (Doty-Humphrey 2010), which passes its own and BigCrush's tests.
 */
export function random(seed: string | number): () => number {
  let [a, b, c, counter] = hashWords(String(seed));
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let warming = 0; warming < 16; warming += 1) next();
  return next;
}
