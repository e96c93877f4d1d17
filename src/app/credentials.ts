import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type OrganizationId, type Principal, type World, refusal } from "../kernel/index.ts";
import type { Credential, Credentials, KeyLimits } from "../stores/credentials.ts";

// CREDENTIAL-1. A secret is shown once. What is kept is its SHA-256, and nothing compares secrets in a time that tells them. Else: whoever
//     reads the store, or times replies, can act as another.
// CREDENTIAL-2. What was revoked or has ended is refused within a second, in every process. Else: a stolen key goes on working.
// CREDENTIAL-3. A link signs in any browser, at every server over the store, for ten minutes; it is no credential for anything else. Else:
//     a link that was overheard gives lasting access.

/** What each kind of secret begins with. */
const PREFIX = { key: "pk_", session: "ps_", link: "pl_" } as const;
const SECRET = /^(?:pk|ps|pl)_([a-z0-9]{12})_[A-Za-z0-9_-]{43}$/;
/** How long a credential that was found is believed. (CREDENTIAL-2) */
const BELIEVED_MS = 1_000;
const MAX_BELIEVED = 10_000;
const MAX_NAME = 80;
const LINK_MS = 600_000;

export type CredentialParts = { readonly credentials: Credentials; readonly world: Pick<World, "now"> };

export type NewCredential = Pick<Credential, "kind" | "name" | "principal"> & {
  /** When it ends, in milliseconds since 1970; never by default. */
  readonly until?: number | undefined;
  readonly limits?: KeyLimits | undefined;
};

/** Makes a credential, and gives its secret for the only time. (CREDENTIAL-1) @throws Fault `configuration` */
export async function issueCredential(
  { credentials, world }: CredentialParts,
  { kind, name, principal, until, limits = {} }: NewCredential,
): Promise<{ readonly id: string; readonly secret: string }> {
  if (kind === "key" && (name.trim() === "" || name.length > MAX_NAME)) {
    const why = `a key's name has 1 to ${MAX_NAME} characters`;
    throw refusal(why, "name what will use it, such as ci");
  }
  if (until !== undefined && until <= world.now()) {
    const why = "a key must end in the future";
    throw refusal(why, "give a later time");
  }
  // It begins with a digit, so that nobody takes it for a word.
  const letters = [...randomBytes(11)].map((byte) => "abcdefghijkmnpqrstuvwxyz23456789"[byte % 32]);
  const id = [randomInt(2, 10), ...letters].join("");
  const secret = `${PREFIX[kind]}${id}_${randomBytes(32).toString("base64url")}`;
  await credentials.put({
    ...{ id, kind, name: name.trim(), principal, digest: digestOf(secret), revokedAt: null, limits },
    createdAt: new Date(world.now()).toISOString(),
    until: until === undefined ? null : new Date(until).toISOString(),
  });
  return { id, secret };
}

/** Whether a credential can still be used. */
const holds = ({ until, revokedAt }: Credential, now: number): boolean =>
  revokedAt === null && (until === null || Date.parse(until) > now);

const usable = (credential: Credential, now: number): Credential | undefined =>
  holds(credential, now) && holds(credential.session ?? credential, now) ? credential : undefined;

/** Finds whose a secret is: of a session that a key has opened, that key. Undefined for a secret that nobody has, or that does not hold any more. (CREDENTIAL-2) */
export function credentialFinder({ credentials, world }: CredentialParts) {
  const believed = new LRUCache<string, { readonly credential: Credential; readonly at: number }>({
    max: MAX_BELIEVED,
  });
  return async (secret: string): Promise<Credential | undefined> => {
    const [, id] = SECRET.exec(secret) ?? [];
    if (id === undefined) return undefined;
    const now = world.now();
    const digest = digestOf(secret);
    const known = believed.get(digest);
    if (known && now - known.at < BELIEVED_MS) return usable(known.credential, now);
    const credential = await credentials.find(id);
    if (!credential || !isSame(credential.digest, digest)) return undefined;
    const { key } = credential.limits;
    const opener = key === undefined ? undefined : await credentials.find(key);
    if (key !== undefined && !opener) return undefined;
    const found = opener ? { ...opener, session: credential } : credential;
    believed.set(digest, { credential: found, at: now });
    return usable(found, now);
  };
}

/** Makes a link to a server at this address, with a slash at its end. (CREDENTIAL-3) */
export async function issueLink(parts: CredentialParts, principal: Principal, url: string): Promise<string> {
  const link = { kind: "link", name: url, principal, until: parts.world.now() + LINK_MS } as const;
  return `${url}?token=${(await issueCredential(parts, link)).secret}`;
}

/** An organization's keys for programs and sessions of browsers that still hold, the newest first. */
export async function listCredentials(
  { credentials, world }: CredentialParts,
  organization: OrganizationId,
): Promise<readonly Credential[]> {
  const all = await credentials.list(organization);
  return all.filter((one) => one.kind !== "link" && holds(one, world.now()));
}

/** Revokes a key or a session by its id, or by its name. @throws Fault `configuration` where there is none, or there are several */
export async function revokeKey(
  parts: CredentialParts,
  { organization }: Pick<Principal, "organization">,
  idOrName: string,
): Promise<Credential> {
  const keys = await listCredentials(parts, organization);
  const found = keys.filter(({ id, name }) => id === idOrName || name === idOrName);
  const [key] = found;
  if (!key) {
    const why = `there is no key "${idOrName.slice(0, MAX_NAME)}"`;
    throw refusal(why, "list the keys");
  }
  if (found.length > 1) {
    const why = `${found.length} keys are named "${idOrName.slice(0, MAX_NAME)}"`;
    throw refusal(why, `give an id: ${found.map(({ id }) => id).join(", ")}`);
  }
  await parts.credentials.revoke(organization, key.id, new Date(parts.world.now()).toISOString());
  return key;
}

const digestOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
