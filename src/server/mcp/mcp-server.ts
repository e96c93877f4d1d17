import { McpServer } from "@modelcontextprotocol/server";
import { registerResources } from "./resources.ts";
import { stateCodec, type McpSession } from "./session.ts";
import { registerTools, type ToolRow } from "./tools.ts";

const HOUR_MS = 3_600_000;
const COMMON = { ttlMs: HOUR_MS, cacheScope: "public" } as const;
const OWN = { ttlMs: 0, cacheScope: "private" } as const;

const INSTRUCTIONS = `Parley puts a question before several models and gives back one answer with a full audit trail.
Use ask by default, council for open questions that matter, debate for designs, respond for one model.
A deliberation takes seconds to minutes and goes on by itself: where a result has the status open, call wait with its id.
Where it is waiting, a person has to say something: ask them, pass their words on with answer, and then wait.
Give a request name when a call may be repeated: the repeat joins what the first one opened.
Costs are real: estimate says what a question would take, maxCostUsd and maxCalls limit it.`;

/** A server of MCP for one caller: of one request over HTTP, of one connection over stdio. */
export function createMcpServer(session: McpSession, tools: readonly ToolRow[]): McpServer {
  const { isNotified, services, caller } = session;
  const server = new McpServer(
    { name: "parley", title: "Parley", version: services.config.version },
    {
      capabilities: {
        tools: { listChanged: false },
        // There are none, and a client that asks for them hears so.
        prompts: { listChanged: false },
        resources: { subscribe: isNotified, listChanged: isNotified },
      },
      instructions: INSTRUCTIONS,
      cacheHints: {
        ...{ "server/discover": COMMON, "tools/list": COMMON, "resources/templates/list": COMMON },
        ...{ "prompts/list": COMMON, "resources/list": OWN, "resources/read": OWN },
      },
      requestState: { verify: stateCodec(caller).verify },
      // Persons are asked by our own requests, so that notices go on meanwhile.
      inputRequired: { legacyShim: false },
    },
  );
  registerTools(server, session, tools);
  registerResources(server, session);
  return server;
}
