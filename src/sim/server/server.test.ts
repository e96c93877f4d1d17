import { describe, expect, it, onTestFinished } from "vitest";
import { LISTED_MODELS, startSimServer, type SimServer, type SimServerConfig } from "./server.ts";

async function serve(options: Partial<SimServerConfig> = {}): Promise<SimServer> {
  const listening = await startSimServer({ port: 0, ...options });
  if (!listening.ok) throw new Error(listening.reason);
  onTestFinished(() => listening.server.close());
  return listening.server;
}

type Asking = {
  readonly model?: string;
  readonly question?: string;
  readonly headers?: { [name: string]: string };
  readonly rest?: object;
  readonly query?: string;
};

type Post = { readonly path: string; readonly body: string; readonly headers?: { [name: string]: string } };

const post = (server: SimServer, { path, body, headers = {} }: Post): Promise<Response> =>
  fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });

const wires = {
  openai: {
    path: "/v1/chat/completions",
    streamType: "text/event-stream",
    error: (message: unknown): object => ({ error: { message, code: expect.any(String) } }),
    text: (body: string): string => JSON.parse(body).choices[0].message.content,
    /** The text of a stream, with what it ended in. */
    stream: (body: string) => {
      const events = body
        .split("\n\n")
        .filter(Boolean)
        .map((event) => event.replace(/^data: /, ""));
      const chunks = events.filter((event) => event !== "[DONE]").map((event) => JSON.parse(event));
      return {
        text: chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join(""),
        finish: chunks.findLast((chunk) => chunk.choices[0]?.finish_reason)?.choices[0].finish_reason,
        used: chunks.findLast((chunk) => chunk.usage)?.usage.completion_tokens,
        ended: events.at(-1) === "[DONE]",
      };
    },
    finishes: { stop: "stop", length: "length" },
  },
  anthropic: {
    path: "/v1/messages",
    streamType: "text/event-stream",
    error: (message: unknown): object => ({ type: "error", error: { type: expect.any(String), message } }),
    text: (body: string): string => JSON.parse(body).content[0].text,
    stream: (body: string) => {
      const events = body
        .split("\n\n")
        .filter(Boolean)
        .map((event) => JSON.parse(event.replace(/^event: .*\ndata: /, "")));
      const end = events.find((event) => event.type === "message_delta");
      return {
        text: events.map((event) => event.delta?.text ?? "").join(""),
        finish: end?.delta.stop_reason,
        used: end?.usage.output_tokens,
        ended: events.at(-1)?.type === "message_stop",
      };
    },
    finishes: { stop: "end_turn", length: "max_tokens" },
  },
  ollama: {
    path: "/api/chat",
    streamType: "application/x-ndjson",
    error: (message: unknown): object => ({ error: message }),
    text: (body: string): string => JSON.parse(body).message.content,
    stream: (body: string) => {
      const lines = body
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      const end = lines.at(-1);
      return {
        text: lines.map((line) => line.message.content).join(""),
        finish: end.done_reason,
        used: end.eval_count,
        ended: end.done,
      };
    },
    finishes: { stop: "stop", length: "length" },
  },
};

const ask = (
  server: SimServer,
  path: string,
  { model = "ada?skill=1", question = "What is 17 * 23?", headers, rest = {}, query = "" }: Asking = {},
): Promise<Response> =>
  post(server, {
    path: `${path}${query}`,
    body: JSON.stringify({
      model,
      max_tokens: 500,
      messages: [{ role: "user", content: question }],
      stream_options: { include_usage: true },
      // Ollama streams unless it is told not to.
      stream: false,
      ...rest,
    }),
    ...(headers ? { headers } : {}),
  });

