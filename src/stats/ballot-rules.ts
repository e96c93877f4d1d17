import { addTo } from "./numbers.ts";
import { binomialAtMost } from "./proportions.ts";

/** `count` identical votes: groups of equals, best first. */
export type Ballot = { readonly ranking: readonly (readonly string[])[]; readonly count: number };

/**
 * All that some ballot lists, in alphabetical order.
 * @throws RangeError unless every ballot counts a finite number of votes from 0
 */
function listCandidates(ballots: readonly Ballot[]): string[] {
  for (const [index, { count }] of ballots.entries())
    if (!(count >= 0 && count < Infinity))
      throw new RangeError(
        `the count of ballot ${index + 1} must be a finite number of at least 0 (got ${count})`,
      );
  return [...new Set(ballots.flatMap(({ ranking }) => ranking.flat()))].sort();
}

/** Groups of equals, best first, by these scores. */
function tally(scores: readonly (readonly [id: string, score: number])[]): Tally {
  return { order: orderByScore(scores), scores: Object.fromEntries(scores) };
}

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

/** Groups of equals, best first, and what each candidate scored. */
export type Tally = { readonly order: string[][]; readonly scores: Record<string, number> };

/**
 * Borda count: among n candidates place p of a ballot is worth n − p points, times its count. Equals share the mean
 * of the points of the places they take; candidates that a ballot does not list (but another does) are equal last
 * on it. Where a ballot repeats a candidate, the first place counts. Equals in `order` stand alphabetically.
 * @throws RangeError for a count that is not a finite number of at least 0
 */
export function borda(ballots: readonly Ballot[]): Tally {
  const candidates = listCandidates(ballots);
  const scores = new Map(candidates.map((id) => [id, 0]));
  for (const { ranking, count } of ballots) {
    const placed = new Set<string>();
    for (const group of [...ranking, candidates]) {
      const equals = [...new Set(group)].filter((id) => !placed.has(id));
      const points = candidates.length - placed.size - (equals.length + 1) / 2;
      for (const id of equals) {
        addTo(scores, id, points * count);
        placed.add(id);
      }
    }
  }
  return tally([...scores]);
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
