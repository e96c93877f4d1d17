import { describe, expect, it } from "vitest";
import { findServer, query } from "../../test/support/postgres-server.ts";
import { LOCAL_PRINCIPAL, OrganizationId } from "../kernel/index.ts";
import type { Credential } from "./credentials.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import type { OpenedStore } from "./store.ts";

const server = await findServer();
const schema = `parley_test_credentials_${process.pid}`;
const acme = { ...LOCAL_PRINCIPAL, organization: OrganizationId.parse("acme"), scopes: ["read" as const] };

const credential = (id: string, changes: Partial<Credential> = {}): Credential => ({
  ...{ id, kind: "key", name: 'it\'s "ci" %_', principal: LOCAL_PRINCIPAL, digest: "d".repeat(64) },
  createdAt: "2026-01-02T00:00:00.000Z",
  until: null,
  revokedAt: null,
  limits: { callsPerDay: 7, models: ["sim/a"] },
  ...changes,
});

describe.each([
  { name: "SQLite", because: null, open: () => openSqlite(":memory:"), close: () => Promise.resolve() },
  {
    name: "PostgreSQL",
    because: "because" in server ? server.because : null,
    open: () => openPostgres("url" in server ? server.url : "", { schema }),
    close: async () => {
      if ("url" in server) await query(server.url, `drop schema if exists ${schema} cascade`);
    },
  },
])("credentials in $name", ({ open, close, because }) => {
  const using = async (work: (store: OpenedStore) => Promise<void>, skip: (why: string) => void) => {
    if (because !== null) return skip(because);
    try {
      await using store = await open();
      await work(store);
    } finally {
      await close();
    }
  };

  it("are read back as they were put, by whoever knows the id", ({ skip }) =>
    using(async ({ credentials }) => {
      const all = [
        credential("aaaaaaaaaaaa"),
        credential("bbbbbbbbbbbb", { kind: "session", until: "2027-01-01T00:00:00.000Z", principal: acme }),
      ];
      for (const one of all) await credentials.put(one);
      for (const one of all) expect(await credentials.find(one.id)).toEqual(one);
      expect(await credentials.find("cccccccccccc")).toBeUndefined();
      await expect(credentials.put(credential("aaaaaaaaaaaa", { name: "another" }))).rejects.toThrow();
      expect((await credentials.find("aaaaaaaaaaaa"))?.name).toBe(all[0]?.name);
    }, skip));

  it("are listed by organization, the newest first", ({ skip }) =>
    using(async ({ credentials }) => {
      await credentials.put(credential("bbbbbbbbbbbb"));
      await credentials.put(credential("aaaaaaaaaaaa"));
      await credentials.put(credential("cccccccccccc", { createdAt: "2026-01-03T00:00:00.000Z" }));
      await credentials.put(credential("dddddddddddd", { principal: acme }));
      const ids = async (organization: OrganizationId) =>
        (await credentials.list(organization)).map(({ id }) => id);
      expect(await ids(LOCAL_PRINCIPAL.organization)).toEqual([
        ...["cccccccccccc", "aaaaaaaaaaaa", "bbbbbbbbbbbb"],
      ]);
      expect(await ids(acme.organization)).toEqual(["dddddddddddd"]);
      expect(await ids(OrganizationId.parse("nobody"))).toEqual([]);
    }, skip));

  it("are revoked once, by their own organization", ({ skip }) =>
    using(async ({ credentials }) => {
      await credentials.put(credential("aaaaaaaaaaaa"));
      const [first, later] = ["2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"];
      expect(await credentials.revoke(acme.organization, "aaaaaaaaaaaa", first)).toBe(false);
      expect((await credentials.find("aaaaaaaaaaaa"))?.revokedAt).toBeNull();
      const { organization } = LOCAL_PRINCIPAL;
      expect(await credentials.revoke(organization, "aaaaaaaaaaaa", first)).toBe(true);
      expect(await credentials.revoke(organization, "aaaaaaaaaaaa", later)).toBe(false);
      expect((await credentials.find("aaaaaaaaaaaa"))?.revokedAt).toBe(first);
      expect(await credentials.revoke(organization, "zzzzzzzzzzzz", first)).toBe(false);
    }, skip));
});
