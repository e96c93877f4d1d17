import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HttpReply } from "./route.ts";

const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
};

/** Writes a whole reply. */
export function send(response: ServerResponse, { status, headers = {}, body, content }: HttpReply): void {
  const bytes = content?.bytes ?? (body === undefined ? "" : JSON.stringify(body));
  response.writeHead(status, {
    ...SAFE_HEADERS,
    ...(content || body !== undefined ? { "content-type": content?.type ?? "application/json" } : {}),
    ...(status === 204 || status === 304 ? {} : { "content-length": Buffer.byteLength(bytes) }),
    ...headers,
  });
  response.end(bytes);
}

/** What is worth compressing, in bytes: a journal of ten thousand events is a sixth of its size then. */
const MIN_PACKED = 65_536;

/** A reply as bytes; a long one compressed, where the client says that it can read that. */
export async function encoded({ headers }: IncomingMessage, reply: HttpReply): Promise<HttpReply> {
  const { status, body, headers: own = {} } = reply;
  const json = body === undefined ? undefined : { type: "application/json", bytes: JSON.stringify(body) };
  const content = reply.content ?? json;
  if (!content || content.bytes.length < MIN_PACKED || "content-encoding" in own || !takesGzip(headers))
    return { ...reply, ...(content ? { content } : {}) };
  return {
    ...{ status, headers: { ...own, "content-encoding": "gzip", vary: "accept-encoding" } },
    content: { ...content, bytes: await promisify(gzip)(content.bytes, { level: 6 }) },
  };
}

/** Whether a client reads what is compressed. */
export const takesGzip = (headers: IncomingHttpHeaders): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(headers["accept-encoding"] ?? ""));
