import type { IncomingMessage } from "node:http";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { credentialFinder, issueCredential, type CredentialParts } from "../app/credentials.ts";
import type { Principal } from "../kernel/index.ts";
import type { Credential } from "../stores/credentials.ts";
import { Refused } from "./problem.ts";
import { createRequestCounter } from "./quota.ts";

// ACCESS-1. One reader takes the credential from a request, in whichever header it comes, so that a restriction holds for all.
// ACCESS-2. A request of another site's page is refused: by its Host, by its Origin, and a cookie's write by Sec-Fetch-Site.
// ACCESS-3. Browsers send a cookie to every port of its host: a server's has a name of its own, the same after a restart.

const SESSION_DAYS = 30;
const DAY_MS = 86_400_000;

/** How a request named itself. */
export type ApiCaller = {
  readonly credential: Credential;
  readonly principal: Principal;
  readonly by: "cookie" | "header";
};

export type AccessOptions = CredentialParts & {
  /** Whose sessions the printed link opens. */
  readonly principal: Principal;
  /** Names under which the server may be called, beside addresses of this machine; lower case, without a port. */
  readonly hosts: readonly string[];
  /** Whether browsers reach it by https. */
  readonly isSecure: boolean;
  /** `/` or a path that ends in one. */
  readonly base: string;
  /** The port that it listens on. */
  readonly port: number;
};

/** Who may do what. */
export function createAccess(options: AccessOptions) {
  const find = credentialFinder(options);
  const countRequest = createRequestCounter(options.world);
  let token: string | undefined = randomBytes(24).toString("base64url");
  const { base, isSecure, port } = options;
  const cookie = ["parley", port, ...base.split("/").filter(Boolean)].join("-");
  return {
    /** The name of its cookie. (ACCESS-3) */
    cookie,
    /** The one-time token of the link. */
    token: (): string => token ?? "",
    /** A browser's session for the link's token, as a cookie; undefined for a token that is not the one, or was used. */
    async redeem(given: string): Promise<string | undefined> {
      if (token === undefined || !isEqual(given, token)) return undefined;
      token = undefined;
      const { principal, world } = options;
      const until = world.now() + SESSION_DAYS * DAY_MS;
      const { secret } = await issueCredential(options, { kind: "session", name: "link", principal, until });
      return `${cookie}=${secret}; Path=${base}; HttpOnly; SameSite=Strict; Max-Age=${(SESSION_DAYS * DAY_MS) / 1_000}${isSecure ? "; Secure" : ""}`;
    },
    /** @throws Refused 401, 403 (ACCESS-1) */
    async caller(request: IncomingMessage): Promise<ApiCaller> {
      const given = secretsIn(request, cookie);
      const [first] = given;
      if (!first || given.some(({ secret }) => secret !== first.secret)) {
        const detail = first ? "the request has two different credentials" : "the request has no credential";
        throw unauthorized(detail);
      }
      const credential = await find(first.secret);
      if (!credential) throw unauthorized("the credential is unknown, revoked or has ended");
      countRequest(credential);
      if (first.by === "cookie" && !isRead(request)) refuseOtherSites(request); // ACCESS-2
      return { credential, principal: credential.principal, by: first.by };
    },
    /** @throws Refused 403 for a request in another site's name (ACCESS-2) */
    checkHost({ headers: { host, origin } }: IncomingMessage): void {
      if (!isKnownHost(host, options.hosts)) throw forbidden(`the host ${quote(host)} is not this server's`);
      if (origin === undefined) return;
      if (origin === "null" || !URL.canParse(origin) || !isKnownHost(new URL(origin).host, options.hosts))
        throw forbidden(`the origin ${quote(origin)} may not call this server`);
    },
  };
}
export type Access = ReturnType<typeof createAccess>;

/** What a request names itself by, in every spelling. (ACCESS-1) */
function secretsIn({ headers }: IncomingMessage, name: string): { secret: string; by: ApiCaller["by"] }[] {
  const { authorization, cookie } = headers;
  const bearer = /^bearer +(\S+)$/i.exec(authorization?.trim() ?? "")?.[1];
  const key = headers["x-api-key"];
  const sessions = cookie?.split(/; */).filter((part) => part.startsWith(`${name}=`)) ?? [];
  return [
    ...(bearer === undefined ? [] : [{ secret: bearer, by: "header" as const }]),
    ...(typeof key === "string" ? [{ secret: key.trim(), by: "header" as const }] : []),
    ...sessions.map((session) => ({ secret: session.slice(name.length + 1), by: "cookie" as const })),
  ];
}

const isRead = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD";

function refuseOtherSites({ headers }: IncomingMessage): void {
  if (headers["sec-fetch-site"] === "same-origin") return;
  throw forbidden("a page may write only to the server that it came from");
}

const ADDRESS = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** Whether a Host header names this machine's loopback or one of these. */
function isKnownHost(host: string | undefined, hosts: readonly string[]): boolean {
  const name = host?.toLowerCase().replace(/:\d+$/, "") ?? "";
  return ADDRESS.test(name) || hosts.includes(name);
}

const unauthorized = (detail: string) =>
  new Refused({
    ...{ status: 401, code: "authentication", detail },
    next: "send a key as Authorization: Bearer KEY, or open the link that the server printed",
    headers: { "www-authenticate": "Bearer" },
  });
const forbidden = (detail: string) => new Refused({ status: 403, code: "forbidden", detail });

const quote = (text: string | undefined): string => JSON.stringify((text ?? "").slice(0, 100));

/** Compares texts of any length in a time that tells nothing. */
const isEqual = (one: string, other: string): boolean => timingSafeEqual(digestOf(one), digestOf(other));
const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();
