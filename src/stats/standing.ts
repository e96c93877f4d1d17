import { effectiveMembers } from "./proportions.ts";
import { kendallTau, listWorths, type ReviewerBallot, meanRank } from "./rank-correlation.ts";
import { addTo, mean } from "./numbers.ts";
import { bootstrap } from "./bootstrap.ts";
import { orderByScore, assignPlaces } from "./ballot-rules.ts";

/** The squared sums, over candidates, of how far above the middle of each ballot they stand. */
function spread(rankings: readonly (readonly string[])[]): number {
  const sums = new Map<string, number>();
  for (const ranking of rankings)
    for (const [index, id] of ranking.entries()) addTo(sums, id, (ranking.length - 1) / 2 - index);
  return [...sums.values()].reduce((total, sum) => total + sum ** 2, 0);
}

/**
 * Kendall's W of rankings that need not list the same candidates: the spread of the candidates' rank sums over
 * the spread there would be if each reviewer had ranked its candidates in the common `order` (the standing's).
 * On complete rankings that is Kendall's W. Where each of n reviewers ranks the n − 1 others it is
 * 12 Σ (R − mean)² / (λ² n (n² − 1)) with λ = n − 2, the W of incomplete rankings that Durbin's statistic is a
 * multiple of (Durbin 1951; Gibbons & Chakraborti, Nonparametric Statistical Inference, 12.5). 1 when all
 * reviewers follow one order. Chance alone gives n / ((n − 2)(n + 1)) on the mean: 0.75 for three members, 0.4
 * for four, towards 0 for many, so a small panel's W says little. Null for fewer than two ballots that compare.
 */
export function concordance(ballots: readonly ReviewerBallot[], order: readonly string[]): number | null {
  const comparing = ballots.map(({ ranking }) => ranking).filter((ranking) => ranking.length > 1);
  if (comparing.length < 2) return null;
  const place = new Map(order.map((id, index) => [id, index]));
  const agreed = comparing.map((ranking) =>
    ranking.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0)),
  );
  return Math.min(1, spread(comparing) / spread(agreed));
}

/**
 * How many independent reviewers the ballots are worth: `effectiveVotes` of the Kendall τ of each two over the
 * candidates that both ranked. Null for fewer than two ballots, and where two of them have no pair of candidates in
 * common, as always with three members.
 */
export function effectiveReviewers(ballots: readonly ReviewerBallot[]): number | null {
  return effectiveMembers(ballots, (one, other) => kendallTau(one.ranking, other.ranking));
}

/**
 * Where one answer stands; `score` is its mean normalized rank (see `meanRank`), null when nobody ranked it.
 * `low` and `high` are its 95 % interval over other reviewers like these, null where they cannot tell: see `standing`.
 */
export type StandingRow = {
  readonly id: string;
  readonly place: number;
  readonly score: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly tiedWith: string[];
  readonly votes: number;
};

export type Standing = {
  /** Groups of equals, best first. */
  readonly order: string[][];
  /** In the order of `order`. */
  readonly rows: StandingRow[];
  /** Points beside the score: m − p for place p of m, summed over the reviewers that were shown the answer. */
  readonly borda: Record<string, number>;
  /** Kendall's W for rankings without one's own, 0 to 1; see `concordance`. */
  readonly agreement: number | null;
  readonly effectiveVotes: number | null;
  /** Whose ballot was left out or cut, alphabetically, then candidates that nobody ranked. */
  readonly excluded: { readonly id: string; readonly why: string }[];
};

export type StandingInput = {
  readonly candidates: readonly string[];
  readonly ballots: readonly ReviewerBallot[];
  /** Decides the resamples behind `low` and `high`; `standing` unless given. */
  readonly seed?: string;
};

/** With fewer, the lowest of n votes alone makes up more than 2.5 % of the resamples (n to the −n), and so the bound. */
const MIN_VOTES = 4;

