/** `count` identical votes: groups of equals, best first. */
export type Ballot = { readonly ranking: readonly (readonly string[])[]; readonly count: number };

/** @throws RangeError unless every ballot counts a finite number of votes from 0 */
export const refuseBadCounts = (ballots: readonly Ballot[]): void => {
  for (const [index, { count }] of ballots.entries())
    if (!(count >= 0 && count < Infinity))
      throw new RangeError(`ballot ${index + 1} has a count of ${count}; give one from 0`);
};
