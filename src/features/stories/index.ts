import { defineFeature } from "../feature.ts";

/** Conversations whose answers and memory are checked. */
export const stories = defineFeature({
  name: "stories",
  commands: [
    {
      ...{ name: "test", aliases: ["story"], heading: "Evaluate", first: "Test" },
      load: async () => (await import("./commands/index.ts")).command,
    },
  ],
});
