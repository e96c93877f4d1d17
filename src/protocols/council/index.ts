import { defineProtocol } from "../../engine/index.ts";
import { COUNCIL_TEMPLATES } from "../../prompts/index.ts";
import { draft } from "../../phases/draft.ts";
import { conclude, tooFewDrafts } from "./conclude.ts";
import { CouncilSettings, draftLimits } from "./settings.ts";
import { holdForChair } from "./synthesis.ts";

export { conclude, tooFewDrafts } from "./conclude.ts";
export { CouncilSettings, draftLimits, Rewriting, Strategy } from "./settings.ts";
export { leastReview } from "./review.ts";
export { holdForChair, leastSynthesis, synthesisOf } from "./synthesis.ts";

/**
 * Members draft blind and in parallel, review each other's drafts under labels, and a chair writes one
 * answer from drafts and reviews (seed 4). Seats: `member`, `chair` (the first, then who steps in for it),
 * `judge` (reviews, but drafts nothing).
 */
export const council = defineProtocol({
  name: "council",
  version: 2,
  settings: CouncilSettings,
  templates: [...COUNCIL_TEMPLATES, "strategy"],
  async deliberate(floor) {
    const members = floor.seats("member");
    const limits = draftLimits(floor.settings, members.length);
    holdForChair(floor);
    const drafted = await draft(floor, members, limits);
    if (drafted.drafts.length < limits.quorum) return tooFewDrafts(drafted, limits.quorum);
    return conclude(floor, { ...drafted, reviewed: true });
  },
});
