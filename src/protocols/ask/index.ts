import { defineProtocol } from "../../engine/index.ts";
import { majority } from "../../stats/vote.ts";
import { closeBelowDraftQuorum } from "../council/index.ts";
import { councilTemplates } from "../council/prompts.ts";
import { councilSeats, draftLimits } from "../council/settings.ts";
import { draft, draftTemplate, type Draft } from "../phases/draft.ts";
import { revisionTemplate } from "../phases/revise.ts";
import { comparisonTemplate } from "./compare.ts";
import { isShortAnswer, AskSettings } from "./rungs.ts";
import { resolveByVote } from "./resolve-by-vote.ts";
import { resolveBySynthesis } from "./resolve-by-synthesis.ts";

export { AskSettings } from "./rungs.ts";

/**
 * Blind drafts first, and more only where these disagree: agreement of final answers is the answer; a split of them
 * goes through a round of critique and revision and a vote; an open question through a comparison of claims to a
 * synthesis, by way of the council's review where they contradict each other.
 */
export const ask = defineProtocol({
  name: "ask",
  version: 1,
  summary: "ask several models, and go further only where they disagree",
  seats: councilSeats,
  settings: AskSettings,
  templates: [draftTemplate, ...councilTemplates, comparisonTemplate, revisionTemplate],
  texts: ["strategy"],
  async deliberate(context) {
    const members = context.seats("member");
    const limits = draftLimits(context.settings, members.length);
    const drafted = await draft(context, members, limits);
    if (drafted.drafts.length < limits.quorum) return closeBelowDraftQuorum(drafted, limits.quorum);
    return comparable(drafted.drafts)
      ? resolveByVote(context, drafted)
      : resolveBySynthesis(context, drafted);
  },
});

/** Whether the drafts can be settled by what they end in: most have a short final answer, or all have the same. */
function comparable(drafts: readonly Draft[]): boolean {
  const short = drafts.filter(({ final }) => isShortAnswer(final)).length;
  const { groups } = majority(drafts.map(({ step, final }) => ({ id: step, answer: final })));
  return short * 2 > drafts.length || groups[0]?.ids.length === drafts.length;
}
