import { type Ballot, type Tally, pairwise, type Pairwise, orderByScore } from "./ballot-rules.ts";

const MAX_CANDIDATES = 9;
const MAX_OPTIMA = 1_000;
/** Sums nearer than this are equal, where counts are no whole numbers. */
const SUM_TOLERANCE = 1e-9;

export type Kemeny =
  | (Tally & {
      readonly ok: true;
      /** How often a voter and an optimal order put two candidates the other way round: the least there can be. */
      readonly disagreements: number;
      /** The optimal orders, best first, in alphabetical order; where there are more than 1,000, the first 1,000. */
      readonly optima: string[][];
      /** How many optimal orders there are in all. */
      readonly optimaCount: number;
    })
  | { readonly ok: false; readonly reason: string };

/** By set of candidates (a bit each), about the orders of these alone. */
type KemenyTable = {
  readonly disagreements: readonly number[];
  readonly optima: readonly number[];
  /** Those who are first in some optimal order. */
  readonly firsts: readonly (readonly number[])[];
};

function removeCandidate(set: number, candidate: number): number {
  return set & ~(1 << candidate);
}

/** Every set after all its subsets: its best order is a first one before the best order of the rest. */
function solve({ candidates, over }: Pairwise): KemenyTable {
  const disagreements = [0];
  const optima = [1];
  const firsts: number[][] = [[]];
  for (let set = 1; set < 2 ** candidates.length; set += 1) {
    const members = [...candidates.keys()].filter((candidate) => set & (1 << candidate));
    const costs = members.map((first) =>
      members.reduce(
        (sum, other) => sum + over(other, first),
        disagreements[removeCandidate(set, first)] ?? 0,
      ),
    );
    const least = Math.min(...costs);
    const best = members.filter((_, index) => (costs[index] ?? 0) <= least + SUM_TOLERANCE);
    disagreements.push(least);
    firsts.push(best);
    optima.push(best.reduce((sum, first) => sum + (optima[removeCandidate(set, first)] ?? 0), 0));
  }
  return { disagreements, optima, firsts };
}

/** By candidate, the set of those that some optimal order puts below it. */
function findBelow({ firsts }: KemenyTable, candidates: readonly string[]): number[] {
  const sets = candidates.map(() => 0);
  const met = new Set([firsts.length - 1]);
  // What is added while it is gone through is gone through too.
  for (const set of met)
    for (const first of firsts[set] ?? []) {
      sets[first] = (sets[first] ?? 0) | removeCandidate(set, first);
      met.add(removeCandidate(set, first));
    }
  return sets;
}

/** The optimal orders of a set, in alphabetical order. */
function* listOrders(set: number, firsts: KemenyTable["firsts"]): Generator<number[]> {
  if (set === 0) yield [];
  for (const first of firsts[set] ?? [])
    for (const rest of listOrders(removeCandidate(set, first), firsts)) yield [first, ...rest];
}

/**
 * Kemeny's rule: the strict orders that contradict the voters' pairs least, exactly and all of them (Kemeny 1959,
 * Daedalus 88:577; Young & Levenglick 1978, SIAM Journal on Applied Mathematics 35:285). A ballot's equals contradict
 * no order. `scores` are how many candidates some optimum puts below one's own: `order` is the optimum where
 * there is one, and what stands above something in every optimum stands above it in `order`. Ballots are read as in
 * `borda`. Not `ok` for more than 9 candidates: the sets of them to go through double with each.
 * @throws RangeError for a count that is not a finite number of at least 0
 */
export function kemeny(ballots: readonly Ballot[]): Kemeny {
  const votes = pairwise(ballots);
  const { candidates } = votes;
  if (candidates.length > MAX_CANDIDATES)
    return {
      ok: false,
      reason: `there are ${candidates.length} candidates, and an exact Kemeny order of at most ${MAX_CANDIDATES}`,
    };
  const solution = solve(votes);
  const scores = findBelow(solution, candidates).map((set, candidate): [string, number] => [
    candidates[candidate] ?? "",
    [...candidates.keys()].filter((other) => set & (1 << other)).length,
  ]);
  const optima: string[][] = [];
  for (const order of listOrders(2 ** candidates.length - 1, solution.firsts)) {
    if (optima.length === MAX_OPTIMA) break;
    optima.push(order.map((candidate) => candidates[candidate] ?? ""));
  }
  return {
    ok: true,
    order: orderByScore(scores),
    scores: Object.fromEntries(scores),
    disagreements: solution.disagreements.at(-1) ?? 0,
    optima,
    optimaCount: solution.optima.at(-1) ?? 0,
  };
}
