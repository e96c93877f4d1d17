import {
  type DryDesk,
  type ProtocolContext,
  type StepOutcome,
  type StepRunner,
  failedPart,
  fanOut,
  listAbsent,
  type Absent,
} from "../../engine/index.ts";
import { ParticipantId, type Event, type ModelRequest, type Participant } from "../../kernel/index.ts";
import { parseReview } from "../../replies/review.ts";
import { standing } from "../../stats/standing.ts";
import { modelParams, readReply } from "../phases/reply.ts";
import { findByLabel, othersFrom, tableFrom, type SeatedDraft } from "../phases/table.ts";
import { reviewPrompt, reviewRepairPrompt, reviewSchema } from "./prompts.ts";
import type { CouncilSettings } from "./settings.ts";

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

/** Whether a run was opened by readers to whom a ranking of one draft counted, and the first seat in a tie for the winner. */
export const isOfEarlierReaders = ({ opening: { readers = 1 } }: Pick<ProtocolContext, "opening">): boolean =>
  readers < 6;

/** How many would review these drafts: a ranking of fewer than two says nothing, and is not paid for. */
export const countReviewers = (context: ProtocolContext<CouncilSettings>, reviewTable: ReviewTable): number =>
  listReviewers(context, reviewTable).length;

/** Every judge, who reviews all drafts, and every member with a draft, who reviews the others' drafts. */
function listReviewers(
  context: ProtocolContext<CouncilSettings>,
  { table, judges }: ReviewTable,
): readonly Reviewer[] {
  // In seat order, so that a budget cuts the last seats; judges, who wrote none of the drafts, come first.
  const members = context.seats("member").filter(({ id }) => table.some(({ by }) => by.id === id));
  return [...judges, ...members].flatMap((by) => {
    const shown = by.seat === "judge" ? tableFrom(table, judges.indexOf(by)) : othersFrom(table, by.id);
    return shown.length < (isOfEarlierReaders(context) ? 1 : 2)
      ? []
      : [{ id: by.id, ...createReviewer(context, by, shown) }];
  });
}

/** A participant with the drafts that it is shown, in this order, and its request. */
export const createReviewer = (
  context: ProtocolContext<CouncilSettings>,
  by: Participant,
  shown: readonly SeatedDraft[],
): Omit<Reviewer, "id"> => {
  const persona = context.instructions(by);
  const messages = reviewPrompt(context, { material: context, persona, answers: shown });
  return { by, shown, request: createRequest(context, by, messages) };
};

const createRequest = (
  { settings }: Pick<ProtocolContext<CouncilSettings>, "settings">,
  by: Participant,
  messages: ModelRequest["messages"],
): ModelRequest => ({
  ...modelParams(by),
  messages,
  maxOutputTokens: settings.maxOutputTokens.review,
  reply: reviewSchema,
});

/** The smallest review: one reviewer's call. */
export function minimumReviewCalls(
  context: ProtocolContext<CouncilSettings>,
  reviewTable: ReviewTable,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [first] = listReviewers(context, reviewTable);
  return first ? [{ step: `review/${first.by.id}`, request: first.request }] : [];
}

/** The reviews of all reviewers, each under `review/<reviewer>`. */
export async function review(
  context: ProtocolContext<CouncilSettings>,
  reviewTable: ReviewTable,
): Promise<Reviews> {
  const members = listReviewers(context, reviewTable);
  if (members.length === 0) return { reviews: [], absent: [] };
  const { patienceMs } = context.settings;
  const done = await fanOut<Reviewer, CouncilReview>(
    context.run,
    { name: "review", work: WORK, members, patienceMs },
    async (reviewer, run) => {
      const event = await askReview(context, run, { ...reviewer, ...WORK });
      if (event.type === "degradation-noted") return failedPart(event);
      const { ranking } = event.data;
      return ranking.ok
        ? { in: true, value: { by: reviewer.by, given: event.data } }
        : { in: false, why: `unreadable: ${ranking.reason}` };
    },
  );
  return { reviews: done.in.map(({ value }) => value), absent: listAbsent(done) };
}

const WORK = { kind: "review" } as const;

