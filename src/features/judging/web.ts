import type { FeatureScreens } from "../../web/feature.ts";

export const judging: FeatureScreens = {
  name: "judging",
  runs: {
    judge: {
      section: async () => ({ sectionOf: (await import("./protocol/judge/view.ts")).sectionOf }),
      report: () => import("./protocol/judge/report.ts"),
    },
    authorship: {
      section: async () => ({ sectionOf: (await import("./protocol/authorship/view.ts")).sectionOf }),
      // Of its module what is named alone: the schemas beside it are not shipped.
      report: async () => ({
        isVerdict: (await import("./protocol/authorship/view.ts")).isVerdict,
        sectionParts: (await import("./protocol/authorship/view.ts")).sectionParts,
      }),
    },
  },
};
