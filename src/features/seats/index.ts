import { defineFeature } from "../feature.ts";

/** What waits for a person: the inbox, and the answer to a step of one's own. */
export const seats = defineFeature({
  name: "seats",
  operations: async () => (await import("./api/index.ts")).operations,
  commands: [
    {
      ...{ name: "seat", heading: "Runs" },
      load: async (features) => (await import("./commands/index.ts")).seat(features),
    },
    {
      ...{ name: "inbox", heading: "Runs", first: "Runs" },
      load: async () => (await import("./commands/index.ts")).inbox,
    },
  ],
});
