import { join } from "node:path";
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type {
  CallToolResult,
  ElicitRequest,
  ElicitResult,
  ProgressCallback,
  Transport,
} from "@modelcontextprotocol/client";
import type { Feature } from "../../src/features/feature.ts";
import { features } from "../../src/features.ts";
import { mcpApi } from "../../src/features/mcp/api/index.ts";
import { serveMcpStdio, type McpStdioOptions } from "../../src/features/mcp/api/stdio.ts";
import { openConfigured } from "./opened.ts";
import {
  nativeApi,
  serverPlace,
  testServer,
  type Json,
  type TestServer,
  type TestServerOptions,
} from "./server.ts";
import type { Scratch } from "./scratch.ts";

/** The three ways in which the official client agrees on a revision. */
const NEWEST = { pin: "2026-07-28" } as const;
export const MODES = ["legacy", "auto", NEWEST] as const;
export type Mode = (typeof MODES)[number];

/** A server in this process that speaks MCP too. */
export const mcpTestServer = (
  {
    mcp: { features: own = features, ...mcp } = {},
    surfaces = [nativeApi],
    ...more
  }: TestServerOptions & {
    readonly mcp?: Parameters<typeof mcpApi>[1] & { readonly features?: readonly Feature[] };
  } = {},
  ...shared: Parameters<typeof testServer> extends [unknown?, ...infer R] ? R : never
): Promise<TestServer> => testServer({ surfaces: [...surfaces, mcpApi(own, mcp)], ...more }, ...shared);

export type Elicited = ElicitRequest["params"];

export type ClientOptions = {
  readonly mode?: Mode;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How the person answers; without it the client shows no forms. */
  readonly elicit?: (asked: Elicited) => ElicitResult | Promise<ElicitResult>;
  readonly transport?: Transport;
  /** Where a server has it; `mcp` by default. */
  readonly path?: string;
  /** The folders that it says it works in, as URLs; without it, it says nothing of any. */
  readonly roots?: readonly string[];
};

/** A client of the official package, connected. */
export async function mcpClient(
  server: Pick<TestServer, "url" | "key"> | undefined,
  // `auto` falls back to an older revision, over which nobody is asked, and does not say so.
  { mode = NEWEST, key = server?.key ?? "", headers = {}, path = "mcp", ...options }: ClientOptions = {},
): Promise<Client & AsyncDisposable> {
  const { elicit, transport, roots } = options;
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      capabilities: { ...(elicit ? { elicitation: {} } : {}), ...(roots ? { roots: {} } : {}) },
      versionNegotiation: { mode },
    },
  );
  if (roots) client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }));
  if (elicit) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
  const requestInit = { headers: { authorization: `Bearer ${key}`, ...headers } };
  await client.connect(
    transport ?? new StreamableHTTPClientTransport(new URL(`${server?.url}${path}`), { requestInit }),
  );
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** A server over standard input and output in this process, over a store of its own, and its client. */
export async function stdioInProcess(
  own: Partial<McpStdioOptions>,
  options: ClientOptions = {},
  { place = serverPlace(), flags = {} }: { readonly place?: Scratch; readonly flags?: object } = {},
) {
  const env = { ...place.env, PARLEY_HOME: join(place.home, "parley"), OLLAMA_HOST: "127.0.0.1:1" };
  const { parley, context } = await openConfigured({
    env,
    cwd: place.cwd,
    flags: { ...flags },
    isServed: true,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const control = new AbortController();
  const log: string[] = [];
  const ended = serveMcpStdio({
    ...{ parley, principal: context.principal, features, signal: control.signal, transport: far },
    config: { version: "0.0.0", place: { env, cwd: place.cwd }, maxDepth: 0 },
    log: (line) => void log.push(line),
    ...own,
  });
  const connected = mcpClient(undefined, { ...options, transport: near });
  // What it refuses to be started with ends it before anybody is connected.
  const client = await Promise.race([connected, ended.then(() => connected)]);
  return {
    ...{ client, parley, context, log },
    async [Symbol.asyncDispose]() {
      await client.close();
      control.abort();
      await ended;
      await parley.close();
      place[Symbol.dispose]();
    },
  };
}

/** What a tool gave, as a program reads it; `onprogress` is no argument but hears of progress. @throws for a refusal */
export async function called(
  client: Client,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Json> {
  const { onprogress, ...args } = given;
  const options = typeof onprogress === "function" ? { onprogress: onprogress as ProgressCallback } : {};
  const result = await client.callTool({ name, arguments: args }, options);
  if (result.isError === true) throw new Error(`refused: ${textOf(result)}`);
  return result.structuredContent as Json;
}

/** What a refused call says. @throws for one that is not refused */
export async function refusal(
  client: Client,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const result = await client.callTool({ name, arguments: given });
  if (result.isError !== true) throw new Error("it was not refused");
  return textOf(result);
}

export const textOf = ({ content }: Pick<CallToolResult, "content">): string =>
  content.map((one) => (one.type === "text" ? one.text : "")).join("");
