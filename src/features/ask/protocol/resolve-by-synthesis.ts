import { canAfford, leaveRoomFor, type DryDesk, type ProtocolContext } from "../../../engine/index.ts";
import { personOf, type Cap, type Closing, type Message } from "../../../kernel/index.ts";
import type { ModelRequest, Participant, StepKey } from "../../../kernel/index.ts";
import { ANSWERS_SLOTS, answersValues, type AnswersPrompt, type Desk } from "../../../prompts/material.ts";
import { defineTemplate, replySchema } from "../../../prompts/template.ts";
import { ComparisonReply, parseComparison } from "../../../replies/comparison.ts";
import { answerWith, leadingDraft } from "../../../protocols/phases/control.ts";
import type { Drafts } from "../../../protocols/phases/draft.ts";
import { closeWith, conclude, type AnsweredClosing } from "../../../protocols/phases/panel/conclude.ts";
import {
  countReviewers,
  giveUpReviews,
  leaveRoomForReviews,
  minimumReviewCalls,
  usualDrafts,
} from "../../../protocols/phases/panel/review.ts";
import {
  leaveRoomForChair,
  minimumSynthesisCalls,
  reserveForChair,
  synthesisCalls,
  type DraftComparison,
} from "../../../protocols/phases/panel/synthesis.ts";
import { modelParams, readReply, stoppedByBudget } from "../../../protocols/phases/reply.ts";
import { minimumRevisionCalls, revise } from "../../../protocols/phases/revise.ts";
import { inLabelOrder, seatDrafts, type SeatedDraft, type Draft } from "../../../protocols/phases/table.ts";
import { createRevisionRound, isShortAnswer, recordRung, type AskSettings, type Rung } from "./rungs.ts";
import { texts } from "./templates/index.ts";

type AskContext = ProtocolContext<AskSettings>;

/** A comparison is asked for in a form for programs. */
const comparerIn = ({ seats }: AskContext) =>
  seats("chair").find(({ model }) => personOf(model) === undefined);

/** Leaves room for what comes behind the drafts of an open question, the next rung first. */
export function leaveRoomForRungs(context: AskContext): void {
  const { run, settings } = context;
  const chair = comparerIn(context);
  if (settings.effort < 2 || !chair || context.seats("member").length < 2) return;
  leaveRoomFor(run, "comparison", () => ({
    ...modelParams(chair, settings.maxOutputTokens.review),
    messages: [{ role: "user", text: usualDrafts(context) }],
  }));
  if (settings.effort >= 3) leaveRoomForChair(context);
  if (settings.effort >= 4) leaveRoomForReviews(context);
}

/** Answers an open question: the drafts' claims are compared, and their contradictions decide how far it goes. */
export async function resolveBySynthesis(context: AskContext, { drafts, absent }: Drafts): Promise<Closing> {
  const chair = comparerIn(context);
  const outcome = absent.length > 0 ? "answered-degraded" : "answered";
  const closeAs = (how: AnsweredClosing["outcome"]) =>
    closeWith(context, leadingDraft(drafts), { outcome: how, ...answerFromDrafts(drafts) });
  const openCount = drafts.filter(({ final }) => !isShortAnswer(final)).length;
  const open = `${openCount} of ${drafts.length} drafts have no short final answer`;
  if (context.settings.effort < 2 || drafts.length < 2 || !chair) {
    const reason = drafts.length < 2 ? "there is one draft" : open;
    await recordRung(context, { rung: "draft", next: null, reason });
    return closeAs(outcome);
  }
  const table = seatDrafts(context, drafts);
  const affordable = await canAfford(context.run, {
    name: "comparison",
    work: { kind: "comparison" },
    calls: () => [{ step: `comparison/${chair.id}`, request: comparisonRequest(context, chair, table) }],
  });
  if (!affordable.ok) {
    const why = `${open}, and the budget does not reach for comparing them`;
    return stop(context, { rung: "draft", drafts, why, cap: affordable.cap });
  }
  await recordRung(context, { rung: "draft", next: "comparison", reason: open });
  if (context.settings.effort >= 3) leaveRoomForChair(context, drafts);
  const comparison = await compareDrafts(context, chair, table);
  if (context.settings.effort < 3) {
    await recordRung(context, { rung: "comparison", next: null, reason: describeComparison(comparison) });
    return closeAs(comparison ? outcome : "answered-degraded");
  }
  return continueToChair(context, { drafts, absent, comparison, table });
}

