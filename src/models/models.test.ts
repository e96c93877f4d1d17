import manifest from "../../package.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { ModelRef, type Call, type Delta, type ModelRequest } from "../kernel/model.ts";
import { createFakeClock, type FakeClock } from "../../test/support/fake-clock.ts";
import {
  chatEnd,
  chunk,
  openFakeServer,
  refuse,
  stream,
  type FakeServer,
} from "../../test/support/fake-server.ts";
import { providers } from "./providers.ts";
import { createModels, type ClosableModels, type CallLimits } from "./models.ts";

const key = "sk-test-0123456789abcdef";
const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: ModelRef.parse("compatible/box/m"),
  messages: [{ role: "user", text: "hello" }],
  maxOutputTokens: 100,
  ...over,
});

type Bench = AsyncDisposable & { readonly clock: FakeClock; readonly models: ClosableModels };

const openModels = (server: { readonly url: string }, limits: Partial<CallLimits> = {}): Bench => {
  const clock = createFakeClock();
  const models = createModels({
    env: { KEY: key },
    compatible: {
      box: { url: `${server.url}/v1`, keyEnv: "KEY" },
      claude: { url: server.url, wire: "anthropic" },
    },
    limits,
    substitutes: { clock, random: () => 0.5 },
  });
  return { clock, models, [Symbol.asyncDispose]: () => models.close() };
};

const never = (): AbortSignal => new AbortController().signal;
const ask = ({ models }: Bench, over: Partial<ModelRequest> = {}): Promise<Call> =>
  models.complete(request(over), { signal: never() });

