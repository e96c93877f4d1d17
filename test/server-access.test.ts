import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

  it("is refused within a second of being revoked or of its end", async () => {
    const context = server.parley.context({}, { principal: server.principal });
    const [revoked, brief] = [await server.newKey(), await server.newKey({ until: Date.now() + 700 })];
    for (const { secret } of [revoked, brief])
      expect((await send("GET", "models", { secret })).status).toBe(200);
    await context.credentials.revoke(server.principal.organization, revoked.id, new Date().toISOString());
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (const { secret } of [revoked, brief])
      expect(expectProblem(await send("GET", "models", { secret }), 401, "authentication").next).toContain(
        "Authorization: Bearer KEY",
      );
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
  it("opens a browser's session, once, and says what to do when it was used", async () => {
    await using own = await testServer({ base: "/parley/" });
    const path = new URL(own.link).pathname + new URL(own.link).search;
    // A look ahead is no use, nor is a guess.
    expect((await own.request("HEAD", path, { key: null })).headers["set-cookie"]).toBeUndefined();
    const length = (new URL(own.link).searchParams.get("token") ?? "").length;
    for (const guess of ["x", "x".repeat(length), "é".repeat(length)]) {
      const guessed = await own.get(`/parley/?token=${encodeURIComponent(guess)}`, { key: null });
      expectProblem(guessed, 401, "authentication");
    }
    expect((await own.request("POST", path, { key: null })).status).toBe(405);
    const opened = await own.get(path, { key: null });
    expect(opened).toMatchObject({ status: 303, headers: { location: "/parley/" } });
    const [cookie = ""] = opened.headers["set-cookie"] ?? [];
    expect(cookie).toMatch(
      /^parley-\d+-parley=ps_[\w-]+; Path=\/parley\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    );
    const used = expectProblem(await own.get(path, { key: null }), 401, "authentication");
    expect(used.next).toMatch(/works once/);
    const [session = ""] = cookie.split(";");
    const by = (headers: Sent["headers"]) => ({ key: null, headers: { cookie: session, ...headers } });
    expect((await own.get("usage", by({}))).status).toBe(200);
    const fact = { fact: "x is y" };
    expect((await own.post("memory/facts", fact, by({ "sec-fetch-site": "same-origin" }))).status).toBe(201);
    for (const site of ["cross-site", "same-site", "none"])
      expectProblem(await own.post("memory/facts", fact, by({ "sec-fetch-site": site })), 403, "forbidden");
    expectProblem(await own.post("memory/facts", fact, by({})), 403, "forbidden");
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

  it("is for https where browsers come by https", async () => {
    await using own = await testServer({ publicUrl: "https://parley.example.org/p", base: "/p/" });
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
    expect((await server.get("/healthz", { headers, key: null })).status).toBe(403);
  });

  it("is not this machine's own names", async () => {
    for (const host of [`127.0.0.1:${server.port}`, `localhost:${server.port}`, "[::1]:80", "LOCALHOST"])
      expect([
        host,
        (await server.get("models", { headers: { host, origin: `http://${host}` } })).status,
      ]).toEqual([host, 200]);
    const bare = await rawExchange(server.port, "GET /healthz HTTP/1.0\r\n\r\n", 500);
    expect(bare).toMatch(/^HTTP\/1\.1 40[03] /);
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
  it("has nothing that this one has, and is told of it in the same bytes", async () => {
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
