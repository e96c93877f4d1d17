import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testServer, type Got, type TestServer } from "../../../../test/support/server.ts";

const APP = "https://app.example.org";
const LOCAL_APP = "http://localhost:5173";

const corsHeaders = ({ headers }: Got) =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));

describe("pages of other sites", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer({ env: { PARLEY_CORS_ORIGINS: `${APP}/,${LOCAL_APP}` } });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const preflight = (origin: string, more: Readonly<Record<string, string>> = {}, path = "deliberations") =>
    server.request("OPTIONS", path, {
      key: null,
      headers: {
        ...{ origin, "access-control-request-method": "POST" },
        "access-control-request-headers": "authorization,content-type,x-stainless-lang",
        ...more,
      },
    });

  it.each([APP, LOCAL_APP])("%s may ask with a key, and is told so in a preflight", async (origin) => {
    const first = await preflight(origin);
    expect([first.status, first.text]).toEqual([204, ""]);
    expect(first.headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, HEAD, POST, DELETE",
      "access-control-allow-headers": "authorization,content-type,x-stainless-lang",
      ...{ "access-control-max-age": "600", vary: "origin" },
    });
    const got = await server.get("models", { headers: { origin } });
    expect(got.status).toBe(200);
    expect(got.headers["access-control-allow-origin"]).toBe(origin);
    expect(got.headers["access-control-expose-headers"]).toContain("x-request-id");
    for (const { headers } of [first, got])
      expect(headers).not.toHaveProperty("access-control-allow-credentials");
  });

  it("what is refused can be read by the page as well, and streams are", async () => {
    const refused = await server.get("models", { key: "pk_no", headers: { origin: APP } });
    expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([401, APP]);
    const { id } = await server.ask();
    const stream = await server.sse(`deliberations/${id}/events`, { headers: { origin: APP } });
    expect([stream.status, stream.headers["access-control-allow-origin"]]).toEqual([200, APP]);
    await stream.ended;
  });

  it.each([
    "https://app.example.org.evil.example",
    "https://sub.app.example.org",
    "http://app.example.org",
    "https://app.example.org:8443",
    "https://evil.example",
    "null",
  ])("%s is no named origin", async (origin) => {
    for (const got of [await preflight(origin), await server.get("models", { headers: { origin } })]) {
      expect(got.status).toBe(403);
      expect(corsHeaders(got)).toEqual([]);
      expect(got.headers.vary).toBe("origin");
    }
  });

  it.each(["http://localhost:9", "https://localhost:5173", "http://127.0.0.1:5173"])(
    "a page of this machine that is not named reads nothing: %s",
    async (origin) => {
      for (const got of [await preflight(origin), await server.get("models", { headers: { origin } })])
        expect([corsHeaders(got), got.headers.vary]).toEqual([[], "origin"]);
      expect((await preflight(origin)).status).toBe(405);
    },
  );

  it("the page of the server's own address is not named by that", async () => {
    const origin = server.url.slice(0, -1);
    for (const got of [await preflight(origin), await server.get("models", { headers: { origin } })])
      expect([corsHeaders(got), got.headers.vary]).toEqual([[], "origin"]);
  });

  it("a reply without an origin says that it would differ by one", async () => {
    expect((await server.get("models")).headers.vary).toBe("origin");
    expect((await server.request("OPTIONS", "models")).status).toBe(405);
  });

  it("a session's cookie counts for nothing there, for reading and for writing", async () => {
    const { name, value } = await server.newSession();
    const cookie = `${name}=${value}`;
    const sent = { key: null, headers: { cookie, origin: APP, "sec-fetch-site": "same-origin" } };
    expect((await server.get("models", sent)).status).toBe(401);
    expect((await server.post("estimate", { question: "Why?" }, sent)).status).toBe(401);
    // The same session at home.
    const { origin: _, ...own } = sent.headers;
    expect((await server.get("models", { ...sent, headers: own })).status).toBe(200);
    // A key counts, also where a cookie comes along.
    expect((await server.get("models", { headers: { cookie, origin: APP } })).status).toBe(200);
  });

  it("a page may not come into its visitor's network from the internet", async () => {
    const got = await preflight(APP, { "access-control-request-private-network": "true" });
    expect(got.status).toBe(403);
    expect(got.headers).not.toHaveProperty("access-control-allow-private-network");
  });

  it("no other path than those of APIs is open, and no header's name breaks out", async () => {
    for (const path of ["/", "/metrics", "/healthz"]) {
      const got = await server.get(path, { headers: { origin: APP } });
      expect(got.headers).not.toHaveProperty("access-control-allow-origin");
    }
    const odd = await preflight(APP, { "access-control-request-headers": "x y; z" });
    expect(odd.headers).not.toHaveProperty("access-control-allow-headers");
  });

  it("a compressed reply differs by origin, too", async () => {
    const got = await server.get("openapi.json", { headers: { origin: APP, "accept-encoding": "gzip" } });
    expect([got.headers["content-encoding"], got.headers.vary]).toEqual(["gzip", "accept-encoding, origin"]);
  });
});

it("the server's own page keeps its session where its origin is named as well", async () => {
  const origin = "https://parley.example.org";
  await using server = await testServer({
    ...{ publicUrls: [`${origin}/`], env: { PARLEY_CORS_ORIGINS: `${origin},${APP}` } },
  });
  const { value } = await server.newSession();
  const cookie = `parley-parley.example.org=${value}`;
  const asked = (more: Readonly<Record<string, string>>) =>
    server.get("models", { key: null, headers: { cookie, ...more } });
  const home = await asked({ host: "parley.example.org", origin });
  expect([home.status, corsHeaders(home), home.headers.vary]).toEqual([200, [], "origin"]);
  const plain = await asked({ host: "parley.example.org", origin: "http://parley.example.org" });
  expect(corsHeaders(plain)).toEqual([]);
  // By another address of the server, it is another site's page.
  const away = await asked({ origin });
  expect([away.status, away.headers["access-control-allow-origin"]]).toEqual([401, origin]);
  const other = await asked({ host: "parley.example.org", origin: APP });
  expect([other.status, other.headers["access-control-allow-origin"]]).toEqual([401, APP]);
});

it("a server without named origins says nothing of them", async () => {
  await using server = await testServer();
  const got = await server.get("models", { headers: { origin: APP } });
  expect(got.status).toBe(403);
  expect(got.headers).not.toHaveProperty("vary");
});

it.each([
  "*",
  "null",
  "https://*.example.org",
  "https://app.example.org/path",
  "https://APP.example.org",
  "app.example.org",
  "file:///x",
])("cors-origins: %s is refused at the start", async (origin) => {
  await expect(testServer({ env: { PARLEY_CORS_ORIGINS: origin } })).rejects.toMatchObject({
    details: { why: expect.stringContaining("is not the origin of a site") as string },
  });
});
