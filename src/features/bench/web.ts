import type { FeatureScreens } from "../../web/feature.ts";
import { isServed } from "../../web/served.ts";

export const bench: FeatureScreens = {
  name: "bench",
  // Without a server there is no list of benches.
  screens: isServed
    ? [
        {
          ...{ path: "bench", title: { en: "Bench", de: "Benchmark" }, group: "knowledge" },
          load: async () => (await import("./screens/bench.tsx")).Bench,
        },
      ]
    : [],
};
