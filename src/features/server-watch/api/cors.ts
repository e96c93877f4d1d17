import type { IncomingHttpHeaders } from "node:http";
import { refusal } from "../../../kernel/index.ts";
import type { ServerWatch } from "../../../server/operation.ts";
import { Refused } from "../../../server/problem.ts";
import { quoteValue } from "../../../text/words.ts";

// Another site's page is admitted by its exact origin alone, and then by a key that it sends: its cookies count for nothing, and no
//     reply says that they may be sent. Else: a site acts with the session of whoever visits it.

/** How long a browser may go by what a preflight said, in seconds. */
const MAX_AGE_S = 600;
/** The names of headers that a page may ask for: what clients of other makers send has no end. */
const HEADER_NAMES = /^[\w-]{1,64}(?: *, *[\w-]{1,64}){0,63}$/;
/** What pages may read beside the usual headers. */
const SHOWN =
  "etag, idempotent-replayed, link, location, mcp-session-id, retry-after, www-authenticate, x-request-id";
const METHODS = "GET, HEAD, POST, DELETE";

/** Admits requests of pages of these origins. @throws Fault `configuration` for what is not an exact origin */
export function admitOrigins(origins: readonly string[]): NonNullable<ServerWatch["admit"]> {
  const allowed = new Set(origins.map(exactOrigin));
  return ({ request: { headers, method }, response }) => {
    response.setHeader("vary", "origin");
    const { origin } = headers;
    if (origin === undefined || !allowed.has(origin) || new URL(origin).host === headers.host)
      return undefined; // the server's own pages have their session
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-expose-headers", SHOWN);
    return method === "OPTIONS" ? preflight(headers) : true;
  };
}

/** @throws Refused 403 for a page that would come from the public internet into a network of its visitor's */
function preflight(headers: IncomingHttpHeaders): { status: number; headers: Record<string, string> } {
  if (headers["access-control-request-private-network"] === "true") {
    const detail = "a page of the public internet may not call a server of a private network";
    throw new Refused({ status: 403, code: "forbidden", detail });
  }
  const names = headers["access-control-request-headers"] ?? "";
  return {
    status: 204,
    headers: {
      "access-control-allow-methods": METHODS,
      ...(HEADER_NAMES.test(names) ? { "access-control-allow-headers": names } : {}),
      "access-control-max-age": String(MAX_AGE_S),
    },
  };
}

/** An origin as browsers write it. @throws Fault `configuration` for a pattern, `null`, a path, or another scheme */
function exactOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, "") && !/[*]/.test(text))
    return url.origin;
  const why = `cors-origins: ${quoteValue(text)} is not the origin of a site`;
  throw refusal(why, "write https://app.example.org, one for each site: without a path, and without *");
}
