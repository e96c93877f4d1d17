import { defineFeature } from "../feature.ts";

/** Debates in rounds before a judge, and independent scores of what they come to. */
export const debate = defineFeature({
  name: "debate",
  protocols: { evaluation: async () => (await import("./protocol/evaluation/index.ts")).evaluation },
  surfaces: { debate: { first: "Ask", load: async () => (await import("./commands/index.ts")).surface } },
  commands: [
    {
      name: "eval",
      ...{ summary: "Score a debate's solution with independent evaluators", heading: "Evaluate" },
      load: async () => (await import("./commands/index.ts")).evaluate,
    },
  ],
});
