// FETCH-1. Only public addresses are connected to: a host is resolved once, and every connection goes to the address that was checked. Else: a
//     page or a name server makes Parley read what only this machine or its network may.
// A redirect to another host is not followed: the check of the host that a user named would count for nothing.

import { lookup as lookUp, type LookupAddress } from "node:dns";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isPublicAddress } from "./public-address.ts";

export type FetchOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Of the body, also once it is unpacked. */
  readonly maxBytes: number;
  readonly timeoutMs?: number | undefined;
  /** Whether addresses of this machine and its network, and any port, are allowed. */
  readonly allowsPrivate?: boolean | undefined;
  /** The proxy for an address, which then resolves its host; null where it is reached directly. */
  readonly proxyFor?: ((url: URL) => URL | null) | undefined;
  readonly userAgent: string;
  /** Stands in for the system's name service. */
  readonly resolve?: ((host: string) => Promise<readonly LookupAddress[]>) | undefined;
};

export type FetchOutcome =
  | {
      readonly ok: true;
      /** After redirects. */
      readonly url: string;
      readonly contentType: string;
      readonly bytes: Uint8Array;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      /** It would be fetched if private addresses were allowed. */
      readonly isPrivate?: true;
    };

const MAX_REDIRECTS = 3;
const TIMEOUT_MS = 30_000;
const MAX_URL_LENGTH = 2_000;
const WEB_PORTS: ReadonlySet<string> = new Set(["", "80", "443"]);
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa)$/;
const DECODERS = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** What keeps an address from being fetched. */
class FetchRefusal extends Error {
  readonly isPrivate: boolean;
  constructor(reason: string, isPrivate = false) {
    super(reason);
    this.isPrivate = isPrivate;
  }
}

/** Reads what is at an address of the web. It says why it does not, and throws nothing. */
export async function fetchPublic(written: string, options: FetchOptions): Promise<FetchOutcome> {
  const { signal, timeoutMs = TIMEOUT_MS } = options;
  const stop = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop.abort();
  }, timeoutMs);
  const onAbort = () => stop.abort();
  // A name service does not heed a signal.
  const stopped = new Promise<never>((_, reject) =>
    stop.signal.addEventListener("abort", () => reject(new Error("it was given up"))),
  );
  if (signal?.aborted) stop.abort();
  signal?.addEventListener("abort", onAbort);
  try {
    return { ok: true, ...(await Promise.race([follow(written, options, stop.signal), stopped])) };
  } catch (error) {
    if (error instanceof FetchRefusal)
      return { ok: false, reason: error.message, ...(error.isPrivate ? { isPrivate: true } : {}) };
    if (isLate) return { ok: false, reason: `it took more than ${timeoutMs / 1_000} s` };
    return { ok: false, reason: error instanceof Error ? error.message || error.name : String(error) };
  } finally {
    clearTimeout(timer);
    stopped.catch(() => undefined);
    signal?.removeEventListener("abort", onAbort);
  }
}

type FetchTarget = { readonly url: URL; readonly pinned: LookupAddress | null; readonly proxy: URL | null };

async function follow(written: string, options: FetchOptions, signal: AbortSignal) {
  let url = addressOf(written, options);
  const proxy = options.proxyFor?.(url) ?? null;
  const pinned = await pin(url, proxy, options);
  for (let redirects = 0; ; redirects += 1) {
    const response = await open({ url, pinned, proxy }, options, signal);
    const { statusCode: status = 0, headers } = response;
    if ([301, 302, 303, 307, 308].includes(status) && headers.location !== undefined) {
      response.destroy();
      if (!URL.canParse(headers.location, url.href)) throw new FetchRefusal("it redirects to no address");
      const next = new URL(headers.location, url);
      if (next.hostname !== url.hostname || (url.protocol === "https:" && next.protocol !== "https:"))
        throw new FetchRefusal(`it redirects to another host: name ${next.origin}${next.pathname} yourself`);
      if (redirects === MAX_REDIRECTS)
        throw new FetchRefusal(`it redirects more than ${MAX_REDIRECTS} times`);
      url = addressOf(next.href, options);
      continue;
    }
    if (status < 200 || status >= 300) {
      response.destroy();
      throw new FetchRefusal(`the server answers with HTTP ${status}`);
    }
    const bytes = await readBody(response, options.maxBytes);
    return { url: url.href, contentType: headers["content-type"] ?? "", bytes };
  }
}

