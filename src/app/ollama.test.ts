import { parseModelRef } from "./context.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadSettings } from "../config/sources.ts";
import { ModelRef, type Delta, type ModelRequest } from "../kernel/index.ts";
import { createModels } from "../models/index.ts";
import { createSim, simServer } from "../sim/index.ts";
import { checkup } from "./checkup.ts";
import { openEmbeddings } from "./ports.ts";
import { checkOllamaModels, ollamaModels, ollamaNames, reachable } from "./reachable.ts";

type Serving = Omit<Parameters<typeof simServer>[0], "port">;

const serve = async (options: Serving = {}): Promise<string> => {
  const listening = await simServer({ port: 0, ...options });
  if (!listening.ok) throw new Error(listening.reason);
  onTestFinished(() => listening.server.close());
  return listening.server.url;
};
const modelsAt = (url: string) => {
  const models = createModels({ env: { OLLAMA_HOST: url }, substitutes: { random: () => 0 } });
  onTestFinished(() => models.close());
  return models;
};
const request = (model: string, over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: ModelRef.parse(`ollama/${model}`),
  messages: [{ role: "user", text: "What is 17 * 23?" }],
  maxOutputTokens: 500,
  ...over,
});
const never = (): AbortSignal => new AbortController().signal;
/** Nobody listens there. */
const nowhere = "http://127.0.0.1:1";

describe("Ollama's wire, against the simulated models behind it", () => {
  it("streams what the reply is, as the same model says it in this process, and counts its tokens", async () => {
    const models = modelsAt(await serve());
    const asked = request("ada?skill=1", { temperature: 0, contextTokens: 16 });
    const deltas: Delta[] = [];
    const call = await models.complete(asked, { signal: never(), onDelta: (delta) => deltas.push(delta) });
    if (!call.ok) throw new Error(call.failure.message);
    expect(call.reply).toContain("Final answer: 391");
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.map(({ text }) => text).join("")).toBe(call.reply);
    expect(call).toMatchObject({
      finish: "stop",
      attempts: 1,
      cost: { source: "free", usd: 0 },
      tokens: { out: Math.ceil(call.reply.length / 4), in: expect.any(Number) },
    });
    const inside = await createSim().send(
      { ...asked, model: ModelRef.parse("sim/ada?skill=1") },
      { attempt: 1, signal: never(), onText: () => {} },
    );
    expect(inside).toMatchObject({ ok: true, text: call.reply, usage: { tokens: call.tokens } });
  });

  it("ends where it is told to, fills a schema, and knows a model by its full name", async () => {
    const models = modelsAt(`${await serve()}/v1`);
    const ask = (model: string, over: Partial<ModelRequest>) =>
      models.complete(request(model, over), { signal: never() });
    expect(await ask("ada?skill=1", { maxOutputTokens: 5 })).toMatchObject({
      finish: "length",
      tokens: { out: 5 },
    });
    const schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
    const filled = await ask("ada:latest?skill=1", { reply: { name: "r", schema } });
    expect(filled.ok ? JSON.parse(filled.reply) : filled).toEqual({ answer: "391" });
  });

  it("comes through refusals, broken connections and streams that were cut, and not through a missing model", async () => {
    const models = modelsAt(await serve());
    const ask = (model: string) => models.complete(request(model), { signal: never() });
    const faults = ["http=429&retry-after=0", "http=500", "cut=0", "cut=60", "cut=200"];
    for (const fault of faults) {
      expect(await ask(`ada?skill=1&${fault}&times=1`)).toMatchObject({ ok: true, attempts: 2 });
    }
    expect(await ask("ada?skil=1")).toMatchObject({
      ok: false,
      attempts: 1,
      failure: {
        code: "refused",
        message: expect.stringMatching(/^model 'ada\?skil=1' not found; simulated: .*unknown parameter/),
      },
    });
  });

  it("ends the server's work when it is aborted in the middle", async () => {
    const gone = new AbortController();
    const abort = new AbortController();
    let waits = 0;
    // The first piece goes out at once; the second waits until the client has gone.
    const wait = (_: number, signal: AbortSignal): Promise<void> =>
      ++waits === 1
        ? Promise.resolve()
        : new Promise((_settle, reject) => {
            signal.addEventListener("abort", () => {
              gone.abort();
              reject(new Error("gone"));
            });
          });
    const models = modelsAt(await serve({ wait }));
    const left = new Promise<void>((settle) => gone.signal.addEventListener("abort", () => settle()));
    const call = await models.complete(request("ada?latency=600000"), {
      signal: abort.signal,
      onDelta: () => abort.abort(),
    });
    expect(call).toMatchObject({ ok: false, failure: { code: "cancelled" } });
    await left;
  });

  it("gives vectors through a compatible server of its kind too", async () => {
    const compatible = { gpu: { url: await serve(), wire: "ollama" as const, keyEnv: undefined } };
    const opened = openEmbeddings({ embedding: ModelRef.parse("compatible/gpu/ada"), compatible }, {});
    onTestFinished(() => opened.close());
    expect(await opened.embeddings?.embed(["a", "b"], never())).toHaveLength(2);
  });
});

