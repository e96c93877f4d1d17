import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { ModelRef, type Call, type Delta, type ModelRequest } from "../kernel/model.ts";
import { createFakeClock, type FakeClock } from "../../test/support/fake-clock.ts";
import { openFakeServer } from "../../test/support/fake-server.ts";
import { createModels, type ClosableModels, type CallLimits } from "./models.ts";

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: ModelRef.parse("ollama/gemma3:27b"),
  messages: [{ role: "user", text: "hello" }],
  maxOutputTokens: 100,
  ...over,
});

type Bench = AsyncDisposable & { readonly clock: FakeClock; readonly models: ClosableModels };
type Opening = { readonly url: string; readonly limits?: Partial<CallLimits>; readonly keepAlive?: string };

const openModels = ({ url, limits = {}, keepAlive }: Opening): Bench => {
  const clock = createFakeClock();
  const models = createModels({
    env: { OLLAMA_HOST: url, OLLAMA_KEEP_ALIVE: keepAlive, KEY: "k-12345678" },
    compatible: { gpu: { url: `${url}/v1`, wire: "ollama", keyEnv: "KEY" } },
    limits,
    substitutes: { clock, random: () => 0.5 },
  });
  return { clock, models, [Symbol.asyncDispose]: () => models.close() };
};

const never = (): AbortSignal => new AbortController().signal;
const ask = ({ models }: Bench, over: Partial<ModelRequest> = {}, attempts?: number): Promise<Call> =>
  models.complete(request(over), { signal: never(), attempts });

