import { defineFeature } from "../feature.ts";

/** Answers that are stored, judged and recalled, and facts that people pin. */
export const memory = defineFeature({
  name: "memory",
  operations: async () => (await import("./api/index.ts")).operations,
  commands: [
    {
      ...{
        name: "memory",
        summary: "Search, edit, transfer and measure memory",
        heading: "Memory and library",
      },
      meant: { search: "search find grep recall" },
      load: async () => (await import("./commands/index.ts")).commands,
    },
  ],
  reactors: [
    {
      name: "memory",
      load: async () => (await import("./reactor/index.ts")).memory,
      plan: async (...asked) => (await import("./app/memory.ts")).planMemory(...asked),
    },
  ],
});
