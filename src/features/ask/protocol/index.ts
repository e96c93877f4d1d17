import { defineProtocol } from "../../../engine/index.ts";
import { deliberateFromDrafts } from "../../../protocols/phases/panel/conclude.ts";
import { panelTemplates } from "../../../protocols/phases/panel/prompts.ts";
import { panelSeats } from "../../../protocols/phases/panel/settings.ts";
import { revisionTemplate } from "../../../protocols/phases/revise.ts";
import type { Draft } from "../../../protocols/phases/table.ts";
import { majority } from "../../../stats/vote.ts";
import { resolveByVote } from "./resolve-by-vote.ts";
import { comparisonTemplate, leaveRoomForRungs, resolveBySynthesis } from "./resolve-by-synthesis.ts";
import { AskSettings, isShortAnswer } from "./rungs.ts";

/**
 * Independent drafts first, and more only where they disagree. Final answers that agree are the answer. Where they differ,
 * a round of critique and revision and a vote follow. An open question goes through a comparison of claims to a synthesis,
 * with the council's review before it where the claims contradict each other.
 */
export const ask = defineProtocol({
  name: "ask",
  version: 1,
  summary: "Ask several models; go further only where they disagree",
  seats: panelSeats,
  settings: AskSettings,
  templates: [...panelTemplates, comparisonTemplate, revisionTemplate],
  view: () => import("./view.ts"),
  report: () => import("./report.ts"),
  texts: ["strategy"],
  deliberate: (pinned) =>
    deliberateFromDrafts(
      pinned,
      (context, drafted) =>
        haveComparableAnswers(drafted.drafts)
          ? resolveByVote(context, drafted)
          : resolveBySynthesis(context, drafted),
      leaveRoomForRungs,
    ),
});

/** Whether the final answers decide: most drafts have a short one, or all have the same. */
function haveComparableAnswers(drafts: readonly Draft[]): boolean {
  const short = drafts.filter(({ final }) => isShortAnswer(final)).length;
  const { groups } = majority(drafts.map(({ step, final }) => ({ id: step, answer: final })));
  return short * 2 > drafts.length || groups[0]?.ids.length === drafts.length;
}
