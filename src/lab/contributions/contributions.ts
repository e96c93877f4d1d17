import * as z from "zod";
import { type DataOf, type Entry, type Participant, ParticipantId } from "../../kernel/index.ts";
import { sameAnswer } from "../../replies/answer.ts";
import { traceSentences } from "../../text/trace.ts";
import {
  type Drafter,
  type Grounds,
  type Said,
  synthesisIn,
  writtenBy,
} from "../../views/contribution-grounds.ts";
import { resultOf } from "../../views/result.ts";
import { withoutBanner } from "../../views/simulated.ts";
import { spending } from "../../views/spending.ts";
import { electionShare, type ShapleyValues, rankingValues, voteValues } from "./shapley.ts";

/** `measured`; `not-applicable`: there is nothing to measure by it; `not-asked`: it needs calls that were not wanted; the others: calls that were not made, or failed. */
const Status = z.enum(["measured", "not-applicable", "not-asked", "over-budget", "failed"]);

const method = { status: Status, why: z.string().nullable() };

const differing = {
  /** The fork in which the chair was re-run. */
  fork: z.string(),
  /** Whether the final answer is another one, or gone; null where the given one has none. */
  changed: z.boolean().nullable(),
  /** The share of the given answer's content, 0 to 1, that stands no more in what was written again. */
  gone: z.number(),
  /** 1 or 0 for a final answer that changed or stayed, else what is gone. */
  effect: z.number(),
};

const figure = z.number().nullable();

/** What `parley contributions --json` prints. Published as `schemas/contributions.schema.json`. */
export const Contributions = z.strictObject({
  id: z.string(),
  protocol: z.string(),
  status: z.string(),
  simulated: z.boolean(),
  question: z.string(),
  answer: z.string(),
  finalAnswer: z.string().nullable(),
  /** What made this the answer: the chair's synthesis, the reviewers' standing, the members' votes, or its nearness to the other drafts. */
  decidedBy: z.enum(["chair", "standing", "vote", "nearness"]),
  /** Members in seat order, then judges. */
  members: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      model: z.string(),
      seat: z.string(),
      /** Whether its draft was in: who has none is no player in anything but a standing. */
      drafted: z.boolean(),
      /** The chair's own account, 0 to 1: claimed, not measured. */
      claimed: figure,
      /** `weight` 0 to 1, over all members 1 in sum unless all are 0; null until every member was left out once. */
      leaveOneOut: z
        .strictObject({ weight: figure, withinNoise: z.boolean().nullable(), ...differing })
        .nullable(),
      /** Shapley values; negative for who voted, or ranked, against what came out. */
      vote: figure,
      standing: figure,
      /** The part of the answer's content, 0 to 1, that stands in its draft, by wording. */
      overlap: figure,
      /** The share of its draft's sentences, 0 to 1, that the answer holds. */
      kept: figure,
      lost: z.array(z.string()),
    }),
  ),
  /** The chair asked anew without one member each; `noise` is the largest effect of asking anew with all. */
  leaveOneOut: z.strictObject({
    ...method,
    chair: z.string().nullable(),
    noise: figure,
    again: z.array(z.strictObject(differing)),
  }),
  /** `total` is what all values sum to. */
  vote: z.strictObject({ ...method, total: figure }),
  /** `first` is who came first: the values are parts in that, of reviewers. */
  standing: z.strictObject({ ...method, first: z.string().nullable(), total: figure }),
  /** `unsupported` is the part of the answer's content, 0 to 1, that stands in no draft. */
  overlap: z.strictObject({ ...method, unsupported: figure }),
  /** What this measuring called; a later one finds it and calls nothing. */
  calls: z.int(),
  tokens: z.strictObject({ in: figure, out: figure, cached: figure }),
  cost: z.strictObject({ usd: figure, source: z.string() }),
});
export type Contributions = z.infer<typeof Contributions>;

/** One asking of the chair anew, in a fork: without a member, or with all. */
type RecordedRerun = {
  readonly without: string | null;
  readonly fork: string;
  readonly entries: readonly Entry[];
};

/** What asking the chair anew came to, and why it was not done, or not wholly. */
export type RerunResults = {
  readonly status: Contributions["leaveOneOut"]["status"];
  readonly why: string | null;
  readonly rewritings: readonly RecordedRerun[];
  /** The entries that this measuring itself recorded in the forks. */
  readonly recorded: readonly Entry[];
};

