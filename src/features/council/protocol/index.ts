import { defineProtocol } from "../../../engine/index.ts";
import { conclude, deliberateFromDrafts } from "../../../protocols/phases/panel/conclude.ts";
import { panelTemplates } from "../../../protocols/phases/panel/prompts.ts";
import { leaveRoomForReviews } from "../../../protocols/phases/panel/review.ts";
import { PanelSettings, panelSeats } from "../../../protocols/phases/panel/settings.ts";
import { reserveForChair } from "../../../protocols/phases/panel/synthesis.ts";

/**
 * Members draft independently and in parallel, review each other's drafts under labels, and a chair writes one answer from
 * drafts and reviews. A judge reviews, and does not draft.
 */
export const council = defineProtocol({
  name: "council",
  version: 2,
  summary: "Draft, review anonymously and synthesize an answer",
  seats: panelSeats,
  settings: PanelSettings,
  templates: panelTemplates,
  view: async () => {
    const { PanelSection: sectionSchema, panelSection: sectionOf } = await import("../../../views/panel.ts");
    return { sectionSchema, sectionOf };
  },
  report: () => import("./report.ts"),
  texts: ["strategy"],
  deliberate: (pinned) =>
    deliberateFromDrafts(
      pinned,
      (context, drafted) => conclude(context, { ...drafted, reviewed: true }),
      (context) => {
        reserveForChair(context);
        leaveRoomForReviews(context);
      },
    ),
});
