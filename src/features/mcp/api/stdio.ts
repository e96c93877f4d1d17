import { randomBytes } from "node:crypto";
import type { McpServer, Transport } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Parley } from "../../../app/parley.ts";
import type { Principal } from "../../../kernel/index.ts";
import type { KeyLimits } from "../../../stores/credentials.ts";
import type { ApiCaller } from "../../../server/quota.ts";
import { createDrives } from "../../../server/drives.ts";
import { createFollowers } from "../../../server/followers.ts";
import { operationsOf } from "../../../server/api/index.ts";
import type { ServerFeature } from "../../../server/operation.ts";
import type { ServerConfig } from "../../../server/route.ts";
import { watchResources } from "./resources.ts";
import { MCP_TIMES, type McpSession, type McpTimes } from "./session.ts";
import { chooseTools } from "./chosen-tools.ts";
import { createMcpServer, toolRows } from "./tools.ts";

// A connection's end waits for nothing: what runs stays open on the journal, and whoever drives next goes on with it. A client that only
// asks what there is drives nothing: what an earlier connection left goes on with the first call of a tool.

const MAX_DRIVES = 64;
const SWEEP_MS = 2_000;

export type McpStdioOptions = McpTimes & {
  readonly parley: Parley;
  readonly principal: Principal;
  readonly config: ServerConfig;
  readonly features?: readonly ServerFeature[] | undefined;
  /** The tools that are offered: `core`, `all`, or by name; `core` by default. */
  readonly tools?: readonly string[] | undefined;
  /** The real paths of the folders whose files a call may name. */
  readonly roots?: readonly string[];
  /** How many deliberations are driven at a time. */
  readonly maxDrives?: number;
  /** What all that this and other clients over stdio open may cost in US dollars a day (UTC). (QUOTA-1) */
  readonly usdPerDay?: number | undefined;
  readonly log: (line: string) => void;
  /** Ends the connection from this side. */
  readonly signal: AbortSignal;
  /** Standard input and output by default. */
  readonly transport?: Transport;
};

/** Serves one client, and drives what it asks for in this process. Resolves when the connection has ended. */
export async function serveMcpStdio(options: McpStdioOptions): Promise<void> {
  const { parley, principal, config, features = [], log, signal, roots = [], usdPerDay } = options;
  const { transport = new StdioServerTransport(process.stdin, process.stdout) } = options;
  const { store, world } = parley.context({}, { principal });
  const followers = createFollowers({ parley, principal, log });
  const drives = createDrives({
    parley,
    principal,
    log,
    adopts: "organization",
    most: options.maxDrives ?? MAX_DRIVES,
    onEnd: (id) => followers.settle(id),
  });
  const stopped = new AbortController();
  const calls = new Set<Promise<unknown>>();
  let keeping: Promise<void> | undefined;
  const session: Omit<McpSession, "asking"> = {
    ...{ ...MCP_TIMES, ...options, services: { parley, drives, followers, config, world }, log },
    caller: localCaller(principal, { now: world.now(), limits: { usdPerDay } }),
    roots,
    isNotified: true,
    checkDepth: () => undefined,
    hasLeft: () => true,
    onCall(work) {
      keeping ??= drives.keep(SWEEP_MS, stopped.signal);
      calls.add(work);
      void work.finally(() => calls.delete(work)).catch(() => undefined);
    },
  };
  const tools = chooseTools(
    toolRows(await operationsOf(features), { readsFiles: true }),
    options.tools ?? ["core"],
  );
  followers.start();
  // A client that tries the revisions one after the other gets a server for each: the last one stays.
  let current: { readonly server: McpServer; readonly wants: (uri: string) => boolean } | undefined;
  void watchResources(store, {
    ...{ log, signal: stopped.signal },
    tell({ uris, isNew }) {
      if (!current) return;
      const { server, wants } = current;
      const told = [
        ...(isNew ? [server.server.sendResourceListChanged()] : []),
        ...uris.filter(wants).map((uri) => server.server.sendResourceUpdated({ uri })),
      ];
      void Promise.all(told).catch(() => undefined); // nobody is connected
    },
  });
  const handle = serveStdio(
    ({ era }) => {
      const isModern = era === "modern";
      const server = createMcpServer({ ...session, asking: isModern ? "reply" : "request" }, tools);
      // The SDK itself knows who listens by the revision of 2026.
      current = { server, wants: isModern ? () => true : subscriptionsOf(server) };
      return server;
    },
    { transport, onerror: ({ message }) => log(`mcp: ${message}`) },
  );
  await new Promise<void>((resolve) => {
    const own = transport.onclose;
    transport.onclose = () => {
      own?.();
      resolve();
    };
    const end = () => void handle.close().finally(resolve);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  await Promise.allSettled(calls);
  stopped.abort();
  await Promise.all([drives.stop(0), followers.stop(), keeping]);
}

/** Which resources a client of the revisions of 2025 has subscribed to. */
function subscriptionsOf({ server }: McpServer): (uri: string) => boolean {
  const uris = new Set<string>();
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    uris.add(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    uris.delete(params.uri);
    return {};
  });
  return (uri) => uris.has(uri);
}

/** Whoever started the process, who needs no key. */
const localCaller = (
  principal: Principal,
  { now, limits }: { readonly now: number; readonly limits: KeyLimits },
): ApiCaller => ({
  ...{ principal, by: "header" },
  credential: {
    limits,
    ...{ id: "stdio", kind: "key", name: "stdio", principal, until: null, revokedAt: null },
    digest: randomBytes(32).toString("hex"),
    createdAt: new Date(now).toISOString(),
  },
});
