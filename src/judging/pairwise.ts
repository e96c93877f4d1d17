import { refuseBadCounts, type Ballot } from "./ballot.ts";

export type Pairwise = {
  /** All that some ballot lists, in alphabetical order. */
  readonly candidates: readonly string[];
  /** How many voters put the candidate at the first index above the one at the second; equals count for neither. */
  readonly over: (first: number, second: number) => number;
};

/**
 * Every two candidates compared. As in `borda`, the unlisted are equal last, and the first place of a repeated one counts.
 * @throws RangeError for a count that is no finite number from 0
 */
export const pairwise = (ballots: readonly Ballot[]): Pairwise => {
  refuseBadCounts(ballots);
  const candidates = [...new Set(ballots.flatMap(({ ranking }) => ranking.flat()))].sort();
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
};
