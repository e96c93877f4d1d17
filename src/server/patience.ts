import type { ServerResponse } from "node:http";
import type { Sink } from "./followers.ts";
import type { HttpReply } from "./problem.ts";
import type { HttpExchange, ServerConfig } from "./route.ts";

// What lies between a client and the server may cut a connection on which nothing comes for some seconds: something comes every ten. JSON
// may have white space before it.

/** For how long nothing may come, unless the server's configuration says otherwise. */
const QUIET_MS = 10_000;

type Awaited = Pick<HttpExchange, "response" | "signal"> & { readonly config: Pick<ServerConfig, "quietMs"> };

/**
 * Writes line breaks while a reply is made that takes long. The status is then 200, whatever status the reply would have had: a
 * refusal that comes later breaks the connection off, and a repeat of the request gets it.
 */
export async function withPatience(
  { response, signal, config: { quietMs = QUIET_MS } }: Awaited,
  headers: Readonly<Record<string, string>>,
  make: () => Promise<HttpReply>,
): Promise<HttpReply | undefined> {
  let hasBegun = false;
  const timer = setInterval(() => {
    if (signal.aborted) return;
    if (!hasBegun)
      response.writeHead(200, { ...headers, ...QUIET_HEADERS, "content-type": "application/json" });
    hasBegun = true;
    response.write("\n");
  }, quietMs);
  try {
    const reply = await make();
    if (!hasBegun) return reply;
    if (reply.status < 300) response.end(reply.content?.bytes ?? JSON.stringify(reply.body));
    else response.destroy();
    return undefined;
  } finally {
    clearInterval(timer);
  }
}

const QUIET_HEADERS = {
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

/** Begins a stream of server-sent events, with a comment at once and every ten seconds. */
export function beginStream(
  { response, signal, config: { quietMs = QUIET_MS } }: Awaited,
  headers: Readonly<Record<string, string>> = {},
) {
  response.writeHead(200, {
    ...{ ...headers, ...QUIET_HEADERS },
    "content-type": "text/event-stream; charset=utf-8",
  });
  response.write(": \n\n");
  const timer = setInterval(() => response.write(": \n\n"), quietMs);
  const stop = () => clearInterval(timer);
  signal.addEventListener("abort", stop, { once: true });
  const write = (text: string) => {
    if (!signal.aborted) response.write(text);
  };
  return {
    text: (text: string): void => write(`data: ${text}\n\n`),
    data: (value: unknown): void => write(`data: ${JSON.stringify(value)}\n\n`),
    /** With an id to come back with. */
    message: (id: string, value: unknown): void => write(`id: ${id}\ndata: ${JSON.stringify(value)}\n\n`),
    /** With a name, for clients that read it. */
    event: (name: string, value: unknown): void =>
      write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`),
    end(): void {
      stop();
      response.end();
    },
  };
}

/** Begins a stream that followers write: nothing on the way may hold its events back. */
export function beginFollowing(response: ServerResponse): void {
  response.writeHead(200, { ...QUIET_HEADERS, "content-type": "text/event-stream; charset=utf-8" });
  response.write("retry: 1000\n: \n\n");
}

/** A reply that a follower's bytes go to, and that begins with the first of them. */
export function followingSink(response: ServerResponse): Sink {
  let hasBegun = false;
  const begin = () => {
    if (!hasBegun && !response.headersSent) beginFollowing(response);
    hasBegun = true;
  };
  const write = (bytes: Buffer) => {
    if (!hasBegun) begin();
    writeChunk(response, bytes);
  };
  return {
    ...{ write, comment: write },
    behind: () => response.writableLength,
    end(isOver) {
      begin();
      // Whoever reads too slowly would hold what is written for as long as it likes.
      if (isOver || response.writableLength === 0) response.end();
      else response.destroy();
    },
  };
}

/** The last buffer, as a chunk of a reply: a stream's followers are told the same one after the other. */
let frameReply: { readonly bytes: Buffer; readonly chunk: Buffer } | undefined;

/**
 * Writes to a reply whose head is written. The chunk goes straight to the connection: Node would frame it anew for each of a
 * stream's followers, in three writes, which is half of the processor time that following takes.
 */
function writeChunk(response: ServerResponse, bytes: Buffer): void {
  const { socket } = response;
  if (!socket || !response.chunkedEncoding) return void response.write(bytes);
  if (frameReply?.bytes !== bytes) {
    const chunk = Buffer.concat([
      ...[Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")],
    ]);
    frameReply = { bytes, chunk };
  }
  socket.write(frameReply.chunk);
}
