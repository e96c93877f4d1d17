import type { Agent, Dispatcher } from "undici";

/** Time to reach a server, name lookup and TLS included. Reading is bounded by the call's own deadline. */
const connectTimeoutMs = 15_000;
/** Less than servers commonly keep an idle connection, so that a reused one is rarely already closed. */
const keepAliveMs = 20_000;
/** How long a server may leave a connection open after the reply has ended, before the connection is given up. */
const drainMs = 1_000;

export type Head = { readonly status: number; readonly header: (name: string) => string };

/** Takes an answer as it arrives. `bytes` says when it has enough; what comes after is read and dropped. */
export type Receiver = {
  head(head: Head): void;
  bytes(chunk: Buffer): boolean;
};

export type Exchange = {
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  readonly signal: AbortSignal;
  readonly receiver: Receiver;
};

/** `ended` and `enough` are both a whole exchange; `broken` is the connection's fault; `aborted` is the signal's doing. */
export type Exchanged =
  { readonly how: "ended" | "enough" | "aborted" } | { readonly how: "broken"; readonly error: Error };

/**
 * POSTs over kept-alive connections. An abort of the signal closes the socket, also while it is connecting.
 * Rejects only with what the receiver throws, and then closes the socket too.
 */
export type Http = {
  post(exchange: Exchange): Promise<Exchanged>;
  /** Closes every connection, used or idle. */
  close(): Promise<void>;
};

// Loading undici takes 50 ms, which a command that calls no model need not spend.
const openAgent = async (): Promise<Agent> => {
  const { Agent } = await import("undici");
  return new Agent({
    connections: 1024,
    connect: { timeout: connectTimeoutMs },
    keepAliveTimeout: keepAliveMs,
    // Both would bound what a model that thinks for long may take.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
};

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const handlerFor = (
  { signal, receiver }: Exchange,
  settle: { resolve(exchanged: Exchanged): void; reject(error: Error): void },
): Dispatcher.DispatchHandler => {
  let controller: Dispatcher.DispatchController | null = null;
  let over = false;
  let draining: NodeJS.Timeout | null = null;

  const finish = (run: () => void): void => {
    if (over) return;
    over = true;
    signal.removeEventListener("abort", abort);
    run();
  };
  const abort = (): void => {
    finish(() => settle.resolve({ how: "aborted" }));
    controller?.abort(new Error("aborted"));
  };
  const guard = (run: () => void): void => {
    try {
      run();
    } catch (thrown) {
      finish(() => settle.reject(toError(thrown)));
      controller?.abort(new Error("given up"));
    }
  };
  signal.addEventListener("abort", abort);

  return {
    onRequestStart: (started) => {
      controller = started;
      if (over) started.abort(new Error("aborted"));
    },
    onResponseStart: (_, status, headers) => {
      // 1xx announces an answer and is none.
      if (over || status < 200) return;
      const header = (name: string): string => {
        const value = headers[name];
        return Array.isArray(value) ? (value[0] ?? "") : (value ?? "");
      };
      guard(() => receiver.head({ status, header }));
    },
    onResponseData: (active, chunk) => {
      if (over) return;
      guard(() => {
        if (!receiver.bytes(chunk)) return;
        finish(() => settle.resolve({ how: "enough" }));
        draining = setTimeout(() => active.abort(new Error("not needed")), drainMs);
        draining.unref();
      });
    },
    onResponseEnd: () => {
      if (draining !== null) clearTimeout(draining);
      finish(() => settle.resolve({ how: "ended" }));
    },
    onResponseError: (_, error) => {
      if (draining !== null) clearTimeout(draining);
      finish(() => settle.resolve({ how: "broken", error }));
    },
  };
};

export const createHttp = (own?: Dispatcher): Http => {
  let agent: Promise<Dispatcher> | null = own === undefined ? null : Promise.resolve(own);
  let closed = false;
  return {
    post: async (exchange) => {
      if (closed) return { how: "broken", error: new Error("connections are closed") };
      const dispatcher = await (agent ??= openAgent());
      const { url, headers, body, signal } = exchange;
      if (signal.aborted) return { how: "aborted" };
      return new Promise((resolve, reject) => {
        const handler = handlerFor(exchange, { resolve, reject });
        dispatcher.dispatch(
          {
            origin: url.origin,
            path: url.pathname + url.search,
            method: "POST",
            headers: {
              "content-type": "application/json",
              accept: "text/event-stream, application/json",
              ...headers,
            },
            body,
          },
          handler,
        );
      });
    },
    close: async () => {
      closed = true;
      if (own === undefined) await (await agent)?.destroy();
    },
  };
};
