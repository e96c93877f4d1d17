import { answerKeys, type Answer } from "../replies/answer.ts";

/** Those who gave one answer, in the wording of the first. */
export type AnswerGroup = { readonly answer: Answer; readonly ids: string[] };

/** `majority`: more than half of all; `plurality`: more than any other, but not that. */
export type MajorityOutcome =
  | { readonly kind: "majority" | "plurality"; readonly group: AnswerGroup }
  | { readonly kind: "tie"; readonly groups: AnswerGroup[] }
  | { readonly kind: "none" };

export type Majority = {
  /** The largest first, equals in the order of their first answer. */
  readonly groups: AnswerGroup[];
  /** All that were asked, those without an answer included: what a majority is measured against. */
  readonly total: number;
  readonly outcome: MajorityOutcome;
};

/** Groups answers that are the same among these (`answerKeys`) and says which leads. A null answer joins no group and counts in `total`. */
export function majority(
  answers: readonly { readonly id: string; readonly answer: Answer | null }[],
): Majority {
  const found = new Map<string, AnswerGroup>();
  const given = answers.flatMap(({ id, answer }) => (answer === null ? [] : [{ id, answer }]));
  const keys = answerKeys(given.map(({ answer }) => answer));
  for (const [index, { id, answer }] of given.entries()) {
    const key = keys[index] ?? "";
    const group = found.get(key);
    if (group === undefined) found.set(key, { answer, ids: [id] });
    else group.ids.push(id);
  }
  const groups = [...found.values()].toSorted((a, b) => b.ids.length - a.ids.length);
  return { groups, total: answers.length, outcome: decideMajority(groups, answers.length) };
}

function decideMajority(groups: readonly AnswerGroup[], total: number): MajorityOutcome {
  const [first] = groups;
  if (first === undefined) return { kind: "none" };
  const level = groups.filter((group) => group.ids.length === first.ids.length);
  if (level.length > 1) return { kind: "tie", groups: level };
  return { kind: first.ids.length * 2 > total ? "majority" : "plurality", group: first };
}

/** What a member answered at first, and at last; the same where it was not asked again, null where none could be extracted. */
export type Voter = { readonly id: string; readonly first: Answer | null; readonly last: Answer | null };

/** Who gave one answer at first and who at last, in the voters' order. */
export type VoteGroup = { readonly answer: Answer; readonly first: string[]; readonly last: string[] };

export type Vote = {
  /** By votes, then by last votes; equals in the order of their first vote. */
  readonly groups: VoteGroup[];
  /** Null when nobody leads. */
  readonly winner: VoteGroup | null;
  /**
   * `unanimous`: all voters hold it at last, and held it at first; `majority`: more than half of all votes;
   * `plurality`: more than any other; `last`: level in votes, ahead in last ones; `tie`; `none`: nothing to count.
   */
  readonly by: "unanimous" | "majority" | "plurality" | "last" | "tie" | "none";
};

/**
 * A vote over first and last answers: every voter has one vote for each, so that who is talked out of a right answer
 * still counts half for it (Debate or Vote, arXiv 2508.17536: most of what debate gains is the vote over independent
 * answers). A voter without an answer stays in the denominator. Level answers are told apart by last votes alone.
 */
export function vote(voters: readonly Voter[]): Vote {
  const ballots = voters.flatMap(({ id, first, last }) => [
    { id: `first ${id}`, answer: first },
    { id: `last ${id}`, answer: last },
  ]);
  const { groups: counted, outcome } = majority(ballots);
  const groups = counted
    .map(({ answer, ids }) => ({
      answer,
      first: findHolders(voters, "first", ids),
      last: findHolders(voters, "last", ids),
    }))
    .sort((a, b) => countVotes(b) - countVotes(a) || b.last.length - a.last.length);
  const [leader = null, second] = groups;
  if (leader === null) return { groups, winner: null, by: "none" };
  if (leader.first.length === voters.length && leader.last.length === voters.length)
    return { groups, winner: leader, by: "unanimous" };
  if (outcome.kind === "majority" || outcome.kind === "plurality")
    return { groups, winner: leader, by: outcome.kind };
  return second && leader.last.length > second.last.length
    ? { groups, winner: leader, by: "last" }
    : { groups, winner: null, by: "tie" };
}

/** The groups that share the first place where a vote has no winner; empty where it has one. */
export function tiedGroups({ groups, by }: Vote): VoteGroup[] {
  const [leader] = groups;
  if (by !== "tie" || !leader) return [];
  return groups.filter(
    (group) => countVotes(group) === countVotes(leader) && group.last.length === leader.last.length,
  );
}

function countVotes({ first, last }: VoteGroup): number {
  return first.length + last.length;
}

function findHolders(voters: readonly Voter[], when: "first" | "last", ballots: readonly string[]): string[] {
  return voters.flatMap(({ id }) => (ballots.includes(`${when} ${id}`) ? [id] : []));
}