describe.each(Object.entries(wires))("the %s wire", (name, wire) => {
  const { path, text, stream, finishes } = wire;

  it.each([
    "prometheus:7b",
    "gemma4:26b",
    "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M",
    "accounts/fireworks/models/deepseek-v3",
    "registry.example:5000/team/model@sha256:0a1b",
    "Qwen 3 (local)",
    "模型",
    "_private",
    "a".repeat(300),
  ])("plays a model of any name: %.60s", async (model) => {
    const server = await serve();
    const answered = await ask(server, path, { model: `${model}?skill=1` });
    expect(answered.status).toBe(200);
    const body = await answered.text();
    expect(text(body)).toContain("Final answer: 391");
    expect(JSON.parse(body).model).toBe(`${model}?skill=1`);
    const faulty = await ask(server, path, { model: `${model}?http=503` });
    expect(faulty.status).toBe(503);
  });

  it("answers whole and as a stream, with the same text", async () => {
    const server = await serve();
    const whole = await ask(server, path);
    expect(whole.status).toBe(200);
    const answer = text(await whole.text());
    expect(answer).toContain("Final answer: 391");
    const streamed = await ask(server, path, { model: "sim/ada?skill=1", rest: { stream: true } });
    expect(streamed.headers.get("content-type")).toBe(wire.streamType);
    expect(stream(await streamed.text())).toEqual({
      text: answer,
      finish: finishes.stop,
      used: Math.ceil(answer.length / 4),
      ended: true,
    });
  });

  it("ends where max_tokens says", async () => {
    const server = await serve();
    const streamed = await ask(server, path, {
      rest: { stream: true, max_tokens: 5, options: { num_predict: 5 } },
    });
    expect(stream(await streamed.text())).toMatchObject({ finish: finishes.length, used: 5, ended: true });
  });

  it("fills a schema", async () => {
    const server = await serve();
    const schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
    const rest = {
      response_format: { type: "json_schema", json_schema: { name: "reply", schema } },
      output_config: { format: { type: "json_schema", schema } },
      format: schema,
    };
    expect(JSON.parse(text(await (await ask(server, path, { rest })).text()))).toEqual({ answer: "391" });
  });

  it("meets the faults that are asked for, as often as asked for", async () => {
    const server = await serve();
    const model = "ada?skill=1&http=429&retry-after=2&times=2";
    for (const status of [429, 429, 200, 200]) {
      const answer = await ask(server, path, { model });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("retry-after")).toBe(status === 429 ? "2" : null);
      expect(await answer.text()).toContain(status === 429 ? "on request" : "391");
    }
    expect((await ask(server, path, { query: "?http=500" })).status).toBe(500);
    expect((await ask(server, path, { headers: { "x-sim-faults": "http=503" } })).status).toBe(503);
    const misspelled = await ask(server, path, { headers: { "x-sim-faults": "htp=500" } });
    expect([misspelled.status, JSON.stringify(await misspelled.json())]).toEqual([
      400,
      expect.stringContaining("did you mean"),
    ]);
    expect((await ask(server, path)).status).toBe(200);
  });

  it.each([0, 1, 200, 401])("closes the connection after %i bytes", async (cut) => {
    const server = await serve();
    const answer = await ask(server, path, { model: `ada?cut=${cut}`, rest: { stream: true } });
    let bytes = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of answer.body ?? []) bytes += chunk.length;
    };
    await expect(read()).rejects.toThrow();
    expect(bytes).toBe(cut);
  });

  it("hangs until the client has gone, and closes with requests under way", async () => {
    const server = await serve();
    const stop = new AbortController();
    const options = {
      method: "POST",
      body: JSON.stringify({
        model: "ada?hang=1",
        max_tokens: 5,
        messages: [{ role: "user", content: "x" }],
      }),
    };
    const gone = fetch(`${server.url}${path}`, { ...options, signal: stop.signal });
    const left = fetch(`${server.url}${path}`, options);
    const slow = ask(server, path, { model: "ada?latency=600000" });
    // Another request is answered meanwhile, so the ones before it have arrived.
    expect((await ask(server, path)).status).toBe(200);
    stop.abort();
    await expect(gone).rejects.toThrow();
    await Promise.all([expect(left).rejects.toThrow(), expect(slow).rejects.toThrow(), server.close()]);
  });

  it("fails as the model's own rate says, and the same request sent again is another attempt", async () => {
    const server = await serve();
    const seen = new Set<string>();
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const answer = await ask(server, path, {
        model: "ada?fail=0.6",
        question: `Why ${attempt % 5}?`,
      }).catch(() => null);
      seen.add(answer === null ? "broken" : String(answer.status));
      await answer?.text();
    }
    expect([...seen].sort()).toEqual(["200", "429", name === "anthropic" ? "529" : "503", "broken"].sort());
  });

  it("wants its key, if it has one", async () => {
    const server = await serve({ key: "k-1" });
    expect((await ask(server, path)).status).toBe(401);
    expect((await ask(server, path, { headers: { authorization: "Bearer k-2" } })).status).toBe(401);
    expect((await ask(server, path, { headers: { authorization: "Bearer k-1" } })).status).toBe(200);
    expect((await ask(server, path, { headers: { "x-api-key": "k-1" } })).status).toBe(200);
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(401);
  });

  it.each([
    ["{", 400],
    ["[]", 400],
    [JSON.stringify({ model: "ada", max_tokens: 5, messages: [] }), 400],
    [JSON.stringify({ model: "ada?skil=1", max_tokens: 5, messages: [{ role: "user", content: "x" }] }), 404],
    [
      JSON.stringify({ model: "ada?http=200", max_tokens: 5, messages: [{ role: "user", content: "x" }] }),
      400,
    ],
    [
      JSON.stringify({
        model: "ada?facts=/etc/hosts",
        max_tokens: 5,
        messages: [{ role: "user", content: "x" }],
      }),
      404,
    ],
    [" ".repeat(33 * 2 ** 20), 413],
  ])("refuses %.60s in the wire's own form", async (body, status) => {
    const server = await serve();
    const answer = await post(server, { path, body });
    expect(answer.status).toBe(status);
    const error: unknown = await answer.json();
    expect(error).toMatchObject(wire.error(expect.stringContaining("simulated")));
  });
});

