import type { Mount } from "../server.ts";
import type { McpHttpOptions, ServeMcp } from "./http.ts";

/** MCP at one path of a server. What it needs is loaded with the first request: the SDK takes longer than all the rest. */
export function mcpMount(options: McpHttpOptions): Mount {
  let serving: Promise<ServeMcp> | undefined;
  return async (exchange, services) => {
    const caller = await services.access.caller(exchange.request);
    serving ??= import("./http.ts").then(({ createMcpHttp }) => createMcpHttp(services, options));
    await (
      await serving
    )(exchange, caller);
  };
}
