import { defineFeature } from "../feature.ts";

/** Parley as a server of MCP: over HTTP beside the other APIs, and over standard input and output. */
export const mcp = defineFeature({
  name: "mcp",
  apis: async (features) => [(await import("./api/index.ts")).mcpApi(features)],
  commands: [{ name: "mcp", heading: "Serve", load: async () => (await import("./commands/index.ts")).mcp }],
});
