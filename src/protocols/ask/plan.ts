import type { Plan, PlanContext, PlannedPhase } from "../../engine/index.ts";
import { countReviewers, planReviews, planSynthesis } from "../council/index.ts";
import { draftLimits } from "../council/settings.ts";
import { planHistory } from "../phases/conversation.ts";
import { planDrafts } from "../phases/draft.ts";
import { AT_MOST, plannedTable, times, USUALLY } from "../phases/plan.ts";
import { planRevisions } from "../phases/revise.ts";
import { comparisonRequest } from "./resolve-by-synthesis.ts";
import type { AskSettings } from "./rungs.ts";

/**
 * Drafts that agree end a run. Final answers that differ go through rounds of revision; an open question is compared and,
 * by its effort, synthesized, and reviewed and revised only where its drafts contradict each other.
 */
export function planAsk(context: PlanContext<AskSettings>): Plan {
  const { settings, seats } = context;
  const { effort, mode, maxOutputTokens: limits } = settings;
  const members = seats("member");
  const judges = seats("judge");
  const [chair] = seats("chair");
  const drafts = [
    ...planHistory(context),
    planDrafts(context, members, draftLimits(settings, members.length)),
  ];
  if (effort < 2 || members.length < 2) return drafts;
  const table = plannedTable(context, members);
  const revisions = planRevisions(context, { table, maxOutputTokens: limits.draft });
  const rounds = effort < 5 ? 1 : 2;
  const voted = Array.from({ length: rounds }, (_, index) => ({
    ...{ name: `revision, round ${index + 2}`, course: "final answers" },
    calls: revisions,
  }));
  if (!chair) return [...drafts, ...voted];
  const compared = {
    ...USUALLY,
    request: comparisonRequest(context, chair, table),
    shows: times(members.length, limits.draft),
  };
  const canReview = countReviewers(context, { table, judges });
  const reviewed = effort >= 4 && canReview > 0;
  const reviews = planReviews(context, { table, judges }, { count: AT_MOST, tokens: limits.draft });
  const reviewers = reviewed ? canReview : 0;
  const open: PlannedPhase[] = [
    { name: "comparison", calls: [compared] },
    ...(effort >= 5 ? [{ name: "revision", calls: revisions }] : []),
    ...(reviewed ? [{ name: "review", calls: reviews }] : []),
    ...(effort >= 3 && mode === "consensus"
      ? [planSynthesis(context, { table, reviews: reviewers, compared: true, count: USUALLY })]
      : []),
  ];
  return [...drafts, ...voted, ...open.map((phase) => ({ ...phase, course: "open question" }))];
}
