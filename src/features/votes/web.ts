import type { FeatureScreens } from "../../web/feature.ts";
import { isServed } from "../../web/served.ts";

export const votes: FeatureScreens = {
  name: "votes",
  // Without a server there is one run.
  screens: isServed
    ? [
        {
          path: "league",
          title: { en: "League", de: "Liga" },
          group: "knowledge",
          load: async () => (await import("./screens/votes.tsx")).League,
        },
        {
          path: "votes",
          title: { en: "Votes", de: "Stimmen" },
          group: "knowledge",
          load: async () => (await import("./screens/votes.tsx")).Votes,
        },
      ]
    : [],
};
