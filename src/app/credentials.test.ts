import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, OrganizationId } from "../kernel/index.ts";
import type { Credential, Credentials } from "../stores/credentials.ts";
import { refusalOf } from "../../test/support/scratch.ts";
import { credentialFinder, issueCredential, listCredentials, revokeKey } from "./credentials.ts";

// CREDENTIAL-1, CREDENTIAL-2: a secret is shown once, and what was revoked or has ended holds a second longer at most.

const NOW = Date.parse("2026-03-01T00:00:00Z");
const HOME = { home: "/nowhere" };

/** Credentials in memory, with a clock to turn, and how often they were looked up. */
function stage() {
  const rows = new Map<string, Credential>();
  let [now, finds] = [NOW, 0];
  const credentials: Credentials = {
    put: (one) => Promise.resolve(void rows.set(one.id, one)),
    find: (id) => {
      finds += 1;
      return Promise.resolve(rows.get(id));
    },
    list: (organization) =>
      Promise.resolve([...rows.values()].filter(({ principal }) => principal.organization === organization)),
    revoke(organization, id, at) {
      const one = rows.get(id);
      if (!one || one.revokedAt !== null || one.principal.organization !== organization)
        return Promise.resolve(false);
      rows.set(id, { ...one, revokedAt: at });
      return Promise.resolve(true);
    },
  };
  const parts = { credentials, world: { now: () => now } };
  const issue = (name: string, until?: number) =>
    issueCredential(parts, { kind: "key", name, principal: LOCAL_PRINCIPAL, until });
  return { parts, rows, issue, pass: (ms: number) => void (now += ms), finds: () => finds };
}

describe("a credential", () => {
  it("is found by its secret alone, of which nothing is kept", async () => {
    const { parts, rows, issue } = stage();
    const { id, secret } = await issue("ci");
    expect(secret).toMatch(/^pk_[a-z0-9]{12}_[\w-]{43}$/);
    const find = credentialFinder(parts);
    expect(await find(secret)).toMatchObject({ id, name: "ci", kind: "key", principal: LOCAL_PRINCIPAL });
    expect(JSON.stringify([...rows])).not.toContain(secret.slice(16));
    const last = secret.endsWith("A") ? "B" : "A";
    for (const other of [secret.slice(0, -1) + last, `${secret}x`, secret.slice(0, -1), ` ${secret}`, "", id])
      expect(await find(other)).toBeUndefined();
  });

  it("of two never is the same", async () => {
    const { issue } = stage();
    const all = await Promise.all(Array.from({ length: 200 }, () => issue("ci")));
    expect(new Set(all.flatMap(({ id, secret }) => [id, secret])).size).toBe(400);
  });

  it("is believed for a second, and looked up again after it", async () => {
    const { parts, issue, pass, finds } = stage();
    const { id, secret } = await issue("ci");
    const find = credentialFinder(parts);
    for (const ms of [0, 400, 599]) {
      pass(ms);
      expect(await find(secret)).toBeDefined();
    }
    expect(finds()).toBe(1);
    await parts.credentials.revoke(LOCAL_PRINCIPAL.organization, id, new Date(NOW).toISOString());
    pass(1);
    expect(await find(secret)).toBeUndefined();
    expect(finds()).toBe(2);
    pass(5_000);
    expect(await find(secret)).toBeUndefined();
  });

  it("ends when it should, also while it is believed", async () => {
    const { parts, issue, pass } = stage();
    const { secret } = await issue("ci", NOW + 500);
    const find = credentialFinder(parts);
    pass(499);
    expect(await find(secret)).toBeDefined();
    pass(1);
    expect(await find(secret)).toBeUndefined();
  });

  it("has a name, and an end that is to come", async () => {
    const { issue } = stage();
    expect(await refusalOf(() => issue(" "), HOME)).toMatch(/a key's name has 1 to 80 characters/);
    expect(await refusalOf(() => issue("x".repeat(81)), HOME)).toMatch(/1 to 80/);
    expect(await refusalOf(() => issue("ci", NOW), HOME)).toMatch(/must end in the future/);
  });
});

describe("keys and sessions", () => {
  it("are listed as long as they hold, without links and without other organizations'", async () => {
    const { parts, issue, pass } = stage();
    const { id } = await issue("ci");
    await issue("brief", NOW + 100);
    const acme = { ...LOCAL_PRINCIPAL, organization: OrganizationId.parse("acme") };
    await issueCredential(parts, { kind: "key", name: "theirs", principal: acme });
    await issueCredential(parts, { kind: "link", name: "x", principal: LOCAL_PRINCIPAL });
    const names = async () =>
      (await listCredentials(parts, LOCAL_PRINCIPAL.organization)).map(({ name }) => name);
    expect(await names()).toEqual(["ci", "brief"]);
    pass(100);
    expect(await names()).toEqual(["ci"]);
    await revokeKey(parts, LOCAL_PRINCIPAL, id);
    expect(await names()).toEqual([]);
    expect((await listCredentials(parts, acme.organization)).map(({ name }) => name)).toEqual(["theirs"]);
  });

  it("are revoked by name or id, where there is one of them", async () => {
    const { parts, issue } = stage();
    await issue("ci");
    expect(await revokeKey(parts, LOCAL_PRINCIPAL, "ci")).toMatchObject({ name: "ci" });
    const revoke = (name: string) => refusalOf(() => revokeKey(parts, LOCAL_PRINCIPAL, name), HOME);
    expect(await revoke("ci")).toMatch(/there is no key "ci"/);
    const [one, two] = [await issue("twin"), await issue("twin")];
    const refused = await revoke("twin");
    expect(refused).toContain("2 keys are named");
    expect(refused).toContain(one.id);
    expect(await revokeKey(parts, LOCAL_PRINCIPAL, two.id)).toMatchObject({ id: two.id });
    const acme = { organization: OrganizationId.parse("acme") };
    expect(await refusalOf(() => revokeKey(parts, acme, one.id), HOME)).toMatch(/there is no key/);
  });
});
