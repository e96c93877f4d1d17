import { increase, inverse, sum } from "./numbers.ts";

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
const MAX_COUNT = 1e15;

/**
 * Adds up results by pair, players in alphabetical order.
 * @throws RangeError for a player against itself and for a count that is not from 0 to 1e15
 */
function addUpResults(results: readonly Win[], ties: readonly Tie[]): PairedResults {
  const rows = [
    ...results.map(({ winner, loser, count }) => ({ one: winner, other: loser, count, tie: false })),
    ...ties.map(({ a, b, count }) => ({ one: a, other: b, count, tie: true })),
  ];
  const players = [...new Set(rows.flatMap(({ one, other }) => [one, other]))].sort();
  const index = new Map(players.map((player, place) => [player, place]));
  const meetings = new Map<number, Meeting>();
  for (const { one, other, count, tie } of rows) {
    if (one === other) throw new RangeError(`"${one}" is set against itself; give results of two players`);
    if (!(count >= 0 && count <= MAX_COUNT))
      throw new RangeError(
        `the count of "${one}" and "${other}" must be from 0 to ${MAX_COUNT} (got ${count})`,
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
      const { wins = 0, losses = 0, ties = 0 } = known.get(first * players.length + second) ?? {};
      return { first, second, wins: wins + prior, losses: losses + prior, ties };
    }),
  };
}

export type BradleyTerryOptions = {
  readonly ties?: readonly Tie[];
  /** The player whose strength is 0. */
  readonly reference?: string;
  /**
   * Wins of each player over each other one that are added to the results, 0 unless given. With one above 0 there is always
   * a highest point, and strengths are drawn together the more, the fewer results there are. Between two players 0.5 gives
   * the empirical logit (Anscombe 1956, Biometrika 43:461).
   */
  readonly prior?: number;
};

export type BradleyTerry =
  | {
      readonly ok: true;
      /** By player, on a log scale: a beats b with odds of exp(a − b) where no tie comes between. */
      readonly strength: Record<string, number>;
      /** Of each strength, under the same constraint. */
      readonly standardError: Record<string, number>;
      /** Of the results, without a prior's wins. */
      readonly logLikelihood: number;
      /** Davidson's ν: two equals tie with probability ν / (2 + ν). Null where there were no ties. */
      readonly tie: number | null;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Players whom the results compare, together; a group that only wins against another stands before it. */
      readonly groups: string[][];
    };

/** A step that moves no parameter by more than this ends the search. */
const TOLERANCE = 1e-10;
const MAX_STEPS = 500;

/**
 * Maximum likelihood strengths from paired comparisons: P(a beats b) = A / (A + B) for strengths A, B (Bradley & Terry
 * 1952, Biometrika 39:324); with `ties` P(tie) = ν √(AB) / (A + B + ν √(AB)) and the rest shared as A to B (Davidson 1970,
 * JASA 65:317). The log strengths have a mean of zero, or `reference` at 0. Standard errors come from the observed
 * information under that constraint, so those of a difference a − b are what b as `reference` gives a.
 *
 * Not `ok` where the likelihood has no maximum, whose strengths would grow without bound: where players fall into
 * groups between which wins go one way only or nobody met (Ford 1957, American Mathematical Monthly 64(8):28), as for
 * one who never won or never lost; and, with ties, where strengths can be given that tell every win from every tie.
 * Found by Newton's method, halving a step that does not climb (the likelihood has one top), until no strength moves by
 * 1e-10; also not `ok` where rounding forbids that. Where counts differ more than 1e12 to 1 standard errors lose digits.
 * @throws RangeError for a player against itself, a count or a prior that is not from 0 to 1e15 and an unknown `reference`
 */
