import type { Contributions } from "../contract.ts";
import {
  ParticipantId,
  type DataOf,
  type Entry,
  type Participant,
  type Answer,
} from "../../../kernel/index.ts";
import { sameAnswer, answerKeys } from "../../../replies/answer.ts";
import { traceSentences } from "../../../text/trace.ts";
import {
  synthesisIn,
  writtenBy,
  type Drafter,
  type Grounds,
  type SpokenEvent,
} from "../../../views/contribution-grounds.ts";
import { panelSection } from "../../../views/panel.ts";
import { resultOf } from "../../../views/result.ts";
import { withoutBanner } from "../../../views/simulated.ts";
import { spending } from "../../../views/spending.ts";
import { orderByScore } from "../../../stats/ballot-rules.ts";
import { meanRank, type ReviewerBallot } from "../../../stats/rank-correlation.ts";
import { shapley } from "../../../stats/shapley.ts";
import { vote, type VoteGroup } from "../../../stats/vote.ts";

/** A re-run of the chair in a fork: without a member, or with all (undefined). */
export type RecordedRerun = {
  readonly without: Participant | undefined;
  readonly fork: string;
  readonly entries: readonly Entry[];
};

/** The re-runs of the chair, and why they are missing or incomplete. */
export type RerunResults = {
  readonly status: Contributions["leaveOneOut"]["status"];
  readonly why: string | null;
  readonly reruns: readonly RecordedRerun[];
  /** The entries that this measurement itself recorded in the forks. */
  readonly recorded: readonly Entry[];
};

/** Computes everything that is known about who contributed to one closed deliberation. */
export function computeContributions(
  entries: readonly Entry[],
  grounds: Grounds,
  { status, why, reruns, recorded }: RerunResults,
): Contributions {
  const result = resultOf(entries);
  if (!result) throw new RangeError("grounds without a result");
  const { given, drafters, opened } = grounds;
  const { noise, chance, again, effects } = compareReruns(given.data, reruns);
  const first =
    grounds.standing?.places.find(({ place, score }) => place === 1 && score !== null)?.id ?? null;
  const vote = voteValues(drafters, given.data.final);
  const standing = rankingValues(grounds.ballots, first);
  const overlaps = measureOverlaps(given.data.text, drafters);
  const claimed = new Map(panelSection(entries).contributions.claimed.map(({ id, weight }) => [id, weight]));
  const describeMember = ({ id, persona, model, seat }: Participant): Contributions["members"][number] => {
    const overlap = overlaps.find((one) => one.id === id);
    const effect = effects.get(id);
    return {
      id,
      name: persona.name,
      model,
      seat,
      drafted: drafters.some((one) => one.id === id),
      claimed: claimed.get(id) ?? null,
      leaveOneOut: effect ? { ...effect, weight: status === "measured" ? effect.weight : null } : null,
      vote: vote.ok ? (vote.of[id] ?? null) : null,
      standing: standing.ok ? (standing.of[id] ?? null) : null,
      overlap: overlap?.share ?? null,
      kept: overlap?.kept ?? null,
      lost: overlap?.lost ?? [],
    };
  };
  return {
    id: result.id,
    protocol: result.protocol.name,
    status: result.status,
    simulated: result.simulated,
    question: result.question,
    answer: given.data.text,
    finalAnswer: result.finalAnswer,
    decidedBy: decidedBy(grounds),
    members: ["member", "judge"].flatMap((seat) =>
      opened.data.participants.filter((one) => one.seat === seat).map(describeMember),
    ),
    leaveOneOut: { status, why, chair: writtenBy(grounds)?.id ?? null, noise, chance, again },
    vote: summarizeValues(vote),
    standing: { ...summarizeValues(standing), first },
    overlap: {
      status: "measured",
      why: null,
      unsupported: Math.max(0, 1 - overlaps.reduce((sum, { share }) => sum + share, 0)),
    },
    ...spending(recorded).total,
  };
}

/** Compares what the chair wrote in each re-run with the original; `effects` has an entry for each member left out. */
function compareReruns(given: SpokenEvent, reruns: readonly RecordedRerun[]) {
  const written = reruns.flatMap(({ without, fork, entries }) => {
    const text = synthesisIn(entries);
    return text ? [{ without, difference: { fork, ...compareAnswers(given, text) } }] : [];
  });
  const again = written.flatMap(({ without, difference }) => (without ? [] : [difference]));
  const each = written.flatMap(({ without, difference }) =>
    without ? [[without.id, difference] as const] : [],
  );
  const { of: effects, ...own } = weighLeftOut(new Map(each), again);
  return { ...own, again, effects };
}

function decidedBy({ given, standing, drafters }: Grounds): Contributions["decidedBy"] {
  if (given.type === "synthesis-given") return "chair";
  const { by, final } = given.data;
  if (standing?.places.some(({ id, place, score }) => id === by && place === 1 && score !== null))
    return "standing";
  return final && electionShare(drafters, final) > 0 ? "vote" : "nearness";
}

const summarizeValues = (values: ShapleyValues): Contributions["vote"] =>
  values.ok
    ? { status: "measured", why: null, total: values.total }
    : { status: "not-applicable", why: values.why, total: null };

type Measurement = DataOf<"contribution-measured">;
type MemberContribution = Contributions["members"][number];

