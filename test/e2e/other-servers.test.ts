import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { LLMock, type ChatCompletionRequest } from "@copilotkit/aimock";
import { describe, expect, it, onTestFinished } from "vitest";
import { ModelRef } from "../../src/kernel/index.ts";
import { scriptsOf } from "../../src/app/registry.ts";
import { features } from "../../src/features.ts";
import { createSim } from "../../src/sim/index.ts";
import { built, resultIn, somewhere } from "./parley.ts";
import { piped } from "./turn.ts";

built();

// These servers know their wires from elsewhere than we do: what both get wrong in the same way is not likely.

type Variables = Readonly<Record<string, string>>;

const sim = createSim({ scripts: scriptsOf(features) });

/** What a simulated model of this name says, so that drafts, rankings and verdicts are in the forms that are asked for. */
async function simulated({ model, messages }: ChatCompletionRequest) {
  const attempted = await sim.send(
    {
      model: ModelRef.parse(`sim/${model}?skill=1`),
      maxOutputTokens: 4_000,
      messages: messages.flatMap(({ role, content }) => {
        const text =
          typeof content === "string" ? content : (content ?? []).map((part) => part.text).join("");
        return role === "tool" ? [] : [{ role, text }];
      }),
    },
    { attempt: 1, signal: new AbortController().signal, onText: () => {} },
  );
  if (!attempted.ok) throw new Error(attempted.failure.message);
  return { content: attempted.text };
}

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

/** A folder that `bench/other-servers.mjs` installed the package in: it is 45 MB with what it needs. */
const folder = process.env["PARLEY_OTHER_SERVERS"] ?? "";
const program = join(folder, "node_modules/openai-mock-api/dist/cli.js");
const absent = folder === "" || !existsSync(program);
if (absent) process.stdout.write("skipped: openai-mock-api is run by node bench/other-servers.mjs\n");

const MOCK_KEY = "sk-mock-0123456789";
const REPLY =
  "17 times 23 is 391.\\n\\nFINAL RANKING:\\n1. Response A\\n2. Response B\\n\\nFinal answer: 391";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** Answers every conversation of up to three messages with one text. */
async function openaiMockApi(at: string): Promise<Variables> {
  const port = await freePort();
  const says = (...before: string[]) =>
    ["  - id: r" + before.length, "    messages:"]
      .concat(before.map((role) => `      - {role: ${role}, matcher: any}`))
      .concat(`      - {role: assistant, content: "${REPLY}"}`);
  const lines = [
    `apiKey: ${MOCK_KEY}`,
    "responses:",
    ...says("system", "user", "assistant", "user"),
    ...says("user", "assistant", "user"),
  ];
  writeFileSync(join(at, "mock.yaml"), `${lines.join("\n")}\n`);
  const child = spawn(process.execPath, [program, "--config", join(at, "mock.yaml"), "--port", String(port)]);
  onTestFinished(() => void child.kill());
  await new Promise<void>((resolve, reject) => {
    let written = "";
    child.stdout.on("data", (bytes: Buffer) => {
      written += bytes.toString();
      if (/started|listening|running/i.test(written)) resolve();
    });
    child.once("exit", () => reject(new Error(written)));
  });
  return { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: MOCK_KEY };
}

describe.skipIf(absent)("a server of openai-mock-api", () => {
  it.each(["council", "debate"])("answers a %s", async (protocol) => {
    await using place = somewhere();
    const env = await openaiMockApi(place.folder);
    const models = "openai/gpt-4o,openai/gpt-4o-mini,openai/gpt-4.1";
    const ended = await place.run([protocol, "What is 17 * 23?", "--models", models, "--json"], env);
    expect(ended).toMatchObject({ code: 0 });
    expect(resultIn(ended).answer).toContain("391");
  });

  it("holds a chat", async () => {
    await using place = somewhere();
    const env = await openaiMockApi(place.folder);
    const ended = await piped(place, ["chat", "--model", "openai/gpt-4o"], {
      input: "What is 17 * 23?\nAnd again?\n",
      env,
    });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout.match(/Final answer: 391/g)).toHaveLength(2);
  });
});
