import type { FeatureScreens } from "../../web/feature.ts";
import { isServed } from "../../web/served.ts";

export const forest: FeatureScreens = {
  name: "forest",
  title: { en: "Forest", de: "Wald" },
  runs: {
    section: async () => ({ sectionOf: (await import("./protocol/view.ts")).sectionOf }),
    report: () => import("./protocol/report.ts"),
    view: async () => (await import("./screens/view-forest.tsx")).Cycle,
  },
  // Without a server there is no list of forests, and nobody to answer.
  ...(isServed
    ? {
        screen: { group: "design", load: async () => (await import("./screens/forest.tsx")).Forest },
        forms: new Map([
          [
            "alignment",
            async () => {
              const { HandOffPrompt: Prompt, AlignmentFields: Fields } =
                await import("./screens/hand-off.tsx");
              return { Prompt, Fields };
            },
          ],
          [
            "divergence",
            async () => {
              const { HandOffPrompt: Prompt, DivergenceFields: Fields } =
                await import("./screens/hand-off.tsx");
              return { Prompt, Fields };
            },
          ],
        ]),
      }
    : {}),
};
