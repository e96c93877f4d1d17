import type { Ballot } from "./ballot.ts";
import type { Tally } from "./borda.ts";
import { pairwise } from "./pairwise.ts";
import { orderByScore } from "./places.ts";

/**
 * Copeland's rule: a candidate scores 1 for each other that more voters put below it than above, and ½ where as many do
 * (Copeland 1951; with ½ for ties as in Faliszewski et al. 2009, Journal of Artificial Intelligence Research
 * 35:275). A candidate that beats all others is first alone. Ballots are read as in `borda`; equals stand
 * alphabetically.
 * @throws RangeError for a count that is no finite number from 0
 */
export const copeland = (ballots: readonly Ballot[]): Tally => {
  const { candidates, over } = pairwise(ballots);
  const scores = candidates.map((id, first): [string, number] => {
    const points = candidates.map(
      (_, second) => (Math.sign(over(first, second) - over(second, first)) + 1) / 2,
    );
    // Less the half point against itself.
    return [id, points.reduce((sum, point) => sum + point, -0.5)];
  });
  return { order: orderByScore(scores), scores: Object.fromEntries(scores) };
};
