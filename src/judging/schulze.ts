import type { Ballot } from "./ballot.ts";
import type { Tally } from "./borda.ts";
import { pairwise } from "./pairwise.ts";
import { orderByScore } from "./places.ts";

/**
 * Schulze's rule: a candidate stands above another if its strongest chain of pairwise wins to that one is stronger
 * than any chain back, a chain being as strong as its weakest win (Schulze 2011, Social Choice and Welfare 36:267).
 * A win is as strong as its `winning-votes`, those who put the winner above, as Schulze recommends and unless given;
 * or as its `margins`, these less those who put it below. The two differ only where ballots leave candidates equal.
 *
 * `scores` are how many candidates do not stand above one's own: first in `order` are those that nobody stands above.
 * Not standing above each other is not transitive, so of two in different groups neither need stand above the other.
 * Ballots are read as in `borda`; equals stand alphabetically.
 * @throws RangeError for a count that is no finite number from 0
 */
export const schulze = (
  ballots: readonly Ballot[],
  { by = "winning-votes" }: { readonly by?: "winning-votes" | "margins" } = {},
): Tally => {
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
  return { order: orderByScore(scores), scores: Object.fromEntries(scores) };
};
