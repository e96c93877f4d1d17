import { describe, expect, it, onTestFinished } from "vitest";
import { startSimServer, type SimServer, type SimServerConfig } from "./server.ts";
import { textVector } from "../text-vector.ts";

async function serve(options: Partial<SimServerConfig> = {}): Promise<SimServer> {
  const listening = await startSimServer({ port: 0, ...options });
  if (!listening.ok) throw new Error(listening.reason);
  onTestFinished(() => listening.server.close());
  return listening.server;
}

type Post = {
  readonly path: string;
  readonly body: string | object;
  readonly headers?: { readonly [name: string]: string };
  readonly signal?: AbortSignal;
};

const post = ({ url }: SimServer, { path, body, headers = {}, signal }: Post): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal: signal ?? null,
  });

const texts = ["Cache the results", "Bananas are yellow"];
const vectors = texts.map(textVector);
const wires = {
  openai: {
    path: "/v1/embeddings",
    reply: (model: string) => ({
      object: "list",
      data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
      model,
      usage: { prompt_tokens: 10, total_tokens: 10 },
    }),
    error: (message: unknown) => ({ error: { message, param: null } }),
  },
  ollama: {
    path: "/api/embed",
    reply: (model: string) => ({ model, embeddings: vectors, prompt_eval_count: 10 }),
    error: (message: unknown) => ({ error: message }),
  },
};

describe.each(Object.entries(wires))("embeddings over the %s wire", (name, { path, reply, error }) => {
  const ask = (server: SimServer, model: string, over: Partial<Post> = {}) =>
    post(server, { path, body: { model, input: texts }, ...over });

  it("are the simulated vectors, of a list and of one text", async () => {
    const server = await serve();
    const answer = await ask(server, "ada");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await answer.json()).toEqual(reply("ada"));
    const one: unknown = await (await post(server, { path, body: { model: "ada", input: texts[0] } })).json();
    expect(JSON.stringify(one)).toContain(JSON.stringify(vectors[0]));
    expect(JSON.stringify(one)).not.toContain(JSON.stringify(vectors[1]));
  });

  it("meet the faults of the model, the query and the header, as often as asked for", async () => {
    const server = await serve();
    const model = "ada?http=429&retry-after=2&times=2";
    for (const status of [429, 429, 200]) {
      const answer = await ask(server, model);
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([
        status,
        status === 429 ? "2" : null,
      ]);
      expect(await answer.json()).toMatchObject(
        status === 429 ? error("simulated: HTTP 429 on request") : reply(model),
      );
    }
    expect((await ask(server, "ada", { path: `${path}?http=500` })).status).toBe(500);
    expect((await ask(server, "ada", { headers: { "x-sim-faults": "http=503" } })).status).toBe(503);
    expect((await ask(server, "ada")).status).toBe(200);
  });

  it("wait as long as the delay and the latency say", async () => {
    const waits: number[] = [];
    const server = await serve({ wait: async (ms) => void waits.push(ms) });
    expect((await ask(server, "ada?delay=300&latency=20")).status).toBe(200);
    expect(waits).toEqual([300, 20]);
  });

  it("hang until the client has gone, and break off after so many bytes", async () => {
    const server = await serve();
    const stop = new AbortController();
    const hanging = ask(server, "ada?hang=1", { signal: stop.signal });
    const cut = await ask(server, "ada?cut=7");
    await expect(cut.text()).rejects.toThrow();
    stop.abort();
    await expect(hanging).rejects.toThrow();
    expect((await ask(server, "ada")).status).toBe(200);
  });

  it("fail at the model's own rate, and the same request sent again is another attempt", async () => {
    const server = await serve();
    expect(await (await ask(server, "ada?fail=1")).json()).toMatchObject(
      error("simulated: the model is overloaded"),
    );
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 30; attempt += 1)
      statuses.push((await ask(server, "ada?fail=0.5")).status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
  });

  it("want the server's key, and a POST", async () => {
    const server = await serve({ key: "k-1" });
    expect((await ask(server, "ada")).status).toBe(401);
    expect((await ask(server, "ada", { headers: { authorization: "Bearer k-1" } })).status).toBe(200);
    const open = await serve();
    expect((await fetch(`${open.url}${path}`)).status).toBe(405);
  });

  it.each<[string, string | object, number]>([
    ["what is no JSON", "{", 400],
    ["a list", [], 400],
    ["no input", { model: "ada" }, 400],
    ["an empty list", { model: "ada", input: [] }, 400],
    ["tokens", { model: "ada", input: [[1, 2]] }, 400],
    ["too many texts", { model: "ada", input: Array.from({ length: 2_049 }, () => "x") }, 400],
    ["an unknown fault", { model: "ada?http=200", input: "x" }, 400],
    ["an unknown parameter", { model: "ada?skil=1", input: "x" }, 404],
    ["a file of facts", { model: "ada?facts=/etc/hosts", input: "x" }, 404],
    ["a body without end", " ".repeat(33 * 2 ** 20), 413],
  ])("refuse %s in the wire's own form", async (_, body, status) => {
    const server = await serve();
    const answer = await post(server, { path, body });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject(error(expect.stringContaining("simulated: ")));
  });

  it("take an empty text where the provider does", async () => {
    const server = await serve();
    const answer = await post(server, { path, body: { model: "ada", input: [""] } });
    expect(answer.status).toBe(name === "openai" ? 400 : 200);
  });
});
