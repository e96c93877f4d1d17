import { isEvent } from "../../kernel/index.ts";
import type { FeatureScreens } from "../../web/feature.ts";
import { isServed } from "../../web/served.ts";

const title = { en: "Forest", de: "Wald" };

export const forest: FeatureScreens = {
  name: "forest",
  runs: {
    forest: {
      section: async () => ({ sectionOf: (await import("./protocol/view.ts")).sectionOf }),
      report: () => import("./protocol/report.ts"),
    },
  },
  views: [
    {
      path: "forest",
      title,
      begins: (entry) => isEvent(entry, "deliberation-opened") && entry.data.protocol.name === "forest",
      load: async () => (await import("./screens/view-forest.tsx")).Cycle,
    },
  ],
  // Without a server there is no list of forests, and nobody to answer.
  ...(isServed
    ? {
        screens: [
          {
            path: "forest",
            title,
            group: "design",
            load: async () => (await import("./screens/forest.tsx")).Forest,
          },
        ],
        forms: new Map([
          ["alignment", async () => (await import("./screens/hand-off.tsx")).alignment],
          ["divergence", async () => (await import("./screens/hand-off.tsx")).divergence],
        ]),
      }
    : {}),
};
