import { defineFeature } from "../feature.ts";

/** LoCAL2's bus, as a projection of the journal. */
export const bus = defineFeature({
  name: "bus",
  operations: async () => (await import("./api/index.ts")).operations,
});
