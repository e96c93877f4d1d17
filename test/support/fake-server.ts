import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

export type Received = {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};
/** Answers the `count`-th request, counting from 1. */
export type Answer = (response: ServerResponse, received: Received, count: number) => void | Promise<void>;

export type FakeServer = AsyncDisposable & {
  readonly url: string;
  readonly received: readonly Received[];
  /** Most requests being answered at one time. */
  readonly most: () => number;
  /** Requests whose socket was closed before they were answered. */
  readonly dropped: () => number;
};

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  // A request's body comes as bytes unless an encoding is set.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

/** A server on a port of this machine's own, closed with all its connections at the end of its scope. */
export const openFakeServer = async (answer: Answer, port = 0): Promise<FakeServer> => {
  const received: Received[] = [];
  let open = 0;
  let most = 0;
  let dropped = 0;
  const server = createServer((request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.on("close", () => {
      open -= 1;
      if (!response.writableFinished) dropped += 1;
    });
    void read(request).then(async (body) => {
      const entry = { path: request.url ?? "", headers: request.headers, body };
      received.push(entry);
      await answer(response, entry, received.length);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a TCP port has an address of this form.
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    received,
    most: () => most,
    dropped: () => dropped,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

export const chunk = (text: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`;

/** The end of a chat stream, with usage. */
export const chatEnd = (
  usage: { readonly [field: string]: unknown } = { prompt_tokens: 3, completion_tokens: 2 },
): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n` +
  `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;

export const stream = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(body);
};

export const refuse = (
  response: ServerResponse,
  {
    status,
    message,
    headers = {},
  }: {
    readonly status: number;
    readonly message: string;
    readonly headers?: { readonly [name: string]: string };
  },
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ error: { message } }));
};
