import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  createMcpHandler,
  InMemoryServerEventBus,
  ProtocolError,
  type McpHttpHandler,
  type McpServer,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import type { OrganizationId } from "../../../kernel/index.ts";
import type { ApiCaller } from "../../../server/quota.ts";
import { MAX_BODY } from "../../../server/body.ts";
import { checkDepth } from "../../../server/opening.ts";
import { readingContext } from "../../../server/results.ts";
import type { HttpExchange, Services } from "../../../server/route.ts";
import type { Operation } from "../../../server/operation.ts";
import { watchResources } from "./resources.ts";
import { MCP_TIMES, type McpSession, type McpTimes } from "./session.ts";
import { chooseTools, splitNames } from "./chosen-tools.ts";
import { createMcpServer, toolRows, type ToolRow } from "./tools.ts";

const REFUSED = /^(?:Rejected |Unsupported |Invalid |Connection closed|malformed|mac|expired|bind)/;

export type McpHttpOptions = McpTimes & {
  /** Adds to what each server has: for tests of how it is served. */
  readonly extend?: (server: McpServer) => void;
};

type OfRequest = { readonly session: McpSession; readonly chosen: readonly ToolRow[] };
export type ServeMcp = (exchange: HttpExchange, caller: ApiCaller) => Promise<void>;

/** Answers requests of MCP over HTTP: the revision of 2026 request by request, those of 2025 without sessions. */
export function createMcpHttp(
  services: Services,
  operations: readonly Operation[],
  { extend, ...times }: McpHttpOptions,
): ServeMcp {
  const { log } = services;
  const tools = toolRows(operations);
  // A handler has one list of who listens: each organization has its own.
  const handlers = new Map<OrganizationId, McpHttpHandler>();
  const handlerOf = (caller: ApiCaller): McpHttpHandler => {
    const { organization } = caller.principal;
    const known = handlers.get(organization);
    if (known) return known;
    const made = createMcpHandler(
      ({ era, authInfo }) => {
        const { session, chosen } = (authInfo?.extra ?? {}) as Partial<OfRequest>; // as it is given below
        if (!session || !chosen) throw new Error("a request comes with its session");
        const isModern = era === "modern";
        const asking = isModern ? "reply" : "none";
        const server = createMcpServer({ ...session, isNotified: isModern, asking }, chosen);
        extend?.(server);
        return server;
      },
      {
        bus: busOf(services, caller, log),
        maxRequestBodySize: MAX_BODY,
        onerror(error) {
          // What a client has done wrong is in the reply.
          if (!(error instanceof ProtocolError) && !REFUSED.test(error.message))
            log(`mcp: ${error.stack ?? ""}`);
        },
      },
    );
    handlers.set(organization, made);
    return made;
  };
  return async (exchange, caller) => {
    const { response, signal } = exchange;
    let hasLeft = false;
    response.on("close", () => void (hasLeft = !response.writableFinished));
    const session: McpSession = {
      ...{ ...MCP_TIMES, ...times, services, caller, log, asking: "none", isNotified: false },
      checkDepth: () => checkDepth(exchange, services),
      hasLeft: () => hasLeft,
      onCall: () => undefined,
    };
    const { credential, principal } = caller;
    const chosen = chooseTools(tools, splitNames(exchange.url.searchParams.get("tools") ?? "all"));
    const extra: OfRequest = { session, chosen };
    const authInfo = { ...{ token: "", clientId: credential.id, scopes: [...principal.scopes] }, extra };
    const reply = await handlerOf(caller).fetch(fetchRequest(exchange), { authInfo });
    response.writeHead(reply.status, {
      ...Object.fromEntries(reply.headers),
      "x-content-type-options": "nosniff",
    });
    if (!reply.body) return void response.end();
    await pipeline(Readable.fromWeb(reply.body), response).catch((error: unknown) => {
      if (!signal.aborted && !hasLeft) throw error;
    });
  };
}

/** A request as the SDK reads it. */
function fetchRequest({ request, url, signal }: HttpExchange): Request {
  const { method = "GET", headers: given } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
  return new Request(url, { method, headers, signal, body: Readable.toWeb(request), duplex: "half" });
}

/** Follows an organization's deliberations for as long as anybody listens. */
function busOf({ parley }: Services, { principal }: ApiCaller, log: (line: string) => void): ServerEventBus {
  const bus = new InMemoryServerEventBus();
  let control = new AbortController();
  const tell: Parameters<typeof watchResources>[1]["tell"] = ({ uris, isNew }) => {
    if (isNew) bus.publish({ kind: "resources_list_changed" });
    for (const uri of uris) bus.publish({ kind: "resource_updated", uri });
  };
  return {
    publish: (event) => bus.publish(event),
    subscribe(listener) {
      if (bus.listenerCount === 0) {
        control = new AbortController();
        void watchResources(readingContext(parley, principal).store, { tell, log, signal: control.signal });
      }
      const end = bus.subscribe(listener);
      return () => {
        end();
        if (bus.listenerCount === 0) control.abort();
      };
    },
  };
}
