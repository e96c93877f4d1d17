import * as z from "zod";
import { OrganizationId, Scope, UserId, type Principal } from "../kernel/index.ts";
import type { Database } from "./database.ts";

/** What the owner of a server lets a key have; an absent limit is none. Days are those of UTC. */
export const KeyLimits = z.strictObject({
  usdPerDay: z.number().positive().optional(),
  callsPerDay: z.int().positive().optional(),
  requestsPerMinute: z.int().positive().optional(),
  /** Runs under way. */
  atOnce: z.int().positive().optional(),
  /** The models that its requests may name, as `provider/model`; those of the server by default. */
  models: z.array(z.string()).optional(),
  /** Of a session that a key has opened, the key: its limits count, and with it the session ends. */
  key: z.string().optional(),
});
export type KeyLimits = z.infer<typeof KeyLimits>;

/** A credential of a server's client: a key for programs, a browser's session, or a link that opens one. Times are ISO 8601. */
export type Credential = {
  readonly id: string;
  readonly kind: "key" | "session" | "link";
  /** A key's own; of a session, its browser; of a link, the address that it leads to. */
  readonly name: string;
  readonly principal: Principal;
  /** The SHA-256 of the secret, which is kept nowhere. */
  readonly digest: string;
  readonly createdAt: string;
  readonly until: string | null;
  readonly revokedAt: string | null;
  readonly limits: KeyLimits;
  /** The session through which a request uses this key. */
  readonly session?: Credential;
};

/** The credentials of a store's servers. */
export interface Credentials {
  put(credential: Credential): Promise<void>;
  find(id: string): Promise<Credential | undefined>;
  /** An organization's, the newest first. */
  list(organization: OrganizationId): Promise<readonly Credential[]>;
  /** False if the organization has no such credential that still holds. */
  revoke(organization: OrganizationId, id: string, at: string): Promise<boolean>;
}

type CredentialRow = {
  readonly id: string;
  readonly organization: string;
  readonly person: string;
  readonly kind: string;
  readonly name: string;
  readonly digest: string;
  readonly scopes: string;
  readonly created_at: string;
  readonly until: string | null;
  readonly revoked_at: string | null;
  readonly limits: string | null;
};

const COLUMNS = "id, organization, person, kind, name, digest, scopes, created_at, until, limits, revoked_at";
const PUT = `insert into @credential (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, null)`;
const FIND = `select ${COLUMNS} from @credential where id = $1`;
const LIST = `select ${COLUMNS} from @credential where organization = $1 order by created_at desc, id`;
const REVOKE =
  "update @credential set revoked_at = $3 where organization = $1 and id = $2 and revoked_at is null";

const toCredential = (row: CredentialRow): Credential => ({
  id: row.id,
  kind: row.kind === "session" || row.kind === "link" ? row.kind : "key",
  name: row.name,
  principal: {
    organization: OrganizationId.parse(row.organization),
    user: UserId.parse(row.person),
    scopes: Scope.array().parse(JSON.parse(row.scopes)),
  },
  digest: row.digest,
  createdAt: row.created_at,
  until: row.until,
  revokedAt: row.revoked_at,
  limits: KeyLimits.parse(JSON.parse(row.limits ?? "{}")),
});

export function createCredentials(database: Pick<Database, "all" | "first" | "run">): Credentials {
  return {
    async put({ id, kind, name, principal, digest, createdAt, until, limits }) {
      const { organization, user, scopes } = principal;
      await database.run(
        PUT,
        ...[id, organization, user, kind, name, digest],
        ...[JSON.stringify(scopes), createdAt, until, JSON.stringify(limits)],
      );
    },
    async find(id) {
      const row = await database.first<CredentialRow>(FIND, id);
      return row && toCredential(row);
    },
    list: async (organization) => (await database.all<CredentialRow>(LIST, organization)).map(toCredential),
    revoke: async (organization, id, at) => (await database.run(REVOKE, organization, id, at)) === 1,
  };
}
