import { createHash } from "node:crypto";
import { createRequestStateCodec, type RequestStateCodec } from "@modelcontextprotocol/server";
import type { DeliberationId } from "../../kernel/index.ts";
import type { ApiCaller } from "../access.ts";

// MCPS-6. What a client carries between two of its calls is sealed for its credential, so that every server over the store can take up what
//     another one began. It names a deliberation and grants nothing: whoever calls has to have the right to it anyway. Else: a client
//     forges its way into a run.

/** What a call that asked a person goes on with. */
export type McpState = { readonly id: DeliberationId; readonly skipped: readonly string[] };

/** A person may take days. */
const SECONDS = 30 * 86_400;

export function stateCodec({ credential }: ApiCaller): RequestStateCodec<McpState> {
  const key = createHash("sha256").update(`mcp-state/${credential.id}/${credential.digest}`).digest();
  return createRequestStateCodec<McpState>({ key, ttlSeconds: SECONDS });
}
