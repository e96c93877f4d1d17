import type { KindLeague, LeagueRow } from "../contract/knowledge.ts";
import { bradleyTerry, type Win } from "./bradley-terry.ts";
import { inverse, normalCdf } from "./numbers.ts";

// LEAGUE-1. A tally is a sum over deliberations: it can be added to, taken from, and comes to the same in any order.
// LEAGUE-2. No rate is above 1: of those who drafted in a session one wins, or several tie.

/** What a deliberation adds to a league. */
export type LeagueSession = {
  /** The rankings that reviewers gave: players from best to worst. One who has two drafts is ranked twice. */
  readonly ballots: readonly (readonly string[])[];
  /** Who drafted, and the place in the standing; null where there was none. */
  readonly places: readonly { readonly player: string; readonly place: number | null }[];
};

type PlayerTally = {
  sessions: number;
  wins: number;
  ties: number;
  votes: number;
  rankSum: number;
  shareSum: number;
};
type Sums = { [key: string]: number };

/** The sums that a league is made from: plain JSON. A pair's key is its two names with a tab between them. */
export type LeagueTally = {
  sessions: number;
  readonly players: { [player: string]: PlayerTally };
  /** How often the first was ranked above the second. */
  readonly above: Sums;
  /** How far above the middle a player was ranked, and the products of two players' sums within a session. */
  readonly deviation: Sums;
  readonly products: Sums;
  /** Twelve times the variance that `bradleyTerry` reckons with for a ballot by lot: its pairs are taken as independent. */
  readonly variance: Sums;
};

const EMPTY_PLAYER: PlayerTally = { sessions: 0, wins: 0, ties: 0, votes: 0, rankSum: 0, shareSum: 0 };

export const emptyTally = (): LeagueTally => ({
  sessions: 0,
  players: {},
  above: {},
  deviation: {},
  products: {},
  variance: {},
});

const addTo = (sums: Sums, key: string, by: number): void => {
  sums[key] = (sums[key] ?? 0) + by;
};

const pairOf = (one: string, other: string): string => `${one}\t${other}`;

/** The tally of one deliberation (LEAGUE-2). */
export function tallySession({ ballots, places }: LeagueSession): LeagueTally {
  const tally: LeagueTally = { ...emptyTally(), sessions: 1 };
  const firsts = new Set(places.filter(({ place }) => place === 1).map(({ player }) => player));
  for (const player of new Set(places.map((one) => one.player))) {
    const isFirst = firsts.has(player);
    const own = { ...EMPTY_PLAYER, sessions: 1 };
    tally.players[player] = {
      ...own,
      wins: Number(isFirst && firsts.size === 1),
      ties: Number(isFirst && firsts.size > 1),
    };
  }
  for (const ballot of ballots) tallyBallot(tally, ballot);
  const moved = Object.entries(tally.deviation);
  for (const [one, a] of moved)
    for (const [other, b] of moved) addTo(tally.products, pairOf(one, other), a * b);
  return tally;
}

function tallyBallot(tally: LeagueTally, ballot: readonly string[]): void {
  const size = ballot.length;
  for (const [index, player] of ballot.entries()) {
    const own = (tally.players[player] ??= { ...EMPTY_PLAYER });
    own.votes += 1;
    own.rankSum += index + 1;
    own.shareSum += size < 2 ? 0.5 : 1 - index / (size - 1);
    for (const below of ballot.slice(index + 1))
      if (below !== player) addTo(tally.above, pairOf(player, below), 1);
    if (size < 2) continue;
    addTo(tally.deviation, player, (size + 1) / 2 - (index + 1));
    addTo(tally.variance, player, 3 * (size - 1));
  }
}

const FIGURES = ["sessions", "wins", "ties", "votes", "rankSum", "shareSum"] as const;
const SUMS = ["above", "deviation", "products", "variance"] as const;
/** What rounding may leave of a sum that was taken out again. */
const NOTHING = 1e-9;

/** Adds a tally to another, or with −1 takes it out again; what comes to nothing is left out (LEAGUE-1). */
export function addTally(to: LeagueTally, from: LeagueTally, sign: 1 | -1 = 1): void {
  to.sessions += sign * from.sessions;
  for (const [player, own] of Object.entries(from.players)) {
    const known = (to.players[player] ??= { ...EMPTY_PLAYER });
    for (const figure of FIGURES) known[figure] += sign * own[figure];
    if (known.sessions === 0 && known.votes === 0) delete to.players[player];
  }
  for (const name of SUMS)
    for (const [key, value] of Object.entries(from[name])) {
      addTo(to[name], key, sign * value);
      if (Math.abs(to[name][key] ?? 0) < NOTHING) delete to[name][key];
    }
}

