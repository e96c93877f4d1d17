import type { FeatureScreens } from "../../web/feature.ts";
import { isServed } from "../../web/served.ts";

export const seats: FeatureScreens = {
  name: "seats",
  // Without a server there is one run.
  screens: isServed
    ? [
        {
          path: "inbox",
          title: { en: "Inbox", de: "Eingang" },
          group: "results",
          load: async () => (await import("./screens/inbox.tsx")).Inbox,
        },
      ]
    : [],
};