/** Everything that is known of who contributed to one closed deliberation. */
export function computeContributions(
  entries: readonly Entry[],
  grounds: Grounds,
  { status, why, rewritings, recorded }: RerunResults,
): Contributions {
  const result = resultOf(entries);
  if (!result) throw new RangeError("grounds without a result");
  const { given, drafters } = grounds;
  const { noise, of: left, again } = leftOut(given.data, rewritings);
  const first =
    grounds.standing?.places.find(({ place, score }) => place === 1 && score !== null)?.id ?? null;
  const vote = voteValues(drafters, given.data.final);
  const standing = rankingValues(grounds.ballots, first);
  const overlaps = measureOverlaps(given.data.text, drafters);
  const claimed = new Map(result.contributions.claimed.map(({ id, weight }) => [id, weight]));
  const row = ({ id, persona, model, seat }: Participant): Contributions["members"][number] => {
    const drafted = drafters.some((one) => one.id === id);
    const overlap = overlaps.find((one) => one.id === id);
    const one = left.get(id);
    return {
      id,
      name: persona.name,
      model,
      seat,
      drafted,
      claimed: claimed.get(id) ?? null,
      leaveOneOut: one ? { ...one, weight: status === "measured" ? one.weight : null } : null,
      vote: valueIn(vote, id),
      standing: valueIn(standing, id),
      overlap: overlap?.share ?? null,
      kept: overlap?.kept ?? null,
      lost: [...(overlap?.lost ?? [])],
    };
  };
  const seated = (seat: string) => grounds.opened.data.participants.filter((one) => one.seat === seat);
  return {
    id: result.id,
    protocol: result.protocol,
    status: result.status,
    simulated: result.simulated,
    question: result.question,
    answer: given.data.text,
    finalAnswer: result.finalAnswer,
    decidedBy: decidedBy(grounds),
    members: [...seated("member"), ...seated("judge")].map(row),
    leaveOneOut: { status, why, chair: writtenBy(grounds)?.id ?? null, noise, again: [...again] },
    vote: { ...statusOf(vote), total: vote.ok ? vote.total : null },
    standing: { ...statusOf(standing), total: standing.ok ? standing.total : null, first },
    overlap: {
      status: "measured",
      why: null,
      unsupported: Math.max(0, 1 - overlaps.reduce((sum, { share }) => sum + share, 0)),
    },
    ...spending(recorded).total,
  };
}

type Left = LeftOutEffect & { readonly fork: string };

function leftOut(
  given: Said,
  rewritings: readonly RecordedRerun[],
): {
  readonly noise: number | null;
  readonly of: ReadonlyMap<string, Left>;
  readonly again: readonly (AnswerDifference & { readonly fork: string })[];
} {
  const written = rewritings.flatMap(({ without, fork, entries }) => {
    const said = synthesisIn(entries);
    return said ? [{ without, fork, ...compareAnswers(given, said) }] : [];
  });
  const again = written.flatMap(({ without, ...one }) => (without === null ? [one] : []));
  const each = new Map(
    written.flatMap(({ without, ...one }) => (without === null ? [] : [[without, one] as const])),
  );
  const { noise, of } = weighLeftOut(each, again);
  const forks = new Map([...of].map(([id, one]) => [id, { ...one, fork: each.get(id)?.fork ?? "" }]));
  return { noise, of: forks, again };
}

function decidedBy({ given, standing, drafters }: Grounds): Contributions["decidedBy"] {
  if (given.type === "synthesis-given") return "chair";
  const { by, final } = given.data;
  if (standing?.places.some(({ id, place, score }) => id === by && place === 1 && score !== null))
    return "standing";
  return final && electionShare(drafters, final) > 0 ? "vote" : "nearness";
}

const valueIn = (shares: ShapleyValues, id: string): number | null =>
  shares.ok ? (shares.of[id] ?? null) : null;

const statusOf = (shares: ShapleyValues) =>
  shares.ok
    ? { status: "measured" as const, why: null }
    : { status: "not-applicable" as const, why: shares.why };

type Measurement = DataOf<"contribution-measured">;
type MemberContribution = Contributions["members"][number];

