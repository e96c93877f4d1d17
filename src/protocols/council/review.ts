import { standing as standingOf } from "../../stats/standing.ts";
import type { Call, Event, ModelRequest, Participant, ParticipantId } from "../../kernel/index.ts";
import type { StepOutcome, ProtocolContext, StepRunner } from "../../engine/index.ts";
import { tableFrom, othersFrom, type SeatedDraft } from "../phases/table.ts";
import { findByLabel } from "../phases/seats.ts";
import { degradation } from "../phases/loss.ts";
import { failedPart, fanOut } from "../phases/fan-out.ts";
import { emptyReplyFailure, modelParams, type Absent } from "../phases/draft.ts";
import type { CouncilSettings } from "./settings.ts";
import { readReview, reviewPrompt, reviewRepairPrompt, reviewSchema } from "./prompts.ts";

/** A review whose ranking was read. */
export type CouncilReview = { readonly by: Participant; readonly given: Event<"review-given">["data"] };

export type Reviews = { readonly reviews: readonly CouncilReview[]; readonly absent: readonly Absent[] };

type ReviewTable = { readonly table: readonly SeatedDraft[]; readonly judges: readonly Participant[] };

type Reviewer = {
  readonly id: string;
  readonly by: Participant;
  readonly shown: readonly SeatedDraft[];
  readonly request: ModelRequest;
};

/** Every member whose draft is in, to review the others' drafts, and every judge, to review all of them. */
function reviewersOf(
  context: ProtocolContext<CouncilSettings>,
  { table, judges }: ReviewTable,
): readonly Reviewer[] {
  const members = table.map(({ by }) => by);
  // In seat order, so that a budget cuts the last seats; judges, who are nobody's author, come first.
  const seated = [
    ...judges,
    ...context.seats("member").filter(({ id }) => members.some((member) => member.id === id)),
  ];
  return seated.flatMap((by) => {
    const shown = by.seat === "judge" ? tableFrom(table, judges.indexOf(by)) : othersFrom(table, by.id);
    // Whoever wrote the only draft has nobody's to review.
    return shown.length > 0 ? [{ id: by.id, by, shown, request: reviewRequest(context, by, shown) }] : [];
  });
}

/** The least that reviewing takes: one reviewer's call. */
export function minimumReviewCalls(
  context: ProtocolContext<CouncilSettings>,
  seated: ReviewTable,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [first] = reviewersOf(context, seated);
  return first ? [{ step: `review/${first.by.id}`, request: first.request }] : [];
}

/** The reviews of all who review, each under `review/<reviewer>`. */
export async function review(
  context: ProtocolContext<CouncilSettings>,
  seated: ReviewTable,
): Promise<Reviews> {
  const members = reviewersOf(context, seated);
  const { patienceMs } = context.settings;
  const given = await fanOut<Reviewer, CouncilReview>(
    context.run,
    { name: "review", work: WORK, members, patienceMs },
    async ({ by, shown }, run) => {
      const event = await reviewStep(context, { by, shown, run });
      if (event.type === "degradation-noted") return failedPart(event);
      const { ranking } = event.data;
      return ranking.ok
        ? { in: true, value: { by, given: event.data } }
        : { in: false, why: `unreadable: ${ranking.reason}` };
    },
  );
  return {
    reviews: given.in.map(({ value }) => value),
    absent: [...given.out, ...given.cut].map(({ member: { by }, ...absence }) => ({ by, ...absence })),
  };
}

const WORK = { kind: "review" };

type Reviewing = {
  readonly by: Participant;
  readonly shown: readonly SeatedDraft[];
  readonly run: StepRunner;
};

/** The review, or after one repair turn what came of it. */
async function reviewStep(context: ProtocolContext<CouncilSettings>, { by, shown, run }: Reviewing) {
  const key = `review/${by.id}`;
  const work = { ...WORK, by: by.id };
  const { callTimeoutMs: timeoutMs } = context.settings;
  const loss = (call: Call): StepOutcome<"degradation-noted"> | undefined => {
    const failure = call.ok ? emptyReplyFailure(call.reply) : call.failure;
    const weakens = "the standing and the chair lack one review";
    return (
      failure &&
      degradation({ what: `the review by ${by.persona.name}`, failure, participant: by.id, weakens })
    );
  };
  const first = await run.call(
    {
      key,
      outcomes: ["review-given", "reply-received", "degradation-noted"],
      work,
      request: reviewRequest(context, by, shown),
      timeoutMs,
    },
    (call) => loss(call) ?? given(call, { by, shown }) ?? unread(call, { by, shown }),
  );
  if (first.type !== "reply-received") return first;
  const { call, why } = first.data;
  const request: ModelRequest = {
    ...modelParams(by),
    messages: reviewRepairPrompt(context, {
      reply: call?.ok ? call.reply : "",
      labels: labelsOf(shown),
      reason: why,
    }),
    maxOutputTokens: context.settings.maxOutputTokens.review,
    reply: reviewSchema,
  };
  return run.call(
    {
      key: `${key}/repair`,
      outcomes: ["review-given", "degradation-noted"],
      work: { ...work, nth: 2 },
      request,
      timeoutMs,
    },
    (repaired) => loss(repaired) ?? given(repaired, { by, shown }) ?? unreadable(repaired, { by, shown }),
  );
}

