import type { ProtocolContext } from "../../../engine/index.ts";
import type { Closing } from "../../../kernel/index.ts";
import {
  answerWith,
  chooseControl,
  closeBelowQuorum,
  foremostDrafts,
  leadingDraft,
  type StandingData,
} from "../control.ts";
import { withFittedHistory } from "../conversation.ts";
import { draft, type Drafts } from "../draft.ts";
import { closeWithoutClient, hasClientTools, stoppedByBudget } from "../reply.ts";
import { seatDrafts, type Draft } from "../table.ts";
import { withLostTools } from "../tools.ts";
import { breakTie, isOfEarlierReaders, reachStanding, review, type Reviews } from "./review.ts";
import { draftLimits, type PanelSettings } from "./settings.ts";
import { reserveForChair, synthesize, withhold, type DraftComparison } from "./synthesis.ts";

/** Has all members draft, and goes on from there, where enough of them did; `before` is done before anything is spent. */
export async function deliberateFromDrafts<S extends PanelSettings>(
  pinned: ProtocolContext<S>,
  goOn: (context: ProtocolContext<S>, drafted: Drafts) => Promise<Closing>,
  before: (context: ProtocolContext<S>) => void = () => undefined,
): Promise<Closing> {
  const context = await withFittedHistory(pinned);
  const members = context.seats("member");
  const { quorum, ...limits } = draftLimits(context.settings, members.length);
  before(context);
  const drafted = await draft(context, members, { quorum, ...limits });
  const { drafts, absent, lost } = drafted;
  if (drafts.length >= quorum)
    return withLostTools(await goOn(context, drafted).catch(closeWithoutClient), lost);
  return closeBelowQuorum({
    did: "members answered",
    given: drafts,
    absent: absent.map(({ by, ...absence }) => ({ name: by.persona.name, ...absence })),
    quorum,
    best: leadingDraft,
  });
}

export type AnsweredClosing = Extract<Closing, { readonly outcome: "answered" | "answered-degraded" }>;

/** The closing with a member's answer; where a client has brought tools, that member writes it again with them. */
export async function closeWith(
  context: ProtocolContext<PanelSettings>,
  winner: Draft,
  closing: AnsweredClosing,
): Promise<Closing> {
  if (!hasClientTools(context)) return closing;
  return (await import("./winner.ts")).writeAsWinner(context, winner, closing);
}

/** The drafts are what the outcome is compared with. */
type Conclusion = Pick<Drafts, "drafts" | "absent"> & {
  /** The answers to work with, where they were revised since. */
  readonly answers?: readonly Draft[];
  /** Whether the answers are reviewed before the chair writes. */
  readonly reviewed: boolean;
  readonly comparison?: DraftComparison | undefined;
};

const NO_REVIEWS: Reviews = { reviews: [], absent: [] };

/** From answers to the closing: reviews where they are wanted, the standing, and the chair's synthesis or the vote. */
export async function conclude(
  context: ProtocolContext<PanelSettings>,
  { drafts: allDrafts, answers: allAnswers = allDrafts, absent, reviewed, comparison: whole }: Conclusion,
): Promise<Closing> {
  const seated = seatDrafts(context, allAnswers);
  const judges = context.seats("judge");
  const isReviewed = reviewed && seated.length > 1; // a ranking of one draft says nothing
  if (isReviewed) reserveForChair(context, allAnswers);
  const allReviews = isReviewed ? await review(context, { table: seated, judges }) : NO_REVIEWS;
  // All answers are reviewed, so that a fork that withholds a member reuses every review.
  const { drafts, answers, table, reviews, comparison } = withhold(
    { drafts: allDrafts, answers: allAnswers, table: seated, reviews: allReviews, comparison: whole },
    context.settings.rewriting?.withheld ?? [],
  );
  if (answers.length === 0) return { outcome: "failed", why: "every draft is withheld" };
  const reached =
    reviews.reviews.length > 0 ? (await reachStanding(context, table, reviews)).data : undefined;
  const standing = reached && isOfEarlierReaders(context) ? firstAlone(reached) : reached;
  const isAsked = reviews.reviews.length + reviews.absent.length > 0;
  // Where nobody ranks, no draft is ahead.
  const foremost = isAsked ? foremostDrafts(answers, standing) : answers;
  const leading = leadingDraft(foremost.length > 0 ? foremost : answers);
  const fallback = answerWith(leading, drafts, standing);
  const outcome = absent.length + reviews.absent.length > 0 ? "answered-degraded" : "answered";

  if (context.settings.mode === "vote") {
    const broken = await breakTie(context, foremost);
    if (broken.tied) return { outcome: "inconclusive", why: broken.why, best: fallback };
    const chosen = broken.chosen ?? leading;
    // Without a readable ranking there was no vote to win.
    const isWon = broken.chosen !== undefined || standing !== undefined || !isAsked;
    const closing = answerWith(chosen, drafts, standing);
    return closeWith(context, chosen, { outcome: isWon ? outcome : "answered-degraded", ...closing });
  }
  const evidence = { table, reviews: reviews.reviews, absent, standing: reached, comparison };
  const synthesis = await synthesize(context, evidence);
  if (!synthesis.ok)
    return synthesis.code === "over-budget"
      ? stoppedByBudget(synthesis.why, synthesis.cap, fallback)
      : { outcome: "answered-degraded", ...fallback };
  return {
    outcome: synthesis.failed > 0 ? "answered-degraded" : outcome,
    answer: synthesis.step,
    control: chooseControl(drafts, standing, synthesis.final),
  };
}

/** Runs that earlier readers opened took the first seat in a shared first place for the winner. */
const firstAlone = (standing: StandingData): StandingData => ({
  ...standing,
  places: standing.places.map((row, index) => (index > 0 && row.place === 1 ? { ...row, place: 2 } : row)),
});