export function bradleyTerry(
  results: readonly Win[],
  { ties = [], reference, prior = 0 }: BradleyTerryOptions = {},
): BradleyTerry {
  if (!(prior >= 0 && prior <= MAX_COUNT))
    throw new RangeError(`the prior must be from 0 to ${MAX_COUNT}, e.g. 0.5 (got ${prior})`);
  const seen = addUpResults(results, ties);
  const added = prior === 0 ? seen : addPrior(seen, prior);
  const { players } = added;
  if (reference !== undefined && !players.includes(reference))
    throw new RangeError(`the reference must be one of the players (got "${reference}")`);
  const refused = (reason: string, groups = [[...players]]): BradleyTerry => ({ ok: false, reason, groups });
  const groups = findGroups(added).map((group) => group.map((player) => players[player] ?? ""));
  if (groups.length === 0) return refused("there are no results", groups);
  if (groups.length > 1) {
    const why = `the players fall into ${groups.length} groups between which wins go one way or nobody met`;
    return refused(why, groups);
  }
  const tied = added.meetings.some((meeting) => meeting.ties > 0);
  if (tied && isSeparable(added))
    return refused(
      "the wins can be told from the ties by strength alone, so that no share of ties fits best",
    );
  const top = maximizeLikelihood(added, tied);
  if (top === null)
    return refused("the counts differ so much that rounding hides where the likelihood is highest");
  const { parameters, covariance } = top;
  const at = reference === undefined ? null : players.indexOf(reference);
  const shift = at === null ? 0 : (parameters[at] ?? 0);
  const variance = (one: number): number => {
    const own = covariance[one]?.[one] ?? 0;
    return at === null ? own : own + (covariance[at]?.[at] ?? 0) - 2 * (covariance[one]?.[at] ?? 0);
  };
  const byPlayer = (value: (player: number) => number) =>
    Object.fromEntries(players.map((player, index) => [player, value(index)]));
  return {
    ok: true,
    strength: byPlayer((player) => (parameters[player] ?? 0) - shift),
    standardError: byPlayer((player) => (player === at ? 0 : Math.sqrt(variance(player)))),
    logLikelihood: logLikelihoodAt(parameters, seen, tied),
    tie: tied ? Math.exp(parameters[players.length] ?? 0) : null,
  };
}

/** Players of whom each can be reached from each other over wins and ties; who reaches more comes first. */
function findGroups({ players, meetings }: PairedResults): number[][] {
  const reached = [...players.keys()].map((player) => {
    const set = new Set([player]);
    // What is added while it is gone through is gone through too.
    for (const from of set)
      for (const { first, second, wins, losses, ties } of meetings) {
        if (from === first && wins + ties > 0) set.add(second);
        if (from === second && losses + ties > 0) set.add(first);
      }
    return set;
  });
  const size = (player: number) => reached[player]?.size ?? 0;
  const ordered = [...players.keys()].sort((a, b) => size(b) - size(a));
  const groups: number[][] = [];
  for (const player of ordered) {
    if (groups.some((group) => group.includes(player))) continue;
    const mutual = (other: number) => reached[player]?.has(other) && reached[other]?.has(player);
    groups.push([...players.keys()].filter(mutual));
  }
  return groups;
}

/**
 * Whether strengths exist by which every winner is at least 1 above the loser and all who tied are at most 1 apart: along
 * these the likelihood grows for ever with the tie parameter. That is a system of bounds on differences, which has a
 * solution unless a circle of bounds sums to less than 0 (Bellman and Ford).
 */
function isSeparable({ players, meetings }: PairedResults): boolean {
  const bounds = meetings.flatMap(({ first, second, wins, losses, ties }) => [
    ...(wins > 0 ? [{ from: first, to: second, most: -1 }] : []),
    ...(losses > 0 ? [{ from: second, to: first, most: -1 }] : []),
    ...(ties > 0
      ? [
          { from: first, to: second, most: 1 },
          { from: second, to: first, most: 1 },
        ]
      : []),
  ]);
  const value = players.map(() => 0);
  for (let round = 0; round <= players.length; round += 1) {
    let moved = false;
    for (const { from, to, most } of bounds) {
      const bound = (value[from] ?? 0) + most;
      if ((value[to] ?? 0) <= bound) continue;
      value[to] = bound;
      moved = true;
    }
    if (!moved) return true;
  }
  return false;
}