const until = async (holds: () => boolean): Promise<void> => {
  for (let turns = 0; turns < 200_000; turns += 1) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never came true: ${holds.toString()}`);
};

const line = (content: string): string =>
  `${JSON.stringify({ message: { role: "assistant", content }, done: false })}\n`;
const end = `${JSON.stringify({
  message: { role: "assistant", content: "" },
  done: true,
  done_reason: "stop",
  prompt_eval_count: 3,
  eval_count: 2,
})}\n`;
const whole = (response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.end(line("hello ") + line("you") + end);
};
const refuse = (response: ServerResponse, status: number, error: string): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error }));
};

describe("a call to Ollama", () => {
  it.each(["", "/", "/v1", "/v1/", "/api"])(
    "reaches its own chat where its host ends in %j",
    async (path) => {
      await using server = await openFakeServer(whole);
      await using bench = openModels({ url: `${server.url}${path}` });
      const deltas: Delta[] = [];
      const call = await bench.models.complete(request({ contextTokens: 4_096 }), {
        signal: never(),
        onDelta: (delta) => deltas.push(delta),
      });
      expect(call).toEqual({
        ok: true,
        limit: 100,
        reply: "hello you",
        finish: "stop",
        model: "ollama/gemma3:27b",
        family: "google",
        tokens: { in: 3, out: 2, cached: null, reasoning: null },
        cost: { source: "free", usd: 0 },
        latencyMs: 0,
        attempts: 1,
      });
      expect(deltas.map(({ offset, text }) => `${offset} ${text}`)).toEqual(["0 hello ", "6 you"]);
      expect(server.received.map(({ path: asked }) => asked)).toEqual(["/api/chat"]);
      expect(server.received[0]?.headers["authorization"]).toBeUndefined();
      expect(server.received[0]?.headers["accept"]).toContain("application/x-ndjson");
      expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
        model: "gemma3:27b",
        messages: [{ role: "user", content: "hello" }],
        stream: true,
        options: { num_predict: 100, num_ctx: 4_096 },
      });
    },
  );

  it("says how long the model stays, where the environment does", async () => {
    await using server = await openFakeServer(whole);
    await using bench = openModels({ url: server.url, keepAlive: "-1" });
    expect((await ask(bench)).ok).toBe(true);
    expect(JSON.parse(server.received[0]?.body ?? "")).toMatchObject({ keep_alive: -1 });
  });

  it("goes to a compatible server that says so, with its key", async () => {
    await using server = await openFakeServer(whole);
    await using bench = openModels({ url: server.url });
    expect(await ask(bench, { model: ModelRef.parse("compatible/gpu/m") })).toMatchObject({
      ok: true,
      reply: "hello you",
    });
    expect(server.received[0]).toMatchObject({
      path: "/api/chat",
      headers: { authorization: "Bearer k-12345678" },
    });
  });

  it("says how a model that is missing is pulled, and is not made again", async () => {
    await using server = await openFakeServer((response) =>
      refuse(response, 404, "model 'gemma3:27b' not found"),
    );
    await using bench = openModels({ url: server.url });
    expect(await ask(bench)).toMatchObject({
      ok: false,
      attempts: 1,
      failure: {
        code: "refused",
        message: "model 'gemma3:27b' not found (HTTP 404); pull it with: ollama pull gemma3:27b",
      },
    });
    expect(server.received).toHaveLength(1);
  });

  it("says how a model is pulled also behind words that are cut off", async () => {
    await using server = await openFakeServer((response) =>
      refuse(response, 404, `model not found ${"x".repeat(2_000)}`),
    );
    await using bench = openModels({ url: server.url });
    const call = await ask(bench);
    expect(call.ok ? "" : call.failure.message).toMatch(/x…; pull it with: ollama pull gemma3:27b$/);
  });

  it("that nobody answers says so, and how Ollama is started", async () => {
    const server = await openFakeServer(() => {});
    await server[Symbol.asyncDispose]();
    await using bench = openModels({ url: server.url });
    const address = new URL(server.url).host;
    for (const model of ["ollama/m", "compatible/gpu/m"]) {
      expect(await ask(bench, { model: ModelRef.parse(model) }, 1)).toMatchObject({
        ok: false,
        attempts: 1,
        failure: {
          code: "network",
          message: `Ollama does not answer at ${server.url}: connect ECONNREFUSED ${address}; start it there with: ollama serve`,
        },
      });
    }
  });

  it("does not say that where somebody did answer, and hung up", async () => {
    await using server = await openFakeServer((response) => void response.destroy());
    await using bench = openModels({ url: server.url });
    const call = await ask(bench, {}, 1);
    expect(call.ok ? "" : call.failure.message).toBe(`no connection to ${server.url}: other side closed`);
  });

  it("is made again after an error in the middle and after a stream without its end", async () => {
    await using server = await openFakeServer((response, _, count) => {
      if (count > 2) return whole(response);
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.end(count === 1 ? `${line("hel")}{"error":"the runner has stopped"}\n` : line("he"));
    });
    await using bench = openModels({ url: server.url });
    const deltas: Delta[] = [];
    const call = bench.models.complete(request(), {
      signal: never(),
      onDelta: (delta) => deltas.push(delta),
    });
    await bench.clock.skip(20_000);
    await bench.clock.skip(20_000);
    expect(await call).toMatchObject({ ok: true, reply: "hello you", attempts: 3 });
    expect(deltas.map(({ attempt, offset, text }) => `${attempt}/${offset} ${text}`)).toEqual([
      "1/0 hel",
      "2/0 he",
      "3/0 hello ",
      "3/6 you",
    ]);
  });

  it("comes at once without the schema where Ollama is too old for one", async () => {
    const words = "json: cannot unmarshal object into Go struct field ChatRequest.format of type string";
    await using server = await openFakeServer((response, { body }) =>
      body.includes('"format"') ? refuse(response, 400, words) : whole(response),
    );
    await using bench = openModels({ url: server.url });
    const reply = { name: "verdict", schema: { type: "object" } };
    expect(await ask(bench, { reply })).toMatchObject({ ok: true, attempts: 2 });
  });

  it.each([
    [503, "server busy, please try again. maximum pending requests exceeded", "overloaded"],
    [429, "slow down", "rate-limited"],
    [500, "llama runner process has terminated", "overloaded"],
  ])("is one request where one is allowed, also on %i", async (status, words, code) => {
    await using server = await openFakeServer((response) => refuse(response, status, words));
    await using bench = openModels({ url: server.url });
    expect(await ask(bench, {}, 1)).toMatchObject({
      ok: false,
      attempts: 1,
      failure: { code, message: `${words} (HTTP ${status})` },
    });
    expect(server.received).toHaveLength(1);
    expect(bench.clock.pending()).toEqual([]);
  });

  it("closes its socket when it is aborted in the middle", async () => {
    await using server = await openFakeServer((response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.write(line("and then"));
    });
    await using bench = openModels({ url: server.url });
    const control = new AbortController();
    let streamed = "";
    const call = bench.models.complete(request(), {
      signal: control.signal,
      onDelta: (delta) => void (streamed += delta.text),
    });
    await until(() => streamed === "and then");
    control.abort();
    expect(await call).toMatchObject({ ok: false, failure: { code: "cancelled" } });
    await until(() => server.dropped() === 1);
  });
});

it("the length of a context goes to Ollama alone", async () => {
  await using server = await openFakeServer((response) => refuse(response, 400, "enough seen"));
  const models = createModels({
    env: {},
    compatible: { box: { url: server.url }, claude: { url: server.url, wire: "anthropic" } },
  });
  for (const model of ["compatible/box/m", "compatible/claude/m"].map((ref) => ModelRef.parse(ref)))
    await models.complete(request({ model, contextTokens: 4_096 }), { signal: never() });
  await models.close();
  expect(server.received.map(({ body }) => body.includes("4096"))).toEqual([false, false]);
});
