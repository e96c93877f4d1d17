import type { LookupAddress } from "node:dns";
import type { IncomingHttpHeaders } from "node:http";
import type { LookupFunction } from "node:net";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import manifest from "../../package.json" with { type: "json" };
import type { Variables } from "./proxy.ts";

/** Time to reach a server, name lookup and TLS included. Reading is bounded by the call's own deadline. */
const CONNECT = { timeout: 15_000 };
/** Less than servers commonly keep an idle connection, so that a reused one is rarely already closed. */
const KEEP_ALIVE_MS = 20_000;
const KEPT = { connections: 1024, keepAliveTimeout: KEEP_ALIVE_MS };
/** How long a server may leave a connection open after the reply has ended, before the connection is given up. */
const DRAIN_MS = 1_000;

/** What every request says it is from. */
export const USER_AGENT = `parley/${manifest.version}`;

export type ResponseHead = { readonly status: number; readonly header: (name: string) => string };

/** Takes an answer as it arrives. `bytes` says when it has enough; what comes after is read and dropped. */
export type Receiver = { head(head: ResponseHead): void; bytes(chunk: Buffer): boolean };

export type Exchange = {
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
  /** What is posted; nothing where something is got. */
  readonly body: string | null;
  readonly signal: AbortSignal;
  readonly receiver: Receiver;
};

/** `ended` and `enough` are both a whole exchange; `broken` is the connection's fault; `aborted` is the signal's doing. */
export type Exchanged =
  { readonly how: "ended" | "enough" | "aborted" } | { readonly how: "broken"; readonly error: Error };

/** By what `content-encoding` says (RFC 9110, 8.4.1). None is asked for, and some proxies compress all the same. */
const DECODERS = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** A reply in an encoding that is not read; `code` as an error of Node's. */
class EncodingError extends Error {
  readonly code = "ERR_INVALID_ENCODING";
}

// Loading undici takes 50 ms, which a command that calls no model need not spend.
async function openAgent(pinned: PinnedAddress | undefined): Promise<Dispatcher> {
  const { Agent } = await import("undici");
  // Node asks for all addresses or for one.
  const lookup: LookupFunction = (_host, { all }, found) => {
    const address = pinned?.();
    if (!address) found(new Error("its address was not checked"), "");
    else if (all) found(null, [address]);
    else found(null, address.address, address.family);
  };
  return new Agent({ ...KEPT, connect: pinned ? { ...CONNECT, lookup } : CONNECT });
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** One exchange: what undici tells of it, and how it is stopped from here. */
class OpenExchange implements Dispatcher.DispatchHandler {
  readonly exchanged: Promise<Exchanged>;
  readonly #signal: AbortSignal;
  readonly #receiver: Receiver;
  #settle: { resolve(exchanged: Exchanged): void; reject(error: Error): void } | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #draining: NodeJS.Timeout | null = null;
  #decoder: ReturnType<typeof createGunzip> | null = null;

  /** What a failure on the way is told as. */
  told = (error: Error): Error => error;

  constructor({ signal, receiver }: Exchange) {
    this.#signal = signal;
    this.#receiver = receiver;
    this.exchanged = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    if (signal.aborted) this.stop();
    else signal.addEventListener("abort", this.stop);
  }

  get over(): boolean {
    return this.#settle === null;
  }

  /** Ends the exchange as the signal would. */
  readonly stop = (): void => {
    this.end({ how: "aborted" });
    this.#controller?.abort(new Error("aborted"));
  };

  /** The first end counts. */
  end(exchanged: Exchanged): void {
    this.#finish()?.resolve(exchanged);
  }

  /** As what the receiver throws. */
  fail(error: Error): void {
    this.#finish()?.reject(error);
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    this.#controller = started;
    if (this.over) started.abort(new Error("aborted"));
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    // 1xx announces an answer and is none.
    if (this.over || status < 200) return;
    const header = (name: string): string => {
      const value = headers[name];
      return Array.isArray(value) ? (value[0] ?? "") : (value ?? "");
    };
    this.#guard(() => {
      this.#receiver.head({ status, header });
      this.#decode(header("content-encoding").trim().toLowerCase(), status);
    });
  }

  onResponseData(active: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.over) return;
    if (this.#decoder === null) return this.#take(chunk);
    if (!this.#decoder.write(chunk)) active.pause();
  }

  onResponseEnd(): void {
    if (this.#draining !== null) clearTimeout(this.#draining);
    if (this.#decoder === null) this.end({ how: "ended" });
    else this.#decoder.end();
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#draining !== null) clearTimeout(this.#draining);
    this.end({ how: "broken", error: this.told(error) });
  }

  #take(chunk: Buffer): void {
    if (this.over) return;
    this.#guard(() => {
      if (!this.#receiver.bytes(chunk)) return;
      this.end({ how: "enough" });
      this.#draining = setTimeout(() => this.#controller?.abort(new Error("not needed")), DRAIN_MS);
      this.#draining.unref();
    });
  }

  #decode(encoding: string, status: number): void {
    if (encoding === "" || encoding === "identity") return;
    const open = DECODERS.get(encoding);
    if (!open) {
      if (status >= 300) return; // the status says enough
      const words = `the reply is compressed as ${JSON.stringify(encoding.slice(0, 40))}, which is not read; turn that off`;
      this.end({ how: "broken", error: new EncodingError(words) });
      this.#controller?.abort(new Error("not needed"));
      return;
    }
    this.#decoder = open();
    this.#decoder.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#decoder.on("drain", () => this.#controller?.resume());
    this.#decoder.on("end", () => this.end({ how: "ended" }));
    this.#decoder.on("error", (error) => {
      this.end({ how: "broken", error });
      this.#controller?.abort(new Error("not needed"));
    });
  }

  #guard(run: () => void): void {
    try {
      run();
    } catch (thrown) {
      this.fail(toError(thrown));
      this.#controller?.abort(new Error("given up"));
    }
  }

  #finish() {
    const settle = this.#settle;
    this.#settle = null;
    this.#signal.removeEventListener("abort", this.stop);
    this.#decoder?.destroy();
    return settle;
  }
}

