import type { Plan, PlanContext } from "../../engine/index.ts";
import { planHistory } from "../phases/conversation.ts";
import { planDrafts } from "../phases/draft.ts";
import { ALWAYS, plannedTable } from "../phases/plan.ts";
import { countReviewers, planReviews } from "./review.ts";
import { draftLimits, type CouncilSettings } from "./settings.ts";
import { planSynthesis } from "./synthesis.ts";

/** All draft, all review, and the chair writes; repairs of reviews and other chairs only where they are needed. */
export function planCouncil(context: PlanContext<CouncilSettings>): Plan {
  const members = context.seats("member");
  const judges = context.seats("judge");
  const table = plannedTable(context, members);
  const { draft: tokens } = context.settings.maxOutputTokens;
  const reviews = planReviews(context, { table, judges }, { count: ALWAYS, tokens });
  const reviewers = countReviewers(context, { table, judges });
  return [
    ...planHistory(context),
    planDrafts(context, members, draftLimits(context.settings, members.length)),
    ...(reviewers > 0 ? [{ name: "review", calls: reviews }] : []),
    planSynthesis(context, { table, reviews: reviewers, compared: false, count: ALWAYS }),
  ];
}