type ComparedDrafts = Pick<Drafts, "drafts" | "absent"> & {
  readonly comparison: DraftComparison | undefined;
  readonly table: readonly SeatedDraft[];
};

/** From the comparison to the chair: by a review, or a revision and a review, where the drafts contradict each other. */
async function continueToChair(
  context: AskContext,
  { drafts, absent, comparison, table }: ComparedDrafts,
): Promise<Closing> {
  const { run, settings } = context;
  const { effort, mode } = settings;
  const contradicted = comparison === undefined || comparison.contradictions.length > 0;
  const reason = describeComparison(comparison);
  const evidence = { table, reviews: [], absent, standing: undefined, comparison };
  const writable =
    mode === "vote"
      ? { ok: true }
      : await canAfford(run, {
          name: "synthesis",
          work: { kind: "synthesis" },
          calls: () => synthesisCalls(context, evidence),
        });
  if (!writable.ok) {
    const why = `${reason}, and the budget does not reach for a synthesis`;
    return stop(context, { rung: "comparison", drafts, why, cap: writable.cap });
  }
  const judges = context.seats("judge");
  // A vote has nothing to count without rankings.
  const wantsReview =
    effort >= 4 && (contradicted || mode === "vote") && countReviewers(context, { table, judges }) > 0;
  const reviewCalls = () => [
    ...minimumSynthesisCalls(context),
    ...minimumReviewCalls(context, { table, judges }),
  ];
  const reviewable = wantsReview
    ? await canAfford(run, { name: "review", work: { kind: "review" }, calls: reviewCalls })
    : { ok: false };
  const reviewed = reviewable.ok;
  const cut = wantsReview && !reviewed ? ", and the budget does not reach for a review" : "";
  if (mode === "vote" && wantsReview && !reviewed)
    return stop(context, { rung: "comparison", drafts, why: `${reason}${cut}`, cap: reviewable.cap });

  const round = createRevisionRound(context, {
    round: 2,
    table,
    differ: (one, other) => comparison === undefined || areOpposed(comparison, one.step, other.step),
  });
  const revisable = {
    name: "revision",
    work: { kind: "revision", round: round.round },
    calls: () => [...reviewCalls(), ...minimumRevisionCalls(context, round)],
  };
  const revising = reviewed && effort >= 5 && contradicted && (await canAfford(run, revisable)).ok;
  const next = revising ? "revision" : reviewed ? "review" : "synthesis";
  await recordRung(context, { rung: "comparison", next, reason: `${reason}${cut}` });
  if (reviewed) reserveForChair(context);
  else giveUpReviews(context);
  const revised = revising ? await revise(context, round) : undefined;
  if (revised) {
    const answered = `${revised.by.length} of ${drafts.length} answered again`;
    await recordRung(context, { rung: "revision", next: "review", reason: answered });
  }
  const closing = await conclude(context, {
    drafts,
    absent,
    reviewed,
    // The comparison speaks of the drafts, not of their revisions.
    ...(revised ? { answers: revised.answers } : { comparison }),
  });
  const weakened =
    comparison === undefined || cut !== "" || revised?.cut === true || (revised?.lost ?? 0) > 0;
  return closing.outcome === "answered" && weakened ? { ...closing, outcome: "answered-degraded" } : closing;
}

type Stop = {
  readonly rung: Rung;
  readonly drafts: readonly Draft[];
  readonly why: string;
  readonly cap: Cap | undefined;
};

/** Ends for want of budget, with the best answer so far. */
async function stop(context: AskContext, { rung, drafts, why, cap }: Stop): Promise<Closing> {
  await recordRung(context, { rung, next: null, reason: why });
  return stoppedByBudget(why, cap, answerFromDrafts(drafts));
}

