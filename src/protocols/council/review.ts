import { admitted, phase, type Ending, type Floor, type Joined, type Run } from "../../engine/index.ts";
import type { Call, Event, ModelRequest, Participant, StepKey } from "../../kernel/index.ts";
import { readReview, reviewPrompt, reviewRepairPrompt, reviewSchema } from "../../prompts/index.ts";
import { byId, emptiness, speaking, type Absent } from "../../phases/draft.ts";
import { lossOf } from "../../phases/loss.ts";
import type { CouncilSettings } from "./settings.ts";
import { allFrom, othersFrom, type Place } from "../../phases/table.ts";

/** A review whose ranking was read. */
export type Review = { readonly by: Participant; readonly given: Event<"review-given">["data"] };

export type Reviews = { readonly reviews: readonly Review[]; readonly absent: readonly Absent[] };

type Seated = { readonly table: readonly Place[]; readonly judges: readonly Participant[] };

type Reviewer = {
  readonly by: Participant;
  readonly shown: readonly Place[];
  readonly request: ModelRequest;
};

/** Every member whose draft is in, to review the others' drafts, and every judge, to review all of them. */
function reviewersOf(floor: Floor<CouncilSettings>, { table, judges }: Seated): readonly Reviewer[] {
  const members = table.map(({ by }) => by);
  // In seat order, so that a budget cuts the last seats; judges, who are nobody's author, come first.
  const seated = [
    ...judges,
    ...floor.seats("member").filter(({ id }) => members.some((member) => member.id === id)),
  ];
  return seated.flatMap((by) => {
    const shown = by.seat === "judge" ? allFrom(table, judges.indexOf(by)) : othersFrom(table, by.id);
    // Whoever wrote the only draft has nobody's to review.
    return shown.length > 0 ? [{ by, shown, request: reviewRequest(floor, by, shown) }] : [];
  });
}

/** The least that reviewing takes: one reviewer's call. */
export function leastReview(
  floor: Floor<CouncilSettings>,
  seated: Seated,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [first] = reviewersOf(floor, seated);
  return first ? [{ step: `review/${first.by.id}`, request: first.request }] : [];
}

/** The reviews of all who review, each under `review/<reviewer>`. */
export async function review(floor: Floor<CouncilSettings>, seated: Seated): Promise<Reviews> {
  const all = reviewersOf(floor, seated);
  const reviewers = all.map(({ by }) => by);
  const requests = all.map(({ by, request }) => ({ id: by.id as string, request }));
  const may = await admitted(floor.run, { name: "review", members: requests });

  const work = async (id: string, run: Run): Promise<Joined<Review>> => {
    const by = byId(reviewers, id);
    const shown = all.find((one) => one.by.id === id)?.shown ?? [];
    const event = await reviewStep(floor, { by, shown, run });
    if (event.type === "degradation-noted") return { in: false, why: event.data.why };
    const { ranking } = event.data;
    return ranking.ok
      ? { in: true, value: { by, given: event.data } }
      : { in: false, why: `unreadable: ${ranking.reason}` };
  };
  const done = await phase(
    floor.run,
    { name: "review", members: may, ...patience(floor.settings, may.length) },
    work,
  );
  const cut = reviewers.filter(({ id }) => !may.includes(id));
  return {
    reviews: done.in.map(({ value }) => value),
    absent: [
      ...done.out.map(({ id, why }) => ({ by: byId(reviewers, id), why, code: null })),
      ...cut.map((by) => ({ by, why: "the budget does not reach for it", code: "over-budget" as const })),
    ],
  };
}

const patience = ({ patienceMs }: CouncilSettings, reviewers: number) =>
  patienceMs === null ? {} : { quorum: Math.floor(reviewers / 2) + 1, patienceMs };

type Reviewing = { readonly by: Participant; readonly shown: readonly Place[]; readonly run: Run };

/** The review, or after one repair turn what came of it. */
async function reviewStep(floor: Floor<CouncilSettings>, { by, shown, run }: Reviewing) {
  const key = `review/${by.id}`;
  const { callTimeoutMs: timeoutMs } = floor.settings;
  const loss = (call: Call): Ending<"degradation-noted"> | undefined => {
    const failure = call.ok ? emptiness(call.reply) : call.failure;
    const weakens = "the standing and the chair lack one review";
    return (
      failure && lossOf({ what: `the review by ${by.persona.name}`, failure, participant: by.id, weakens })
    );
  };
  const first = await run.call(
    {
      key,
      ends: ["review-given", "reply-received", "degradation-noted"],
      request: reviewRequest(floor, by, shown),
      timeoutMs,
    },
    (call) => loss(call) ?? given(call, { by, shown }) ?? unread(call, { by, shown }),
  );
  if (first.type !== "reply-received") return first;
  const { call, why } = first.data;
  const request: ModelRequest = {
    ...speaking(by),
    messages: reviewRepairPrompt(floor, {
      reply: call?.ok ? call.reply : "",
      labels: labelsOf(shown),
      reason: why,
    }),
    maxOutputTokens: floor.settings.maxOutputTokens.review,
    reply: reviewSchema,
  };
  return run.call(
    { key: `${key}/repair`, ends: ["review-given", "degradation-noted"], request, timeoutMs },
    (repaired) => loss(repaired) ?? given(repaired, { by, shown }) ?? unreadable(repaired, { by, shown }),
  );
}

type Shown = Pick<Reviewing, "by" | "shown">;

function given(call: Call, { by, shown }: Shown): Ending<"review-given"> | undefined {
  const read = call.ok ? readReview(call.reply, labelsOf(shown)) : undefined;
  if (!read?.ok) return undefined;
  return {
    type: "review-given",
    data: {
      by: by.id,
      shown: shown.map(({ step }) => step),
      remarks: read.remarks.map(({ label, strengths, weaknesses }) => ({
        of: stepOf(shown, label),
        strengths,
        weaknesses,
      })),
      ranking: { ok: true, steps: read.ranking.map((label) => stepOf(shown, label)) },
    },
  };
}

const unread = (call: Call, { by, shown }: Shown): Ending<"reply-received"> => ({
  type: "reply-received",
  data: { by: by.id, why: reasonOf(call, shown) },
});

const unreadable = (call: Call, { by, shown }: Shown): Ending<"review-given"> => ({
  type: "review-given",
  data: {
    by: by.id,
    shown: shown.map(({ step }) => step),
    remarks: [],
    ranking: { ok: false, reason: reasonOf(call, shown) },
  },
});

function reasonOf(call: Call, shown: readonly Place[]): string {
  const read = call.ok ? readReview(call.reply, labelsOf(shown)) : undefined;
  return read && !read.ok ? read.reason : "it could not be read";
}

const reviewRequest = (
  floor: Floor<CouncilSettings>,
  by: Participant,
  shown: readonly Place[],
): ModelRequest => ({
  ...speaking(by),
  messages: reviewPrompt(floor, { material: floor, persona: floor.instructions(by), answers: shown }),
  maxOutputTokens: floor.settings.maxOutputTokens.review,
  reply: reviewSchema,
});

const labelsOf = (shown: readonly Place[]): string[] => shown.map(({ label }) => label);

function stepOf(shown: readonly Place[], label: string): StepKey {
  const place = shown.find((one) => one.label === label);
  if (!place) throw new RangeError(`no answer is labelled ${label}`);
  return place.step;
}
