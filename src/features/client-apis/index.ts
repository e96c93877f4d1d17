import { defineFeature } from "../feature.ts";

/** The APIs that other makers' clients speak. */
export const clientApis = defineFeature({
  name: "client-apis",
  apis: async () => (await import("./api/index.ts")).apis,
});
