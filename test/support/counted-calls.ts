import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";

export type CountedCalls = AsyncDisposable & {
  /** What OPENAI_BASE_URL names. */
  readonly url: string;
  readonly calls: () => number;
};

/** Passes every model call on to a sim-server, and counts them. */
export async function countedCalls(url: string): Promise<CountedCalls> {
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    const body = Readable.toWeb(request) as ReadableStream<Uint8Array>; // node:http's own stream of bytes
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const headers = { "content-type": "application/json" };
    void fetch(`${url}${request.url}`, { method: "POST", body, headers, duplex: "half", signal: gone.signal })
      .then((reply) => {
        response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
        if (reply.body)
          Readable.fromWeb(reply.body)
            .on("error", () => response.destroy())
            .pipe(response);
        else response.end();
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls: () => calls,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
