import type { FeatureScreens } from "../../web/feature.ts";

export const ask: FeatureScreens = {
  name: "ask",
  runs: {
    ask: {
      section: async () => ({ sectionOf: (await import("./protocol/view.ts")).sectionOf }),
      report: () => import("./protocol/report.ts"),
      above: {
        room: async () => (await import("./screens/ladder.tsx")).Ladder,
        steps: async () => (await import("./screens/ladder.tsx")).Comparison,
      },
      form: {
        title: { en: "Ask", de: "Befragung" },
        hint: {
          en: "Independent drafts; more only where they disagree",
          de: "Unabhängige Entwürfe; mehr nur, wo sie sich unterscheiden",
        },
        fields: ["strategy", "effort", "chair", "personas", "pack"],
        seats: ["member", "reviewer", "judge", "tie-break"],
      },
    },
  },
};
