import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { scratch } from "../support/scratch.ts";
import { expectProblem, testServer, type TestServerOptions } from "../support/server.ts";

const CODE = `export const words = ${JSON.stringify("word ".repeat(500))};`;
const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** A server with a page of two files: how it is served does not hang on what stands in it. */
async function pageServer(options: TestServerOptions = {}) {
  const place = scratch();
  const page = join(place.home, "page");
  mkdirSync(join(page, "assets"), { recursive: true });
  writeFileSync(join(page, "index.html"), '<!doctype html><base href="/" /><script src="./assets/a.js">');
  writeFileSync(join(page, "assets", "a-1.js"), CODE);
  writeFileSync(join(page, "secret"), "secret");
  const server = await testServer({ page, ...options });
  return {
    server,
    page,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

describe("the page over HTTP", () => {
  it("is served at its own address and at every link into it, with its policy and where it stands (PAGE-3)", async () => {
    await using one = await pageServer();
    for (const path of ["/", "/runs", "/d/abc?view=events&at=3", "/league"]) {
      const { status, headers, text } = await one.server.get(path, { headers: HTML, key: null });
      expect([path, status, headers["content-type"]]).toEqual([path, 200, "text/html; charset=utf-8"]);
      expect(text).toContain('<base href="/" />');
      const policy = String(headers["content-security-policy"]);
      for (const part of ["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"])
        expect(policy).toContain(part);
      expect(policy).not.toContain("unsafe");
      expect(headers).toMatchObject({ "cache-control": "no-cache", "x-content-type-options": "nosniff" });
    }
    const { headers, text } = await one.server.request("HEAD", "/", { headers: HTML, key: null });
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(text).toBe("");
  });

  it("is not sent again while it is the same", async () => {
    await using one = await pageServer();
    const { etag = "" } = (await one.server.get("/", { headers: HTML })).headers;
    const again = await one.server.get("/", { headers: { ...HTML, "if-none-match": etag } });
    expect(again).toMatchObject({ status: 304, text: "", headers: { etag } });
    const other = await one.server.get("/", { headers: { ...HTML, "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
  });

  it("has files that are kept for good and packed for whoever takes that", async () => {
    await using one = await pageServer();
    const plain = await one.server.get("/assets/a-1.js", { key: null });
    expect(plain).toMatchObject({
      ...{ status: 200, text: CODE },
      headers: {
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": "text/javascript; charset=utf-8",
        vary: "accept-encoding",
      },
    });
    const packed = await fetchBytes(`${one.server.url}assets/a-1.js`);
    expect(packed.length).toBeLessThan(CODE.length / 5);
    expect(gunzipSync(packed).toString()).toBe(CODE);
  });

  it("gives no file that the build did not put among its own, and no page where one is asked for", async () => {
    await using one = await pageServer();
    for (const path of [
      "/assets/a-2.js",
      "/assets/../secret",
      "/assets/%2e%2e/secret",
      "/assets/",
      "/secret",
    ])
      expectProblem(await one.server.get(path, { headers: { accept: "*/*" } }), 404, "not-found");
    // One that a browser asks for as a script would be read as one.
    const missing = await one.server.get("/assets/a-2.js", { headers: { accept: "*/*" }, key: null });
    expect(missing.headers["content-type"]).not.toContain("html");
  });

  it("leaves programs their refusals, and other methods theirs", async () => {
    await using one = await pageServer();
    expectProblem(
      await one.server.get("/runs", { headers: { accept: "application/json" } }),
      404,
      "not-found",
    );
    expectProblem(await one.server.get("nothing", { headers: HTML }), 404, "not-found");
    expectProblem(await one.server.post("/runs", {}, { headers: HTML }), 404, "not-found");
  });

  it("stands below a base path, and its link opens a session there", async () => {
    await using one = await pageServer({ base: "/parley/" });
    for (const path of ["/parley/", "/parley/runs"]) {
      const { status, text } = await one.server.get(path, { headers: HTML, key: null });
      expect([status, text]).toEqual([200, expect.stringContaining('<base href="/parley/" />')]);
    }
    expect((await one.server.get("/parley/assets/a-1.js", { key: null })).status).toBe(200);
    const { pathname, search } = new URL(one.server.link);
    const opened = await one.server.get(pathname + search, { headers: HTML, key: null });
    expect(opened).toMatchObject({ status: 303, headers: { location: "/parley/" } });
    expect(opened.headers["set-cookie"]?.[0]).toMatch(/HttpOnly/i);
    // A link that has ended leads to the page, which says how to sign in.
    const ended = await one.server.get(`${pathname}?token=x`, { headers: HTML, key: null });
    expect([ended.status, ended.headers["set-cookie"]]).toEqual([303, undefined]);
  });

  it("escapes the path at which a proxy has it", async () => {
    await using one = await pageServer({ publicUrls: ["https://example.org/a'b&c/"] });
    const { text } = await one.server.get("/", { headers: HTML, key: null });
    expect(text).toContain("/a&#39;b&amp;c/");
  });

  it("goes on with the files that it began with, should they be replaced under it", async () => {
    await using one = await pageServer();
    expect((await one.server.get("/assets/a-1.js", { key: null })).status).toBe(200);
    rmSync(join(one.page, "assets"), { recursive: true });
    expect((await one.server.get("/assets/a-1.js", { key: null })).text).toBe(CODE);
  });
});

/** The bytes as they come: `fetch` would unpack them. */
const fetchBytes = (url: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const headers = { "accept-encoding": "gzip" };
    get(url, { headers }, (response) => resolve(buffer(response))).once("error", reject);
  });
