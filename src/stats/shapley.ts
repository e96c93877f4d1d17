/** 2 to the 16th coalitions: what a caller may wait for. */
const MAX_PLAYERS = 16;

/**
 * Each player's Shapley value: what it adds to those before it, on the mean over all orders in which the players
 * can come (Shapley 1953, Contributions to the Theory of Games II). Exact: `value` is asked once for every
 * coalition, the empty one first, its members in the order of `players`. The values sum to that of all players
 * less that of nobody.
 * @throws RangeError for more than 16 players and for one named twice
 */
export function shapley(
  players: readonly string[],
  value: (coalition: readonly string[]) => number,
): Record<string, number> {
  const count = players.length;
  if (count > MAX_PLAYERS)
    throw new RangeError(`${count} players have too many coalitions; give at most ${MAX_PLAYERS}`);
  if (new Set(players).size < count) throw new RangeError("a player is named twice; give each once");
  const coalitions = 2 ** count;
  const worth = Array.from({ length: coalitions }, (_, coalition) =>
    value(players.filter((_player, index) => coalition & (1 << index))),
  );
  // size! (count − size − 1)! / count!, the share of orders in which exactly these come before.
  const shares = [1 / count];
  for (let size = 1; size < count; size += 1) shares.push(((shares[size - 1] ?? 0) * size) / (count - size));
  const values = players.map((player, index): [string, number] => {
    let sum = 0;
    for (let coalition = 0; coalition < coalitions; coalition += 1) {
      if (coalition & (1 << index)) continue;
      const added = (worth[coalition | (1 << index)] ?? 0) - (worth[coalition] ?? 0);
      sum += (shares[countMembers(coalition)] ?? 0) * added;
    }
    return [player, sum];
  });
  return Object.fromEntries(values);
}

function countMembers(coalition: number): number {
  let size = 0;
  for (let rest = coalition; rest > 0; rest &= rest - 1) size += 1;
  return size;
}