/** Waits for what another process or a socket does, within bounds. */
const until = async (holds: () => boolean): Promise<void> => {
  for (let turns = 0; turns < 200_000; turns += 1) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never came true: ${holds.toString()}`);
};

const whole = (response: Parameters<typeof stream>[0]): void =>
  stream(response, chunk("hello ") + chunk("you") + chatEnd());
const codeOf = (call: Call): string => (call.ok ? "ok" : call.failure.code);
const wordsOf = (call: Call): string => (call.ok ? "" : call.failure.message);

describe("every provider", () => {
  const addressed = Object.entries(providers).flatMap(([name, { urlVariables }]) =>
    urlVariables.map((variable) => [name, variable] as const),
  );

  it.each(addressed)("%s is called at the address in %s, without a key too", async (name, variable) => {
    await using server = await openFakeServer(
      (response) => void response.writeHead(404, { "content-type": "application/json" }).end("{}"),
    );
    const models = createModels({ env: { [variable]: `${server.url}/behind/a/gateway` } });
    await models.complete(request({ model: ModelRef.parse(`${name}/m`) }), { signal: never(), attempts: 1 });
    await models.close();
    expect(server.received).toHaveLength(1);
    const [received] = server.received;
    expect(received?.path).toMatch(/^\/behind\/a\/gateway\/(?:chat\/completions|v1\/messages|api\/chat)$/);
    expect(received?.headers.authorization).toBeUndefined();
    expect(JSON.parse(received?.body ?? "")).toMatchObject({ model: "m" });
  });
});

describe("OpenRouter", () => {
  it("is told which providers may answer, and asked for the cost; nobody else is", async () => {
    await using server = await openFakeServer((response) =>
      stream(response, chunk("hello") + chatEnd({ cost: 0.0042 })),
    );
    const models = createModels({
      env: { OPENROUTER_BASE_URL: server.url, GROQ_BASE_URL: server.url },
      openrouter: { only: ["deepinfra"], "data-collection": "deny", "max-price": { prompt: 1 } },
    });
    const asked = (model: string) =>
      models.complete(request({ model: ModelRef.parse(model) }), { signal: never(), attempts: 1 });
    const routed = await asked("openrouter/deepseek/deepseek-chat");
    await asked("groq/llama");
    await models.close();
    const [first, second] = server.received.map(({ body }): unknown => JSON.parse(body));
    expect(first).toMatchObject({
      provider: { only: ["deepinfra"], data_collection: "deny", max_price: { prompt: 1 } },
      usage: { include: true },
    });
    expect(second).not.toHaveProperty("provider");
    expect(routed.cost).toEqual({ source: "provider", usd: 0.0042 });
  });
});

describe("a call", () => {
  it("streams its text and comes back whole, whatever bytes come together", async () => {
    await using server = await openFakeServer(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const byte of Buffer.from(chunk("na") + chunk("ïve 🦜") + chatEnd())) {
        response.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    await using bench = openModels(server);
    const deltas: Delta[] = [];
    const call = await bench.models.complete(request(), {
      signal: never(),
      onDelta: (delta) => deltas.push(delta),
    });
    expect(call).toEqual({
      ok: true,
      limit: 100,
      reply: "naïve 🦜",
      finish: "stop",
      model: "compatible/box/m",
      family: null,
      tokens: { in: 3, out: 2, cached: null, reasoning: null },
      cost: { source: "unknown", usd: null },
      latencyMs: 0,
      attempts: 1,
    });
    expect(deltas).toEqual([
      { attempt: 1, offset: 0, text: "na" },
      { attempt: 1, offset: 2, text: "ïve 🦜" },
    ]);
    expect(server.received[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: `Bearer ${key}`, "user-agent": `parley/${manifest.version}` },
    });
    expect(bench.clock.pending()).toEqual([]);
  });

  it("takes a reply in one piece from a server that does not stream", async () => {
    await using server = await openFakeServer((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ choices: [{ message: { content: "all at once" }, finish_reason: "length" }] }),
      );
    });
    await using bench = openModels(server);
    expect(await ask(bench)).toMatchObject({ ok: true, reply: "all at once", finish: "length" });
  });

  it("goes over Anthropic's wire, without a key where none is wanted", async () => {
    await using server = await openFakeServer((response) => {
      const say = (event: unknown): string => `data: ${JSON.stringify(event)}\n\n`;
      stream(
        response,
        say({
          type: "message_start",
          message: { usage: { input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 2 } },
        }) +
          say({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
          say({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } }) +
          say({ type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 4 } }) +
          say({ type: "message_stop" }),
      );
    });
    await using bench = openModels(server);
    expect(await ask(bench, { model: ModelRef.parse("compatible/claude/c") })).toMatchObject({
      ok: true,
      reply: "hi",
      finish: "length",
      tokens: { in: 9, out: 4, cached: 2, reasoning: null },
    });
    expect(server.received[0]?.path).toBe("/v1/messages");
    expect(server.received[0]?.headers["x-api-key"]).toBeUndefined();
  });

  const echoed = Buffer.from(`Bearer ${key}`).toString("base64");
  it.each([
    ["in one piece", [`it is ${key}, is it not`]],
    ["in two pieces", [`it is ${key.slice(0, 9)}`, `${key.slice(9)}, is it not`]],
    ["letter by letter", [..."it is ", ...key, ...", is it not"]],
    ["in base64, in pieces", ["it is ", echoed.slice(0, 11), echoed.slice(11), ", is it not"]],
    ["URL-encoded, in pieces", ["it is %73", `k%2Dtest%2d01`, "23456789abcdef, is it not"]],
  ])("streams no key that its provider says %s, and records the same", async (_, pieces) => {
    await using server = await openFakeServer((response) =>
      stream(response, pieces.map(chunk).join("") + chatEnd()),
    );
    await using bench = openModels(server);
    let streamed = "";
    const call = await bench.models.complete(request(), {
      signal: never(),
      onDelta: ({ offset, text }) => {
        expect(offset).toBe(streamed.length);
        streamed += text;
      },
    });
    expect(call).toMatchObject({ ok: true, reply: streamed });
    expect(streamed).toMatch(/^it is (?:QmVhcmVyIHN?r?)?\[redacted\]=*, is it not$/);
  });

  it("is over at the end of its reply, also when the server leaves the connection open", async () => {
    await using server = await openFakeServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk("done") + chatEnd());
    });
    await using bench = openModels(server);
    expect(await ask(bench)).toMatchObject({ ok: true, reply: "done" });
  });
});

describe("a retry", () => {
  it("waits as long as Retry-After says, in seconds or until a date", async () => {
    const startMs = Date.UTC(2026, 0, 1);
    await using server = await openFakeServer((response, _, count) => {
      const headers = { "retry-after": count === 1 ? "3" : new Date(startMs + 13_000).toUTCString() };
      if (count <= 2) return refuse(response, { status: 429, message: "slow down", headers });
      return whole(response);
    });
    await using bench = openModels(server, { backoffBaseMs: 0 });
    const call = ask(bench);
    expect(await bench.clock.skip(20_000)).toBe(3_000);
    expect(await bench.clock.skip(20_000)).toBe(10_000);
    expect(await call).toMatchObject({ ok: true, attempts: 3, latencyMs: 13_000 });
  });

  it("is not made when Retry-After goes past the deadline", async () => {
    await using server = await openFakeServer((response) =>
      refuse(response, { status: 429, message: "slow down", headers: { "retry-after": "90" } }),
    );
    await using bench = openModels(server);
    const call = await bench.models.complete(request(), { signal: never(), timeoutMs: 60_000 });
    expect(codeOf(call)).toBe("rate-limited");
    expect(wordsOf(call)).toBe("slow down (HTTP 429); it asks to wait 90 s, and 60 s are left");
  });

  it("follows an overload, with full jitter, four attempts in all", async () => {
    await using server = await openFakeServer((response) =>
      refuse(response, { status: 500, message: "oops" }),
    );
    await using bench = openModels(server);
    const call = ask(bench);
    expect([
      await bench.clock.skip(20_000),
      await bench.clock.skip(20_000),
      await bench.clock.skip(20_000),
    ]).toEqual([250, 500, 1_000]);
    expect(await call).toMatchObject({
      ok: false,
      attempts: 4,
      failure: { code: "overloaded", message: "oops (HTTP 500)" },
    });
  });

  it.each([
    [401, "bad key", "unauthorised"],
    [403, "not for you", "unauthorised"],
    [402, "pay first", "out-of-credit"],
    [400, "This model's maximum context length is 8192 tokens", "context-too-long"],
    [404, "no such model", "refused"],
    [400, "no", "refused"],
  ])("does not follow %i %s", async (status, message, code) => {
    await using server = await openFakeServer((response) => refuse(response, { status, message }));
    await using bench = openModels(server);
    const call = await ask(bench);
    expect([codeOf(call), wordsOf(call), server.received.length]).toEqual([
      code,
      `${message} (HTTP ${status})`,
      1,
    ]);
  });

  it.each([
    [
      413,
      "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 14368",
      "larger than this limit allows at all",
    ],
    [
      400,
      "max_tokens is too large: 8192. This model supports at most 4096 completion tokens",
      "takes no max_tokens",
    ],
    [
      400,
      "`max_completion_tokens`: integer above maximum value, expected a value <= 12288, but got 32000 instead.",
      "takes no max_tokens",
    ],
  ])("does not follow what can never fit, and says so: %i %s", async (status, message, advice) => {
    await using server = await openFakeServer((response) => refuse(response, { status, message }));
    await using bench = openModels(server);
    const call = await ask(bench);
    expect(wordsOf(call)).toContain(message);
    expect(wordsOf(call)).toContain(advice);
    expect(server.received).toHaveLength(1);
  });

  it("starts the text anew under the next attempt's number after a cut, and what was reported is paid", async () => {
    await using server = await openFakeServer((response, _, count) => {
      if (count > 1) return whole(response);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const early = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1, cost: 0.25 } };
      response.write(`${chunk("hel")}data: ${JSON.stringify(early)}\n\n`, () => response.destroy());
    });
    await using bench = openModels(server);
    const deltas: Delta[] = [];
    const call = bench.models.complete(request(), {
      signal: never(),
      onDelta: (delta) => deltas.push(delta),
    });
    await bench.clock.skip(20_000);
    expect(await call).toMatchObject({
      ok: true,
      reply: "hello you",
      attempts: 2,
      tokens: { in: 6, out: 3 },
    });
    expect(deltas).toEqual([
      { attempt: 1, offset: 0, text: "hel" },
      { attempt: 2, offset: 0, text: "hello " },
      { attempt: 2, offset: 6, text: "you" },
    ]);
  });

  it("comes at once, and without the schema, when a model takes none; later calls know", async () => {
    await using server = await openFakeServer((response, { body }) =>
      body.includes("response_format")
        ? refuse(response, { status: 400, message: "response_format is not supported by this model" })
        : whole(response),
    );
    await using bench = openModels(server, { attempts: 1 });
    const reply = { name: "verdict", schema: { type: "object" } };
    expect(await ask(bench, { reply })).toMatchObject({ ok: true, attempts: 2 });
    expect(await ask(bench, { reply })).toMatchObject({ ok: true, attempts: 1 });
    expect(server.received).toHaveLength(3);
  });
});

describe("an end from outside", () => {
  const hang = (response: Parameters<typeof stream>[0]): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk("and then"));
  };

  it("by the deadline closes a connection that hangs in the middle of a reply", async () => {
    await using server = await openFakeServer(hang);
    await using bench = openModels(server);
    let streamed = "";
    const options = {
      signal: never(),
      timeoutMs: 5_000,
      onDelta: (delta: Delta) => void (streamed += delta.text),
    };
    const call = bench.models.complete(request(), options);
    await until(() => streamed === "and then");
    bench.clock.advance(5_000);
    expect(await call).toMatchObject({
      ok: false,
      attempts: 1,
      latencyMs: 5_000,
      failure: { code: "timed-out" },
    });
    expect(wordsOf(await call)).toBe("no reply within 5 s, after 8 characters");
    await until(() => server.dropped() === 1);
  });

  it("by the deadline also comes while nothing has been answered at all", async () => {
    await using server = await openFakeServer(() => {});
    await using bench = openModels(server);
    const call = bench.models.complete(request(), { signal: never(), timeoutMs: 5_000 });
    await until(() => server.received.length === 1);
    bench.clock.advance(5_000);
    expect(wordsOf(await call)).toBe("no reply within 5 s, before the first text came");
    await until(() => server.dropped() === 1);
  });

  it("by an abort closes the socket", async () => {
    await using server = await openFakeServer(hang);
    await using bench = openModels(server);
    const control = new AbortController();
    let streamed = "";
    const call = bench.models.complete(request(), {
      signal: control.signal,
      onDelta: (delta) => void (streamed += delta.text),
    });
    await until(() => streamed !== "");
    control.abort();
    expect(await call).toMatchObject({ ok: false, failure: { code: "cancelled" } });
    await until(() => server.dropped() === 1);
    expect(bench.clock.pending()).toEqual([]);
  });

  it("by close cancels what is under way, and nothing goes out after it", async () => {
    await using server = await openFakeServer(hang);
    const bench = openModels(server);
    const call = ask(bench);
    await until(() => server.received.length === 1);
    await bench.models.close();
    expect(codeOf(await call)).toBe("cancelled");
    expect(codeOf(await ask(bench))).toBe("cancelled");
    expect(server.received).toHaveLength(1);
  });

  it("is not needed when no first byte comes: the attempt is given up and made again", async () => {
    await using server = await openFakeServer((response, _, count) =>
      count === 1 ? undefined : whole(response),
    );
    await using bench = openModels(server, { firstByteMs: 1_000 });
    const call = ask(bench);
    await until(() => server.received.length === 1);
    bench.clock.advance(1_000);
    await bench.clock.skip(500);
    expect(await call).toMatchObject({ ok: true, attempts: 2 });
    await until(() => server.dropped() === 1);
  });

  it("leaves the queue: a call that was waiting is cancelled without having been sent", async () => {
    await using server = await openFakeServer(hang);
    await using bench = openModels(server, { concurrency: { provider: 1, model: 1 } });
    void ask(bench);
    await until(() => server.received.length === 1);
    const control = new AbortController();
    const waiting = bench.models.complete(request(), { signal: control.signal });
    const late = bench.models.complete(request(), { signal: never(), withinMs: 1_000 });
    control.abort();
    bench.clock.advance(1_000);
    expect(await waiting).toMatchObject({
      ok: false,
      attempts: 0,
      latencyMs: 0,
      failure: { code: "cancelled" },
    });
    expect(wordsOf(await late)).toBe("no reply within 1 s, while waiting for a free place");
  });
});

describe("limits", () => {
  /** Answers nothing until released, so that what is in flight can be counted. */
  const openGate = async (): Promise<FakeServer & { release(count: number): void }> => {
    const held: Parameters<typeof stream>[0][] = [];
    const server = await openFakeServer((response) => void held.push(response));
    return {
      ...server,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      release: (count) => {
        for (const response of held.splice(0, count)) whole(response);
      },
    };
  };

  it("hold per model and per provider", async () => {
    await using server = await openGate();
    await using bench = openModels(server, { concurrency: { provider: 3, model: 2 } });
    const refs = ["a", "a", "a", "a", "b", "b", "b"].map((name) => ModelRef.parse(`compatible/box/${name}`));
    const calls = refs.map((model) => ask(bench, { model }));
    const models = (): string[] =>
      server.received.map(({ body }) => String(JSON.parse(body).model)).toSorted();
    await until(() => server.received.length === 3);
    expect(models()).toEqual(["a", "a", "b"]);
    for (let released = 0; released < refs.length; released += 1) {
      await until(() => server.received.length > released);
      server.release(1);
    }
    expect((await Promise.all(calls)).map(codeOf)).toEqual(refs.map(() => "ok"));
    expect(server.most()).toBeLessThanOrEqual(3);
  });

  it("are apart for what is called in the background: half as many, which no answer waits for", async () => {
    await using server = await openGate();
    await using bench = openModels(server, { concurrency: { provider: 2, model: 2 } });
    const behind = Array.from({ length: 3 }, () =>
      bench.models.complete(request(), { signal: never(), background: true }),
    );
    await until(() => server.received.length === 1);
    const answers = [ask(bench), ask(bench)];
    await until(() => server.received.length === 3); // while the first in the background is still under way
    for (let released = 0; released < 5; released += 1) {
      await until(() => server.received.length > released);
      server.release(1);
    }
    expect((await Promise.all([...behind, ...answers])).map(codeOf)).toEqual(Array(5).fill("ok"));
    expect(server.most()).toBe(3);
  });

  it("are halved by a wave of 429s, once, and no call is lost", async () => {
    let live = 0;
    let mostAfter = 0;
    await using server = await openFakeServer(async (response, _, count) => {
      if (count <= 8) {
        await until(() => server.received.length >= 8);
        return refuse(response, {
          status: 429,
          message: "too many concurrent requests",
          headers: { "retry-after": "1" },
        });
      }
      live += 1;
      mostAfter = Math.max(mostAfter, live);
      for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      live -= 1;
      return whole(response);
    });
    await using bench = openModels(server, { concurrency: { provider: 8, model: 8 }, backoffBaseMs: 0 });
    const calls = Array.from({ length: 8 }, () => ask(bench));
    await until(() => bench.clock.pending().filter((ms) => ms === 1_000).length === 8);
    bench.clock.advance(1_000);
    expect((await Promise.all(calls)).map(codeOf)).toEqual(Array.from({ length: 8 }, () => "ok"));
    expect(mostAfter).toBeGreaterThanOrEqual(4);
    expect(mostAfter).toBeLessThan(8);
  });
});

describe("a key", () => {
  it("is in no failure, however the server echoes it", async () => {
    const echoes = [key, encodeURIComponent(key), Buffer.from(key).toString("base64"), "x".repeat(480) + key];
    await using server = await openFakeServer((response, { headers }, count) =>
      refuse(response, { status: 401, message: `denied: ${headers.authorization} ${echoes[count - 1]}` }),
    );
    await using bench = openModels(server);
    for (const echo of echoes) {
      const said = JSON.stringify(await ask(bench));
      expect(said).toContain("[redacted]");
      expect(said).not.toContain(echo.slice(-8));
      expect(said).not.toContain(key.slice(0, 12));
    }
  });

  it("is in no reply, tool call or finish reason either", async () => {
    await using server = await openFakeServer((response) => {
      const delta = {
        content: `it is ${key}`,
        tool_calls: [{ index: 0, id: key, function: { name: key, arguments: key } }],
      };
      stream(
        response,
        `data: ${JSON.stringify({ choices: [{ delta, finish_reason: key }] })}\n\ndata: [DONE]\n\n`,
      );
    });
    await using bench = openModels(server);
    const call = await ask(bench);
    expect(call).toMatchObject({ ok: true, reply: "it is [redacted]" });
    expect(JSON.stringify(call)).not.toContain(key);
  });

  it("that is missing is said before anything is sent", async () => {
    const models = createModels({ env: {} });
    const call = await models.complete(request({ model: ModelRef.parse("openai/gpt-5") }), {
      signal: never(),
    });
    expect([codeOf(call), wordsOf(call), call.attempts, call.family]).toEqual([
      "unauthorised",
      "openai needs a key; set OPENAI_API_KEY",
      0,
      "openai",
    ]);
  });
});

describe("a server that cannot be reached", () => {
  it("is a network failure that names it", async () => {
    const server = await openFakeServer(() => {});
    await server[Symbol.asyncDispose]();
    await using bench = openModels(server, { attempts: 1 });
    const call = await ask(bench);
    expect(codeOf(call)).toBe("network");
    expect(wordsOf(call)).toContain(`no connection to ${server.url}: connect ECONNREFUSED`);
  });

  it("is one that sends a page or a redirect instead", async () => {
    await using server = await openFakeServer((response, _, count) => {
      if (count === 1)
        return void response.writeHead(307, { location: "https://elsewhere.example/v1" }).end();
      return void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>");
    });
    await using bench = openModels(server);
    expect(wordsOf(await ask(bench))).toBe(
      "the server redirects (HTTP 307) to https://elsewhere.example/v1; set that URL",
    );
    expect(await ask(bench)).toMatchObject({
      failure: { code: "unreadable", message: "a page instead of a reply: Welcome" },
    });
    expect(server.received).toHaveLength(2);
  });
});
