import { once } from "node:events";
import { writeFileSync, mkdirSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { connect, createServer as createTcpServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openAiApi } from "../src/features/client-apis/api/index.ts";
import { built, somewhere, type Somewhere } from "./e2e/parley.ts";
import { certificateFor } from "./support/certificate.ts";
import { chatEnd, chunk, openFakeServer, type Answer } from "./support/fake-server.ts";
import { nativeApi, SUM, testServer } from "./support/server.ts";

// What providers, proxies and clients do that other programs were reported to fail at, against the program as it is built.

built();

const answers: Answer = (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(chunk("It is 391.") + chatEnd());
};

/** A failure first, then answers. */
const failsOnce =
  (status: number, body: unknown): Answer =>
  (response, received, count) => {
    if (count > 1) return answers(response, received, count);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

/** Asks a model of the user's own endpoint. */
function respond(place: Somewhere, url: string, env: Readonly<Record<string, string>> = {}) {
  mkdirSync(place.home, { recursive: true });
  writeFileSync(
    join(place.home, "parley.yaml"),
    `compatible:\n  lab: {url: "${url}", wire: openai, model: m, family: f}\n`,
  );
  return place.run(["respond", SUM, "--model", "compatible/lab", "--json", "--no-memory"], env);
}

it("asks again where the model was unloaded, as LM Studio says it, and gets the answer", async () => {
  await using place = somewhere();
  await using server = await openFakeServer(failsOnce(400, { error: "Model is unloaded." }));
  const { code, stdout } = await respond(place, `${server.url}/v1`);
  expect([code, server.received.length]).toEqual([0, 2]);
  expect(JSON.parse(stdout)).toMatchObject({ answer: "It is 391." });
});

it("asks once for what a server was not started for, and says what to do", async () => {
  await using place = somewhere();
  await using server = await openFakeServer(
    failsOnce(500, { error: { message: "this build does not support chat; start it with --chat" } }),
  );
  const { code, stdout, stderr } = await respond(place, `${server.url}/v1`);
  expect([code, server.received.length]).toEqual([3, 1]);
  expect(stdout + stderr).toMatch(/does not support chat.*was not started for it/);
});

it("reaches a model through the proxy of the environment", async () => {
  await using place = somewhere();
  await using proxy = await openFakeServer(answers);
  const env = { HTTP_PROXY: proxy.url, http_proxy: proxy.url, HTTPS_PROXY: proxy.url };
  const through = await respond(place, "http://llm.corp.test/v1", env);
  expect(through.code, through.stderr).toBe(0);
  expect(proxy.received.map(({ path }) => path)).toEqual(["http://llm.corp.test/v1/chat/completions"]);
});

/** A server of TLS for this name, and a proxy that leads there, whatever is asked for. */
async function tunnelled(host: string) {
  const { key, cert } = certificateFor(host);
  const paths: string[] = [];
  const server = createTlsServer({ key, cert }, (request, response) => {
    paths.push(`${request.headers.host}${request.url}`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(chunk("It is 391.") + chatEnd());
  });
  const asked: string[] = [];
  const proxy = createTcpServer((socket) => {
    socket.once("data", (bytes: Buffer) => {
      asked.push(bytes.toString("latin1"));
      const onward = connect(portOf(server), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        socket.pipe(onward).pipe(socket);
      });
      for (const end of [socket, onward]) end.on("error", () => onward.destroy());
    });
  });
  for (const one of [server, proxy]) await once(one.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    for (const one of [server, proxy]) one.close();
  });
  return { url: `http://ann:secret@127.0.0.1:${portOf(proxy)}`, cert, asked, paths };
}

// It listens on a port.
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

it("reaches a model of https through a tunnel, and trusts only who shows the certificate of its host", async () => {
  await using place = somewhere();
  const proxy = await tunnelled("llm.corp.test");
  const trusted = join(place.folder, "trusted.pem");
  writeFileSync(trusted, proxy.cert);
  const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: trusted };
  const through = await respond(place, "https://llm.corp.test/v1", env);
  expect(through.code, through.stderr).toBe(0);
  expect(JSON.parse(through.stdout)).toMatchObject({ answer: "It is 391." });
  const credentials = Buffer.from("ann:secret").toString("base64");
  expect(proxy.asked).toHaveLength(1);
  expect(proxy.asked[0]).toMatch(/^CONNECT llm\.corp\.test:443 HTTP\/1\.1\r\n/);
  expect(proxy.asked[0]?.toLowerCase()).toContain(`proxy-authorization: basic ${credentials.toLowerCase()}`);
  expect(proxy.paths).toEqual(["llm.corp.test/v1/chat/completions"]);
  const unknown = await respond(place, "https://llm.corp.test/v1", { HTTPS_PROXY: proxy.url });
  const other = await respond(place, "https://other.corp.test/v1", env);
  expect([unknown.code, other.code, proxy.paths.length]).toEqual([3, 3, 1]);
  expect(unknown.stderr + other.stderr).not.toContain("secret");
});

it.each([
  ["chat/completions", { messages: [{ role: "user", content: SUM }] }],
  ["responses", { input: SUM }],
])("answers a client that asks not to be stored: %s", async (path, body) => {
  await using server = await testServer({ surfaces: [nativeApi, openAiApi] });
  const { status, json } = await server.post(`/v1/${path}`, { model: "parley/ask", store: false, ...body });
  expect(status).toBe(200);
  expect(JSON.stringify(json)).toContain("391");
});
