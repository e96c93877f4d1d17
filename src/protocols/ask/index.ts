import { defineProtocol } from "../../engine/index.ts";
import { majority } from "../../judging/index.ts";
import { COUNCIL_TEMPLATES, LADDER_TEMPLATES } from "../../prompts/index.ts";
import { draftLimits, tooFewDrafts } from "../council/index.ts";
import { draft, type Draft } from "../../phases/draft.ts";
import { isShort } from "./rungs.ts";
import { settle } from "./settle.ts";
import { AskSettings } from "./settings.ts";
import { weigh } from "./weigh.ts";

export { AskSettings } from "./settings.ts";

/**
 * Blind drafts first, and more only where these disagree: agreement of final answers is the answer; a split of them
 * goes through a round of critique and revision and a vote; an open question through a comparison of claims to a
 * synthesis, by way of the council's review where they contradict each other. Seats as in `council`.
 */
export const ask = defineProtocol({
  name: "ask",
  version: 1,
  settings: AskSettings,
  templates: [...COUNCIL_TEMPLATES, ...LADDER_TEMPLATES, "strategy"],
  async deliberate(floor) {
    const members = floor.seats("member");
    const limits = draftLimits(floor.settings, members.length);
    const drafted = await draft(floor, members, limits);
    if (drafted.drafts.length < limits.quorum) return tooFewDrafts(drafted, limits.quorum);
    return comparable(drafted.drafts) ? settle(floor, drafted) : weigh(floor, drafted);
  },
});

/** Whether the drafts can be settled by what they end in: most have a short final answer, or all have the same. */
function comparable(drafts: readonly Draft[]): boolean {
  const short = drafts.filter(({ final }) => isShort(final)).length;
  const { groups } = majority(drafts.map(({ step, final }) => ({ id: step, answer: final })));
  return short * 2 > drafts.length || groups[0]?.ids.length === drafts.length;
}
