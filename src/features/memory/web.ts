import type { FeatureScreens } from "../../web/feature.ts";
import { isServed } from "../../web/served.ts";

export const memory: FeatureScreens = {
  name: "memory",
  // Without a server there is one run.
  screens: isServed
    ? [
        {
          path: "memory",
          title: { en: "Memory", de: "Gedächtnis" },
          group: "knowledge",
          load: async () => (await import("./screens/memory.tsx")).Memory,
        },
      ]
    : [],
};
