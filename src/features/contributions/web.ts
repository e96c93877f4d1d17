import { isEvent } from "../../kernel/index.ts";
import type { FeatureScreens } from "../../web/feature.ts";
import { isServed } from "../../web/served.ts";

const title = { en: "Contributions", de: "Beiträge" };

export const contributions: FeatureScreens = {
  name: "contributions",
  views: [
    {
      path: "contributions",
      title,
      // What a vote's members gave can be measured as well.
      begins: (entry) =>
        isEvent(entry, "standing-reached") ||
        isEvent(entry, "contribution-measured") ||
        (isEvent(entry, "synthesis-given") && entry.data.claims !== undefined),
      load: async () => (await import("./screens/view-contributions.tsx")).Contributions,
    },
  ],
  // Without a server there are no other runs to compare with.
  screens: isServed
    ? [
        {
          path: "contributions",
          title,
          group: "knowledge",
          load: async () => (await import("./screens/shares.tsx")).Shares,
        },
      ]
    : [],
};
