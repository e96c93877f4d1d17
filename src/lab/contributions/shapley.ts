import { answerKeys } from "../../replies/answer.ts";
import { orderByScore } from "../../stats/ballot-rules.ts";
import { meanRank, type ReviewerBallot } from "../../stats/rank-correlation.ts";
import { shapley } from "../../stats/shapley.ts";
import { vote, type VoteGroup } from "../../stats/vote.ts";
import type { Answer } from "../../kernel/index.ts";
import type { Drafter } from "../../views/contribution-grounds.ts";

/** Each player's part, and what all together come to; or why there is none. */
export type ShapleyValues =
  | { readonly ok: true; readonly of: Readonly<Record<string, number>>; readonly total: number }
  | { readonly ok: false; readonly why: string };

/** 2 to the 10th coalitions: computed while somebody waits. */
const MAX_PLAYERS = 10;

/**
 * What each member's votes add to electing the answer that was given (exact Shapley value; no calls). A coalition is worth
 * 1 when its first and last answers alone elect that answer, as the vote of `ask` counts them, 1/k when it is among k
 * level ones, else 0; nobody's votes are worth 0. A member that votes for another answer has less than 0 where its votes
 * stand in the way.
 */
export function voteValues(drafters: readonly Drafter[], final: Answer | null): ShapleyValues {
  if (!final) return { ok: false, why: "the answer has no final answer that votes could be compared with" };
  if (drafters.every(({ first, last }) => !first.final && !last.final))
    return { ok: false, why: "no member gave a final answer that can be counted" };
  return valued(
    drafters.map(({ id }) => id),
    "members",
    (coalition) =>
      electionShare(
        drafters.filter(({ id }) => coalition.includes(id)),
        final,
      ),
  );
}

/** The share of these members' votes in electing an answer: 1, 1/k of k level ones, or 0. */
export function electionShare(voters: readonly Drafter[], answer: Answer): number {
  const { groups } = vote(
    voters.map(({ id, first, last }) => ({ id, first: first.final, last: last.final })),
  );
  const [leader] = groups;
  const isLevel = ({ first, last }: VoteGroup) =>
    first.length === leader?.first.length && last.length === leader.last.length;
  const elected = groups.filter(isLevel);
  const [key, ...keys] = answerKeys([answer, ...elected.map((group) => group.answer)]);
  return keys.some((one) => one === key) ? 1 / elected.length : 0;
}

/**
 * What each reviewer's ballot adds to who came first (exact Shapley value; no calls): a part in the order, which says
 * nothing of the reviewer's own draft. A coalition is worth 1 when its ballots alone put the same answer first, 1/k when
 * it shares the first place among k, else 0.
 */
export function rankingValues(ballots: readonly ReviewerBallot[], first: string | null): ShapleyValues {
  if (first === null) return { ok: false, why: "there is no standing" };
  // In one fixed order, as the standing adds them up.
  const counted = ballots
    .map(({ reviewer, ranking }) => ({ reviewer, ranking: ranking.filter((id) => id !== reviewer) }))
    .filter(({ ranking }) => ranking.length > 0)
    .toSorted((a, b) => (a.reviewer < b.reviewer ? -1 : 1));
  if (!leaders(counted).includes(first))
    return { ok: false, why: "the recorded standing was added up by another rule" };
  return valued(
    counted.map(({ reviewer }) => reviewer),
    "reviewers",
    (coalition) => {
      const best = leaders(counted.filter(({ reviewer }) => coalition.includes(reviewer)));
      return best.includes(first) ? 1 / best.length : 0;
    },
  );
}

/** Who has the highest mean normalized rank, by which a standing orders. */
function leaders(ballots: readonly ReviewerBallot[]): readonly string[] {
  return orderByScore([...meanRank(ballots)].map(([id, { score }]) => [id, score]))[0] ?? [];
}

function valued(
  players: readonly string[],
  noun: string,
  value: (coalition: readonly string[]) => number,
): ShapleyValues {
  if (players.length > MAX_PLAYERS)
    return { ok: false, why: `not computed for more than ${MAX_PLAYERS} ${noun}` };
  return { ok: true, of: shapley(players, value), total: value(players) };
}
