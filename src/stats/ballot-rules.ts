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

export type Pairwise = {
  /** All that some ballot lists, in alphabetical order. */
  readonly candidates: readonly string[];
  /** How many voters put the candidate at the first index above the one at the second; equals count for neither. */
  readonly over: (first: number, second: number) => number;
};

/**
 * Every two candidates compared. As in `borda`, the unlisted are equal last, and the first place of a repeated one counts.
 * @throws RangeError for a count that is not a finite number of at least 0
 */
export function pairwise(ballots: readonly Ballot[]): Pairwise {
  const candidates = listCandidates(ballots);
  const count = candidates.length;
  const votes = new Float64Array(count ** 2);
  for (const ballot of ballots) {
    const place = new Map<string, number>();
    for (const [index, group] of ballot.ranking.entries())
      for (const id of group) if (!place.has(id)) place.set(id, index);
    const places = candidates.map((id) => place.get(id) ?? ballot.ranking.length);
    for (const [first, own] of places.entries())
      for (const [second, other] of places.entries())
        if (own < other) votes[first * count + second] = (votes[first * count + second] ?? 0) + ballot.count;
  }
  return { candidates, over: (first, second) => votes[first * count + second] ?? 0 };
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

/**
 * Copeland's rule: a candidate scores 1 for each other that more voters put below it than above, and ½ where as many do
 * (Copeland 1951; with ½ for ties as in Faliszewski et al. 2009, Journal of Artificial Intelligence Research
 * 35:275). A candidate that beats all others is first alone. Ballots are read as in `borda`; equals stand
 * alphabetically.
 * @throws RangeError for a count that is not a finite number of at least 0
 */
export function copeland(ballots: readonly Ballot[]): Tally {
  const { candidates, over } = pairwise(ballots);
  const scores = candidates.map((id, first): [string, number] => {
    const points = candidates.map(
      (_, second) => (Math.sign(over(first, second) - over(second, first)) + 1) / 2,
    );
    // Less the half point against itself.
    return [id, points.reduce((sum, point) => sum + point, -0.5)];
  });
  return tally(scores);
}

/**
 * Schulze's rule: a candidate stands above another if its strongest chain of pairwise wins to that one is stronger
 * than any chain back, a chain being as strong as its weakest win (Schulze 2011, Social Choice and Welfare 36:267).
 * A win is as strong as its `winning-votes`, those who put the winner above, as Schulze recommends and unless given;
 * or as its `margins`, these less those who put it below. The two differ only where ballots leave candidates equal.
 *
 * `scores` are how many candidates do not stand above one's own: first in `order` are those that nobody stands above.
 * Not standing above each other is not transitive, so of two in different groups neither need stand above the other.
 * Ballots are read as in `borda`; equals stand alphabetically.
 * @throws RangeError for a count that is not a finite number of at least 0
 */
export function schulze(
  ballots: readonly Ballot[],
  { by = "winning-votes" }: { readonly by?: "winning-votes" | "margins" } = {},
): Tally {
  const { candidates, over } = pairwise(ballots);
  const indices = [...candidates.keys()];
  const win = (first: number, second: number): number => {
    const margin = over(first, second) - over(second, first);
    return margin <= 0 ? 0 : by === "margins" ? margin : over(first, second);
  };
  const strength = indices.map((first) => indices.map((second) => win(first, second)));
  const chain = (first: number, second: number): number => strength[first]?.[second] ?? 0;
  // The widest path, as Floyd and Warshall find the shortest.
  for (const between of indices)
    for (const [first, row] of strength.entries())
      for (const second of indices)
        row[second] = Math.max(chain(first, second), Math.min(chain(first, between), chain(between, second)));
  const scores = candidates.map((id, own): [string, number] => [
    id,
    indices.filter((other) => other !== own && chain(other, own) <= chain(own, other)).length,
  ]);
  return tally(scores);
}