/** Enough of a refusal to say what it is. */
export const MAX_ERROR_BYTES = 64 * 2 ** 10;

/** Exchanges once and reads all of the answer, up to `maxBytes`; of one with a status other than 2xx, its beginning. */
export async function exchangeWhole(http: Http, exchange: Omit<Exchange, "receiver">, maxBytes: number) {
  const answer = { head: { status: 0, header: () => "" } as ResponseHead, bytes: 0 };
  const chunks: Buffer[] = [];
  const isFine = (): boolean => answer.head.status >= 200 && answer.head.status < 300;
  const room = (): number => (isFine() ? maxBytes : MAX_ERROR_BYTES) - answer.bytes;
  const receiver: Receiver = {
    head: (head) => void (answer.head = head),
    bytes: (chunk) => {
      chunks.push(chunk.subarray(0, Math.max(0, room())));
      answer.bytes += chunk.length;
      return room() < 0;
    },
  };
  const exchanged = await http.post({ ...exchange, receiver }).exchanged;
  return { exchanged, head: answer.head, body: Buffer.concat(chunks), isFine: isFine(), isLong: room() < 0 };
}

export type Http = ReturnType<typeof createHttp>;

type PinnedAddress = () => LookupAddress | null;

type HttpOptions = {
  readonly own?: Dispatcher | undefined;
  readonly env?: Variables;
  /** The one address that is connected to without a proxy, whatever a host's name stands for. */
  readonly pinned?: PinnedAddress;
};

const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/**
 * POSTs and GETs over kept-alive connections, through the proxies that `env` names. An abort of the signal closes the socket,
 * also while it is connecting. Rejects only with what the receiver throws, and then closes the socket too.
 */
export function createHttp({ own, env = {}, pinned }: HttpOptions = {}) {
  const isProxied = own === undefined && PROXY_VARIABLES.some((name) => env[name] ?? env[name.toLowerCase()]);
  let direct: Promise<Dispatcher> | null = own === undefined ? null : Promise.resolve(own);
  const proxies = new Map<string, Dispatcher>();
  let closed = false;
  /** @throws Error where the environment names no proxy */
  const dispatcherFor = async (exchanging: OpenExchange, url: URL): Promise<Dispatcher> => {
    if (isProxied) {
      const { openProxy, proxyFor, throughProxy } = await import("./proxy.ts");
      const proxy = proxyFor(url, env);
      if (proxy !== null) {
        exchanging.told = (error) => throughProxy(error, proxy);
        const agent = proxies.get(proxy.href) ?? openProxy(proxy, { ...KEPT, proxyTls: CONNECT });
        proxies.set(proxy.href, agent);
        return agent;
      }
    }
    return (direct ??= openAgent(pinned));
  };
  const send = async (exchanging: OpenExchange, { url, headers, body }: Exchange): Promise<void> => {
    const dispatcher = await dispatcherFor(exchanging, url).catch((thrown: unknown) =>
      exchanging.end({ how: "broken", error: toError(thrown) }),
    );
    if (!dispatcher || exchanging.over) return;
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: body === null ? "GET" : "POST",
        // Both would bound what a model that thinks for long may take.
        ...{ headersTimeout: 0, bodyTimeout: 0 },
        headers: {
          "content-type": "application/json",
          accept: "text/event-stream, application/json",
          "user-agent": USER_AGENT,
          "accept-encoding": "identity",
          ...headers,
        },
        body,
      },
      exchanging,
    );
  };
  const post = (exchange: Exchange): OpenExchange => {
    const exchanging = new OpenExchange(exchange);
    if (closed) exchanging.end({ how: "broken", error: new Error("connections are closed") });
    else send(exchanging, exchange).catch((thrown: unknown) => exchanging.fail(toError(thrown)));
    return exchanging;
  };
  return {
    post,
    /** Closes every connection, used or idle. */
    close: async (): Promise<void> => {
      closed = true;
      if (own === undefined) await (await direct)?.destroy();
      await Promise.all([...proxies.values()].map((agent) => agent.destroy()));
    },
  };
}