/** @throws FetchRefusal for what is no address of the web */
function addressOf(written: string, { allowsPrivate = false }: FetchOptions): URL {
  if (written.length > MAX_URL_LENGTH || !URL.canParse(written))
    throw new FetchRefusal("it is no address of the web");
  const url = new URL(written);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new FetchRefusal("it is neither http nor https");
  if (url.username !== "" || url.password !== "")
    throw new FetchRefusal("an address with a password is not fetched");
  if (!allowsPrivate && !WEB_PORTS.has(url.port))
    throw new FetchRefusal(`port ${url.port} is none of the web`, true);
  return url;
}

const systemLookup = (host: string): Promise<LookupAddress[]> => promisify(lookUp)(host, { all: true });

/** The one address that is connected to; null where a proxy finds it. @throws FetchRefusal for one that is not public (FETCH-1) */
async function pin(
  url: URL,
  proxy: URL | null,
  { allowsPrivate = false, resolve = systemLookup }: FetchOptions,
): Promise<LookupAddress | null> {
  // `URL` has read every other way to write an address of IPv4.
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (!allowsPrivate && LOCAL_NAMES.test(host))
    throw new FetchRefusal(`${host} is a name of this network`, true);
  if (proxy && isIP(host) === 0) return null;
  const found = await resolve(host);
  const [first] = found;
  if (!first) throw new FetchRefusal(`${host} has no address`);
  const hidden = found.find(({ address }) => !isPublicAddress(address));
  if (hidden && !allowsPrivate)
    throw new FetchRefusal(
      `${host} is at ${hidden.address}, an address of this machine or its network`,
      true,
    );
  return proxy ? null : first;
}

async function open(
  { url, pinned, proxy }: FetchTarget,
  { userAgent }: FetchOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = {
    "user-agent": userAgent,
    accept: "text/html, text/plain, application/pdf, image/*, */*;q=0.1",
    "accept-encoding": "gzip, deflate, br",
  };
  // Node asks for all addresses or for one.
  const lookup: LookupFunction = (_host, { all }, found) =>
    pinned && (all ? found(null, [pinned]) : found(null, pinned.address, pinned.family));
  const isSecure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const started = proxy
      ? isSecure
        ? openTunnel(proxy, url, signal).then((socket) =>
            requestHttps(url, {
              ...{ headers, signal, agent: false },
              createConnection: () => connectTls({ socket, servername: url.hostname }),
            }),
          )
        : Promise.resolve(
            requestHttp({
              ...{ host: proxy.hostname, port: proxy.port || 80, path: url.href, signal, agent: false },
              headers: { ...headers, host: url.host, ...credentialsOf(proxy) },
            }),
          )
      : Promise.resolve(
          (isSecure ? requestHttps : requestHttp)(url, { headers, signal, lookup, agent: false }),
        );
    started.then((request) => request.on("response", resolve).on("error", reject).end(), reject);
  });
}

const credentialsOf = ({ username, password }: URL): Record<string, string> =>
  username === ""
    ? {}
    : {
        "proxy-authorization": `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`,
      };

const openTunnel = (proxy: URL, url: URL, signal: AbortSignal) =>
  new Promise<Socket>((resolve, reject) => {
    const path = `${url.hostname}:${url.port || 443}`;
    const request = (proxy.protocol === "https:" ? requestHttps : requestHttp)({
      ...{ host: proxy.hostname, port: proxy.port || (proxy.protocol === "https:" ? 443 : 80) },
      ...{ method: "CONNECT", path, signal, agent: false, headers: credentialsOf(proxy) },
    });
    request.on("error", reject);
    request.on("connect", ({ statusCode = 0 }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} answers with HTTP ${statusCode}`));
    });
    request.end();
  });

/** @throws FetchRefusal for more bytes than may be, as they come or unpacked */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const tooMuch = () => new FetchRefusal(`it has more than ${maxBytes} bytes`);
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) {
    response.destroy();
    throw tooMuch();
  }
  const encoding = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  const decoder = DECODERS.get(encoding)?.();
  if (!decoder && encoding !== "" && encoding !== "identity") {
    response.destroy();
    throw new FetchRefusal(`it is compressed as ${JSON.stringify(encoding.slice(0, 40))}, which is not read`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  if (decoder) response.on("error", (error) => decoder.destroy(error)).pipe(decoder);
  for await (const chunk of (decoder ?? response) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw tooMuch();
    }
    chunks.push(chunk);
  }
  if (!response.complete) throw new Error("the connection broke off");
  return Buffer.concat(chunks);
}
