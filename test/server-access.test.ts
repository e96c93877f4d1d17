import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueLink } from "../src/app/credentials.ts";
import {
  expectProblem,
  rawExchange,
  serverPlace,
  SIMS,
  SUM,
  testServer,
  type Got,
  type Json,
  type Sent,
  type TestServer,
} from "./support/server.ts";

// ACCESS-1, ACCESS-2, CREDENTIAL-2: who may do what, in every spelling of a credential.

let server: TestServer;
/** A council that has ended. */
let done: Json;
/** A key that may read alone. */
let reader: string;
beforeAll(async () => {
  server = await testServer();
  done = await server.ask();
  reader = (await server.newKey({ scopes: ["read"] })).secret;
});
afterAll(() => server[Symbol.asyncDispose]());

const question = { question: SUM, models: SIMS, protocol: "council", reactions: false };

/** One reader takes all of them. */
const SPELLINGS: Record<string, (secret: string) => Sent["headers"]> = {
  bearer: (secret) => ({ authorization: `Bearer ${secret}` }),
  "bearer in lower case": (secret) => ({ Authorization: `bearer   ${secret}` }),
  "x-api-key": (secret) => ({ "x-api-key": secret }),
  cookie: (secret) => ({
    cookie: `a=b; parley-${server.port}=${secret}; c=d`,
    "sec-fetch-site": "same-origin",
  }),
};

describe.each(Object.entries(SPELLINGS))("a key as %s", (_name, spell) => {
  const send = (method: string, path: string, { secret, body }: { secret: string; body?: unknown }) =>
    server.request(method, path, { key: null, headers: spell(secret) ?? {}, body });

  it("may do what it was made for", async () => {
    const { secret } = await server.newKey();
    expect((await send("GET", `deliberations/${done.id}`, { secret })).status).toBe(200);
    expect((await send("POST", "memory/facts", { secret, body: { fact: "x is y" } })).status).toBe(201);
    expect((await send("GET", "/metrics", { secret })).status).toBe(200);
  });

  it("may not write where it may read alone", async () => {
    expect((await send("GET", `deliberations/${done.id}`, { secret: reader })).status).toBe(200);
    expectProblem(
      await send("POST", "memory/facts", { secret: reader, body: { fact: "x is y" } }),
      403,
      "forbidden",
    );
  });

  it("is refused once it is revoked, and once it has ended", async () => {
    const context = server.parley.context({}, { principal: server.principal });
    const [revoked, brief] = [await server.newKey(), await server.newKey({ until: Date.now() + 700 })];
    for (const { secret } of [revoked, brief])
      expect((await send("GET", "models", { secret })).status).toBe(200);
    await context.credentials.revoke(server.principal.organization, revoked.id, new Date().toISOString());
    for (const { secret } of [revoked, brief]) {
      await expect.poll(async () => (await send("GET", "models", { secret })).status).toBe(401);
      expect(expectProblem(await send("GET", "models", { secret }), 401, "authentication").next).toContain(
        "Authorization: Bearer KEY",
      );
    }
  });
});

describe("a credential", () => {
  it("is asked for, with the next step, and one at a time", async () => {
    const none = await server.get("models", { key: null });
    expect(expectProblem(none, 401, "authentication").next).toContain("Authorization: Bearer KEY");
    expect(none.headers["www-authenticate"]).toBe("Bearer");
    for (const secret of [
      "",
      "x",
      "pk_aaaaaaaaaaaa_",
      `${reader.slice(0, -1)}${reader.endsWith("A") ? "E" : "A"}`,
      `${reader}x`,
      "é".repeat(59),
    ])
      expect(
        (await server.get("models", { key: null, headers: { "x-api-key": encodeURI(secret) } })).status,
      ).toBe(401);
    const two = { headers: { "x-api-key": reader } };
    expect(expectProblem(await server.get("models", two), 401, "authentication").detail).toContain(
      "two different",
    );
    const name = `parley-${server.port}`;
    const twice = { key: null, headers: { cookie: `${name}=${reader}; ${name}=${server.key}` } };
    expect((await server.get("models", twice)).status).toBe(401);
    for (const path of ["/healthz", "/readyz", "/api/v1/openapi.json", "/"])
      expect([path, (await server.get(path, { key: null })).status]).toEqual([path, 200]);
    for (const path of ["/metrics", "/api/v1/usage"])
      expect([path, (await server.get(path, { key: null })).status]).toEqual([path, 401]);
  });

  it("is nowhere in the store, nor its secret in a log or a reply", async () => {
    const stored = await server.parley
      .context({}, { principal: server.principal })
      .credentials.list(server.principal.organization);
    expect(stored.length).toBeGreaterThan(2);
    expect(JSON.stringify(stored)).not.toContain(server.key.slice(16));
    expect(server.log.join("\n")).not.toContain(server.key.slice(16));
  });
});

