import { defineProtocol } from "../../engine/index.ts";
import { majority } from "../../stats/vote.ts";
import { closeBelowDraftQuorum } from "../council/index.ts";
import { councilTemplates } from "../council/prompts.ts";
import { councilSeats, draftLimits } from "../council/settings.ts";
import { withFittedHistory } from "../phases/conversation.ts";
import type { Draft } from "../phases/table.ts";
import { draft, draftTemplate } from "../phases/draft.ts";
import { revisionTemplate } from "../phases/revise.ts";
import { resolveByVote } from "./resolve-by-vote.ts";
import { comparisonTemplate, resolveBySynthesis } from "./resolve-by-synthesis.ts";
import { withLostTools } from "../phases/tools.ts";
import { AskSettings, isShortAnswer } from "./rungs.ts";

export { AskSettings } from "./rungs.ts";

/**
 * Independent drafts first, and more only where they disagree. Final answers that agree are the answer. Where they differ,
 * a round of critique and revision and a vote follow. An open question goes through a comparison of claims to a synthesis,
 * with the council's review before it where the claims contradict each other.
 */
export const ask = defineProtocol({
  name: "ask",
  version: 1,
  summary: "Ask several models; go further only where they disagree",
  seats: councilSeats,
  settings: AskSettings,
  templates: [draftTemplate, ...councilTemplates, comparisonTemplate, revisionTemplate],
  view: () => import("./view.ts"),
  report: () => import("./report.ts"),
  texts: ["strategy"],
  async deliberate(pinned) {
    const context = await withFittedHistory(pinned);
    const members = context.seats("member");
    const limits = draftLimits(context.settings, members.length);
    const drafted = await draft(context, members, limits);
    if (drafted.drafts.length < limits.quorum) return closeBelowDraftQuorum(drafted, limits.quorum);
    const closing = haveComparableAnswers(drafted.drafts)
      ? await resolveByVote(context, drafted)
      : await resolveBySynthesis(context, drafted);
    return withLostTools(closing, drafted.lost);
  },
});

/** Whether the final answers decide: most drafts have a short one, or all have the same. */
function haveComparableAnswers(drafts: readonly Draft[]): boolean {
  const short = drafts.filter(({ final }) => isShortAnswer(final)).length;
  const { groups } = majority(drafts.map(({ step, final }) => ({ id: step, answer: final })));
  return short * 2 > drafts.length || groups[0]?.ids.length === drafts.length;
}