type League = Pick<KindLeague, "rows" | "sessions" | "p" | "dispersion">;

/** Fewer votes than these are too few for a claim. */
export const MIN_LEAGUE_VOTES = 20;
const Z95 = 1.959963984540054;
/** Wins over each other that keep a strength finite where somebody has always won: see `bradleyTerry`. */
const PRIOR = 0.5;

/** The league that a tally comes to. */
export function leagueOf(tally: LeagueTally): League {
  const players = Object.keys(tally.players).sort();
  const dispersion = dispersionOf(tally);
  const results: Win[] = Object.entries(tally.above).flatMap(([key, count]) => {
    const [winner = "", loser = ""] = key.split("\t");
    return count > 0 ? [{ winner, loser, count }] : [];
  });
  const fitted = bradleyTerry(results, PRIOR);
  const rows = players.map((player): LeagueRow => {
    const own = tally.players[player] ?? EMPTY_PLAYER;
    const { sessions, votes, wins, ties } = own;
    const strength = fitted?.strength[player] ?? null;
    const margin = Z95 * (fitted?.standardError[player] ?? 0) * Math.sqrt(dispersion);
    return {
      ...{ player, sessions, votes, wins, ties, strength },
      winRate: sessions === 0 ? null : (wins + ties / 2) / sessions,
      averageRank: votes === 0 ? null : own.rankSum / votes,
      averageShare: votes === 0 ? null : Number((own.shareSum / votes).toFixed(9)),
      low: strength === null ? null : strength - margin,
      high: strength === null ? null : strength + margin,
      tooFew: votes < MIN_LEAGUE_VOTES,
    };
  });
  rows.sort(
    (one, other) =>
      (other.strength ?? -Infinity) - (one.strength ?? -Infinity) ||
      (other.averageShare ?? -1) - (one.averageShare ?? -1) ||
      (one.player < other.player ? -1 : 1),
  );
  return { rows, sessions: tally.sessions, p: chanceOf(tally, players), dispersion };
}

/** At least 1: what is less than by lot is chance. */
function dispersionOf({ products, variance }: LeagueTally): number {
  let [seen, byLot] = [0, 0];
  for (const [player, expected] of Object.entries(variance)) {
    seen += products[pairOf(player, player)] ?? 0;
    byLot += expected / 12;
  }
  return byLot === 0 ? 1 : Math.max(1, seen / byLot);
}

/**
 * Tests that no player is ranked above another: S' V⁻¹ S over all players but the last, where S sums the deviations of the
 * sessions and V their products, is about chi-square distributed with one degree of freedom for each player but one.
 */
function chanceOf({ sessions, deviation, products }: LeagueTally, players: readonly string[]): number | null {
  if (sessions < MIN_LEAGUE_VOTES || players.length < 2) return null;
  const tested = players.slice(0, -1).filter((player) => (products[pairOf(player, player)] ?? 0) > 0);
  if (tested.length === 0) return null;
  const matrix = tested.map((one) => tested.map((other) => products[pairOf(one, other)] ?? 0));
  const inverted = inverse(matrix);
  const sums = tested.map((player) => deviation[player] ?? 0);
  const statistic = sums.reduce(
    (total, one, row) =>
      total + one * sums.reduce((inner, other, column) => inner + other * (inverted[row]?.[column] ?? 0), 0),
    0,
  );
  return Number.isFinite(statistic) ? chiSquareTail(Math.max(0, statistic), tested.length) : null;
}

/** The probability that a chi-square of so many degrees of freedom is at least `x`: the sum of its series (Abramowitz & Stegun 26.4.4-5). */
export function chiSquareTail(x: number, degrees: number): number {
  const half = x / 2;
  if (degrees % 2 === 0) {
    let [term, total] = [Math.exp(-half), 0];
    for (let nth = 0; nth < degrees / 2; nth += 1) {
      total += term;
      term *= half / (nth + 1);
    }
    return Math.min(1, total);
  }
  let term = Math.sqrt((2 * x) / Math.PI) * Math.exp(-half);
  let total = 2 * (1 - normalCdf(Math.sqrt(x)));
  for (let nth = 1; nth <= (degrees - 1) / 2; nth += 1) {
    total += term;
    term *= x / (2 * nth + 1);
  }
  return Math.min(1, total);
}
