import type { FeatureScreens } from "../../web/feature.ts";

export const review: FeatureScreens = {
  name: "review",
  runs: {
    review: {
      section: async () => ({ sectionOf: (await import("./protocol/view.ts")).sectionOf }),
      report: () => import("./protocol/report.ts"),
    },
  },
};
