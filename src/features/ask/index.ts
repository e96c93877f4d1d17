import { defineFeature } from "../feature.ts";

/** Several models, which deliberate only as far as they disagree. */
export const ask = defineFeature({
  name: "ask",
  protocols: { ask: async () => (await import("./protocol/index.ts")).ask },
  script: async () => (await import("./sim.ts")).script,
  asks: {
    ask: {
      ...{ title: "Ask several models", place: 1, when: "by default", isCore: true },
      summary:
        "Put a question before several models; they deliberate only as far as they disagree. Use it where a wrong answer is " +
        "expensive. With 3 models usually 3 to 7 calls, 10 s to 1 min",
      fields: ["seats", "effort", "pack"],
    },
  },
  surfaces: { ask: { first: "Ask" } },
});
