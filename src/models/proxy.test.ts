import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { chatEnd, chunk, openFakeServer } from "../../test/support/fake-server.ts";
import { createFakeClock } from "../../test/support/fake-clock.ts";
import { ModelRef } from "../kernel/model.ts";
import { createModels } from "./models.ts";
import { proxyFor } from "./proxy.ts";

const PROXY = { HTTPS_PROXY: "http://p:1", HTTP_PROXY: "http://q:2" };

describe("the proxy of the environment", () => {
  it.each<[string, Readonly<Record<string, string>>, string | null]>([
    ["https://api.test/v1", PROXY, "http://p:1/"],
    ["http://api.test/v1", PROXY, "http://q:2/"],
    ["https://api.test", {}, null],
    ["https://api.test", { ...PROXY, https_proxy: "http://low:3" }, "http://low:3/"],
    ["https://api.test", { ...PROXY, https_proxy: "" }, "http://p:1/"],
    ["https://api.test", { HTTP_PROXY: "http://q:2" }, null],
    ["https://api.test", { ALL_PROXY: "http://a:4" }, "http://a:4/"],
    ["https://api.test", { HTTPS_PROXY: "p:1" }, "http://p:1/"],
    ["https://api.test", { HTTPS_PROXY: "https://u:w@p:1" }, "https://u:w@p:1/"],
    ...[
      "http://localhost:1",
      "http://a.localhost",
      "http://127.0.0.1:8",
      "http://127.9.9.9",
      "http://[::1]:8",
      "http://0.0.0.0",
    ].map((url): [string, Readonly<Record<string, string>>, null] => [url, PROXY, null]),
    ["http://localhost.evil.test", PROXY, "http://q:2/"],
    ["https://api.test", { ...PROXY, NO_PROXY: "*" }, null],
    ["https://api.test", { ...PROXY, NO_PROXY: "other, api.test" }, null],
    ["https://api.test", { ...PROXY, no_proxy: ".test", NO_PROXY: "x" }, null],
    ["https://api.test", { ...PROXY, NO_PROXY: "*.test" }, null],
    ["https://api.test", { ...PROXY, NO_PROXY: "TEST other" }, null],
    ["https://api.test", { ...PROXY, NO_PROXY: "api.test:443" }, null],
    ["https://api.test", { ...PROXY, NO_PROXY: "api.test:80" }, "http://p:1/"],
    ["https://myapi.test", { ...PROXY, NO_PROXY: "api.test" }, "http://p:1/"],
    ["https://api.test", { ...PROXY, NO_PROXY: "," }, "http://p:1/"],
    ["https://[fd00::5]:8", { ...PROXY, NO_PROXY: "fd00::5" }, null],
    ["https://[fd00::5]:8", { ...PROXY, NO_PROXY: "[fd00::5]:8" }, null],
    ["https://10.0.0.7", { ...PROXY, NO_PROXY: "10.0.0.7" }, null],
  ])("for %s with %j is %s", (url, env, proxy) => {
    expect(proxyFor(new URL(url), env)?.href ?? null).toBe(proxy);
  });

  it.each(["ftp://p:1", "socks5://p:1", "http://", "a b"])(
    "is refused without its password where it is none: %s",
    (value) => {
      const named = () => proxyFor(new URL("https://api.test"), { HTTPS_PROXY: value });
      expect(named).toThrow(/HTTPS_PROXY names no proxy that is used; write http:\/\/HOST:PORT/);
    },
  );
});

async function ask(url: string, env: Readonly<Record<string, string>>) {
  const models = createModels({
    env,
    compatible: { box: { url } },
    substitutes: { clock: createFakeClock(), random: () => 0 },
  });
  const request = {
    model: ModelRef.parse("compatible/box/m"),
    messages: [{ role: "user" as const, text: "hello" }],
    maxOutputTokens: 100,
  };
  const call = await models.complete(request, { signal: new AbortController().signal, attempts: 3 });
  await models.close();
  return call;
}

describe("a call", () => {
  it("goes through the proxy with the whole address, and directly where NO_PROXY names its host", async () => {
    await using proxy = await openFakeServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(chunk("hello you") + chatEnd());
    });
    const env = { HTTP_PROXY: proxy.url.replace("://", "://ann:secret@") };
    expect(await ask("http://models.internal.test/v1", env)).toMatchObject({ ok: true, reply: "hello you" });
    const [received] = proxy.received;
    expect(received?.path).toBe("http://models.internal.test/v1/chat/completions");
    expect(received?.headers).toMatchObject({
      host: "models.internal.test",
      "proxy-authorization": `Basic ${Buffer.from("ann:secret").toString("base64")}`,
    });
    expect(await ask(`${proxy.url}/v1`, env)).toMatchObject({ ok: true });
    expect(proxy.received[1]?.path).toBe("/v1/chat/completions"); // this machine's own
    const direct = await ask("http://models.internal.test/v1", { ...env, NO_PROXY: ".internal.test" });
    expect(direct).toMatchObject({ ok: false, failure: { code: "network" } });
    expect(proxy.received).toHaveLength(2);
  });

  it("asks the proxy for a tunnel to https, and names it, without its password, where that is refused", async () => {
    const asked: string[] = [];
    const proxy = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (bytes: Buffer) => {
        asked.push(bytes.toString("latin1").split("\r\n")[0] ?? "");
        socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      });
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    // A server that listens on a TCP port has an address of this form.
    const { port } = proxy.address() as AddressInfo;
    const env = { HTTPS_PROXY: `http://ann:secret@127.0.0.1:${port}` };
    const call = await ask("https://models.internal.test/v1", env);
    proxy.close();
    expect(asked).toEqual(["CONNECT models.internal.test:443 HTTP/1.1"]);
    const message = call.ok ? "" : call.failure.message;
    expect(message).toContain(`407`);
    expect(message).toContain(`through the proxy http://127.0.0.1:${port}`);
    expect(message).not.toContain("secret");
    expect(call).toMatchObject({ ok: false, attempts: 1 });
  });

  it("says what is wrong with a proxy that is none", async () => {
    const call = await ask("https://models.internal.test/v1", { HTTPS_PROXY: "socks5://u:secret@p:1" });
    expect(call).toMatchObject({ ok: false, attempts: 1, failure: { code: "network" } });
    expect(JSON.stringify(call)).toMatch(/HTTPS_PROXY names no proxy that is used/);
    expect(JSON.stringify(call)).not.toContain("secret");
  });
});