describe("what Ollama has", () => {
  it("is asked for at its own address, however that is written", async () => {
    const url = await serve();
    const bare = url.replace("http://", "");
    const port = bare.slice(bare.indexOf(":"));
    for (const host of [url, `${url}/`, `${url}/v1`, bare, port, `0.0.0.0${port}`])
      expect(await ollamaModels({ OLLAMA_HOST: host })).toContain("ada:latest");
    expect(await ollamaModels({ OLLAMA_HOST: nowhere })).toBeUndefined();
    expect(await ollamaModels({ OLLAMA_HOST: "ftp://x" })).toBeUndefined();
  });

  it("can be asked at once: what is found is what is answered", async () => {
    const url = await serve();
    const settings = { compatible: {} };
    // Of the settings it looks at the compatible servers alone.
    const [found] = await reachable({
      env: { OLLAMA_HOST: url, LMSTUDIO_HOST: nowhere },
      settings: settings as Parameters<typeof reachable>[0]["settings"],
    });
    expect(found).toEqual({
      provider: "ollama",
      state: "answers",
      how: "it answers",
      models: ["ada:latest", "ben:latest", "cleo:latest", "dora:latest"],
    });
    const call = await modelsAt(url).complete(request(found?.models[0] ?? ""), { signal: never() });
    expect(call.ok).toBe(true);
  });

  it("is all of it, also what answers no questions; that is asked none", async () => {
    const names = ["nomic-embed-text:latest", "gemma3:27b", "prometheus:7b", "h:5/a-clip:latest"];
    const body = JSON.stringify({ models: names.map((name) => ({ name, size: 1 })) });
    const server = createServer((_, response) => void response.end(body));
    await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : null;
    const env = { OLLAMA_HOST: `127.0.0.1:${port}`, LMSTUDIO_HOST: nowhere };
    expect(await ollamaModels(env)).toEqual(names);
    expect(await checkOllamaModels(["prometheus:7b", "nomic-embed-text", "h:5/a-clip"], env)).toBe(
      "it has prometheus:7b, nomic-embed-text, h:5/a-clip",
    );
    // As above.
    const settings = { compatible: {} } as Parameters<typeof reachable>[0]["settings"];
    expect((await reachable({ env, settings })).map(({ models }) => models)).toEqual([["gemma3:27b"]]);
  });

  it.each([
    ["ollama/ada:latest", "ollama/ada"],
    ["ollama/hf.co/a/b:latest?temperature=0", "ollama/hf.co/a/b?temperature=0"],
    ["ollama/ada:7b", "ollama/ada:7b"],
    ["ollama/ada:latest-q4", "ollama/ada:latest-q4"],
    ["openai/x:latest", "openai/x:latest"],
  ])("is one model with or without the tag: %s is %s", (ref, expected) => {
    expect(parseModelRef(ref)).toBe(expected);
  });

  it("is compared by full names", async () => {
    const env = { OLLAMA_HOST: await serve() };
    const names = ollamaNames(["ollama/ada", "ollama/ada", "openai/x", "ollama/Ben:latest"]);
    expect(names).toEqual(["ada", "Ben:latest"]);
    expect(await checkOllamaModels(names, env)).toBe("it has ada, Ben:latest");
    await expect(checkOllamaModels(["ada", "ada:7b", "hf.co/a:b/c"], env)).rejects.toThrow(
      "it has no ada:7b, hf.co/a:b/c; pull it with: ollama pull ada:7b && ollama pull hf.co/a:b/c",
    );
    await expect(checkOllamaModels(["x;reboot\u001b[2J"], env)).rejects.toThrow(
      /^it has no x;reboot; correct the name$/,
    );
  });
});

it("a compatible server may be of Ollama's kind", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-ollama-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = { flags: {}, env: { PARLEY_HOME: folder, HOME: folder }, cwd: folder };
  const wire = (name: string) => {
    writeFileSync(join(folder, "parley.yaml"), `compatible: {gpu: {url: "http://h:1", wire: ${name}}}\n`);
    return loadSettings(place).settings.compatible["gpu"]?.wire;
  };
  expect(wire("ollama")).toBe("ollama");
  expect(() => wire("olama")).toThrow("openai, responses, anthropic or ollama");
});

describe("a look at everything", () => {
  const checks = async (env: { readonly [name: string]: string }) => {
    const folder = mkdtempSync(join(tmpdir(), "parley-ollama-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const all = await checkup({
      flags: {},
      env: { PARLEY_HOME: folder, HOME: folder, LMSTUDIO_HOST: nowhere, ...env },
      cwd: folder,
    });
    return all.filter(({ what }) => what === "Ollama");
  };

  it("says which configured models Ollama lacks, and when it does not answer", async () => {
    const here = { OLLAMA_HOST: await serve() };
    expect(await checks({ ...here, PARLEY_MODELS: "sim/ada" })).toEqual([]);
    expect(await checks({ ...here, PARLEY_MODELS: "ollama/ada", PARLEY_CHAIR: "ollama/ben" })).toEqual([
      { what: "Ollama", ok: true, found: "it has ada, ben" },
    ]);
    expect(
      await checks({ ...here, PARLEY_MODELS: "ollama/ada", PARLEY_JUDGE: "ollama/prometheus:7b" }),
    ).toEqual([
      {
        what: "Ollama",
        ok: false,
        found: "it has no prometheus:7b",
        next: "pull it with: ollama pull prometheus:7b",
      },
    ]);
    expect(await checks({ OLLAMA_HOST: nowhere, PARLEY_EMBEDDING: "ollama/nomic-embed-text" })).toEqual([
      {
        what: "Ollama",
        ok: false,
        found: `it does not answer at ${nowhere}`,
        next: "start it there with: ollama serve",
      },
    ]);
    expect(await checks({ OLLAMA_HOST: "ftp://x", PARLEY_MODELS: "ollama/ada" })).toEqual([
      {
        what: "Ollama",
        ok: false,
        found: "OLLAMA_HOST is not an http or https URL without a user name",
        next: "correct or unset it",
      },
    ]);
  });
});
