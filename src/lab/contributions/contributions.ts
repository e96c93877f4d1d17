import type { Contributions } from "../../contract/knowledge.ts";
import { type DataOf, type Entry, type Participant, ParticipantId } from "../../kernel/index.ts";
import { sameAnswer } from "../../replies/answer.ts";
import { traceSentences } from "../../text/trace.ts";
import {
  type Drafter,
  type Grounds,
  type SpokenEvent,
  synthesisIn,
  writtenBy,
} from "../../views/contribution-grounds.ts";
import { panelSection } from "../../views/panel.ts";
import { resultOf } from "../../views/result.ts";
import { withoutBanner } from "../../views/simulated.ts";
import { spending } from "../../views/spending.ts";
import { electionShare, type ShapleyValues, rankingValues, voteValues } from "./shapley.ts";

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
