import { defineFeature } from "../feature.ts";

/** What each member gave to an answer: claimed, and measured. */
export const contributions = defineFeature({
  name: "contributions",
  operations: async () => (await import("./api/index.ts")).operations,
  commands: [
    {
      name: "contributions",
      heading: "Runs",
      load: async () => (await import("./commands/index.ts")).command,
    },
  ],
});
