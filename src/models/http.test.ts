import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createFakeClock } from "../../test/support/fake-clock.ts";
import { chatEnd, chunk, openFakeServer, type Answer } from "../../test/support/fake-server.ts";
import { ModelRef } from "../kernel/model.ts";
import { createHttp } from "./http.ts";
import { createModels } from "./models.ts";

const BODY = chunk("hello ") + chunk("you") + chatEnd();

/** One call, of one attempt, to a server that answers so. */
async function callTo(answer: Answer) {
  await using server = await openFakeServer(answer);
  const models = createModels({
    env: {},
    compatible: { box: { url: `${server.url}/v1` } },
    substitutes: { clock: createFakeClock(), random: () => 0 },
  });
  const texts: string[] = [];
  const request = {
    model: ModelRef.parse("compatible/box/m"),
    messages: [{ role: "user" as const, text: "hello" }],
    maxOutputTokens: 100,
  };
  const call = await models.complete(request, {
    ...{ signal: new AbortController().signal, attempts: 1 },
    onDelta: ({ text }) => texts.push(text),
  });
  await models.close();
  return { call, texts, received: server.received };
}

/** A reply with such an encoding, in pieces of so many bytes. */
const encodedReply =
  (encoding: string, bytes: Buffer, piece = bytes.length): Answer =>
  async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": encoding });
    for (let at = 0; at < bytes.length; at += piece) {
      response.write(bytes.subarray(at, at + piece));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };

describe("a compressed reply", () => {
  it.each([
    ["gzip", gzipSync(BODY)],
    ["GZIP", gzipSync(BODY)],
    ["x-gzip", gzipSync(BODY)],
    ["br", brotliCompressSync(BODY)],
    ["deflate", deflateSync(BODY)],
    ["identity", Buffer.from(BODY)],
  ])("is read though none was asked for: %s", async (encoding, bytes) => {
    for (const piece of [bytes.length, 7]) {
      const { call, texts, received } = await callTo(encodedReply(encoding, bytes, piece));
      expect(call).toMatchObject({ ok: true, reply: "hello you", tokens: { in: 3, out: 2 } });
      expect(texts.join("")).toBe("hello you");
      expect(received[0]?.headers["accept-encoding"]).toBe("identity");
    }
  });

  it("is read in one piece and as an error, too", async () => {
    const whole = JSON.stringify({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] });
    expect((await callTo(encodedReply("gzip", gzipSync(whole)))).call).toMatchObject({
      ok: true,
      reply: "hi",
    });
    const { call } = await callTo((response) => {
      response.writeHead(401, { "content-encoding": "gzip" });
      response.end(gzipSync('{"error":{"message":"no such key"}}'));
    });
    expect(call).toMatchObject({ failure: { code: "unauthorised", message: "no such key (HTTP 401)" } });
  });

  it.each([
    ["zstd", Buffer.from(BODY), "unreadable", 'the reply is compressed as "zstd", which is not read'],
    ["gzip, br", Buffer.from(BODY), "unreadable", 'the reply is compressed as "gzip, br"'],
    ["gzip", Buffer.from(BODY), "network", "the connection broke off: incorrect header check"],
    ["gzip", gzipSync(BODY).subarray(0, 40), "network", "the connection broke off: unexpected end of file"],
    ["br", gzipSync(BODY), "network", "the connection broke off: Decompression failed"],
  ])("is named where it cannot be read: %s", async (...row) => {
    const [encoding, bytes, code, words] = row;
    const { call, received } = await callTo(encodedReply(encoding, bytes));
    expect(call).toMatchObject({ ok: false, failure: { code } });
    expect(call.ok ? "" : call.failure.message).toContain(words);
    expect(received).toHaveLength(1);
  });

  it("is bounded by what it unpacks to", async () => {
    const { call } = await callTo(encodedReply("gzip", gzipSync(Buffer.alloc(80 * 2 ** 20, "x"))));
    expect(call).toMatchObject({ failure: { code: "unreadable" } });
    expect(call.ok ? "" : call.failure.message).toBe("the reply is longer than any answer");
  });
});

describe("a reply with nothing in it", () => {
  it.each([
    ["no body", "", "the reply is empty"],
    ["blanks", " \n \r\n ", "the reply is empty"],
    ["blank lines, compressed away", "\n".repeat(5_000), "the reply is empty"],
    ["comments alone", ": keep-alive\n\n: keep-alive\n\n", "the stream ended early"],
    ["half an event", "data: ", "the stream ended early"],
  ])("is a failure that says so: %s", async (_, body, words) => {
    const { call, received } = await callTo((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(body);
    });
    expect(call).toMatchObject({ ok: false, failure: { code: "network", message: words } });
    expect(received).toHaveLength(1);
  });
});

describe("a stream that is kept alive", () => {
  it.each([
    ...["", " ", "{}", "[]", "null", "ping", "[PING]", ": keep-alive", "keepalive", '"heartbeat"', "..."],
    ...['{"type":"ping"}', '{"type": "keepalive"}', '{"event":"heartbeat","ts":1764153127}', '{"":null}'],
  ])("is read as one without: data: %s", async (data) => {
    for (const line of [
      `data: ${data}\n\n`,
      `data:${data}\n\n`,
      `event: ping\ndata: ${data}\n\n`,
      "data\n\n",
      "event: ping\n\n",
    ]) {
      const { call, texts } = await callTo((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(line + chunk("hello ") + line + line + chunk("you") + line + chatEnd());
      });
      expect(call, line).toMatchObject({ ok: true, reply: "hello you", tokens: { in: 3, out: 2 } });
      expect(texts.join("")).toBe("hello you");
    }
  });

  it.each(['{"error":"ping failed"}', '{"error":{"message":"keepalive"}}', "pinged", "<html>"])(
    "still fails by what is none of it: %s",
    async (data) => {
      const { call } = await callTo((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`data: ${data}\n\n${BODY}`);
      });
      expect(call.ok).toBe(false);
    },
  );
});

/** In a thread of its own, so that a connection ends while this one is blocked as a suspended process is. */
const SERVER = `
  const { createServer } = require("node:http");
  const { parentPort, workerData } = require("node:worker_threads");
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      parentPort.postMessage("received");
      response.writeHead(200, workerData === "hint" ? { "keep-alive": "timeout=600" } : {}).end("{}");
    });
  });
  server.keepAliveTimeout = workerData === "timeout" ? 1 : 60_000;
  const ends = { fin: "destroy", reset: "resetAndDestroy", half: "end", hint: "destroy" };
  server.on("connection", (socket) => ends[workerData] && setTimeout(() => socket[ends[workerData]](), 40));
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

describe("a kept connection that the server has closed meanwhile", () => {
  it.each(["fin", "reset", "half", "hint", "timeout"])(
    "costs no request, and none is sent twice: %s",
    async (how) => {
      const server = new Worker(SERVER, { eval: true, workerData: how });
      const [port] = (await once(server, "message")) as [number]; // the first message
      let received = 0;
      server.on("message", () => void (received += 1));
      const http = createHttp();
      const ends: string[] = [];
      for (let round = 0; round < 2; round += 1) {
        const receiver = { head: () => undefined, bytes: () => false };
        const url = new URL(`http://127.0.0.1:${port}/`);
        const { signal } = new AbortController();
        ends.push((await http.post({ url, headers: {}, body: "{}", signal, receiver }).exchanged).how);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, how === "timeout" ? 1_100 : 80);
      }
      await http.close();
      await server.terminate();
      expect(ends).toEqual(["ended", "ended"]);
      expect(received).toBe(2);
    },
  );
});
