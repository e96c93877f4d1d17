import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { credentialFinder, issueCredential, type CredentialParts } from "../app/credentials.ts";
import type { Principal } from "../kernel/index.ts";
import type { KeyLimits } from "../stores/credentials.ts";
import { Refused } from "./problem.ts";
import { createRequestCounter, type ApiCaller } from "./quota.ts";

// ACCESS-1. One reader takes the credential from a request, in whichever header it comes, so that a restriction holds for all. Else: a
//     restricted key gets in by another header.
// ACCESS-2. A request of another site's page is refused: by its Host, by its Origin, and a cookie's write by Sec-Fetch-Site. Else: a
//     website acts with the session of whoever visits it.
// ACCESS-3. Browsers send a cookie to every port of its host: a server's has a name of its own, the same after a restart, and the same for
//     all servers behind one public URL. Else: another server on this machine takes over a session.

const SESSION_DAYS = 30;
const DAY_MS = 86_400_000;
/** How much of a browser's own name is kept. */
const MAX_BROWSER = 120;

export type AccessOptions = CredentialParts & {
  /** The address that it listens on. */
  readonly host: string;
  readonly port: number;
  /** Where clients reach it, beside its own address. */
  readonly publicUrls: readonly URL[];
  /** `/` or a path that ends in one. */
  readonly base: string;
};

/** Who may do what. */
export function createAccess(options: AccessOptions) {
  const find = credentialFinder(options);
  const countRequest = createRequestCounter(options.world);
  const credentials = new WeakMap<IncomingMessage, string>();
  /** Those of other sites' pages, whose cookies count for nothing. */
  const foreign = new WeakSet<IncomingMessage>();
  const { base, host, port, publicUrls } = options;
  const [first] = publicUrls;
  const place = first ? `${first.host}${first.pathname}` : `${port}${base}`;
  const cookie = `parley-${place.replaceAll(/[^\w.]+/g, "-").replace(/-$/, "")}`;
  const isSecure = first !== undefined && publicUrls.every(({ protocol }) => protocol === "https:");
  const cookieOf = (secret: string, days: number): string =>
    `${cookie}=${secret}; Path=${base}; HttpOnly; SameSite=Strict; Max-Age=${(days * DAY_MS) / 1_000}${isSecure ? "; Secure" : ""}`;
  const names = [...publicUrls.map(({ hostname }) => bare(hostname)), ...(isAnyAddress(host) ? [] : [host])];
  /** Whether a Host header names this machine, or is one of the server's own. */
  const isKnown = (given: string | undefined): boolean => {
    const name = bare(given?.toLowerCase().replace(/:\d+$/, "") ?? "");
    return isLoopback(name) || names.includes(name) || (isAnyAddress(host) && ownAddresses().includes(name));
  };
  const openSession = async (principal: Principal, browser: string, limits: KeyLimits = {}) => {
    const until = options.world.now() + SESSION_DAYS * DAY_MS;
    const session = { kind: "session", name: browser.slice(0, MAX_BROWSER), until } as const;
    const { secret } = await issueCredential(options, { ...session, principal, limits });
    return cookieOf(secret, SESSION_DAYS);
  };
  return {
    /** The name of its cookie. (ACCESS-3) */
    cookie,
    /** A browser's session for a link's token, as a cookie; undefined for a token that is not one, or has ended. (CREDENTIAL-3) */
    async redeem(token: string, browser = ""): Promise<string | undefined> {
      const link = await find(token);
      if (link?.kind !== "link") return undefined;
      return openSession(link.principal, browser);
    },
    /** A browser's session for the key of its request, as a cookie: it may do what the key may, and ends with it. */
    signIn: ({ credential, principal }: ApiCaller, browser = ""): Promise<string> =>
      openSession(principal, browser, credential.kind === "key" ? { key: credential.id } : {}),
    signedOut: cookieOf("", 0),
    /** @throws Refused 401, 403 (ACCESS-1) */
    async caller(request: IncomingMessage): Promise<ApiCaller> {
      const given = secretsIn(request, foreign.has(request) ? undefined : cookie);
      const [first] = given;
      if (!first || given.some(({ secret }) => secret !== first.secret)) {
        const detail = first ? "the request has two different credentials" : "the request has no credential";
        throw unauthorizedReply(detail);
      }
      const credential = await find(first.secret);
      if (!credential || credential.kind === "link") {
        const ended = first.by === "cookie" ? { "set-cookie": cookieOf("", 0) } : {};
        throw unauthorizedReply("the credential is unknown, revoked or has ended", ended);
      }
      credentials.set(request, credential.id);
      countRequest(credential);
      if (first.by === "cookie" && !isRead(request)) refuseOtherSites(request); // ACCESS-2
      return { credential, principal: credential.principal, by: first.by };
    },
    /** The id of the credential that a request came with, once it was read. */
    credentialOf: (request: IncomingMessage) => credentials.get(request),
    /** @throws Refused 403 for a request in another site's name, unless that is `admitted` (ACCESS-2) */
    checkHost(request: IncomingMessage, admitted: boolean): void {
      const { host: named, origin } = request.headers;
      if (!isKnown(named)) throw forbidden(`the host ${quote(named)} is not this server's`);
      if (admitted) foreign.add(request);
      if (admitted || origin === undefined) return;
      if (origin === "null" || !URL.canParse(origin) || !isKnown(new URL(origin).host))
        throw forbidden(`the origin ${quote(origin)} may not call this server`);
    },
  };
}
export type Access = ReturnType<typeof createAccess>;

/** What a request names itself by, in every spelling. (ACCESS-1) */
function secretsIn(
  { headers }: IncomingMessage,
  name: string | undefined,
): { secret: string; by: ApiCaller["by"] }[] {
  const { authorization, cookie } = headers;
  const bearer = /^bearer +(\S+)$/i.exec(authorization?.trim() ?? "")?.[1];
  const key = headers["x-api-key"];
  const parts = name === undefined ? [] : (cookie?.split(/; */) ?? []);
  const sessions = parts.filter((part) => part.startsWith(`${name}=`));
  return [
    ...(bearer === undefined ? [] : [{ secret: bearer, by: "header" as const }]),
    ...(typeof key === "string" ? [{ secret: key.trim(), by: "header" as const }] : []),
    ...sessions.map((part) => ({ secret: part.slice(part.indexOf("=") + 1), by: "cookie" as const })),
  ];
}

const isRead = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD";

function refuseOtherSites({ headers }: IncomingMessage): void {
  if (headers["sec-fetch-site"] === "same-origin") return;
  throw forbidden("a page may write only to the server that it came from");
}

/** An address of IPv6 without its brackets. */
const bare = (name: string): string => name.replace(/^\[(.*)\]$/, "$1");
const isLoopback = (name: string): boolean =>
  name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
/** Whether a server listens on all addresses of its machine. */
export const isAnyAddress = (host: string): boolean => host === "0.0.0.0" || host === "::";

const unauthorizedReply = (detail: string, headers: Readonly<Record<string, string>> = {}) =>
  new Refused({
    ...{ status: 401, code: "authentication", detail },
    next: "send a key as Authorization: Bearer KEY, or print a new link where the server runs",
    headers: { "www-authenticate": "Bearer", ...headers },
  });
const forbidden = (detail: string) => new Refused({ status: 403, code: "forbidden", detail });

const quote = (text: string | undefined): string => JSON.stringify((text ?? "").slice(0, 100));
