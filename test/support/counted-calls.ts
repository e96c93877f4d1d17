import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

export type CountedCalls = AsyncDisposable & {
  /** What OPENAI_BASE_URL names. */
  readonly url: string;
  readonly calls: () => number;
  /** The requests' bodies that were not refused, in order. */
  readonly bodies: readonly string[];
  /** Refuses the credentials of the next so many calls. */
  readonly refuse: (count: number) => void;
  /** Counts the calls that come, and passes none on until `release`. */
  readonly hold: () => void;
  readonly release: () => void;
};

/** Passes every model call on to a sim-server, and counts them. */
export async function countedCalls(url: string): Promise<CountedCalls> {
  let calls = 0;
  let refused = 0;
  let held = Promise.resolve();
  let release = (): void => undefined;
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    calls += 1;
    if (refused > 0) {
      refused -= 1;
      response.writeHead(401, { "content-type": "application/json" });
      return void response.end('{"error":{"message":"no entry","code":"invalid_api_key"}}');
    }
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const headers = { "content-type": "application/json" };
    void text(request)
      .then(async (body) => {
        bodies.push(body);
        await held;
        return fetch(`${url}${request.url}`, { method: "POST", body, headers, signal: gone.signal });
      })
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
    ...{ bodies, calls: () => calls },
    refuse: (count) => void (refused = count),
    hold: () => void (held = new Promise((resolve) => (release = resolve))),
    release: () => release(),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
