import { binomialAtMost } from "./proportions.ts";

/** An entry with its place: 1 + how many are strictly better, so that equals share one (1, 1, 3). */
export type Placement = { readonly id: string; readonly place: number; readonly tiedWith: string[] };

/** Scores nearer than this are equal: sums of the same fractions in another order differ by less. */
const SCORE_TOLERANCE = 1e-9;

/** Groups of equal score, highest first; equals stand in the order in which they came. */
export function orderByScore(scores: readonly (readonly [id: string, score: number])[]): string[][] {
  const groups: { score: number; ids: string[] }[] = [];
  for (const [id, score] of scores.toSorted(([, a], [, b]) => b - a)) {
    const last = groups.at(-1);
    if (last !== undefined && Math.abs(last.score - score) <= SCORE_TOLERANCE) last.ids.push(id);
    else groups.push({ score, ids: [id] });
  }
  const came = new Map(scores.map(([id], index) => [id, index]));
  return groups.map(({ ids }) => ids.sort((a, b) => (came.get(a) ?? 0) - (came.get(b) ?? 0)));
}

/** Competition places of groups that stand best first. */
export function assignPlaces(order: readonly (readonly string[])[]): Placement[] {
  let place = 1;
  return order.flatMap((group) => {
    const here = place;
    place += group.length;
    return group.map((id) => ({ id, place: here, tiedWith: group.filter((other) => other !== id) }));
  });
}

/**
 * The probability that a majority of `n` voters is right of two answers, each right with probability `p` and
 * independent of the others; an even split is right half the time (Condorcet's jury theorem, 1785; Grofman, Owen
 * and Feld 1983, Theory and Decision 15:261). So 2m voters are worth 2m − 1, and none is worth a coin.
 * @throws RangeError unless 0 ≤ p ≤ 1 and n is a whole number from 0
 */
export function condorcet(p: number, n: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`p must be from 0 to 1 (got ${p})`);
  if (!Number.isInteger(n) || n < 0) throw new RangeError(`n must be an integer of at least 0 (got ${n})`);
  // Of those who are wrong: fewer than half, and half of what an even split adds.
  return (binomialAtMost(Math.ceil(n / 2) - 1, n, 1 - p) + binomialAtMost(Math.floor(n / 2), n, 1 - p)) / 2;
}
