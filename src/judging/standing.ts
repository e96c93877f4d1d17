import { mean } from "./mean.ts";
import { bootstrap } from "./bootstrap.ts";
import { concordance, effectiveReviewers } from "./concordance.ts";
import { meanRank, type ReviewerBallot } from "./mean-rank.ts";
import { orderByScore, places } from "./places.ts";

/**
 * Where one answer stands; `score` is its mean normalised rank (see `meanRank`), null when nobody ranked it.
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
const fewestVotes = 4;

type Sifted = {
  readonly ballots: ReviewerBallot[];
  readonly excluded: { readonly id: string; readonly why: string }[];
};

const sift = (candidates: readonly string[], given: readonly ReviewerBallot[]): Sifted => {
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
};

type Interval = { readonly low: number | null; readonly high: number | null };

const none: Interval = { low: null, high: null };

/** By candidate, from what each ballot gives it. */
const intervals = (ballots: readonly ReviewerBallot[], seed: string): ReadonlyMap<string, Interval> => {
  const worths = new Map<string, number[]>();
  for (const ballot of ballots)
    for (const [id, { score }] of meanRank([ballot])) worths.set(id, [...(worths.get(id) ?? []), score]);
  return new Map(
    [...worths].map(([id, given]) => {
      // Sorted and with one seed for all, so that equal votes have equal intervals, whoever gave and got them.
      const votes = given.toSorted((a, b) => a - b);
      if (votes.length < fewestVotes || votes[0] === votes.at(-1)) return [id, none];
      const { low, high } = bootstrap(votes, mean, { seed }) ?? none;
      return [id, { low, high }];
    }),
  );
};

/**
 * Adds up what reviewers think of each other's answers. `order` and `place` follow the mean normalised rank alone;
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
export const standing = (input: StandingInput): Standing => {
  const candidates = [...new Set(input.candidates)];
  const { ballots, excluded } = sift(candidates, input.ballots);
  const ranks = meanRank(ballots);
  const bounds = intervals(ballots, input.seed ?? "standing");
  const scored = candidates.flatMap((id): [string, number][] => {
    const score = ranks.get(id)?.score;
    return score === undefined ? [] : [[id, score]];
  });
  const unranked = candidates.filter((id) => !ranks.has(id));
  const order = [...orderByScore(scored), ...(unranked.length > 0 ? [unranked] : [])];
  const points = new Map(candidates.map((id) => [id, 0]));
  for (const { ranking } of ballots)
    for (const [index, id] of ranking.entries())
      points.set(id, (points.get(id) ?? 0) + ranking.length - 1 - index);
  return {
    order,
    rows: places(order).map(({ id, place, tiedWith }) => {
      const rank = ranks.get(id);
      const { low, high } = bounds.get(id) ?? none;
      return { id, place, score: rank?.score ?? null, low, high, tiedWith, votes: rank?.votes ?? 0 };
    }),
    borda: Object.fromEntries(points),
    agreement: concordance(ballots, order.flat()),
    effectiveVotes: effectiveReviewers(ballots),
    excluded: [...excluded, ...unranked.map((id) => ({ id, why: "nobody ranked it" }))],
  };
};
