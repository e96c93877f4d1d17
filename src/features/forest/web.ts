import type { FeatureScreens } from "../../web/feature.ts";

export const forest: FeatureScreens = {
  name: "forest",
  title: { en: "Forest", de: "Wald" },
  screen: { group: "design", load: async () => (await import("./screens/forest.tsx")).Forest },
  runs: {
    section: async () => ({ sectionOf: (await import("./protocol/view.ts")).sectionOf }),
    report: () => import("./protocol/report.ts"),
    view: async () => (await import("./screens/view-forest.tsx")).Cycle,
  },
  forms: new Map([
    [
      "alignment",
      async () => {
        const { HandOffPrompt: Prompt, AlignmentFields: Fields } = await import("./screens/hand-off.tsx");
        return { Prompt, Fields };
      },
    ],
    [
      "divergence",
      async () => {
        const { HandOffPrompt: Prompt, DivergenceFields: Fields } = await import("./screens/hand-off.tsx");
        return { Prompt, Fields };
      },
    ],
  ]),
};
