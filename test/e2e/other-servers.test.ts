import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAbsent, openaiMockApi, simulated, type Variables } from "./mock-servers.ts";
import { built, resultIn, somewhere } from "./parley.ts";
import { piped } from "./turn.ts";

built();

// These servers know their wires from elsewhere than we do: what both get wrong in the same way is not likely.

async function aimock(): Promise<{ readonly server: LLMock; readonly env: Variables }> {
  const server = await LLMock.create({ port: 0, latency: 1, chunkSize: 7 });
  onTestFinished(() => server.stop());
  server.on({ predicate: () => true }, simulated);
  return {
    server,
    env: {
      OPENAI_BASE_URL: `${server.url}/v1`,
      OPENAI_API_KEY: "sk-mock-0123456789",
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "sk-ant-mock-0123456789",
      OLLAMA_HOST: server.url,
    },
  };
}

const WIRES = [
  { model: "openai/ada", path: "/v1/chat/completions" },
  { model: "openai/dora?wire=responses", path: "/v1/responses" },
  { model: "anthropic/ben", path: "/v1/messages" },
  { model: "ollama/cleo", path: "/api/chat" },
];
const MODELS = WIRES.map(({ model }) => model);

/** Where models were called, each path once. */
const pathsOf = (server: LLMock): Set<string> =>
  new Set(
    server
      .getRequests()
      .filter(({ method }) => method === "POST")
      .map(({ path }) => path),
  );

describe("a server of @copilotkit/aimock", () => {
  it.each([
    { protocol: "council", flags: [] },
    { protocol: "debate", flags: ["--agents", "architect,security,performance,testing"] },
  ])("answers a $protocol over every wire", async ({ protocol, flags }) => {
    await using place = somewhere();
    const { server, env } = await aimock();
    const ended = await place.run(
      [protocol, "What is 17 * 23?", "--models", MODELS.join(","), ...flags, "--json"],
      env,
    );
    expect(ended).toMatchObject({ code: 0 });
    const { answer, degraded, participants } = resultIn(ended);
    expect(answer).toContain("391");
    expect(degraded).toEqual([]);
    expect(new Set(participants.map(({ model }) => model))).toEqual(new Set(MODELS));
    expect(pathsOf(server)).toEqual(new Set(WIRES.map(({ path }) => path)));
  });

  it.each(WIRES)("holds a chat with $model, which is told what was said before", async ({ model, path }) => {
    await using place = somewhere();
    const { server, env } = await aimock();
    const ended = await piped(place, ["chat", "--model", model], {
      input: "My favourite author is Jane Austen.\nWhat is my favourite author?\n",
      env,
    });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/Final answer: Jane Austen\n$/);
    expect(pathsOf(server)).toEqual(new Set([path]));
  });
});

describe("a model of an AI SDK package", () => {
  const model = "ai-sdk/mistral/ada";

  it("answers beside models of our own wires", async () => {
    await using place = somewhere();
    const { server, env } = await aimock();
    const own = { ...env, MISTRAL_API_KEY: "mistral-mock-0123456789", MISTRAL_BASE_URL: `${server.url}/v1` };
    const models = `${model},anthropic/ben,ollama/cleo`;
    const ended = await place.run(["council", "What is 17 * 23?", "--models", models, "--json"], own);
    expect(ended).toMatchObject({ code: 0 });
    const { answer, degraded } = resultIn(ended);
    expect(answer).toContain("391");
    expect(degraded).toEqual([]);
  });

  it("is refused where the package is not installed, with the command that installs it", async () => {
    await using place = somewhere();
    const ended = await place.run(["council", "Why?", "--models", "ai-sdk/nowhere/m,sim/ada,sim/bo"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(
      /@ai-sdk\/nowhere is not installed .*\nTry: cd .* && npm install @ai-sdk\/nowhere\n$/,
    );
  });

  it("that a project's file names is not loaded before the file is trusted", async () => {
    await using place = somewhere();
    writeFileSync(join(place.cwd, "parley.yaml"), `models: [${model}, sim/bo, sim/cy]\n`);
    const ended = await place.run(["council", "Why?"], { MISTRAL_API_KEY: "mistral-mock-0123456789" });
    expect(ended).toMatchObject({ stdout: "" });
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain(`models: ${model}`);
    expect(ended.stderr).toContain("Try: parley trust");
  });
});

const REPLY = "17 times 23 is 391.\n\nFINAL RANKING:\n1. Response A\n2. Response B\n\nFinal answer: 391";

/** Answers every conversation of up to three messages with one text. */
const anything = (at: string): Promise<Variables> =>
  openaiMockApi(
    at,
    [
      ["system", "user", "assistant", "user"],
      ["user", "assistant", "user"],
    ].map((roles) => [
      ...roles.map((role) => ({ role, matcher: "any" })),
      { role: "assistant", content: REPLY },
    ]),
  );

describe.skipIf(isAbsent("openai-mock-api"))("a server of openai-mock-api", () => {
  it.each(["council", "debate"])("answers a %s", async (protocol) => {
    await using place = somewhere();
    const env = await anything(place.folder);
    const models = "openai/gpt-4o,openai/gpt-4o-mini,openai/gpt-4.1";
    const ended = await place.run([protocol, "What is 17 * 23?", "--models", models, "--json"], env);
    expect(ended).toMatchObject({ code: 0 });
    expect(resultIn(ended).answer).toContain("391");
  });

  it("holds a chat", async () => {
    await using place = somewhere();
    const env = await anything(place.folder);
    const ended = await piped(place, ["chat", "--model", "openai/gpt-4o"], {
      input: "What is 17 * 23?\nAnd again?\n",
      env,
    });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout.match(/Final answer: 391/g)).toHaveLength(2);
  });
});
