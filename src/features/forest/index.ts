import { defineFeature } from "../feature.ts";

/** Hypotheses grown under gates, cycle by cycle. */
export const forest = defineFeature({
  name: "forest",
  protocols: { forest: async () => (await import("./protocol/index.ts")).forest },
  script: async () => (await import("./sim.ts")).script,
  trusts: async (reading, file) =>
    file === undefined ? (await import("./app/file.ts")).readTrusted(reading) : undefined,
  commands: [
    {
      ...{ name: "forest", summary: "Grow hypotheses under gates, cycle by cycle", heading: "Evaluate" },
      load: async () => (await import("./commands/index.ts")).commands,
    },
  ],
});
