import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fetchPublic, isPublicAddress, type FetchOptions } from "./fetch.ts";

const options: FetchOptions = { maxBytes: 10_000, timeoutMs: 5_000, env: {} };
const open: FetchOptions = { ...options, allowsPrivate: true };

type Served = AsyncDisposable & { readonly url: string; readonly port: number; readonly paths: string[] };

async function serve(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<Served> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    answer(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // of a TCP port
  return {
    ...{ url: `http://127.0.0.1:${port}`, port, paths },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const reasonOf = async (url: string, how: FetchOptions = options): Promise<string> => {
  const fetched = await fetchPublic(url, how);
  return fetched.ok ? `fetched ${Buffer.from(fetched.bytes).toString()}` : fetched.reason;
};

describe("addresses (FETCH-1)", () => {
  it.each([
    ..."127.0.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255".split(
      " ",
    ),
    ...":: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 2002:7f00:1:: fe80::1 fc00::1 fd12:3456::1 ff02::1 2001:db8::1 2001::1".split(
      " ",
    ),
    ..."198.18.0.1 192.0.2.1 203.0.113.9 not-an-address".split(" "),
  ])("%s is none of the public internet", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(["8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::1"])(
    "%s is one",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    ...["http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://127.1/"],
    ...[
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://[::ffff:7f00:1]/",
      "http://[64:ff9b::7f00:1]/",
    ],
    ...["http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://printer.local/"],
    ...["http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/"],
  ])("%s is refused before anything is sent", async (url) => {
    expect(await fetchPublic(url, options)).toMatchObject({ ok: false, isPrivate: true });
  });

  it("refuses a name that is at a private address, also as one of several", async () => {
    const resolve = () =>
      Promise.resolve([
        { address: "8.8.8.8", family: 4 },
        { address: "10.0.0.7", family: 4 },
      ]);
    expect(await reasonOf("http://example.com/", { ...options, resolve })).toBe(
      "example.com is at 10.0.0.7, an address of this machine or its network",
    );
  });

  it("asks for a host once, and connects to that address whatever the name server says next", async () => {
    await using server = await serve((response) => response.end("secret"));
    let asked = 0;
    const resolve = () =>
      Promise.resolve([{ address: (asked += 1) === 1 ? "8.8.8.8" : "127.0.0.1", family: 4 }]);
    const reason = await reasonOf("http://rebinds.example/", { ...options, timeoutMs: 400, resolve });
    expect(reason).not.toContain("secret");
    expect(asked).toBe(1);
    expect(server.paths).toEqual([]);
  });

  it("keeps the address over a redirect, so that a name that moves in between is not followed", async () => {
    await using server = await serve((response, { url }) =>
      url === "/" ? response.writeHead(302, { location: "/next" }).end() : response.end("there"),
    );
    let asked = 0;
    const resolve = () =>
      Promise.resolve([{ address: (asked += 1) === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }]);
    const url = `http://moves.example:${server.port}/`;
    expect(await reasonOf(url, { ...open, resolve })).toBe("fetched there");
    expect(asked).toBe(1);
  });
});

describe("what is fetched", () => {
  it.each([
    ["ftp://example.com/", "it is neither http nor https"],
    ["file:///etc/passwd", "it is neither http nor https"],
    ["http://user:secret@example.com/", "an address with a password is not fetched"],
    ["http://example.com:22/", "port 22 is neither 80 nor 443"],
    ["nonsense", "it is no address of the web"],
    [`http://example.com/${"x".repeat(3_000)}`, "it is no address of the web"],
  ])("is not %s", async (url, reason) => {
    expect(await reasonOf(url)).toBe(reason);
  });

  it("is not at a host that no name service finds, in words of ours", async () => {
    const resolve = () => Promise.reject(new Error("getaddrinfo EAI_AGAIN nowhere.example"));
    const reason = "no address is found for nowhere.example";
    expect(await reasonOf("https://nowhere.example/", { ...open, resolve })).toBe(reason);
  });

  it("is never at another host that a server sends it to", async () => {
    await using server = await serve((response) =>
      response.writeHead(301, { location: `http://localhost:${server.port}/x?token=1` }).end(),
    );
    expect(await reasonOf(server.url, open)).toBe(
      `it redirects to another host: name http://localhost:${server.port}/x yourself`,
    );
    expect(server.paths).toEqual(["/"]);
  });

  it("is given up after three redirects", async () => {
    await using server = await serve((response, { url = "" }) =>
      response.writeHead(302, { location: `${url}a` }).end(),
    );
    expect(await reasonOf(server.url, open)).toBe("it redirects more than 3 times");
    expect(server.paths).toHaveLength(4);
  });

  it("has no more bytes than it may, said or not, packed or not", async () => {
    const big = "x".repeat(20_000);
    const packed = gzipSync("y".repeat(50_000_000)); // before the time runs
    await using server = await serve((response, { url }) => {
      if (url === "/said") response.writeHead(200, { "content-length": big.length }).end(big);
      else if (url === "/unsaid") response.writeHead(200).end(big);
      else if (url === "/packed") response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
      else response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("small"));
    });
    for (const path of ["/said", "/unsaid", "/packed"])
      expect(await reasonOf(server.url + path, open)).toBe("it has more than 10000 bytes");
    expect(await reasonOf(`${server.url}/small`, open)).toBe("fetched small");
  });

  it("is waited for only so long, also where bytes come one by one", async () => {
    await using server = await serve((response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    expect(await reasonOf(server.url, { ...open, timeoutMs: 300 })).toBe("it took more than 0.3 s");
    const resolve = () => new Promise<never>(() => undefined);
    expect(await reasonOf("http://slow.example/", { ...options, timeoutMs: 100, resolve })).toBe(
      "it took more than 0.1 s",
    );
  });

  it("is no error's page, and no half of anything", async () => {
    await using server = await serve((response, { url }) => {
      if (url === "/missing") response.writeHead(404).end("no");
      else if (url === "/odd") response.writeHead(200, { "content-encoding": "zstd" }).end("x");
      else {
        response.writeHead(200, { "content-length": 100 }).write("half");
        setTimeout(() => response.destroy(), 20);
      }
    });
    expect(await reasonOf(`${server.url}/missing`, open)).toBe("the server answers with HTTP 404");
    expect(await reasonOf(`${server.url}/odd`, open)).toContain('compressed as "zstd", which is not read');
    expect(await reasonOf(`${server.url}/half`, open)).not.toContain("fetched");
  });

  it("goes through the proxy for its scheme, which resolves the host", async () => {
    await using proxy = await serve((response, { url, headers }) =>
      response.end(`${url} for ${headers.host} by ${headers["proxy-authorization"]}`),
    );
    const through = { ...options, env: { HTTP_PROXY: `http://me:pass@127.0.0.1:${proxy.port}` } };
    expect(await reasonOf("http://example.com/a", through)).toBe(
      "fetched http://example.com/a for example.com by Basic bWU6cGFzcw==",
    );
    expect(await reasonOf("http://10.0.0.7/", through)).toContain("an address of this machine");
    expect(await reasonOf("http://localhost/", through)).toContain("a name of this network");
    expect(proxy.paths).toHaveLength(1);
  });
});
