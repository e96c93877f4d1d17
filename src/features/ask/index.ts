import { defineFeature } from "../feature.ts";

/** Several models, which deliberate only as far as they disagree. */
export const ask = defineFeature({
  name: "ask",
  protocols: { ask: async () => (await import("./protocol/index.ts")).ask },
  script: async () => (await import("./sim.ts")).script,
  asks: {
    ask: {
      ...{ title: "Ask several models", place: 1, when: "where a wrong answer is expensive", isCore: true },
      summary: "Several models answer, and deliberate only as far as they disagree",
      ...{ takes: "3 to 7 calls with 3 models, 10 s to 1 min", fields: ["seats", "effort", "pack"] },
    },
  },
  surfaces: { ask: { first: "Ask" } },
});
