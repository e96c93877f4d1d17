import type { FeatureScreens } from "../../web/feature.ts";
import { isServed } from "../../web/served.ts";

export const evolution: FeatureScreens = {
  name: "evolution",
  runs: {
    persona: {
      section: async () => ({ sectionOf: (await import("./protocol/persona/view.ts")).sectionOf }),
      report: () => import("./protocol/persona/report.ts"),
    },
    trial: {
      section: async () => ({ sectionOf: (await import("./protocol/trial/view.ts")).sectionOf }),
      report: () => import("./protocol/trial/report.ts"),
    },
  },
  ...(isServed
    ? {
        screens: [
          {
            path: "personas",
            title: { en: "Personas", de: "Personas" },
            group: "design",
            load: async () => (await import("./screens/personas.tsx")).Personas,
          },
        ],
      }
    : {}),
};