describe("the link", () => {
  it("CREDENTIAL-3: opens sessions of several browsers at every server over the store, and nothing else", async () => {
    using place = serverPlace();
    await using own = await testServer({ base: "/parley/" }, place);
    await using other = await testServer({ base: "/parley/" }, place);
    const { pathname, search, searchParams } = new URL(own.link);
    const path = pathname + search;
    // A look ahead is no use, nor is a guess.
    expect((await own.request("HEAD", path, { key: null })).headers["set-cookie"]).toBeUndefined();
    const token = searchParams.get("token") ?? "";
    const guesses = ["x", `${token.slice(0, -1)}${token.endsWith("A") ? "E" : "A"}`, "é".repeat(60), own.key];
    for (const guess of guesses) {
      const guessed = await own.get(`/parley/?token=${encodeURIComponent(guess)}`, { key: null });
      expect(expectProblem(guessed, 401, "authentication").next).toMatch(/ten minutes/);
    }
    expectProblem(await own.get("usage", { key: token }), 401, "authentication");
    expect((await own.request("POST", path, { key: null })).status).toBe(405);
    const sessions: string[] = [];
    for (const server of [own, own, other]) {
      const opened = await server.get(path, { key: null, headers: { "user-agent": "Browser/1" } });
      expect(opened).toMatchObject({ status: 303, headers: { location: "/parley/" } });
      const [cookie = ""] = opened.headers["set-cookie"] ?? [];
      expect(cookie).toMatch(
        /^parley-\d+-parley=ps_[\w-]+; Path=\/parley\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
      );
      const [session = ""] = cookie.split(";");
      sessions.push(session);
      expect((await server.get("usage", { key: null, headers: { cookie: session } })).status).toBe(200);
    }
    expect(new Set(sessions).size).toBe(3);
    const by = (headers: Sent["headers"]) => ({
      key: null,
      headers: { cookie: sessions[0] ?? "", ...headers },
    });
    const fact = { fact: "x is y" };
    expect((await own.post("memory/facts", fact, by({ "sec-fetch-site": "same-origin" }))).status).toBe(201);
    for (const site of ["cross-site", "same-site", "none"])
      expectProblem(await own.post("memory/facts", fact, by({ "sec-fetch-site": site })), 403, "forbidden");
    expectProblem(await own.post("memory/facts", fact, by({})), 403, "forbidden");
  });

  it("CREDENTIAL-3: has ended after ten minutes", async () => {
    const { credentials, principal } = server.parley.context({}, { principal: server.principal });
    const at = (now: number) => ({ credentials, world: { now: () => now } });
    const pathOf = async (agoMs: number) => {
      const link = await issueLink(at(Date.now() - agoMs), principal, server.url);
      return `/${new URL(link).search}`;
    };
    expect((await server.get(await pathOf(590_000), { key: null })).status).toBe(303);
    expectProblem(await server.get(await pathOf(600_001), { key: null }), 401, "authentication");
  });

  it("ACCESS-3: opens sessions of two servers on one host, which last over a restart", async () => {
    using place = serverPlace();
    const first = await testServer({}, place);
    const { port } = first;
    await using second = await testServer();
    await using below = await testServer({ base: "/parley/" });
    /** What a browser keeps for the host: one of each name and path, whatever the port. */
    const jar = new Map<string, string>();
    for (const one of [first, second, below]) {
      const { pathname, search } = new URL(one.link);
      const { headers } = await one.get(`${pathname}${search}`, { key: null });
      const [, pair = "", path = ""] = /^([^;]+); Path=([^;]+);/.exec(headers["set-cookie"]?.[0] ?? "") ?? [];
      jar.set(`${pair.split("=")[0]} ${path}`, pair);
    }
    const all = { key: null, headers: { cookie: [...jar.values()].join("; ") } };
    for (const one of [first, second, below]) expect((await one.get("usage", all)).status).toBe(200);
    await first.stop(0);
    await using again = await testServer({ port }, place);
    expect((await again.get("usage", all)).status).toBe(200);
    const { securitySchemes } = (await again.get("openapi.json")).json.components;
    expect(all.headers.cookie).toContain(`${securitySchemes.session.name}=`);
  });

  it("ACCESS-3: has the name of the public URL, at all servers behind it, and is for https where all come by it", async () => {
    const publicUrls = ["https://parley.example.org:8443/p/", "http://parley/p/"];
    await using both = await testServer({ publicUrls, base: "/p/" });
    for (const host of ["parley.example.org:8443", "PARLEY", "127.0.0.1"]) {
      const { headers } = await both.get(`/p/${new URL(both.link).search}`, { key: null, headers: { host } });
      expect(headers["set-cookie"]?.[0]).toMatch(/^parley-parley\.example\.org-8443-p=ps_.*; Max-Age=\d+$/);
    }
    expectProblem(await both.get("/p/", { key: null, headers: { host: "parley2" } }), 403, "forbidden");
    await using own = await testServer({ publicUrls: ["https://parley.example.org/p"], base: "/p/" });
    expect(own.link).toMatch(/^https:\/\/parley\.example\.org\/p\/\?token=/);
    const opened = await own.get(`/p/${new URL(own.link).search}`, {
      key: null,
      headers: { host: "parley.example.org" },
    });
    expect(opened.headers["set-cookie"]?.[0]).toMatch(/; Secure$/);
  });
});

