import { ProxyAgent, type Dispatcher } from "undici";

// What goes to another machine goes through the proxy that the environment names for its scheme, unless NO_PROXY names its host; what goes
// to this machine never does.

export type Variables = { readonly [name: string]: string | undefined };

/** A variable in lower case counts before the same in capitals, as curl and others read them. */
function readVariable(env: Variables, name: string): string {
  return (env[name.toLowerCase()]?.trim() || env[name]?.trim()) ?? "";
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/**
 * The proxy for an address; null where it is reached directly. `HTTPS_PROXY` or `HTTP_PROXY` by its scheme, else `ALL_PROXY`.
 * @throws Error where the variable names no proxy
 */
export function proxyFor(url: URL, env: Variables): URL | null {
  const [name, given] =
    [url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"]
      .map((one) => [one, readVariable(env, one)] as const)
      .find(([, value]) => value !== "") ?? [];
  if (given === undefined || LOOPBACK.test(url.hostname) || isExempt(url, readVariable(env, "NO_PROXY")))
    return null;
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  const proxy = URL.canParse(written) ? new URL(written) : null;
  // The value may hold a password.
  if (proxy === null || proxy.hostname === "" || !["http:", "https:"].includes(proxy.protocol))
    throw refusedError(
      `${name} names no proxy that is used; write http://HOST:PORT, or list the host in NO_PROXY`,
    );
  return proxy;
}

/** Whether a list names a host: itself or a domain above it, with or without a dot before it or a port after it; `*` is all. */
function isExempt({ hostname, protocol, port }: URL, list: string): boolean {
  const own = port || (protocol === "https:" ? "443" : "80");
  const host = hostname.replace(/^\[|\]$/g, "");
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    const [, bracketed, plain = "", wanted] =
      /^(?:\[([^\]]+)\]|(.*?))(?::(\d+))?$/.exec(
        entry.includes("::") && !entry.startsWith("[") ? `[${entry}]` : entry,
      ) ?? [];
    const domain = (bracketed ?? plain).replace(/^\*?\./, "").toLowerCase();
    if (domain === "" || (wanted !== undefined && wanted !== own)) return false;
    return host === domain || host.endsWith(`.${domain}`);
  });
}

/** The code says that no request left. */
function refusedError(words: string): Error {
  return Object.assign(new Error(words), { code: "ERR_PROXY_REFUSED" });
}

/** Few proxies let a tunnel through to what is not https. */
export function openProxy(proxy: URL, kept: Omit<ProxyAgent.Options, "uri">): Dispatcher {
  return new ProxyAgent({ ...kept, uri: proxy.href, proxyTunnel: false });
}

/** A failure on the way through a proxy, which names it without its user and password. */
export function throughProxy(error: Error, { protocol, host }: URL): Error {
  const words = `${error.message} (through the proxy ${protocol}//${host})`;
  return /^Proxy (?:response|Authentication)/.test(error.message)
    ? refusedError(words)
    : Object.assign(new Error(words), { code: "code" in error && error.code });
}
