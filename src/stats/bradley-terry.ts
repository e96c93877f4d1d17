import { increase, inverse, sum } from "./numbers.ts";

/** How often the first of two players won and lost; each pair once, in either order of its players. */
type Meeting = { readonly first: number; readonly second: number; wins: number; losses: number };

export type Win = { readonly winner: string; readonly loser: string; readonly count: number };

type PairedResults = { readonly players: readonly string[]; readonly meetings: readonly Meeting[] };

/** Beyond it the shares of lopsided results are nearer to 0 or 1 than doubles can tell. */
const MAX_COUNT = 1e15;

/**
 * Adds up results by pair, players in alphabetical order.
 * @throws RangeError for a player against itself and for a count that is not from 0 to 1e15
 */
function addUpResults(results: readonly Win[]): PairedResults {
  const players = [...new Set(results.flatMap(({ winner, loser }) => [winner, loser]))].sort();
  const index = new Map(players.map((player, place) => [player, place]));
  const meetings = new Map<number, Meeting>();
  for (const { winner, loser, count } of results) {
    if (winner === loser)
      throw new RangeError(`"${winner}" is set against itself; give results of two players`);
    if (!(count >= 0 && count <= MAX_COUNT))
      throw new RangeError(
        `the count of "${winner}" and "${loser}" must be from 0 to ${MAX_COUNT} (got ${count})`,
      );
    if (count === 0) continue;
    const [own, its] = [index.get(winner) ?? 0, index.get(loser) ?? 0];
    const [first, second] = [Math.min(own, its), Math.max(own, its)];
    const key = first * players.length + second;
    const meeting = meetings.get(key) ?? { first, second, wins: 0, losses: 0 };
    meetings.set(key, meeting);
    if (own === first) meeting.wins += count;
    else meeting.losses += count;
  }
  return { players, meetings: [...meetings.values()] };
}

/** The same results, and `prior` more wins of each player over each other one. */
function addPrior({ players, meetings }: PairedResults, prior: number): PairedResults {
  const known = new Map(
    meetings.map((meeting) => [meeting.first * players.length + meeting.second, meeting]),
  );
  const pairs = players.flatMap((_, first) =>
    players.slice(first + 1).map((__, index) => ({ first, second: first + 1 + index })),
  );
  return {
    players,
    meetings: pairs.map(({ first, second }) => {
      const { wins = 0, losses = 0 } = known.get(first * players.length + second) ?? {};
      return { first, second, wins: wins + prior, losses: losses + prior };
    }),
  };
}

type BradleyTerry = {
  /** By player, on a log scale: a beats b with odds of exp(a − b). */
  readonly strength: Record<string, number>;
  /** Of each strength, under the same constraint. */
  readonly standardError: Record<string, number>;
};

/** A step that moves no parameter by more than this ends the search. */
const TOLERANCE = 1e-10;
const MAX_STEPS = 500;

/**
 * Maximum likelihood strengths from paired comparisons: P(a beats b) = A / (A + B) for strengths A, B (Bradley & Terry
 * 1952, Biometrika 39:324). The log strengths have a mean of zero. Standard errors come from the observed information under
 * that constraint.
 *
 * `prior` is how many wins of each player over each other one are added to the results. With one above 0 there is always a
 * highest point, and strengths are drawn together the more, the fewer results there are. Between two players 0.5 gives the
 * empirical logit (Anscombe 1956, Biometrika 43:461).
 *
 * Null for no results, and where the likelihood has no maximum, whose strengths would grow without bound: where players
 * fall into groups between which wins go one way only or nobody met (Ford 1957, American Mathematical Monthly 64(8):28), as
 * for one who never won or never lost. Found by Newton's method, halving a step that does not climb (the likelihood has one
 * top), until no strength moves by 1e-10; also null where rounding forbids that. Where counts differ more than 1e12 to 1
 * standard errors lose digits.
 * @throws RangeError for a player against itself, and a count or a prior that is not from 0 to 1e15
 */
