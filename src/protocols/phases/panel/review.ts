import {
  type DryDesk,
  type ProtocolContext,
  type StepOutcome,
  type StepRunner,
  failedPart,
  fanOut,
  leaveRoomFor,
  listAbsent,
  type Absent,
} from "../../../engine/index.ts";
import { ParticipantId, type Event, type ModelRequest, type Participant } from "../../../kernel/index.ts";
import { sameAnswer } from "../../../replies/answer.ts";
import { parseReview } from "../../../replies/review.ts";
import { standing } from "../../../stats/standing.ts";
import { modelParams, readReply, USUAL_REPLY_TOKENS } from "../reply.ts";
import { findByLabel, othersFrom, seatDrafts, tableFrom, type Draft, type SeatedDraft } from "../table.ts";
import { reviewPrompt, reviewRepairPrompt, reviewSchema } from "./prompts.ts";
import type { PanelSettings } from "./settings.ts";

/** A review whose ranking was read. */
export type PanelReview = { readonly by: Participant; readonly given: Event<"review-given">["data"] };

export type Reviews = { readonly reviews: readonly PanelReview[]; readonly absent: readonly Absent[] };

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
export const countReviewers = (context: ProtocolContext<PanelSettings>, reviewTable: ReviewTable): number =>
  listReviewers(context, reviewTable).length;

/** Every judge, who reviews all drafts, and every member with a draft, who reviews the others' drafts. */
function listReviewers(
  context: ProtocolContext<PanelSettings>,
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
const createReviewer = (
  context: ProtocolContext<PanelSettings>,
  by: Participant,
  shown: readonly SeatedDraft[],
): Omit<Reviewer, "id"> => {
  const persona = context.instructions(by);
  const messages = reviewPrompt(context, { material: context, persona, answers: shown });
  return { by, shown, request: createRequest(context, by, messages) };
};

const createRequest = (
  { settings }: Pick<ProtocolContext<PanelSettings>, "settings">,
  by: Participant,
  messages: ModelRequest["messages"],
): ModelRequest => ({ ...modelParams(by, settings.maxOutputTokens.review), messages, reply: reviewSchema });

/** Leaves room for a review by every judge and member, of drafts of the usual length. */
export function leaveRoomForReviews(context: ProtocolContext<PanelSettings>): void {
  leaveRoomFor(context.run, "review", () => {
    const text = usualDrafts(context);
    const reviewers = [...context.seats("member"), ...context.seats("judge")];
    return reviewers.map((by) => createRequest(context, by, [{ role: "user", text }]));
  });
}

/** Gives up the room for reviews that nobody writes. */
export const giveUpReviews = ({ run }: Pick<ProtocolContext<PanelSettings>, "run">): void =>
  leaveRoomFor(run, "review", () => undefined);

/** The question and every member's draft of the usual length, at the three characters a token that quotes count with. */
export function usualDrafts({ question, seats, settings }: ProtocolContext<PanelSettings>): string {
  const { draft = USUAL_REPLY_TOKENS } = settings.maxOutputTokens;
  return question + "x".repeat(3 * draft * seats("member").length);
}

/** The smallest review: one reviewer's call. */
export function minimumReviewCalls(
  context: ProtocolContext<PanelSettings>,
  reviewTable: ReviewTable,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [first] = listReviewers(context, reviewTable);
  return first ? [{ step: `review/${first.by.id}`, request: first.request }] : [];
}

/** The reviews of all reviewers, each under `review/<reviewer>`. */
export async function review(
  context: ProtocolContext<PanelSettings>,
  reviewTable: ReviewTable,
): Promise<Reviews> {
  const members = listReviewers(context, reviewTable);
  if (members.length === 0) return { reviews: [], absent: [] };
  const { patienceMs } = context.settings;
  const done = await fanOut<Reviewer, PanelReview>(
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
async function askReview(
  context: ProtocolContext<PanelSettings>,
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
      limitedBy: "review-tokens",
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
      limitedBy: "review-tokens",
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

// The tie-breaker is asked only where a tie changes the answer, sees the tied drafts alone, and under fresh labels.

/** `chosen` is undefined where nobody was tied; `tied` where the tie stands, and why. */
export type TieBreak =
  | { readonly tied: false; readonly chosen: Draft | undefined }
  | { readonly tied: true; readonly why: string; readonly by: Participant | undefined };

/** Whoever has the seat `tie-break` ranks the tied answers as a reviewer does, under `tie-break/<id>`; its first is chosen. */
export async function breakTie(
  context: ProtocolContext<PanelSettings>,
  level: readonly Draft[],
): Promise<TieBreak> {
  const [first, ...others] = level;
  const isSame = (one: Draft) =>
    first?.final != null && one.final !== null && sameAnswer(one.final, first.final);
  if (!first || others.every(isSame)) return { tied: false, chosen: undefined };
  const names = level.map(({ by }) => by.persona.name);
  const [by] = context.seats("tie-break");
  const tie = `${names.slice(0, -1).join(", ")} and ${names.at(-1)} are tied`;
  if (!by) return { tied: true, why: tie, by };
  const shown = seatDrafts(context, level);
  const reviewer = createReviewer(context, by, shown);
  const event = await askReview(context, context.run, { ...reviewer, kind: "tie-break" });
  const stays = (why: string): TieBreak => ({
    tied: true,
    why: `${tie}; no tie-break by ${by.persona.name}: ${why}`,
    by,
  });
  if (event.type === "degradation-noted") return stays(event.data.why);
  const { ranking } = event.data;
  if (!ranking.ok) return stays(ranking.reason);
  return { tied: false, chosen: level.find(({ step }) => step === ranking.steps[0]) };
}
