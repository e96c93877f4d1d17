import type { KindLeague, LeagueRow } from "../contract/knowledge.ts";
import { bradleyTerry } from "./bradley-terry.ts";
import { addTo, inverse, normalCdf, sum, type Sums } from "./numbers.ts";
import { worthOf } from "./rank-correlation.ts";

// A tally is a sum over deliberations: it is only added to, and comes to the same in any order and in any groups.
// No rate is above 1: of those who drafted in a session one wins, or several tie.

/** What a deliberation adds to a league. */
export type LeagueSession = {
  /** The rankings that reviewers gave: players from best to worst. One who has two drafts is ranked twice. */
  readonly ballots: readonly (readonly string[])[];
  /** Who drafted, and the place in the standing; null where there was none. */
  readonly places: readonly { readonly player: string; readonly place: number | null }[];
};

/**
 * Adds a deliberation to a league's tally, behind the `first` of its names: `sessions`; by player `played`, `won`, `tied`,
 * `votes` and `shares`; by two players `above`, how often the first was ranked above the second, and `products` of how far above
 * the middle they were ranked in a session.
 */
export function addSession(tally: Sums, { ballots, places }: LeagueSession, first = ""): void {
  const add = (value: number, names: string) => addTo(tally, first + names, value);
  add(1, "sessions");
  const firsts = new Set(places.filter(({ place }) => place === 1).map(({ player }) => player));
  for (const player of new Set(places.map((one) => one.player))) {
    add(1, `played\t${player}`);
    if (firsts.has(player)) add(1, `${firsts.size === 1 ? "won" : "tied"}\t${player}`);
  }
  const moved: Sums = new Map();
  for (const ballot of ballots)
    for (const [index, player] of ballot.entries()) {
      add(1, `votes\t${player}`);
      add(worthOf(index, ballot.length), `shares\t${player}`);
      for (const below of ballot.slice(index + 1)) add(1, `above\t${player}\t${below}`);
      addTo(moved, player, (ballot.length + 1) / 2 - (index + 1));
    }
  for (const [one, a] of moved) for (const [other, b] of moved) add(a * b, `products\t${one}\t${other}`);
}

/** Fewer votes than these are too few for a claim. */
export const MIN_LEAGUE_VOTES = 20;
const Z95 = 1.959963984540054;
/** Wins over each other that keep a strength finite where somebody has always won: see `bradleyTerry`. */
const PRIOR = 0.5;

export function leagueOf(tally: Sums): Pick<KindLeague, "rows" | "sessions" | "p" | "dispersion"> {
  const get = (...names: readonly string[]) => tally.get(names.join("\t")) ?? 0;
  const seen = [...tally.keys()].map((names) => names.split("\t"));
  const counted = seen.flatMap(([what, player = ""]) =>
    what === "played" || what === "votes" ? player : [],
  );
  const players = [...new Set(counted)].sort();
  const above = players.map((winner) => players.map((loser) => get("above", winner, loser)));
  const products = players.map((one) => players.map((other) => get("products", one, other)));
  const dispersion = dispersionOf(above, products);
  const results = players.flatMap((winner, row) =>
    players.flatMap((loser, column) => {
      const count = above[row]?.[column] ?? 0;
      return row !== column && count > 0 ? [{ winner, loser, count }] : [];
    }),
  );
  const fitted = bradleyTerry(results, PRIOR);
  const rows = players.map((player, index): LeagueRow => {
    const [sessions, votes] = [get("played", player), get("votes", player)];
    const [wins, ties] = [get("won", player), get("tied", player)];
    const strength = fitted?.strength[player] ?? null;
    const margin = Z95 * (fitted?.standardError[player] ?? 0) * Math.sqrt(dispersion);
    return {
      ...{ player, sessions, votes, wins, ties, strength },
      winRate: sessions === 0 ? null : (wins + ties / 2) / sessions,
      averageRank: votes === 0 ? null : (votes + columnSum(above, index)) / votes,
      averageShare: votes === 0 ? null : Number((get("shares", player) / votes).toFixed(9)),
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
  const sessions = get("sessions");
  return { rows, sessions, p: sessions < MIN_LEAGUE_VOTES ? null : chanceOf(above, products), dispersion };
}

type Matrix = readonly (readonly number[])[];

const columnSum = (matrix: Matrix, column: number): number => sum(matrix.map((row) => row[column] ?? 0));

/**
 * At least 1: what is less than by lot is chance. By lot, with its pairs taken as independent as `bradleyTerry` takes them, a
 * pair adds a quarter to the variance of each of its two.
 */
function dispersionOf(above: Matrix, products: Matrix): number {
  const byLot = sum(above.flat()) / 2;
  return byLot === 0 ? 1 : Math.max(1, sum(products.map((row, index) => row[index] ?? 0)) / byLot);
}

/**
 * Tests that no player is ranked above another: S' V⁻¹ S over all players but the last, where S sums the deviations of the
 * sessions and V their products, is about chi-square distributed with one degree of freedom for each player but one.
 */
function chanceOf(above: Matrix, products: Matrix): number | null {
  const tested = [...products.keys()].slice(0, -1).filter((index) => (products[index]?.[index] ?? 0) > 0);
  if (tested.length === 0) return null;
  const inverted = inverse(tested.map((one) => tested.map((other) => products[one]?.[other] ?? 0)));
  // How far above the middle: half of by how much more were below than above.
  const sums = tested.map((one) => (sum(above[one] ?? []) - columnSum(above, one)) / 2);
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