describe("the server", () => {
  it("lists models, and knows no other path", async () => {
    const server = await serve();
    const list: unknown = await (await fetch(`${server.url}/v1/models`)).json();
    expect(list).toMatchObject({ object: "list", data: LISTED_MODELS.map((id) => ({ id })) });
    expect((await fetch(`${server.url}/v1/chat/completions`)).status).toBe(405);
    expect((await fetch(`${server.url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${server.url}//`)).status).toBe(404);
  });

  it("lists models and a version as Ollama does", async () => {
    const server = await serve({ key: "k-1" });
    const get = async (path: string): Promise<unknown> =>
      (await fetch(`${server.url}${path}`, { headers: { authorization: "Bearer k-1" } })).json();
    expect(await get("/api/tags")).toEqual({
      models: LISTED_MODELS.map((id) => ({ name: `${id}:latest`, model: `${id}:latest`, size: 0 })),
    });
    expect(await get("/api/version")).toEqual({ version: expect.any(String) });
    expect((await fetch(`${server.url}/api/tags`)).status).toBe(401);
    expect((await fetch(`${server.url}/api/tags`, { method: "POST" })).status).toBe(401);
  });

  it("listens on this machine alone unless it is told otherwise, and says when it cannot", async () => {
    const server = await serve();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(await startSimServer({ port: server.port })).toMatchObject({
      ok: false,
      reason: expect.stringContaining("EADDRINUSE"),
    });
  });

  it("stops working on a reply when the client has gone", async () => {
    const stop = new AbortController();
    const stopped = new Promise<void>((settle) => {
      const wait = (_: number, signal: AbortSignal): Promise<never> =>
        new Promise((_settle, reject) => {
          signal.addEventListener("abort", () => {
            settle();
            reject(new Error("gone"));
          });
          stop.abort();
        });
      void serve({ wait }).then((server) =>
        fetch(`${server.url}/v1/messages`, {
          method: "POST",
          body: JSON.stringify({
            model: "ada?latency=100",
            max_tokens: 5,
            messages: [{ role: "user", content: "x" }],
          }),
          signal: stop.signal,
        }).catch(() => undefined),
      );
    });
    await stopped;
  });
});
