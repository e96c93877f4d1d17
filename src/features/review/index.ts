import { defineFeature } from "../feature.ts";

/** The review of a change: several models find and check faults, and a rule decides. */
export const review = defineFeature({
  name: "review",
  protocols: { review: async () => (await import("./protocol/index.ts")).review },
  script: async () => (await import("./sim.ts")).script,
  trusts: async (reading, file) => (await import("./app/rules-file.ts")).readTrusted(reading, file),
  exports: {
    ...{ protocol: "review", record: "review", shows: "Every finding" },
    formats: {
      review: { type: "application/json", ending: "json" },
      sarif: { type: "application/sarif+json", ending: "sarif" },
      github: { type: "text/plain; charset=utf-8", ending: "txt" },
    },
    help: "A review is also sarif (SARIF 2.1.0) and github (annotations of a workflow).",
    load: async () => (await import("./app/exports.ts")).reviewExports,
  },
  commands: [
    {
      ...{ name: "review", heading: "Evaluate", meant: { "": "gate lint pr" } },
      load: async () => (await import("./commands/index.ts")).command,
    },
  ],
});