type Shown = Pick<Reviewing, "by" | "shown">;

function given(call: Call, { by, shown }: Shown): StepOutcome<"review-given"> | undefined {
  const read = call.ok ? readReview(call.reply, labelsOf(shown)) : undefined;
  if (!read?.ok) return undefined;
  return {
    type: "review-given",
    data: {
      by: by.id,
      shown: shown.map(({ step }) => step),
      remarks: read.remarks.map(({ label, strengths, weaknesses }) => ({
        of: findByLabel(shown, label).step,
        strengths,
        weaknesses,
      })),
      ranking: { ok: true, steps: read.ranking.map((label) => findByLabel(shown, label).step) },
    },
  };
}

const unread = (call: Call, { by, shown }: Shown): StepOutcome<"reply-received"> => ({
  type: "reply-received",
  data: { by: by.id, why: reasonOf(call, shown) },
});

const unreadable = (call: Call, { by, shown }: Shown): StepOutcome<"review-given"> => ({
  type: "review-given",
  data: {
    by: by.id,
    shown: shown.map(({ step }) => step),
    remarks: [],
    ranking: { ok: false, reason: reasonOf(call, shown) },
  },
});

function reasonOf(call: Call, shown: readonly SeatedDraft[]): string {
  const read = call.ok ? readReview(call.reply, labelsOf(shown)) : undefined;
  return read && !read.ok ? read.reason : "it could not be read";
}

const reviewRequest = (
  context: ProtocolContext<CouncilSettings>,
  by: Participant,
  shown: readonly SeatedDraft[],
): ModelRequest => ({
  ...modelParams(by),
  messages: reviewPrompt(context, { material: context, persona: context.instructions(by), answers: shown }),
  maxOutputTokens: context.settings.maxOutputTokens.review,
  reply: reviewSchema,
});

const labelsOf = (shown: readonly SeatedDraft[]): string[] => shown.map(({ label }) => label);

/** Adds the readable rankings up, under `standing`. */
export const reachStanding = (
  context: ProtocolContext,
  table: readonly SeatedDraft[],
  { reviews, absent }: Reviews,
): Promise<Event<"standing-reached">> => {
  const author = new Map(table.map(({ step, by }) => [step, by.id]));
  const idOf = (id: string): ParticipantId => {
    const found =
      table.find(({ by }) => by.id === id)?.by.id ?? reviews.find(({ by }) => by.id === id)?.by.id;
    if (found === undefined) throw new RangeError(`${id} has no part in the standing`);
    return found;
  };
  // In seat order: ties are listed, and read, as the opening lists the members.
  const candidates = context
    .seats("member")
    .flatMap(({ id }) => (table.some(({ by }) => by.id === id) ? [id] : []));
  const ballots = reviews.flatMap(({ by, given }) =>
    given.ranking.ok
      ? [
          {
            reviewer: by.id,
            ranking: given.ranking.steps.flatMap((step) => author.get(step) ?? []),
          },
        ]
      : [],
  );
  // The seed is part of the digest: a fork does not adopt a standing that was reached without intervals.
  const given = { candidates, ballots, seed: "standing" };
  const left = absent.map(({ by, why }) => ({ id: by.id, why }));
  const make = (): StepOutcome<"standing-reached"> => {
    const { rows, borda, agreement, effectiveVotes, excluded } = standingOf(given);
    return {
      type: "standing-reached",
      data: {
        places: rows.map((row) => ({
          ...row,
          id: idOf(row.id),
          tiedWith: row.tiedWith.map(idOf),
        })),
        borda,
        agreement,
        effectiveVotes,
        excluded: [...left, ...excluded.map(({ id, why }) => ({ id: idOf(id), why }))],
      },
    };
  };
  return context.run.derive(
    {
      key: "standing",
      outcomes: ["standing-reached"],
      work: { kind: "standing" },
      input: { ...given, left },
    },
    make,
  );
};