const answerFromDrafts = (drafts: readonly Draft[]) => answerWith(leadingDraft(drafts), drafts);

/** Whether two answers are on different sides of some contradiction. */
const areOpposed = ({ contradictions }: DraftComparison, one: StepKey, other: StepKey): boolean =>
  contradictions.some(({ stances }) =>
    stances.some(
      ({ of }) => of.includes(one) && !of.includes(other) && stances.some((side) => side.of.includes(other)),
    ),
  );

function describeComparison(comparison: DraftComparison | undefined): string {
  if (!comparison) return "the drafts could not be compared";
  const { contradictions, agreements } = comparison;
  if (contradictions.length === 0)
    return `no contradiction among the drafts, ${agreements.length} agreements`;
  const topics = contradictions.slice(0, 3).map(({ topic }) => topic.slice(0, 100).toWellFormed());
  const more = contradictions.length - topics.length;
  return `the drafts contradict each other on ${topics.join("; ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export const comparisonTemplate = defineTemplate("ask-comparison", ANSWERS_SLOTS, texts["ask-comparison"]);

/** The prompt of a comparison of the answers' claims; `parseComparison` reads the reply. */
export const comparisonPrompt = (desk: Desk, prompt: AnswersPrompt): Message[] =>
  comparisonTemplate.render(desk, answersValues(desk, prompt));

export const comparisonSchema = replySchema("comparison", ComparisonReply);

function comparisonRequest(
  context: AskContext,
  chair: Participant,
  table: readonly SeatedDraft[],
): ModelRequest {
  const persona = context.instructions(chair);
  return {
    ...modelParams(chair, context.settings.maxOutputTokens.review),
    messages: comparisonPrompt(context, { material: context, persona, answers: inLabelOrder(table) }),
    reply: comparisonSchema,
  };
}

/** What differs on the longest course does so between any two answers. */
function comparisonSpecimen({ course, room, text }: DryDesk, labels: readonly string[]): string {
  const stances = labels.map((label) => ({ claim: text(room / (2 * labels.length)), answers: [label] }));
  const contradictions = course === "longest" ? [{ topic: text(1), stances }] : [];
  return JSON.stringify({
    agreements: [{ claim: text(room / 2), answers: labels }],
    contradictions,
    unique: [],
  });
}

/** Compares the answers' claims in one call, under `comparison/<chair>`; undefined when it failed, which is recorded. */
async function compareDrafts(
  context: AskContext,
  chair: Participant,
  table: readonly SeatedDraft[],
): Promise<DraftComparison | undefined> {
  const labels = inLabelOrder(table).map(({ label }) => label);
  const stepsOf = (names: readonly string[]): StepKey[] =>
    names.flatMap((label) => table.find((place) => place.label === label)?.step ?? []);
  const loss = {
    what: `the comparison by ${chair.persona.name}`,
    participant: chair.id,
    weakens: "whether the drafts contradict each other is not known",
  };
  const event = await context.run.call(
    {
      key: `comparison/${chair.id}`,
      outcomes: ["comparison-given", "degradation-noted"],
      work: { kind: "comparison", by: chair.id },
      request: comparisonRequest(context, chair, table),
      timeoutMs: context.settings.callTimeoutMs,
      limitedBy: "review-tokens",
      share: "comparison",
      dry: { reply: (desk) => comparisonSpecimen(desk, labels) },
    },
    readReply<"comparison-given">(loss, (reply) => {
      const read = parseComparison(reply, labels);
      if (!read.ok) return { unreadable: read.reason };
      const stance = ({ claim, answers }: (typeof read.unique)[number]) => ({ claim, of: stepsOf(answers) });
      return {
        type: "comparison-given",
        data: {
          by: chair.id,
          agreements: read.agreements.map(stance),
          contradictions: read.contradictions.map(({ topic, stances }) => ({
            topic,
            stances: stances.map(stance),
          })),
          unique: read.unique.map(stance),
        },
      };
    }),
  );
  return event.type === "comparison-given" ? event.data : undefined;
}
