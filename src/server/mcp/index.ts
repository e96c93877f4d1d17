import { operationsOf } from "../api/index.ts";
import type { ServerFeature } from "../operation.ts";
import type { Mount } from "../server.ts";
import type { McpHttpOptions, ServeMcp } from "./http.ts";

/** MCP at one path of a server. What it needs is loaded with the first request: the SDK takes longer than all the rest. */
export function mcpMount({
  features = [],
  ...options
}: McpHttpOptions & { readonly features?: readonly ServerFeature[] | undefined }): Mount {
  let serving: Promise<ServeMcp> | undefined;
  return async (exchange, services) => {
    const caller = await services.access.caller(exchange.request);
    serving ??= Promise.all([import("./http.ts"), operationsOf(features)]).then(([{ createMcpHttp }, all]) =>
      createMcpHttp(services, all, options),
    );
    await (
      await serving
    )(exchange, caller);
  };
}