/** The probabilities of a meeting's outcomes and its part of the log likelihood; `tie` null for a model without ties. */
function outcomeProbabilities({ wins, losses, ties }: Meeting, difference: number, tie: number | null) {
  const scores = [difference / 2, -difference / 2, tie ?? -Infinity];
  const highest = scores.indexOf(Math.max(...scores));
  const gaps = scores.map((score) => score - (scores[highest] ?? 0));
  // Of the others alone, so that next to a probability of 1 what is left of it is not lost.
  const others = gaps.reduce((sum, gap, index) => (index === highest ? sum : sum + Math.exp(gap)), 0);
  const logs = gaps.map((gap) => gap - Math.log1p(others));
  const [win = 0, loss = 0, draw = 0] = logs.map(Math.exp);
  const logLikelihood = sum(
    [wins, losses, ties].map((count, index) => (count === 0 ? 0 : count * (logs[index] ?? 0))),
  );
  return { win, loss, draw, logLikelihood };
}

function outcomesAt(point: readonly number[], meeting: Meeting, tie: number | null) {
  return outcomeProbabilities(meeting, (point[meeting.first] ?? 0) - (point[meeting.second] ?? 0), tie);
}

/** `point` has the strengths, then the logarithm of the tie parameter if there is one. */
function logLikelihoodAt(
  point: readonly number[],
  { players, meetings }: PairedResults,
  tied: boolean,
): number {
  const tie = tied ? (point[players.length] ?? 0) : null;
  return sum(meetings.map((meeting) => outcomesAt(point, meeting, tie).logLikelihood));
}

/**
 * The strengths, mean zero, then the logarithm of the tie parameter if there is one; their covariance of the strengths.
 * Null where the steps do not come to rest.
 */
const maximizeLikelihood = (results: PairedResults, tied: boolean) => {
  const { players, meetings } = results;
  const size = players.length + Number(tied);
  const last = players.length;
  const heightAt = (point: readonly number[]) => logLikelihoodAt(point, results, tied);
  const slopeAt = (point: readonly number[]) => {
    const zeros = () => Array.from({ length: size }, () => 0);
    const gradient = zeros();
    const information = Array.from({ length: size }, zeros);
    const add = (row: number, column: number, value: number) => increase(information[row], column, value);
    for (const meeting of meetings) {
      const { first, second, wins, losses, ties } = meeting;
      const { win, loss, draw } = outcomesAt(point, meeting, tied ? (point[last] ?? 0) : null);
      const games = wins + losses + ties;
      const ahead = (win - loss) / 2;
      // Half the wins less the losses, beyond what is expected, without the difference of what is nearly equal.
      const slope = wins * (loss + draw / 2) - losses * (win + draw / 2) - ties * ahead;
      // The variance of half a win less half a loss, without the difference that would round to 0.
      const spread = games * (win * loss + ((win + loss) * draw) / 4);
      for (const [one, sign] of [
        [first, 1],
        [second, -1],
      ] as const) {
        increase(gradient, one, sign * slope);
        add(one, one, spread);
        add(one, one === first ? second : first, -spread);
        if (!tied) continue;
        add(one, last, -sign * games * draw * ahead);
        add(last, one, -sign * games * draw * ahead);
      }
      if (!tied) continue;
      increase(gradient, last, ties * (win + loss) - (wins + losses) * draw);
      add(last, last, games * draw * (win + loss));
    }
    // Only differences matter: this direction is held, as firmly as the others are on average, so that steps keep the
    // mean at zero.
    const firmness = sum(information.slice(0, last).map((row, index) => row[index] ?? 0)) / last;
    for (let row = 0; row < last; row += 1)
      for (let column = 0; column < last; column += 1) add(row, column, firmness / last);
    return { gradient, inverted: inverse(information), held: 1 / (firmness * last) };
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
      return { parameters: point, covariance };
    }
  }
  return null;
};