/** The review under `<kind>/<reviewer>`, after at most one repair turn. */
export async function askReview(
  context: ProtocolContext<CouncilSettings>,
  run: StepRunner,
  { by, shown, request, kind }: Omit<Reviewer, "id"> & { readonly kind: "review" | "tie-break" },
) {
  const key = `${kind}/${by.id}`;
  const work = { kind, by: by.id };
  const { callTimeoutMs: timeoutMs } = context.settings;
  const labels = shown.map(({ label }) => label);
  const stepOf = (label: string) => findByLabel(shown, label).step;
  const loss = {
    what: `the ${kind} by ${by.persona.name}`,
    participant: by.id,
    weakens: kind === "review" ? "the standing and the chair lack one review" : "the tie is not broken",
  };
  const read = (reply: string): StepOutcome<"review-given"> => {
    const review = parseReview(reply, labels);
    return {
      type: "review-given",
      data: {
        by: by.id,
        shown: shown.map(({ step }) => step),
        remarks: review.ok
          ? review.remarks.map(({ label, ...remark }) => ({ of: stepOf(label), ...remark }))
          : [],
        ranking: review.ok
          ? { ok: true, steps: review.ranking.map(stepOf) }
          : { ok: false, reason: review.reason },
      },
    };
  };
  const specimen = ({ room, text }: DryDesk) => {
    const remarks = () => Array.from({ length: 3 }, () => text(room / (6 * labels.length)));
    const reviews = labels.map((label) => ({ label, strengths: remarks(), weaknesses: remarks() }));
    return JSON.stringify({ reviews, ranking: labels });
  };
  const first = await run.call(
    {
      key,
      outcomes: ["review-given", "reply-received", "degradation-noted"],
      work,
      request,
      timeoutMs,
      dry: { reply: specimen, mishap: "unread" },
    },
    readReply<"review-given" | "reply-received">(loss, (reply) => {
      const review = read(reply);
      const { ranking } = review.data;
      return ranking.ok ? review : { type: "reply-received", data: { by: by.id, why: ranking.reason } };
    }),
  );
  if (first.type !== "reply-received") return first;
  const { call, why: reason } = first.data;
  const messages = reviewRepairPrompt(context, { reply: call?.ok ? call.reply : "", labels, reason });
  return run.call(
    {
      key: `${key}/repair`,
      outcomes: ["review-given", "degradation-noted"],
      work: { ...work, nth: 2 },
      request: createRequest(context, by, messages),
      timeoutMs,
      dry: { reply: specimen },
    },
    readReply<"review-given">(loss, read),
  );
}

/** Adds the readable rankings up, under `standing`. */
export function reachStanding(
  context: ProtocolContext,
  table: readonly SeatedDraft[],
  { reviews, absent }: Reviews,
): Promise<Event<"standing-reached">> {
  const authors = new Map(table.map(({ step, by }) => [step, by.id]));
  const idOf = (id: string) => ParticipantId.parse(id);
  // In seat order: ties are listed, and read, as the opening lists the members.
  const candidates = context
    .seats("member")
    .flatMap(({ id }) => (table.some(({ by }) => by.id === id) ? [id] : []));
  const ballots = reviews.flatMap(({ by, given: { ranking } }) =>
    ranking.ok
      ? [{ reviewer: by.id, ranking: ranking.steps.flatMap((step) => authors.get(step) ?? []) }]
      : [],
  );
  // The seed is part of the digest: a fork does not reuse a standing that was reached without intervals.
  const input = { candidates, ballots, seed: "standing" };
  const left = absent.map(({ by, why }) => ({ id: by.id, why }));
  return context.run.derive(
    {
      key: "standing",
      outcomes: ["standing-reached"],
      work: { kind: "standing" },
      input: { ...input, left },
    },
    () => {
      const { rows, borda, agreement, effectiveVotes, excluded } = standing(input);
      return {
        type: "standing-reached",
        data: {
          places: rows.map((row) => ({ ...row, id: idOf(row.id), tiedWith: row.tiedWith.map(idOf) })),
          borda,
          agreement,
          effectiveVotes,
          excluded: [...left, ...excluded.map(({ id, why }) => ({ id: idOf(id), why }))],
        },
      };
    },
  );
}