/** What was measured, as the deliberation's own journal keeps it: one a method. The lost sentences are read from it anew. */
export function toMeasurements({ members, ...found }: Contributions): Measurement[] {
  const { leaveOneOut, vote, standing, overlap, decidedBy, finalAnswer } = found;
  const measured = (
    { status }: { readonly status: string },
    method: string,
    {
      weight,
      detail,
    }: {
      readonly weight: (member: MemberContribution) => number | null;
      readonly detail: Measurement["detail"];
    },
  ): Measurement[] => {
    const contributions = members.flatMap((member) => {
      const one = weight(member);
      return one === null ? [] : [{ id: ParticipantId.parse(member.id), weight: one }];
    });
    return status === "measured" ? [{ method, contributions, detail }] : [];
  };
  return [
    ...measured(leaveOneOut, "leave-one-out", {
      weight: (member) => member.leaveOneOut?.weight ?? null,
      detail: {
        chair: leaveOneOut.chair,
        noise: leaveOneOut.noise,
        again: leaveOneOut.again,
        without: Object.fromEntries(
          members.flatMap(({ id, leaveOneOut: one }) => (one === null ? [] : [[id, one]])),
        ),
      },
    }),
    ...measured(vote, "shapley-vote", {
      weight: (member) => member.vote,
      detail: { answer: finalAnswer, total: vote.total, decidedBy },
    }),
    ...measured(standing, "shapley-standing", {
      weight: (member) => member.standing,
      detail: { first: standing.first, total: standing.total },
    }),
    ...measured(overlap, "text-overlap", {
      weight: (member) => member.overlap,
      detail: {
        unsupported: overlap.unsupported,
        kept: Object.fromEntries(members.map(({ id, kept }) => [id, kept])),
      },
    }),
  ];
}

/** How much of an answer stands in a draft, and of the draft in the answer. */
export type Overlap = {
  readonly id: string;
  /** Its part of the answer's content, 0 to 1; see `traceSentences`. */
  readonly share: number;
  /** The share of its sentences that the answer holds, 0 to 1; null where it has none. */
  readonly kept: number | null;
  /** Its sentences that the answer does not hold, in order. */
  readonly lost: readonly string[];
};

/**
 * By wording, which drafts the answer's sentences stand in, and what of each draft is lost; no calls. The drafts are the
 * texts that were worked with: revised ones where they were revised. A paraphrase counts as lost.
 */
export function measureOverlaps(answer: string, drafters: readonly Drafter[]): Overlap[] {
  const drafts = drafters.map(({ id, last }) => ({ id, text: withoutBanner(last.text) }));
  const { share, lost } = traceSentences(withoutBanner(answer), drafts);
  return drafts.map(({ id, text }) => {
    const missing = lost.filter((one) => one.id === id).map((one) => one.text);
    const sentences = traceSentences(text, []).sentences.length;
    const kept = sentences === 0 ? null : 1 - missing.length / sentences;
    return { id, share: share[id] ?? 0, kept, lost: missing };
  });
}

/** How an answer that was written again differs from the one that was given. */
export type AnswerDifference = {
  /** Whether the final answer is another one, or gone; null where the given one has none. */
  readonly changed: boolean | null;
  /** The share of the given answer's content that stands no more in what was written again, 0 to 1, by wording. */
  readonly gone: number;
  /** What is measured: 1 or 0 where there is a final answer, else what is gone. */
  readonly effect: number;
};

/** Shares nearer than this are equal: sums of the same fractions in another order differ by less. */
const INDISTINCT = 1e-9;

export function compareAnswers(given: Said, again: Said): AnswerDifference {
  const { sentences, share } = traceSentences(withoutBanner(given.text), [
    { id: "again", text: withoutBanner(again.text) },
  ]);
  const missing = 1 - (share["again"] ?? 0);
  const gone = sentences.length === 0 || missing < INDISTINCT ? 0 : missing;
  const changed = given.final && !(again.final && sameAnswer(given.final, again.final));
  return { changed, gone, effect: changed === null ? gone : Number(changed) };
}

export type LeftOutEffect = AnswerDifference & {
  /** No larger than what asking anew with nothing left out changed; null where that was not tried. */
  readonly withinNoise: boolean | null;
  /** 0 to 1; over all members they sum to 1, or are all 0. */
  readonly weight: number;
};

/**
 * Leave-one-out: by member, how the answer differs when the chair writes without it, above what the chair's own variation
 * changes. The noise is the largest effect among the repetitions with nothing left out; what does not exceed it counts 0.
 */
export function weighLeftOut(
  without: ReadonlyMap<string, AnswerDifference>,
  again: readonly AnswerDifference[],
): { readonly noise: number | null; readonly of: ReadonlyMap<string, LeftOutEffect> } {
  const noise = again.length === 0 ? null : Math.max(...again.map(({ effect }) => effect));
  const exceeds = ({ effect }: AnswerDifference) => effect > (noise ?? 0) + INDISTINCT;
  const above = (one: AnswerDifference) => (exceeds(one) ? one.effect - (noise ?? 0) : 0);
  const sum = [...without.values()].reduce((total, one) => total + above(one), 0);
  return {
    noise,
    of: new Map(
      [...without].map(([id, one]) => [
        id,
        {
          ...one,
          withinNoise: noise === null ? null : !exceeds(one),
          weight: sum === 0 ? 0 : above(one) / sum,
        },
      ]),
    ),
  };
}
