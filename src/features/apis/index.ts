import { defineFeature } from "../feature.ts";

/** The APIs that other makers' clients speak. */
export const apis = defineFeature({
  name: "apis",
  apis: async () => [(await import("./api/index.ts")).openAiApi],
});
