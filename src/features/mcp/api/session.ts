import { createHash } from "node:crypto";
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type ClientCapabilities,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { DeliberationId } from "../../../kernel/index.ts";
import type { ApiCaller } from "../../../server/quota.ts";
import type { Services } from "../../../server/route.ts";

// A client that goes away ends its own waiting, never a deliberation, unless it said so when it opened it. A server that stops is no client
// that goes away.
// MCPS-6. What a client carries between two of its calls is sealed for its credential, so that every server over the store can take up what
//     another one began. It names a deliberation and grants nothing: whoever calls has to have the right to it anyway. Else: a client
//     forges its way into a run.

/** Who calls over MCP, from where, and over what. */
export type McpSession = {
  readonly services: Pick<Services, "parley" | "drives" | "followers" | "config" | "world" | "traceOf">;
  readonly caller: ApiCaller;
  /**
   * How a question reaches a person during a call. `reply`: it is the call's reply, and the client calls again with the answer;
   * `request`: it is a request of the server's own, while the call waits; `none`: not at all.
   */
  readonly asking: "reply" | "request" | "none";
  /** The real paths of the folders whose files a call may name; undefined where none may, as over HTTP. */
  readonly roots?: readonly string[] | undefined;
  /** Whether a call can pass on what a person says. */
  readonly takesAnswers?: boolean;
  /** Whether notices of changes reach the client. */
  readonly isNotified: boolean;
  /** How long a call without a progress token waits, in milliseconds. */
  readonly patienceMs: number;
  /** After how long without one a notice of progress is sent, in milliseconds. */
  readonly noticeMs: number;
  /** @throws Refused for a call that a deliberation's own model makes (REQUEST-2) */
  checkDepth(): void;
  /** Whether the client has gone or cancelled its call, where the call's signal has aborted. */
  hasLeft(): boolean;
  /** Called with what a call does until it has ended. */
  onCall(work: Promise<unknown>): void;
  readonly log: (line: string) => void;
};

/** How a surface of MCP waits; tests shorten it. */
export type McpTimes = Partial<Pick<McpSession, "patienceMs" | "noticeMs">>;

/** Less than the 60 s after which usual clients give a call up; notices come at least every 10 s. */
export const MCP_TIMES = { patienceMs: 45_000, noticeMs: 8_000 };

export type McpCall = McpSession & {
  readonly ctx: ServerContext;
  /** What the client can do, where it said that once for all its calls. */
  readonly declared: ClientCapabilities | undefined;
  readonly codec: RequestStateCodec<McpState>;
};

/** What the client can do, as it says for this call or for all of them. */
export const capabilitiesOf = ({ ctx, declared }: Pick<McpCall, "ctx" | "declared">): ClientCapabilities => {
  const envelope: Readonly<Record<string, unknown>> = ctx.mcpReq.envelope ?? {};
  return envelope[CLIENT_CAPABILITIES_META_KEY] ?? declared ?? {}; // as the SDK has checked it
};

/** What a call that asked a person goes on with. */
export type McpState = { readonly id: DeliberationId; readonly skipped: readonly string[] };

/** A person may take days. */
const SECONDS = 30 * 86_400;

export function stateCodec({ credential }: ApiCaller): RequestStateCodec<McpState> {
  const key = createHash("sha256").update(`mcp-state/${credential.id}/${credential.digest}`).digest();
  return createRequestStateCodec<McpState>({ key, ttlSeconds: SECONDS });
}
