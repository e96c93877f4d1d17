import { defineFeature } from "../feature.ts";

/** Ways to answer compared on tasks, and memory on against off. */
export const bench = defineFeature({
  name: "bench",
  protocols: { bench: async () => (await import("./protocol/index.ts")).bench },
  operations: async () => (await import("./api/index.ts")).operations,
  commands: [
    {
      ...{ name: "bench", heading: "Evaluate", first: "Test", meant: { "": "benchmark" } },
      was: { tasks: ["tasks"], benches: ["list", "show"] },
      load: async () => (await import("./commands/index.ts")).command,
    },
    {
      ...{ name: "memory", heading: "Memory and library" },
      load: async () => (await import("./commands/index.ts")).memoryCommands,
    },
  ],
});
