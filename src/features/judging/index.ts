import { defineFeature } from "../feature.ts";

/** Models that judge answers or guess who wrote them, and how far they can be believed. */
export const judging = defineFeature({
  name: "judging",
  protocols: {
    judge: async () => (await import("./protocol/judge/index.ts")).judge,
    authorship: async () => (await import("./protocol/authorship/index.ts")).authorship,
  },
  reactors: [
    {
      name: "critic",
      load: async () => (await import("./reactor/critic.ts")).critic,
      plan: async (...asked) => (await import("./app/plan.ts")).planCritic(...asked),
    },
    {
      name: "pairwise",
      load: async () => (await import("./reactor/pairwise.ts")).pairwise,
      plan: async (...asked) => (await import("./app/plan.ts")).planPairwise(...asked),
    },
  ],
  commands: [
    {
      ...{ name: "judge", summary: "Score, compare and validate with LLM-as-judge" },
      ...{ heading: "Evaluate", first: "Test", meant: { compare: "vs diff" } },
      load: async () => (await import("./commands/index.ts")).judges,
    },
    { name: "votes", heading: "Runs", load: async () => (await import("./commands/index.ts")).audits },
  ],
});
