import { createServer, type IncomingMessage } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { loadSettings } from "../config/sources.ts";
import { scratch } from "../../test/support/scratch.ts";
import { findBareModel, withFoundModels } from "./bare-names.ts";
import { findFirstSettings } from "./first-settings.ts";
import { reachable } from "./reachable.ts";

const NOWHERE = "127.0.0.1:9";
const NONE = {
  OLLAMA_HOST: NOWHERE,
  LMSTUDIO_HOST: NOWHERE,
  LLAMACPP_HOST: NOWHERE,
  VLLM_HOST: NOWHERE,
  JAN_HOST: NOWHERE,
};

/** A server that lists these models in a form of its own; `heard` has what it was asked. */
async function lists(names: readonly string[], { key }: { readonly key?: string } = {}) {
  const heard: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    heard.push(request);
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) response.statusCode = 401;
    const rows = names.map((name) => ({ name, id: name }));
    response.end(JSON.stringify(request.url === "/api/tags" ? { models: rows } : { data: rows }));
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { host: `127.0.0.1:${typeof address === "object" ? address?.port : 0}`, heard };
}

function settingsWith(flags: Readonly<Record<string, unknown>> = {}) {
  using folder = scratch();
  return loadSettings({ ...folder, flags }).settings;
}

function settingsOf(compatible: string) {
  using folder = scratch({ "project/parley.yaml": `compatible:\n  ${compatible}` });
  return loadSettings({ ...folder, flags: {}, trusts: () => true }).settings;
}

it("finds one model by what its provider calls it, by its last part, and without its tag", async () => {
  const { host } = await lists([
    "gemma4:26b",
    "llama3:8b",
    "hf.co/x/Qwen3-8B:Q4",
    "twice:1b",
    "twice:7b",
    "twice:latest",
  ]);
  const env = { ...NONE, OLLAMA_HOST: host, OPENAI_API_KEY: "k" };
  const find = (name: string) => findBareModel({ env, settings: settingsWith() }, name);
  expect(await find("gemma4")).toBe("ollama/gemma4:26b");
  expect(await find("gemma4?effort=high")).toBe("ollama/gemma4:26b?effort=high");
  expect(await find("Llama3")).toBe("ollama/llama3:8b");
  expect(await find("qwen3-8b")).toBe("ollama/hf.co/x/Qwen3-8B:Q4");
  expect(await find("twice")).toBe("ollama/twice:latest");
  expect(await find("gpt-5-mini")).toBe("openai/gpt-5-mini");
});

it("finds a file of llama.cpp without its ending, and names first what begins with a name that is none", async () => {
  const [ollama, llamacpp] = await Promise.all([
    lists(["gemma4:26b", "llama3.2:latest", "llama3.1:8b"]),
    lists(["/models/Qwen3-8B-Q4_K_M.gguf"]),
  ]);
  const env = { ...NONE, OLLAMA_HOST: ollama.host, LLAMACPP_HOST: llamacpp.host };
  const find = (name: string) => findBareModel({ env, settings: settingsWith() }, name);
  expect(await find("qwen3-8b-q4_k_m")).toBe("llamacpp//models/Qwen3-8B-Q4_K_M.gguf");
  await expect(find("llama3")).rejects.toMatchObject({
    details: { next: expect.stringMatching(/^ollama\/llama3.2:latest, ollama\/llama3.1:8b, ollama\/gemma4/) },
  });
});

it("refuses a name of several with these, and one of none with what can be reached", async () => {
  const { host } = await lists(["gemma4:26b", "gemma4:e4b"]);
  const env = { ...NONE, OLLAMA_HOST: host };
  const find = (name: string) => findBareModel({ env, settings: settingsWith() }, name);
  const both = "ollama/gemma4:26b, ollama/gemma4:e4b";
  await expect(find("gemma4")).rejects.toMatchObject({
    details: { why: '"gemma4" is the name of 2 models that can be reached', next: both },
  });
  await expect(find("gema4")).rejects.toMatchObject({
    details: { why: 'no model that can be reached is called "gema4"', next: both },
  });
});

