import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratch } from "../../test/support/scratch.ts";
import { checkup, type Check } from "./checkup.ts";

/** An Ollama that has these models, and says nothing else. */
async function ollamaWith(...models: string[]): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/api/tags" ? 200 : 404;
    response.end(JSON.stringify({ models: models.map((name) => ({ name })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

/** Nobody listens there. */
const NOWHERE = "http://127.0.0.1:1";

async function looked(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Check[]> {
  using place = scratch(
    { "project/parley.yaml": "critic: on\nstore: ':memory:'", ...files },
    { OLLAMA_HOST: NOWHERE, LMSTUDIO_HOST: NOWHERE, ...env },
  );
  return (await checkup({ ...place, flags: {} })).filter(({ what }) =>
    ["critic and memory", "Ollama"].includes(what),
  );
}

const graded = {
  what: "critic and memory",
  ok: true,
  found: "critic: ollama/prometheus:7b · memory: on (user local)",
};

describe("a critic of Ollama's", () => {
  it("is there", async () => {
    const host = await ollamaWith("prometheus:7b", "gemma3:latest");
    expect(await looked({}, { OLLAMA_HOST: `${host}/v1` })).toEqual([
      graded,
      { what: "Ollama", ok: true, found: "it has prometheus:7b" },
    ]);
  });

  it("is missing, and is to be pulled", async () => {
    const checks = await looked({}, { OLLAMA_HOST: await ollamaWith("prometheus:latest") });
    expect(checks).toEqual([
      graded,
      {
        what: "Ollama",
        ok: false,
        found: "it has no prometheus:7b",
        next: "pull it with: ollama pull prometheus:7b",
      },
    ]);
  });

  it("cannot be told where Ollama does not answer", async () => {
    expect(await looked({})).toEqual([
      graded,
      {
        what: "Ollama",
        ok: false,
        found: `it does not answer at ${NOWHERE}`,
        next: "start it there with: ollama serve",
      },
    ]);
  });
});

describe("critic and memory", () => {
  it("are off, or another model's, where the settings say so", async () => {
    expect(await looked({ "project/parley.yaml": "memory: off\nstore: ':memory:'" })).toEqual([
      { what: "critic and memory", ok: true, found: "critic: off · memory: off" },
    ]);
    expect(await looked({ "project/parley.yaml": "judge: sim/ada\nuser: ada\nstore: ':memory:'" })).toEqual([
      { what: "critic and memory", ok: true, found: "critic: sim/ada · memory: on (user ada)" },
    ]);
  });

  it.each([
    ["critic.yaml", "modle: x", 'critic.yaml:1:1: unknown key "modle"', "did you mean model?"],
    ["memory.yaml", "retire: 3", 'memory.yaml:1:1: unknown key "retire"', "did you mean retire-at?"],
  ])("are told wrong by a %s that cannot be used", async (name, text, ...said) => {
    const [found, next] = said;
    const [check] = await looked({ [`project/.parley/${name}`]: text });
    expect(check).toEqual({
      what: "critic and memory",
      ok: false,
      found: expect.stringContaining(found),
      next,
    });
  });
});

it("tells a key that a gateway refuses from one that is not tested", async () => {
  const server = createServer((_, response) => {
    response.statusCode = 401;
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`;
  using place = scratch(
    { "project/parley.yaml": "store: ':memory:'" },
    { OLLAMA_HOST: NOWHERE, LMSTUDIO_HOST: NOWHERE, OPENAI_API_KEY: "k", OPENAI_BASE_URL: url },
  );
  const checks = await checkup({ ...place, flags: {} });
  expect(checks.find(({ what }) => what === "models")).toEqual({
    ...{ what: "models", ok: false, next: "set the right key of openai" },
    found: "openai (OPENAI_API_KEY is set, but its server refuses the key)",
  });
});
