import type { FeatureScreens } from "../../web/feature.ts";

export const respond: FeatureScreens = {
  name: "respond",
  runs: {
    respond: {
      section: async () => ({ sectionOf: (await import("./protocol/view.ts")).sectionOf }),
      report: () => import("./protocol/report.ts"),
      form: {
        title: { en: "Respond", de: "Einzelantwort" },
        hint: { en: "One model answers and is graded", de: "Ein Modell antwortet und wird bewertet" },
        fields: [],
        seats: [],
      },
    },
  },
};