export function bradleyTerry(results: readonly Win[], prior = 0): BradleyTerry | null {
  if (!(prior >= 0 && prior <= MAX_COUNT))
    throw new RangeError(`the prior must be from 0 to ${MAX_COUNT}, e.g. 0.5 (got ${prior})`);
  const seen = addUpResults(results);
  const added = prior === 0 ? seen : addPrior(seen, prior);
  const top = hasTop(added) ? maximizeLikelihood(added) : null;
  if (top === null) return null;
  const byPlayer = (value: (player: number) => number) =>
    Object.fromEntries(added.players.map((player, index) => [player, value(index)]));
  return {
    strength: byPlayer((player) => top.strengths[player] ?? 0),
    standardError: byPlayer((player) => Math.sqrt(top.covariance[player]?.[player] ?? 0)),
  };
}

/** Whether each player can be reached from each other one over wins. */
function hasTop({ players, meetings }: PairedResults): boolean {
  const reachesAll = (wonBy: "wins" | "losses", lostBy: "wins" | "losses"): boolean => {
    const reached = new Set([0]);
    // What is added while it is gone through is gone through too.
    for (const from of reached)
      for (const meeting of meetings) {
        if (from === meeting.first && meeting[wonBy] > 0) reached.add(meeting.second);
        if (from === meeting.second && meeting[lostBy] > 0) reached.add(meeting.first);
      }
    return reached.size === players.length;
  };
  return reachesAll("wins", "losses") && reachesAll("losses", "wins");
}

/** The logarithm of the probability to win, by the difference of the strengths. */
const logOfWin = (difference: number): number =>
  Math.min(0, difference) - Math.log1p(Math.exp(-Math.abs(difference)));

/** The strengths, mean zero, and their covariance; null where the steps do not come to rest. */
const maximizeLikelihood = ({ players, meetings }: PairedResults) => {
  const size = players.length;
  const differenceAt = (point: readonly number[], { first, second }: Meeting) =>
    (point[first] ?? 0) - (point[second] ?? 0);
  const heightAt = (point: readonly number[]) =>
    sum(
      meetings.map((meeting) => {
        const difference = differenceAt(point, meeting);
        const of = (count: number, log: number) => (count === 0 ? 0 : count * log);
        return of(meeting.wins, logOfWin(difference)) + of(meeting.losses, logOfWin(-difference));
      }),
    );
  const slopeAt = (point: readonly number[]) => {
    const zeros = () => Array.from({ length: size }, () => 0);
    const gradient = zeros();
    const information = Array.from({ length: size }, zeros);
    const add = (row: number, column: number, value: number) => increase(information[row], column, value);
    for (const meeting of meetings) {
      const { first, second, wins, losses } = meeting;
      const difference = differenceAt(point, meeting);
      const [win, loss] = [Math.exp(logOfWin(difference)), Math.exp(logOfWin(-difference))];
      // The wins beyond what is expected, without the difference of what is nearly equal.
      const slope = wins * loss - losses * win;
      const spread = (wins + losses) * (win * loss);
      for (const [one, sign] of [
        [first, 1],
        [second, -1],
      ] as const) {
        increase(gradient, one, sign * slope);
        add(one, one, spread);
        add(one, one === first ? second : first, -spread);
      }
    }
    // Only differences matter: this direction is held, as firmly as the others are on average, so that steps keep the
    // mean at zero.
    const firmness = sum(information.map((row, index) => row[index] ?? 0)) / size;
    for (let row = 0; row < size; row += 1)
      for (let column = 0; column < size; column += 1) add(row, column, firmness / size);
    return { gradient, inverted: inverse(information), held: 1 / (firmness * size) };
  };

  let point = Array.from({ length: size }, () => 0);
  let height = heightAt(point);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const { gradient, inverted, held } = slopeAt(point);
    const move = inverted.map((row) => sum(row.map((value, index) => value * (gradient[index] ?? 0))));
    const furthest = Math.max(...move.map(Math.abs));
    const from = point;
    let scale = 1;
    do {
      point = from.map((value, index) => value + scale * (move[index] ?? 0));
      scale /= 2;
    } while (!(heightAt(point) >= height) && scale * furthest > TOLERANCE);
    height = heightAt(point);
    if (furthest < TOLERANCE) {
      const covariance = inverted.map((row) => row.map((value) => value - held));
      return { strengths: point, covariance };
    }
  }
  return null;
};
