import type { FeatureScreens } from "../../web/feature.ts";

export const council: FeatureScreens = {
  name: "council",
  runs: {
    council: {
      section: async () => ({ sectionOf: (await import("../../views/panel.ts")).panelSection }),
      report: () => import("./protocol/report.ts"),
      form: {
        title: { en: "Council", de: "Rat" },
        hint: {
          en: "Drafts, anonymous reviews, one synthesis",
          de: "Entwürfe, anonyme Gutachten, eine Synthese",
        },
        fields: ["strategy", "mode", "chair", "personas", "pack"],
        seats: ["member", "reviewer", "judge", "tie-break"],
      },
    },
  },
};
