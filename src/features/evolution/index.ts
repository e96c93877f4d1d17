import { defineFeature } from "../feature.ts";

/** Personas that are bred from others, tried, and accepted or taken back. */
export const evolution = defineFeature({
  name: "evolution",
  protocols: {
    persona: async () => (await import("./protocol/persona/index.ts")).personaProtocol,
    trial: async () => (await import("./protocol/trial/index.ts")).trial,
  },
  script: async () => (await import("./sim.ts")).script,
  operations: async () => (await import("./api/index.ts")).routes,
  settle: async (...run) => (await import("./app/change.ts")).settlePersona(...run),
  commands: [
    {
      name: "personas",
      heading: "Memory and library",
      load: async () => (await import("./commands/index.ts")).commands,
    },
  ],
});
