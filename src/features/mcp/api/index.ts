import type { ServerFeature } from "../../../server/operation.ts";
import { problemReply } from "../../../server/problem.ts";
import { operationsOf } from "../../../server/api/index.ts";
import type { ApiSurface, Services } from "../../../server/route.ts";
import type { McpHttpOptions, ServeMcp } from "./http.ts";

/** MCP at one path of a server. What it needs is loaded with the first request: the SDK takes longer than all the rest. */
export function mcpApi(features: readonly ServerFeature[], options: McpHttpOptions = {}): ApiSurface {
  const serving = new WeakMap<Services, Promise<ServeMcp>>();
  const load = async (services: Services): Promise<ServeMcp> => {
    const [{ createMcpHttp }, all] = await Promise.all([import("./http.ts"), operationsOf(features)]);
    return createMcpHttp(services, all, options);
  };
  const methods = ["get", "post", "delete"] as const;
  return {
    prefix: "mcp",
    refuse: problemReply,
    routes: methods.map((method) => ({
      ...{ method, path: "", name: `${method}Mcp`, tag: "MCP", needs: "read", replies: {} },
      summary: "Speak MCP",
      async answer(exchange, services) {
        const caller = await services.access.caller(exchange.request);
        const loaded = serving.get(services) ?? load(services);
        serving.set(services, loaded);
        await (
          await loaded
        )(exchange, caller);
        return undefined;
      },
    })),
  };
}
