/** How often the first of two players won, lost and tied; each pair once, in either order of its players. */
export type Meeting = {
  readonly first: number;
  readonly second: number;
  wins: number;
  losses: number;
  ties: number;
};

export type Win = { readonly winner: string; readonly loser: string; readonly count: number };
export type Tie = { readonly a: string; readonly b: string; readonly count: number };

export type PairedResults = { readonly players: readonly string[]; readonly meetings: readonly Meeting[] };

/** Beyond it the shares of lopsided results are nearer to 0 or 1 than doubles can tell. */
const greatestCount = 1e15;

/**
 * Adds up results by pair, players in alphabetical order.
 * @throws RangeError for a player against itself and for a count that is not from 0 to 1e15
 */
export const pairedResults = (results: readonly Win[], ties: readonly Tie[]): PairedResults => {
  const rows = [
    ...results.map(({ winner, loser, count }) => ({ one: winner, other: loser, count, tie: false })),
    ...ties.map(({ a, b, count }) => ({ one: a, other: b, count, tie: true })),
  ];
  const players = [...new Set(rows.flatMap(({ one, other }) => [one, other]))].sort();
  const index = new Map(players.map((player, place) => [player, place]));
  const meetings = new Map<number, Meeting>();
  for (const { one, other, count, tie } of rows) {
    if (one === other) throw new RangeError(`"${one}" is set against itself; give results of two players`);
    if (!(count >= 0 && count <= greatestCount))
      throw new RangeError(
        `"${one}" and "${other}" have a count of ${count}; give one from 0, at most ${greatestCount}`,
      );
    if (count === 0) continue;
    const [own, its] = [index.get(one) ?? 0, index.get(other) ?? 0];
    const [first, second] = [Math.min(own, its), Math.max(own, its)];
    const key = first * players.length + second;
    const meeting = meetings.get(key) ?? { first, second, wins: 0, losses: 0, ties: 0 };
    meetings.set(key, meeting);
    if (tie) meeting.ties += count;
    else if (own === first) meeting.wins += count;
    else meeting.losses += count;
  }
  return { players, meetings: [...meetings.values()] };
};