function selectBallots(candidates: readonly string[], given: readonly ReviewerBallot[]) {
  const ballots: ReviewerBallot[] = [];
  const excluded: { id: string; why: string }[] = [];
  // In one fixed order, since a sum of fractions depends on the order of its terms.
  const ordered = given.toSorted((a, b) => (a.reviewer < b.reviewer ? -1 : Number(a.reviewer > b.reviewer)));
  for (const { reviewer, ranking: whole } of ordered) {
    const leaveOut = (why: string) => excluded.push({ id: reviewer, why });
    const ranking = whole.filter((id) => id !== reviewer);
    if (ballots.some((ballot) => ballot.reviewer === reviewer)) leaveOut("a second ballot was left out");
    else if (ranking.some((id) => !candidates.includes(id)))
      leaveOut("its ballot names someone who is no candidate");
    else if (new Set(ranking).size < ranking.length) leaveOut("its ballot names a candidate twice");
    else if (ranking.length === 0) leaveOut("its ballot ranks nobody else");
    else {
      if (ranking.length < whole.length) leaveOut("its vote for its own answer was left out");
      ballots.push({ reviewer, ranking });
    }
  }
  return { ballots, excluded };
}

type ScoreBounds = { readonly low: number | null; readonly high: number | null };

const NO_BOUNDS: ScoreBounds = { low: null, high: null };

/** By candidate, from what each ballot gives it. */
function scoreBounds(ballots: readonly ReviewerBallot[], seed: string): ReadonlyMap<string, ScoreBounds> {
  return new Map(
    [...listWorths(ballots)].map(([id, given]) => {
      // Sorted and with one seed for all, so that equal votes have equal intervals, whoever gave and got them.
      const votes = given.toSorted((a, b) => a - b);
      if (votes.length < MIN_VOTES || votes[0] === votes.at(-1)) return [id, NO_BOUNDS];
      const { low, high } = bootstrap(votes, mean, { seed }) ?? NO_BOUNDS;
      return [id, { low, high }];
    }),
  );
}

/**
 * Adds up what reviewers think of each other's answers. `order` and `place` follow the mean normalized rank alone;
 * equal scores share a place (1, 1, 3), equals stand in the order of `candidates`, and candidates whom nobody ranked
 * come last together. A vote for one's own answer is dropped from the ballot; a ballot with an unknown or repeated
 * candidate, and a second one of the same reviewer, is left out whole. The order of the ballots is of no effect,
 * second ballots aside.
 *
 * `low` and `high` come from 1,999 resamples of the reviewers that ranked the candidate (percentile bootstrap). They are
 * null below 4 such reviewers, where they could only repeat the range of the votes, and where all gave it the same
 * place, since votes that do not vary say nothing of how much others might. With few reviewers they are too narrow
 * rather than too wide. They say how much the score depends on who reviewed, not how good the answer is.
 */
export function standing(input: StandingInput): Standing {
  const candidates = [...new Set(input.candidates)];
  const { ballots, excluded } = selectBallots(candidates, input.ballots);
  const ranks = meanRank(ballots);
  const bounds = scoreBounds(ballots, input.seed ?? "standing");
  const scored = candidates.flatMap((id): [string, number][] => {
    const score = ranks.get(id)?.score;
    return score === undefined ? [] : [[id, score]];
  });
  const unranked = candidates.filter((id) => !ranks.has(id));
  const order = [...orderByScore(scored), ...(unranked.length > 0 ? [unranked] : [])];
  const points = new Map(candidates.map((id) => [id, 0]));
  for (const { ranking } of ballots)
    for (const [index, id] of ranking.entries()) addTo(points, id, ranking.length - 1 - index);
  return {
    order,
    rows: assignPlaces(order).map(({ id, place, tiedWith }) => {
      const rank = ranks.get(id);
      const { low, high } = bounds.get(id) ?? NO_BOUNDS;
      return { id, place, score: rank?.score ?? null, low, high, tiedWith, votes: rank?.votes ?? 0 };
    }),
    borda: Object.fromEntries(points),
    agreement: concordance(ballots, order.flat()),
    effectiveVotes: effectiveReviewers(ballots),
    excluded: [...excluded, ...unranked.map((id) => ({ id, why: "nobody ranked it" }))],
  };
}