/** The events that keep the measurements on the deliberation's own journal, one for each method that measured something. */
export function toMeasurements(contributions: Contributions): Measurement[] {
  const { leaveOneOut, vote, standing, overlap, decidedBy, finalAnswer, members } = contributions;
  const weights = (read: (member: MemberContribution) => number | null) =>
    members.flatMap((member) => {
      const weight = read(member);
      return weight === null ? [] : [{ id: ParticipantId.parse(member.id), weight }];
    });
  const { chair, noise, again } = leaveOneOut;
  const without = Object.fromEntries(
    members.flatMap(({ id, leaveOneOut: one }) => (one === null ? [] : [[id, one]])),
  );
  const kept = Object.fromEntries(members.map((member) => [member.id, member.kept]));
  const methods: readonly (Measurement & { readonly status: string })[] = [
    {
      status: leaveOneOut.status,
      method: "leave-one-out",
      contributions: weights((member) => member.leaveOneOut?.weight ?? null),
      detail: { chair, noise, again, without },
    },
    {
      status: vote.status,
      method: "shapley-vote",
      contributions: weights((member) => member.vote),
      detail: { answer: finalAnswer, total: vote.total, decidedBy },
    },
    {
      status: standing.status,
      method: "shapley-standing",
      contributions: weights((member) => member.standing),
      detail: { first: standing.first, total: standing.total },
    },
    {
      status: overlap.status,
      method: "text-overlap",
      contributions: weights((member) => member.overlap),
      detail: { unsupported: overlap.unsupported, kept },
    },
  ];
  return methods.flatMap(({ status, ...measurement }) => (status === "measured" ? [measurement] : []));
}

/**
 * Finds by wording which drafts the answer's sentences are in, and what of each draft is lost; it makes no calls. Revised
 * drafts replace first ones. A paraphrase counts as lost. For `share`, `kept` and `lost` see `Contributions`: `overlap`,
 * `kept` (null for a draft without sentences), `lost`.
 */
export function measureOverlaps(answer: string, drafters: readonly Drafter[]) {
  const drafts = drafters.map(({ id, last }) => ({ id, text: withoutBanner(last.text) }));
  const { share, lost } = traceSentences(withoutBanner(answer), drafts);
  return drafts.map(({ id, text }) => {
    const missing = lost.filter((one) => one.id === id).map((one) => one.text);
    const sentences = traceSentences(text, []).sentences.length;
    const kept = sentences === 0 ? null : 1 - missing.length / sentences;
    return { id, share: share[id] ?? 0, kept, lost: missing };
  });
}

/** How a re-run's answer differs from the original; see `Contributions`. */
export type AnswerDifference = Pick<
  Contributions["leaveOneOut"]["again"][number],
  "changed" | "gone" | "effect"
>;

/** Shares nearer than this are equal: sums of the same fractions in another order differ by less. */
const INDISTINCT = 1e-9;

export function compareAnswers(given: SpokenEvent, again: SpokenEvent): AnswerDifference {
  const { sentences, share } = traceSentences(withoutBanner(given.text), [
    { id: "again", text: withoutBanner(again.text) },
  ]);
  const missing = 1 - (share["again"] ?? 0);
  const gone = sentences.length === 0 || missing < INDISTINCT ? 0 : missing;
  const changed = given.final && !(again.final && sameAnswer(given.final, again.final));
  return { changed, gone, effect: changed === null ? gone : Number(changed) };
}

/** `withinNoise`: no larger than the effect of a re-run with all drafts; null without one. `weight`: 0 to 1; all sum to 1, or are 0. */
type LeftOutEffect<D> = D & { readonly withinNoise: boolean | null; readonly weight: number };

/** Re-runs with all drafts from which on an effect above all of theirs is claimed: by chance one is in at most one draw in 20. */
export const MIN_RERUNS = 19;

/**
 * Weighs by member how the answer differs when the chair writes without it, above the noise floor: the largest effect of a
 * re-run with nothing left out. An effect that does not exceed it counts 0. `chance`: of equally likely orders of one effect and
 * those of so many re-runs, the share in which it comes first.
 */
export function weighLeftOut<D extends AnswerDifference>(
  without: ReadonlyMap<string, D>,
  again: readonly AnswerDifference[],
): {
  readonly noise: number | null;
  readonly chance: number | null;
  readonly of: ReadonlyMap<string, LeftOutEffect<D>>;
} {
  const noise = again.length === 0 ? null : Math.max(...again.map(({ effect }) => effect));
  const above = ({ effect }: D) => (effect > (noise ?? 0) + INDISTINCT ? effect - (noise ?? 0) : 0);
  const sum = [...without.values()].reduce((total, one) => total + above(one), 0);
  const weigh = (one: D): LeftOutEffect<D> => ({
    ...one,
    withinNoise: noise === null ? null : above(one) === 0,
    weight: sum === 0 ? 0 : above(one) / sum,
  });
  const chance = noise === null ? null : 1 / (again.length + 1);
  return { noise, chance, of: new Map([...without].map(([id, one]) => [id, weigh(one)])) };
}

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
  return valueMembers(
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
  return valueMembers(
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

function valueMembers(
  players: readonly string[],
  noun: string,
  value: (coalition: readonly string[]) => number,
): ShapleyValues {
  if (players.length > MAX_PLAYERS)
    return { ok: false, why: `not computed for more than ${MAX_PLAYERS} ${noun}` };
  return { ok: true, of: shapley(players, value), total: value(players) };
}
