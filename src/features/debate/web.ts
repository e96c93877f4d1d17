import { isEvent } from "../../kernel/index.ts";
import type { FeatureScreens } from "../../web/feature.ts";

export const debate: FeatureScreens = {
  name: "debate",
  runs: {
    debate: {
      section: async () => ({ sectionOf: (await import("./protocol/debate/view/index.ts")).sectionOf }),
      report: () => import("./protocol/debate/report/index.ts"),
      form: {
        title: { en: "Debate", de: "Debatte" },
        hint: {
          en: "Roles argue over several rounds, a judge decides",
          de: "Rollen argumentieren über mehrere Runden, ein Richter entscheidet",
        },
        fields: ["rounds", "until", "clarify"],
        seats: ["member", "judge"],
      },
    },
    evaluation: {
      section: async () => ({ sectionOf: (await import("./protocol/evaluation/view.ts")).sectionOf }),
      report: () => import("./protocol/evaluation/report.ts"),
    },
  },
  views: [
    {
      path: "debate",
      title: { en: "Rounds", de: "Runden" },
      begins: (entry) => isEvent(entry, "deliberation-opened") && entry.data.protocol.name === "debate",
      load: async () => (await import("./screens/view-debate.tsx")).Rounds,
    },
  ],
};
