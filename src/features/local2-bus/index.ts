import { defineFeature } from "../feature.ts";

/** LoCAL2's bus, as a projection of the journal. */
export const local2Bus = defineFeature({
  name: "local2-bus",
  operations: async () => (await import("./api/index.ts")).operations,
});
