import type { Floor } from "../../engine/index.ts";
import type { Closing, Event } from "../../kernel/index.ts";
import type { Absent, Draft, Drafts } from "../../phases/draft.ts";
import { tooFew } from "../../phases/quorum.ts";
import { seatDrafts } from "../../phases/table.ts";
import { bestDraft, controlOf, leading } from "../../phases/control.ts";
import { review, type Reviews } from "./review.ts";
import type { CouncilSettings } from "./settings.ts";
import { standing } from "./standing.ts";
import { synthesise } from "./synthesis.ts";
import { withhold } from "./withhold.ts";

export type Concluding = {
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
  floor: Floor<CouncilSettings>,
  { drafts: allDrafts, answers: allAnswers = allDrafts, absent, reviewed, comparison: whole }: Concluding,
): Promise<Closing> {
  const seated = seatDrafts(floor, allAnswers);
  const judges = floor.seats("judge");
  const given =
    reviewed && (seated.length > 1 || judges.length > 0)
      ? await review(floor, { table: seated, judges })
      : NO_REVIEWS;
  // Reviewed with all, so that a fork that withholds somebody adopts every review.
  const { drafts, answers, table, reviews, comparison } = withhold(
    { drafts: allDrafts, answers: allAnswers, table: seated, reviews: given, comparison: whole },
    floor.settings.rewriting?.withheld ?? [],
  );
  if (answers.length === 0) return { outcome: "failed", why: "every draft is withheld" };
  const standings = reviews.reviews.length > 0 ? (await standing(floor, table, reviews)).data : undefined;
  const best = bestDraft(answers, standings) ?? leading(answers);
  const fallback = { answer: best.step, control: controlOf(drafts, standings, best.final) };
  const lost = absent.length + reviews.absent.length > 0;
  const outcome = lost ? "answered-degraded" : "answered";

  if (floor.settings.mode === "vote") {
    // Without a single readable ranking there was no vote to win.
    return { outcome: standings || answers.length === 1 ? outcome : "answered-degraded", ...fallback };
  }
  const written = await synthesise(floor, {
    table,
    reviews: reviews.reviews,
    absent,
    standing: standings,
    comparison,
  });
  if (!written.ok) {
    if (written.overBudget) return { outcome: "stopped-by-budget", why: written.why, best: fallback };
    return { outcome: "answered-degraded", ...fallback };
  }
  return {
    outcome: written.failed > 0 ? "answered-degraded" : outcome,
    answer: written.step,
    control: controlOf(drafts, standings, written.final),
  };
}

/** How it ends when fewer members than the quorum have drafted. */
export const tooFewDrafts = ({ drafts, absent }: Drafts, quorum: number): Closing =>
  tooFew({
    did: "members answered",
    given: drafts,
    absent: absent.map(({ by, why, code }) => ({ name: by.persona.name, why, code })),
    quorum,
    best: leading,
  });
