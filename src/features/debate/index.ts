import { defineFeature } from "../feature.ts";

/** Debates in rounds before a judge, and independent scores of what they come to. */
export const debate = defineFeature({
  name: "debate",
  protocols: {
    debate: async () => (await import("./protocol/debate/index.ts")).debate,
    evaluation: async () => (await import("./protocol/evaluation/index.ts")).evaluation,
  },
  script: async () => (await import("./sim.ts")).script,
  trusts: async (reading, file) =>
    (await import("./app/dialectic/debate-file.ts")).readTrusted(reading, file),
  exports: {
    ...{ protocol: "debate", record: "debate", shows: "Every round" },
    formats: {
      debate: { type: "application/json", ending: "json" },
      dialectic: { type: "application/json", ending: "json", whole: "its DebateState" },
    },
    help:
      "The run is an id, or a file: a result of Dialectic, or what the format debate has. " +
      "debate and dialectic are records for other programs.",
    load: async () => (await import("./app/exports.ts")).debateExports,
  },
  asks: {
    debate: {
      ...{ title: "Hold a debate", place: 3, when: "for designs", isCore: true },
      summary: "Agents with roles propose, criticize and refine over rounds; a judge writes the solution",
      ...{ takes: "38 calls with 3 agents, 2 to 10 min", fields: ["agents", "rounds", "until", "clarify"] },
    },
  },
  surfaces: { debate: { first: "Ask", load: async () => (await import("./commands/index.ts")).surface } },
  chat: { debate: "put the last question to a debate" },
  commands: [
    {
      ...{ name: "eval", heading: "Evaluate", meant: { "": "evaluate" } },
      load: async () => (await import("./commands/index.ts")).evaluate,
    },
  ],
});
