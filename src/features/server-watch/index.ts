import { defineFeature } from "../feature.ts";

/** What the operator of a server is told of it, and which other sites' pages may call it. */
export const serverWatch = defineFeature({
  name: "server-watch",
  watch: async (server) => (await import("./api/index.ts")).watchService(server),
});
