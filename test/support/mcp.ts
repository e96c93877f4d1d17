import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
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
import { nativeApi, testServer, type Json, type TestServer, type TestServerOptions } from "./server.ts";

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
};

/** A client of the official package, connected. */
export async function mcpClient(
  server: Pick<TestServer, "url" | "key"> | undefined,
  // `auto` falls back to an older revision, over which nobody is asked, and does not say so.
  { mode = NEWEST, key = server?.key ?? "", headers = {}, elicit, transport }: ClientOptions = {},
): Promise<Client & AsyncDisposable> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: elicit ? { elicitation: {} } : {}, versionNegotiation: { mode } },
  );
  if (elicit) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
  const requestInit = { headers: { authorization: `Bearer ${key}`, ...headers } };
  await client.connect(
    transport ?? new StreamableHTTPClientTransport(new URL(`${server?.url}mcp`), { requestInit }),
  );
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
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