it("stands wherever settings name a model", async () => {
  const { host } = await lists(["gemma4:26b"]);
  const env = { ...NONE, OLLAMA_HOST: host };
  const given = settingsWith({ models: "gemma4,sim/ada", chair: "gemma4", modelB: "gemma4" });
  const { models, chair, modelB } = await withFoundModels(env, given);
  expect([models, chair, modelB]).toEqual([
    ["ollama/gemma4:26b", "sim/ada"],
    ["ollama/gemma4:26b"],
    "ollama/gemma4:26b",
  ]);
  const named = settingsWith({ models: "sim/ada" });
  expect(await withFoundModels({}, named)).toBe(named);
});

it("finds servers at home by their ports, and asks a gateway with the key for a panel by family and price", async () => {
  const local = await lists(["qwen3-8b", "nomic-embed-text", "parley/ask"]);
  const gateway = await lists(
    [
      "text-embedding-3-small",
      "gpt-5-pro",
      "gpt-5-mini",
      "gpt-5-nano",
      "whisper-1",
      "own-model",
      "claude-haiku-4-5",
      "claude-sonnet-4-5",
      "claude-opus-4-1",
      "gemini-2.5-flash",
    ],
    { key: "secret" },
  );
  const env = {
    ...NONE,
    VLLM_HOST: local.host,
    OPENAI_API_KEY: "secret",
    OPENAI_BASE_URL: `http://${gateway.host}/v1`,
  };
  const found = await reachable({ env, settings: settingsWith() });
  expect(found[0]).toMatchObject({ provider: "vllm", state: "answers", models: ["qwen3-8b"] });
  expect(found[1]).toMatchObject({ provider: "openai", state: "answers" });
  expect(found[1]?.models).toEqual(["gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash"]);
  expect(found[1]?.all).toHaveLength(8);
  const wrong = await reachable({ env: { ...env, OPENAI_API_KEY: "other" }, settings: settingsWith() });
  expect(wrong[1]).toMatchObject({ state: "key set", models: ["gpt-6.1-terra"], refused: true });
  expect(wrong[1]?.how).toBe("OPENAI_API_KEY is set, but its server refuses the key");
});

it("asks a server of the settings for its list, with its key, headers and API", async () => {
  const gateway = await lists(["claude-sonnet-5-5", "gpt-5-mini"], { key: "secret" });
  const ollama = await lists(["gemma4:26b"]);
  const lite = `lite: {url: "http://${gateway.host}/v1", key-env: LITE_KEY, headers: {x-team: a}}`;
  const others = `
  box: {url: "http://${ollama.host}", wire: ollama}
  one: {url: "http://${gateway.host}", key-env: LITE_KEY, model: gpt-5-mini}
  down: {url: "http://${NOWHERE}", model: m}`;
  const env = { ...NONE, LITE_KEY: "secret" };
  const settings = settingsOf(`${lite}${others}`);
  const found = await reachable({ env, settings });
  expect(found.map(({ provider, state, models }) => [provider, state, models])).toEqual([
    ["compatible/lite", "answers", ["claude-sonnet-5-5", "gpt-5-mini"]],
    ["compatible/box", "answers", ["gemma4:26b"]],
    ["compatible/one", "answers", ["gpt-5-mini"]],
    ["compatible/down", "configured", ["m"]],
  ]);
  expect(gateway.heard[0]?.headers["x-team"] ?? gateway.heard[1]?.headers["x-team"]).toBe("a");
  const only = settingsOf(lite);
  expect(await findBareModel({ env, settings: only }, "claude-sonnet-5-5")).toBe(
    "compatible/lite/claude-sonnet-5-5",
  );
  const [wrong] = await reachable({ env: { ...env, LITE_KEY: "other" }, settings: only });
  expect(wrong).toMatchObject({ state: "configured", models: [], refused: true });
});

it("asks nothing at an address that only a project's file names, where first settings are written", async () => {
  const gateway = await lists(["claude-sonnet-5-5"]);
  using place = scratch(
    { "project/parley.yaml": `compatible: {lab: {url: "http://${gateway.host}/v1"}}` },
    NONE,
  );
  expect((await findFirstSettings(place)).places).toEqual([]);
  expect(gateway.heard).toEqual([]);
});
