import type { Closing, Event } from "../../kernel/index.ts";
import { defineProtocol, type ProtocolContext } from "../../engine/index.ts";
import { seatDrafts } from "../phases/table.ts";
import { closeBelowQuorum, bestDraft, chooseControl, leadingDraft } from "../phases/control.ts";
import { stoppedByBudget } from "../phases/loss.ts";
import { draft, draftTemplate, type Absent, type Draft, type Drafts } from "../phases/draft.ts";
import { withhold, reserveForChair, synthesize } from "./synthesis.ts";
import { reachStanding, review, type Reviews } from "./review.ts";
import { CouncilSettings, councilSeats, draftLimits } from "./settings.ts";
import { councilTemplates } from "./prompts.ts";

export { councilTemplates } from "./prompts.ts";
export { CouncilSettings, councilSeats, draftLimits, Rewriting, Strategy } from "./settings.ts";
export { minimumReviewCalls } from "./review.ts";
export { reserveForChair, minimumSynthesisCalls, synthesisCalls } from "./synthesis.ts";

/**
 * Members draft blind and in parallel, review each other's drafts under labels, and a chair writes one
 * answer from drafts and reviews (seed 4). A judge reviews, but drafts nothing.
 */
export const council = defineProtocol({
  name: "council",
  version: 2,
  summary: "members draft, review each other, and a chair writes the answer",
  seats: councilSeats,
  settings: CouncilSettings,
  templates: [draftTemplate, ...councilTemplates],
  texts: ["strategy"],
  async deliberate(context) {
    const members = context.seats("member");
    const limits = draftLimits(context.settings, members.length);
    reserveForChair(context);
    const drafted = await draft(context, members, limits);
    if (drafted.drafts.length < limits.quorum) return closeBelowDraftQuorum(drafted, limits.quorum);
    return conclude(context, { ...drafted, reviewed: true });
  },
});

export type Conclusion = {
  /** The blind answers, against which the outcome is compared. */
  readonly drafts: readonly Draft[];
  /** The answers that are worked with, where they were revised since. */
  readonly answers?: readonly Draft[];
  readonly absent: readonly Absent[];
  /** Whether the answers are reviewed before the chair writes, or the chair works from them alone. */
  readonly reviewed: boolean;
  readonly comparison?: Event<"comparison-given">["data"] | undefined;
};

const NO_REVIEWS: Reviews = { reviews: [], absent: [] };

/** From answers to the closing: reviews where they are wanted, the standing, and the chair's synthesis or the vote. */
export async function conclude(
  context: ProtocolContext<CouncilSettings>,
  { drafts: allDrafts, answers: allAnswers = allDrafts, absent, reviewed, comparison: whole }: Conclusion,
): Promise<Closing> {
  const seated = seatDrafts(context, allAnswers);
  const judges = context.seats("judge");
  const given =
    reviewed && (seated.length > 1 || judges.length > 0)
      ? await review(context, { table: seated, judges })
      : NO_REVIEWS;
  // Reviewed with all, so that a fork that withholds somebody adopts every review.
  const { drafts, answers, table, reviews, comparison } = withhold(
    { drafts: allDrafts, answers: allAnswers, table: seated, reviews: given, comparison: whole },
    context.settings.rewriting?.withheld ?? [],
  );
  if (answers.length === 0) return { outcome: "failed", why: "every draft is withheld" };
  const standings =
    reviews.reviews.length > 0 ? (await reachStanding(context, table, reviews)).data : undefined;
  const best = bestDraft(answers, standings) ?? leadingDraft(answers);
  const fallback = { answer: best.step, control: chooseControl(drafts, standings, best.final) };
  const lost = absent.length + reviews.absent.length > 0;
  const outcome = lost ? "answered-degraded" : "answered";

  if (context.settings.mode === "vote") {
    // Without a single readable ranking there was no vote to win.
    return { outcome: standings || answers.length === 1 ? outcome : "answered-degraded", ...fallback };
  }
  const written = await synthesize(context, {
    table,
    reviews: reviews.reviews,
    absent,
    standing: standings,
    comparison,
  });
  if (!written.ok) {
    if (written.code === "over-budget") return stoppedByBudget(written.why, written.cap, fallback);
    return { outcome: "answered-degraded", ...fallback };
  }
  return {
    outcome: written.failed > 0 ? "answered-degraded" : outcome,
    answer: written.step,
    control: chooseControl(drafts, standings, written.final),
  };
}

/** How it ends when fewer members than the quorum have drafted. */
export const closeBelowDraftQuorum = ({ drafts, absent }: Drafts, quorum: number): Closing =>
  closeBelowQuorum({
    did: "members answered",
    given: drafts,
    absent: absent.map(({ by, ...absence }) => ({ name: by.persona.name, ...absence })),
    quorum,
    best: leadingDraft,
  });