describe("another site", () => {
  it.each([
    { host: "evil.example" },
    { host: "127.0.0.1.evil.example" },
    { host: "localhost.evil" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://127.0.0.1.evil.example" },
    { origin: "not a url" },
  ])("is refused: %j", async (headers) => {
    expectProblem(await server.get("models", { headers }), 403, "forbidden");
    // Whoever probes a server does so by any of its addresses.
    for (const path of ["/healthz", "/readyz"])
      expect([path, (await server.get(path, { headers, key: null })).status]).toEqual([path, 200]);
  });

  it("is not this machine's own names", async () => {
    for (const host of [`127.0.0.1:${server.port}`, `localhost:${server.port}`, "[::1]:80", "LOCALHOST"])
      expect([
        host,
        (await server.get("models", { headers: { host, origin: `http://${host}` } })).status,
      ]).toEqual([host, 200]);
    const bare = await rawExchange(server.port, "GET /api/v1/models HTTP/1.0\r\n\r\n", 500);
    expect(bare).toMatch(/^HTTP\/1\.1 40[03] /);
    const other = { headers: { host: "127.999.1.1" } };
    expectProblem(await server.get("models", other), 403, "forbidden");
  });

  it.each(["0.0.0.0", "::"])(
    "is no address of this machine, for a server on all of them: %s",
    async (host) => {
      await using all = await testServer({ host });
      const addresses = Object.values(networkInterfaces()).flatMap((own = []) =>
        own.map(({ address }) => address),
      );
      expect(addresses.length).toBeGreaterThan(0);
      for (const address of addresses) {
        const named = address.includes(":") ? `[${address}]:${all.port}` : `${address}:${all.port}`;
        const headers = { host: named };
        expect([named, (await all.get("models", { headers })).status]).toEqual([named, 200]);
        // One that listens on a single address knows no other.
        const isLoopback = /^(?:127\.|::1$)/.test(address);
        expect((await server.get("models", { headers })).status).toBe(isLoopback ? 200 : 403);
      }
      for (const foreign of ["203.0.113.9", "0.0.0.0", "evil.example"])
        expectProblem(await all.get("models", { headers: { host: foreign } }), 403, "forbidden");
    },
  );
});

describe("a browser's session", () => {
  const signIn = async (key: string) => {
    const { status, headers } = await server.post("session", undefined, { key });
    expect(status).toBe(204);
    const [cookie = ""] = headers["set-cookie"]?.[0]?.split(";") ?? [];
    return { key: null, headers: { cookie, "sec-fetch-site": "same-origin" } };
  };

  it("is signed in with a key, may do what that may, and is signed out without an end of the key", async () => {
    const { secret, id } = await server.newKey({ scopes: ["read"] });
    const browser = await signIn(secret);
    expect(browser.headers.cookie).not.toContain(secret);
    expect((await server.get("usage", browser)).status).toBe(200);
    expect((await server.get("sessions", browser)).json.data.some(({ current }: Json) => current)).toBe(true);
    expectProblem(await server.post("memory/facts", { fact: "x is y" }, browser), 403, "forbidden");
    expectProblem(await server.post("session", undefined, { key: `${secret}x` }), 401, "authentication");
    const elsewhere = { key: secret, headers: { origin: "https://evil.example" } };
    expectProblem(await server.post("session", undefined, elsewhere), 403, "forbidden");
    const out = await server.request("DELETE", "session", browser);
    expect([out.status, out.headers["set-cookie"]?.[0]]).toEqual([
      204,
      expect.stringMatching(/^[\w-]+=; .*Max-Age=0/),
    ]);
    expect((await server.get("usage", { key: secret })).status).toBe(200);
    await expect.poll(async () => (await server.get("usage", browser)).status, { timeout: 3_000 }).toBe(401);
    const second = await signIn(secret);
    const { credentials } = server.parley.context({}, { principal: server.principal });
    await credentials.revoke(server.principal.organization, id, new Date().toISOString());
    await expect.poll(async () => (await server.get("usage", second)).status, { timeout: 3_000 }).toBe(401);
    // What holds no more is taken back, so that a key can be given.
    expect((await server.get("usage", browser)).headers["set-cookie"]?.[0]).toContain("=; ");
  });

  it("is listed for its person, ended by that person alone, and signed out of", async () => {
    await using own = await testServer();
    const { search } = new URL(own.link);
    const open = async (name: string) => {
      const { headers } = await own.get(`/${search}`, { key: null, headers: { "user-agent": name } });
      const cookie = headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
      return { key: null, headers: { cookie, "sec-fetch-site": "same-origin" } };
    };
    const [desk, phone] = [await open("Desk/1"), await open("Phone/1")];
    const { data } = (await own.get("sessions", desk)).json;
    expect(data.map(({ name, current }: Json) => [name, current]).toSorted()).toEqual([
      ["Desk/1", true],
      ["Phone/1", false],
    ]);
    expect(JSON.stringify(data)).not.toContain("ps_");
    const path = `sessions/${data.find(({ name }: Json) => name === "Phone/1").id}`;
    for (const other of [{ user: "eve" }, { organization: "acme" }]) {
      const { secret: key } = await own.newKey(other);
      expect((await own.get("sessions", { key })).json.data).toEqual([]);
      expectProblem(await own.request("DELETE", path, { key }), 404, "not-found");
    }
    const { secret: key } = await own.newKey({ scopes: ["read"] });
    expectProblem(await own.request("DELETE", path, { key }), 403, "forbidden");
    expect((await own.get("usage", phone)).status).toBe(200);
    expect((await own.request("DELETE", path, desk)).status).toBe(204);
    await expect.poll(async () => (await own.get("usage", phone)).status, { timeout: 3_000 }).toBe(401);
    expect((await own.get("usage", desk)).status).toBe(200);
    expect((await own.request("DELETE", "session", desk)).status).toBe(204);
    await expect.poll(async () => (await own.get("usage", desk)).status, { timeout: 3_000 }).toBe(401);
    expect((await own.get("sessions")).json.data).toEqual([]);
  });
});

describe("who may read alone", () => {
  it("reads everything", async () => {
    const paths = [
      ...["", "/events", "/events/1", "/export", "/waiting"].map((path) => `deliberations/${done.id}${path}`),
      ...["deliberations", "models", "personas", "strategies", "packs", "usage", "inbox"],
      ...["memory/search?q=x", "memory/facts", "memory/stats"],
    ];
    for (const path of paths)
      expect([path, (await server.get(path, { key: reader })).status]).toEqual([path, 200]);
    expect((await server.post("estimate", question, { key: reader })).status).toBe(200);
    expect((await server.post(`deliberations/${done.id}/replay`, {}, { key: reader })).status).toBe(200);
  });

  it("writes nothing", async () => {
    const paths = ["cancel", "resume", "fork", "contributions", "answers", "feedback"].map(
      (path) => `deliberations/${done.id}/${path}`,
    );
    for (const path of ["deliberations", "memory/facts", ...paths])
      expectProblem(
        await server.post(path, path === "deliberations" ? question : {}, { key: reader }),
        403,
        "forbidden",
      );
    for (const path of ["memory/facts/x", `deliberations/${done.id}`])
      expectProblem(await server.request("DELETE", path, { key: reader }), 403, "forbidden");
  });
});

/** A reply's text without the id of its request. */
const nameless = ({ text, headers }: Got): string => text.replaceAll(String(headers["x-request-id"]), "");

describe("another organization", () => {
  it("has nothing that this one has, and is told of it in the same bytes (APP-2)", async () => {
    const { secret } = await server.newKey({ organization: "acme" });
    const nobodys = `${done.id.slice(0, -1)}${done.id.endsWith("a") ? "b" : "a"}`;
    const calls = [
      ...["", "/events", "/events/1", "/export?format=json", "/waiting"].map(
        (path) => ["GET", path] as const,
      ),
      ["DELETE", ""] as const,
      ...["/cancel", "/resume", "/fork", "/replay", "/contributions"].map((path) => ["POST", path] as const),
    ];
    const bodies: Record<string, unknown> = { "/answers": { answers: {} }, "/feedback": { thumb: "up" } };
    for (const [method, path, body] of [
      ...calls,
      ...Object.entries(bodies).map(([at, given]) => ["POST", at, given] as const),
    ]) {
      const sent = { key: secret, ...(method === "POST" ? { body: body ?? {} } : {}) };
      const [theirs, none] = await Promise.all([
        server.request(method, `deliberations/${done.id}${path}`, sent),
        server.request(method, `deliberations/${nobodys}${path}`, sent),
      ]);
      expect([path, theirs.status]).toEqual([path, 404]);
      expect(nameless(theirs).replaceAll(done.id, nobodys)).toBe(nameless(none));
      expect(Object.keys(theirs.headers)).toEqual(Object.keys(none.headers));
    }
    const follow = await server.get(`deliberations/${done.id}/events`, {
      key: secret,
      headers: { accept: "text/event-stream" },
    });
    expect(follow.status).toBe(404);
    const after = { ...question, protocol: "respond", models: [SIMS[0]] };
    const [theirs, none] = await Promise.all(
      [done.id, nobodys].map((previous) =>
        server.post("deliberations", { ...after, previous }, { key: secret }),
      ),
    );
    expect(theirs && nameless(theirs).replaceAll(done.id, nobodys)).toBe(none && nameless(none));
    expect((await server.get("deliberations", { key: secret })).json.data).toEqual([]);
    expect((await server.get("usage", { key: secret })).json.rows).toEqual([]);
  });
});
