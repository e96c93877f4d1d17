// FETCH-1. Only public addresses are connected to: a host is resolved once, and every connection goes to the address that was checked. Else: a
//     page or a name server makes Parley read what only this machine or its network may.
// A redirect to another host is not followed: the check of the host that a user named would count for nothing.

import { lookup as lookUp, type LookupAddress } from "node:dns";
import { BlockList, isIP } from "node:net";
import { promisify } from "node:util";
import { createWatch, systemClock } from "./clock.ts";
import { createHttp, exchangeWhole } from "./http.ts";
import type { Variables } from "./proxy.ts";

export type FetchOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Of the body, also once it is unpacked. */
  readonly maxBytes: number;
  readonly timeoutMs?: number | undefined;
  /** Whether addresses of this machine and its network, and any port, are allowed. */
  readonly allowsPrivate?: boolean | undefined;
  /** Names the proxies, which resolve the hosts that they are for. */
  readonly env: Variables;
  /** Stands in for the system's name service. */
  readonly resolve?: ((host: string) => Promise<readonly LookupAddress[]>) | undefined;
};

type FetchedBytes = {
  /** After redirects. */
  readonly url: string;
  readonly contentType: string;
  /** As the server says it. */
  readonly lastModified: string;
  readonly bytes: Uint8Array;
};

export type FetchOutcome =
  | ({ readonly ok: true } & FetchedBytes)
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
const HEADERS = {
  accept: "text/html, text/plain, application/pdf, image/*, */*;q=0.1",
  "accept-encoding": "gzip, deflate, br",
};

// Addresses that mean nothing, or something else, outside of the network that they are used in (IANA's special-purpose registries).
const SPECIAL_V4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3";
const SPECIAL_V6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20";
/** All of IPv6 that is given out: what is outside is loopback, local, multicast, or holds an address of IPv4. */
const GLOBAL_UNICAST = "2000::/3";

function subnets(list: string, family: "ipv4" | "ipv6", into = new BlockList()): BlockList {
  for (const subnet of list.split(" ")) {
    const [net = "", prefix] = subnet.split("/");
    into.addSubnet(net, Number(prefix), family);
  }
  return into;
}
const special = subnets(SPECIAL_V6, "ipv6", subnets(SPECIAL_V4, "ipv4"));
const globalUnicast = subnets(GLOBAL_UNICAST, "ipv6");

/** Whether an address is one of the public internet, and no other in disguise. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, "ipv4");
  return family === 6 && globalUnicast.check(address, "ipv6") && !special.check(address, "ipv6");
}

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
  const { signal = new AbortController().signal, timeoutMs = TIMEOUT_MS } = options;
  const watch = createWatch(systemClock, { signal, timeoutMs });
  // A name service does not heed a signal.
  const stopped = new Promise<never>((_, reject) =>
    watch.signal.addEventListener("abort", () => reject(new Error("it was given up"))),
  );
  stopped.catch(() => undefined);
  try {
    return { ok: true, ...(await Promise.race([follow(written, options, watch.signal), stopped])) };
  } catch (error) {
    if (error instanceof FetchRefusal)
      return { ok: false, reason: error.message, ...(error.isPrivate ? { isPrivate: true } : {}) };
    if (watch.stopped() === "timed-out")
      return { ok: false, reason: `it took more than ${timeoutMs / 1_000} s` };
    return { ok: false, reason: error instanceof Error ? error.message || error.name : String(error) };
  } finally {
    watch.dispose();
  }
}

async function follow(written: string, options: FetchOptions, signal: AbortSignal): Promise<FetchedBytes> {
  const { env, maxBytes } = options;
  let url = addressOf(written, options);
  let pinned: LookupAddress | null = null;
  const http = createHttp({ env, pinned: () => pinned });
  try {
    for (let redirects = 0; ; redirects += 1) {
      pinned ??= await pin(url, options);
      const sent = { url, headers: HEADERS, body: null, signal };
      const { exchanged, head, body, isFine, isLong } = await exchangeWhole(http, sent, maxBytes);
      const { status, header } = head;
      const location = header("location");
      if ([301, 302, 303, 307, 308].includes(status) && location !== "") {
        url = nextAddress(url, location, options);
        if (redirects < MAX_REDIRECTS) continue;
        throw new FetchRefusal(`it redirects more than ${MAX_REDIRECTS} times`);
      }
      if (status !== 0 && !isFine) throw new FetchRefusal(`the server answers with HTTP ${status}`);
      if (isLong) throw new FetchRefusal(`it has more than ${maxBytes} bytes`);
      if (exchanged.how !== "ended")
        throw exchanged.how === "broken" ? exchanged.error : new Error("it was given up");
      return {
        url: url.href,
        contentType: header("content-type"),
        lastModified: header("last-modified"),
        bytes: body,
      };
    }
  } finally {
    await http.close();
  }
}

/** @throws FetchRefusal for another host than before, and from https to http */
function nextAddress(url: URL, location: string, options: FetchOptions): URL {
  if (!URL.canParse(location, url.href)) throw new FetchRefusal("it redirects to no address");
  const next = addressOf(new URL(location, url).href, options);
  if (next.hostname !== url.hostname || (url.protocol === "https:" && next.protocol !== "https:"))
    throw new FetchRefusal(`it redirects to another host: name ${next.origin}${next.pathname} yourself`);
  return next;
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
    throw new FetchRefusal(`port ${url.port} is neither 80 nor 443`, true);
  return url;
}

const systemLookup = (host: string): Promise<LookupAddress[]> => promisify(lookUp)(host, { all: true });

/** The one address that is connected to; null where a proxy finds it. @throws FetchRefusal for one that is not public (FETCH-1) */
async function pin(
  url: URL,
  { env, allowsPrivate = false, resolve = systemLookup }: FetchOptions,
): Promise<LookupAddress | null> {
  // `URL` has read every other way to write an address of IPv4.
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (!allowsPrivate && LOCAL_NAMES.test(host))
    throw new FetchRefusal(`${host} is a name of this network`, true);
  // It loads undici, which a command that fetches nothing need not.
  const isProxied = (await import("./proxy.ts")).proxyFor(url, env) !== null;
  if (isProxied && isIP(host) === 0) return null;
  const found = await resolve(host).catch((): LookupAddress[] => []);
  const [first] = found;
  if (!first) throw new FetchRefusal(`no address is found for ${host}`);
  const hidden = found.find(({ address }) => !isPublicAddress(address));
  if (hidden && !allowsPrivate)
    throw new FetchRefusal(
      `${host} is at ${hidden.address}, an address of this machine or its network`,
      true,
    );
  return isProxied ? null : first;
}
