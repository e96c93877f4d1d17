import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { HttpReply } from "./problem.ts";

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

type Streamed = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly type: string;
  readonly parts: AsyncIterable<string>;
};

/** Writes a reply part by part, each as soon as it is made. A part that fails breaks the connection off: the head is written by then. */
export async function sendParts({ request, response, type, parts }: Streamed): Promise<void> {
  const isPacked = takesGzip(request.headers);
  response.writeHead(200, {
    ...{ ...SAFE_HEADERS, "content-type": type, vary: "accept-encoding, origin" },
    ...(isPacked ? { "content-encoding": "gzip" } : {}),
  });
  const source = Readable.from(parts, { objectMode: true, highWaterMark: 1 });
  const written = isPacked
    ? pipeline(source, createGzip({ level: LEVEL }), response)
    : pipeline(source, response);
  await written.catch(() => response.destroy()); // the client has gone, or a part could not be made
}

/** Of a journal's ten thousand events, a fifth less than the fastest gives, and no slower than they are read. */
const LEVEL = 6;

/** What is worth compressing, in bytes: a journal of ten thousand events is a sixth of its size then. */
const MIN_PACKED = 65_536;

/** A reply as bytes; a long one compressed, where the client says that it can read that. */
export async function encodeReply({ headers }: IncomingMessage, reply: HttpReply): Promise<HttpReply> {
  const { status, body, headers: own = {} } = reply;
  const json = body === undefined ? undefined : { type: "application/json", bytes: JSON.stringify(body) };
  const content = reply.content ?? json;
  if (!content || content.bytes.length < MIN_PACKED || "content-encoding" in own || !takesGzip(headers))
    return { ...reply, ...(content ? { content } : {}) };
  return {
    ...{ status, headers: { ...own, "content-encoding": "gzip", vary: "accept-encoding, origin" } },
    content: { ...content, bytes: await promisify(gzip)(content.bytes, { level: LEVEL }) },
  };
}

/** Whether a client reads what is compressed. */
export const takesGzip = (headers: IncomingHttpHeaders): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(headers["accept-encoding"] ?? ""));
