import { defineFeature } from "../feature.ts";

/** Several models, which deliberate only as far as they disagree. */
export const ask = defineFeature({
  name: "ask",
  protocols: { ask: async () => (await import("./protocol/index.ts")).ask },
  script: async () => (await import("./sim.ts")).script,
  asks: {
    ask: {
      ...{ title: "Ask several models", place: 1, when: "by default" },
      summary:
        "Put a question before several models; they deliberate only as far as they disagree. The usual choice",
      fields: ["seats", "effort", "pack"],
    },
  },
  surfaces: { ask: { first: "Ask" } },
});
