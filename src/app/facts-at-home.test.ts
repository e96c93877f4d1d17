import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { pngOf } from "../../test/support/media-samples.ts";
import { openParley } from "../../test/support/opened.ts";
import { choosePanel } from "./panel.ts";
import { modelTable } from "./model-table.ts";
import { factsAtHome } from "./reachable.ts";

/** What each path answers with; by the model that was asked for where that is in the body. */
type Answers = { readonly [path: string]: unknown };

/** A server at home, and which paths of it were asked. */
async function server(answers: Answers): Promise<{ readonly host: string; readonly heard: string[] }> {
  const heard: string[] = [];
  const listening = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      const path = request.url ?? "";
      heard.push(path);
      const { model = "" } = (body === "" ? {} : JSON.parse(body)) as { readonly model?: string };
      const answer = answers[`${path} ${model}`] ?? answers[path];
      response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
    });
  });
  await new Promise<void>((settle) => listening.listen(0, "127.0.0.1", settle));
  onTestFinished(() => void listening.close());
  const address = listening.address();
  return { host: `127.0.0.1:${typeof address === "object" ? address?.port : 0}`, heard };
}

const NOWHERE = "127.0.0.1:9";
const NONE = { VLLM_HOST: NOWHERE, JAN_HOST: NOWHERE, LMSTUDIO_HOST: NOWHERE, LLAMACPP_HOST: NOWHERE };
const OLLAMA = {
  "/api/tags": { models: [{ name: "gemma4:latest" }, { name: "llama3.2:3b" }] },
  "/api/show gemma4:latest": {
    capabilities: ["completion", "vision", "tools", "thinking"],
    model_info: { "general.architecture": "gemma4", "gemma4.context_length": 131_072 },
  },
  "/api/show llama3.2:3b": { capabilities: ["completion", "tools"], model_info: {} },
};

it("are what Ollama, LM Studio, vLLM and llama.cpp say of their models, each by its own API", async () => {
  const ollama = await server(OLLAMA);
  const rows = [
    { id: "qwen/qwen3-vl-8b", type: "vlm", max_context_length: 32_768 },
    { id: "meta/llama-3.1-8b", type: "llm", max_context_length: 8_192 },
    { id: "loaded", type: "llm", max_context_length: 131_072, loaded_context_length: 4_096 },
  ];
  const lmstudio = await server({ "/api/v0/models": { data: rows } });
  const llamacpp = await server({
    "/props": { modalities: { vision: false }, default_generation_settings: { n_ctx: 4_096 } },
  });
  const vllm = await server({ "/v1/models": { data: [{ id: "meta/llama", max_model_len: 16_384 }] } });
  const hosts = {
    VLLM_HOST: vllm.host,
    OLLAMA_HOST: ollama.host,
    LMSTUDIO_HOST: lmstudio.host,
    LLAMACPP_HOST: llamacpp.host,
  };
  const ask = (ref: string) => factsAtHome(ref, hosts);
  const known = { context: 131_072, pictures: true, tools: true, thinks: true };
  expect(await ask("ollama/gemma4:latest")).toEqual(known);
  expect(await ask("ollama/llama3.2:3b?effort=low")).toMatchObject({
    pictures: false,
    tools: true,
    thinks: false,
  });
  expect(await ask("lmstudio/qwen/qwen3-vl-8b")).toEqual({ context: 32_768, pictures: true });
  expect(await ask("lmstudio/meta/llama-3.1-8b")).toEqual({ context: 8_192, pictures: false });
  expect(await ask("lmstudio/loaded")).toEqual({ context: 4_096, pictures: false });
  expect(await ask("vllm/meta/llama")).toEqual({ context: 16_384 });
  expect(await ask("llamacpp/any")).toEqual({ context: 4_096, pictures: false });
});

it("are unknown where a server is silent, says nothing of it, or is none of these", async () => {
  const old = await server({ "/api/show": { details: {} }, "/props": "not found", "/api/v0/models": [] });
  const env = { OLLAMA_HOST: old.host, LMSTUDIO_HOST: old.host, LLAMACPP_HOST: old.host };
  for (const ref of ["ollama/a", "lmstudio/a", "llamacpp/a"])
    expect((await factsAtHome(ref, env)).pictures, ref).toBeUndefined();
  for (const ref of ["ollama/a", "vllm/a", "openai/gpt-5", "sim/ada", "toString/a"])
    expect(await factsAtHome(ref, { ...NONE, OLLAMA_HOST: NOWHERE }), ref).toEqual({});
});

it("refuse a picture that no model at home can see before a call, with one that can; and are in the table", async () => {
  const { host, heard } = await server(OLLAMA);
  const env = { ...NONE, OLLAMA_HOST: host };
  await using parley = await openParley({ store: ":memory:", env });
  const context = [{ name: "chart.png", base64: pngOf(8, 8).toString("base64") }];
  const request = {
    protocol: "council",
    question: "What does it show?",
    models: ["ollama/llama3.2:3b"],
    context,
  };
  await expect(parley.start(request)).rejects.toMatchObject({
    details: {
      why: "none of the models takes pictures, and chart.png is a picture",
      next: "ask one that does: ollama/gemma4:latest",
    },
  });
  expect(heard).not.toContain("/api/chat");
  const { models } = await modelTable(parley.context());
  expect(models.find(({ ref }) => ref === "ollama/gemma4:latest")).toMatchObject({
    ...{ context: 131_072, can: ["pictures", "tools", "thinking"], cannot: [], price: "free" },
  });
  expect(models.find(({ ref }) => ref === "ollama/llama3.2:3b")?.cannot).toEqual(["pictures", "thinking"]);
});

it("makes a panel of all that runs at home, before what a key reaches", async () => {
  const ollama = await server({ "/api/tags": { models: [{ name: "gemma4:latest" }] } });
  const lmstudio = await server({ "/v1/models": { data: [{ id: "qwen/qwen3-8b" }] } });
  const env = { ...NONE, OLLAMA_HOST: ollama.host, LMSTUDIO_HOST: lmstudio.host, OPENAI_API_KEY: "k" };
  await using parley = await openParley({ store: ":memory:", env });
  const { members, notes } = await choosePanel(parley.context());
  expect([...new Set(members)]).toEqual(["ollama/gemma4", "lmstudio/qwen/qwen3-8b"]);
  expect(notes[0]).toMatchObject({ code: "models-discovered", through: "home" });
  const { models } = await modelTable(parley.context());
  const searching = models.filter(({ can }) => can.includes("search")).map(({ ref }) => ref.split("/")[0]);
  expect([...new Set(searching)]).toEqual(["openai", "sim"]);
});
