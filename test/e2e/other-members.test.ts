import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { LLMock } from "@copilotkit/aimock";
import { describe, expect, it, onTestFinished } from "vitest";
import { callOf, type Entry } from "../../src/kernel/index.ts";
import { openFakeServer, type FakeServer } from "../support/fake-server.ts";
import { pngOf } from "../support/media-samples.ts";
import { installed, isAbsent, openaiMockApi, simulated } from "./mock-servers.ts";
import { built, eventsIn, resultIn, somewhere, type Somewhere } from "./parley.ts";

built();

// A council that is shown a picture, calls a tool and thinks, with members that servers and packages of others answer for.

const picture = pngOf(40, 30);
const data = picture.toString("base64");
const SECRET = "UNSAID";
const THOUGHT = `Hm, ${SECRET} perhaps 381? No: 391.`;
const SIGNATURE = "c2lnbmVkIGJ5IHRoZSBwcm92aWRlcg==";
const NOTE = "The queue takes ten thousand jobs a day.";
const QUESTION = "What is 17 * 23?";

/** aimock, of which each model thinks, and reads the note where it may before it answers. */
async function thinkingServer(path: string): Promise<LLMock> {
  const server = await LLMock.create({ port: 0, latency: 1, chunkSize: 11, logLevel: "silent" });
  onTestFinished(() => server.stop());
  let calls = 0;
  server.on({ predicate: () => true }, async (request) => {
    const tool = request.tools?.find(({ function: { name } }) => name.endsWith("read_text_file"));
    const thinks = {
      ...{ reasoning: THOUGHT, reasoningSignature: SIGNATURE },
      usage: {
        ...{ prompt_tokens: 1_000, completion_tokens: 300, total_tokens: 1_300 },
        ...{ promptTokenCount: 1_000, candidatesTokenCount: 300, totalTokenCount: 1_300 },
        completion_tokens_details: { reasoning_tokens: 200 },
      },
    };
    if (tool === undefined || request.messages.some(({ role }) => role === "tool"))
      return { ...(await simulated(request)), ...thinks };
    calls += 1;
    const call = { id: `call_${calls}`, name: tool.function.name, arguments: JSON.stringify({ path }) };
    return { toolCalls: [call], ...thinks };
  });
  return server;
}

/** Keeps what is sent to a server, and has it reply in one piece where `isWhole`. */
const passing = (to: LLMock, isWhole: boolean): Promise<FakeServer> =>
  openFakeServer(async (response, { path, body }) => {
    const asked = isWhole ? JSON.stringify({ ...JSON.parse(body), stream: false }) : body;
    const headers = { "content-type": "application/json", "x-api-key": "sk-ant-0123456789" };
    const reply = await fetch(`${to.url}${path}`, { method: "POST", headers, body: asked });
    response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await reply.arrayBuffer()));
  });

const dataUrl = `data:image/png;base64,${data}`;
const FORMS = {
  chat: {
    path: /\/chat\/completions$/,
    picture: { type: "image_url", image_url: { url: dataUrl } },
    goesBack: { reasoning_content: THOUGHT },
    effort: { reasoning_effort: "high" },
  },
  responses: {
    path: /\/responses$/,
    picture: { type: "input_image", image_url: dataUrl },
    // What aimock encrypts.
    goesBack: /"encrypted_content":"YWltb2Nr/,
    effort: { reasoning: { effort: "high", summary: "auto" } },
  },
  messages: {
    path: /\/v1\/messages$/,
    picture: { type: "image", source: { type: "base64", media_type: "image/png", data } },
    goesBack: { thinking: THOUGHT, signature: SIGNATURE },
    effort: /"thinking":\{"type":"enabled","budget_tokens":\d{4,}\}/,
  },
  gemini: {
    path: /\/v1beta\/models\/[\w.-]+:streamGenerateContent\?alt=sse$/,
    picture: { inlineData: { mimeType: "image/png", data } },
    goesBack: { text: THOUGHT, thought: true },
    effort: { thinkingLevel: "high", includeThoughts: true },
  },
  openrouter: {
    path: /\/api\/v1\/chat\/completions$/,
    picture: { type: "image_url", image_url: { url: dataUrl } },
    // aimock tells thinking in a field that is none of OpenRouter's.
    goesBack: null,
    effort: { reasoning: { effort: "high" } },
  },
  // Nor is it one of Ollama's.
  ollama: { path: /\/api\/chat$/, picture: { images: [data] }, goesBack: null, effort: { think: "high" } },
};
type Form = keyof typeof FORMS;

const KEY = "sk-mock-0123456789";
const variables = ({ url }: FakeServer) => ({
  ...{ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY },
  ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY },
  OLLAMA_HOST: url,
  // The packages'.
  ...{ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`, OPENAI_COMPATIBLE_API_KEY: KEY },
  ...{ MISTRAL_BASE_URL: `${url}/v1`, MISTRAL_API_KEY: KEY },
  ...{ GOOGLE_BASE_URL: `${url}/v1beta`, GOOGLE_API_KEY: KEY },
  ...{ OPENROUTER_BASE_URL: `${url}/api/v1`, OPENROUTER_API_KEY: KEY },
  OLLAMA_BASE_URL: `${url}/api`,
});

const require = createRequire(import.meta.url);

/** A picture in the project, and a server of tools that reads a note; returns the note's path. */
function withNote({ home, cwd, folder }: Somewhere): string {
  const notes = join(folder, "notes");
  for (const one of [home, notes]) mkdirSync(one, { recursive: true });
  writeFileSync(join(cwd, "chart.png"), picture);
  writeFileSync(join(notes, "note.txt"), `${NOTE}\n`);
  const program = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
  const files = { command: process.execPath, args: [program, notes] };
  writeFileSync(join(home, "parley.yaml"), JSON.stringify({ mcpServers: { files }, memory: "off" }));
  return join(notes, "note.txt");
}

/** Whether these fields stand together anywhere in a request, or what fits stands in its text. */
const holds = (value: unknown, fields: object | RegExp): boolean =>
  fields instanceof RegExp
    ? fields.test(JSON.stringify(value))
    : typeof value === "object" &&
      value !== null &&
      (Object.entries(fields).every(([name, one]) => isDeepStrictEqual(Reflect.get(value, name), one)) ||
        Object.values(value).some((inner) => holds(inner, fields)));

type Member = { readonly model: string; readonly form: Form };

/** Holds a council and checks what each member was sent, and what is recorded of it. */
async function check(place: Somewhere, members: readonly Member[], { isWhole = false } = {}) {
  const server = await passing(await thinkingServer(withNote(place)), isWhole);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const models = members.map(({ model }) => model);
  const asked = ["--context", "chart.png", "--tools", "files/read_text_file", "--json"];
  const ended = await place.run(
    ["council", QUESTION, "--models", models.join(","), ...asked],
    variables(server),
  );
  expect(ended).toMatchObject({ code: 0 });
  const result = resultIn(ended);
  expect(result.degraded).toEqual([]);
  expect(result.answer).toContain("391");
  expect(JSON.stringify(result)).not.toContain(SECRET);

  for (const { model, form } of members) {
    const { path, picture: seen, goesBack, effort } = FORMS[form];
    const name = model.replace(/\?.*/, "").split("/").at(-1) ?? "";
    const sent = server.received.filter(
      (one) => path.test(one.path) && `${one.path} ${one.body}`.includes(name),
    );
    const answered = sent.filter(({ body }) => body.includes(NOTE));
    expect({ model, sent: sent.length, answered: answered.length }).toMatchObject({ answered: 1 });
    for (const one of sent) {
      const body: unknown = JSON.parse(one.body);
      const isBack = goesBack !== null && answered.includes(one);
      expect({
        ...{ model, sees: holds(body, seen), asks: holds(body, effort) },
        // Thinking goes back to whoever thought it, beside its call of a tool, and to nobody else.
        ...{ back: isBack && holds(body, goesBack), others: !isBack && one.body.includes(SECRET) },
      }).toEqual({ model, sees: true, asks: model.includes("effort=high"), back: isBack, others: false });
    }
  }
  const events = eventsIn(await place.run(["export", result.id, "--format", "jsonl"]));
  const calls = events.flatMap((event) => callOf(event as unknown as Entry) ?? []); // the lines are entries
  expect(events.filter(({ type }) => type === "tool-called")).toHaveLength(members.length);
  for (const call of calls) {
    const form = members.find(({ model }) => model === call.model)?.form;
    expect(call).toMatchObject({ ok: true });
    expect(call.without).toBeUndefined();
    if (form !== "ollama") expect(call).toMatchObject({ tokens: { in: 1_000, out: 300 } });
    if (form && FORMS[form].goesBack !== null) expect(call).toMatchObject({ thinking: { text: THOUGHT } });
  }
  expect(result.calls + result.unknown).toBe(calls.length);
  expect((await place.run(["replay", result.id])).code).toBe(0);
}

const OWN: readonly Member[] = [
  { model: "openai/gpt-5.6?effort=high", form: "chat" },
  { model: "openai/gpt-5.5?effort=high&wire=responses", form: "responses" },
  { model: "anthropic/claude-sonnet-4-5?effort=high", form: "messages" },
  { model: "ollama/gemma4?effort=high", form: "ollama" },
];

describe("a council whose members see a picture, call a tool and think", () => {
  it.each([
    ["in pieces", false],
    ["whole", true],
  ])("is served by @copilotkit/aimock, %s", async (_, isWhole) => {
    await using place = somewhere();
    await check(place, OWN, { isWhole });
  });

  it("is served by packages of the AI SDK", async () => {
    await using place = somewhere();
    await check(place, [
      { model: "ai-sdk/openai/gpt-5.5?effort=high", form: "responses" },
      { model: "ai-sdk/openai-compatible/lab?effort=high", form: "chat" },
      { model: "anthropic/claude-sonnet-4-5", form: "messages" },
    ]);
  });

  it.skipIf(isAbsent("@ai-sdk/google"))("is served by the newest packages of the AI SDK", async () => {
    await using place = somewhere();
    mkdirSync(place.home, { recursive: true });
    symlinkSync(installed, join(place.home, "node_modules"));
    await check(place, [
      { model: "ai-sdk/openai/gpt-5.5?effort=high", form: "responses" },
      { model: "ai-sdk/anthropic/claude-sonnet-4-5?effort=high", form: "messages" },
      { model: "ai-sdk/google/gemini-3.1-pro-preview?effort=high", form: "gemini" },
      { model: "ai-sdk/@openrouter/ai-sdk-provider/anthropic/claude-opus-5?effort=high", form: "openrouter" },
      { model: "ai-sdk/ollama-ai-provider-v2/gemma4", form: "ollama" },
    ]);
  });

  // It matches conversations by roles alone where a message has parts, and so answers a review as it does a draft: with a call.
  it.skipIf(isAbsent("openai-mock-api"))("is served by openai-mock-api", async () => {
    await using place = somewhere();
    const path = withNote(place);
    const call = {
      ...{ id: "call_1", type: "function" },
      function: { name: "files__read_text_file", arguments: JSON.stringify({ path }) },
    };
    const asked = ["system", "user"].map((role) => ({ role, matcher: "any" }));
    const server = await openaiMockApi(place.folder, [
      [...asked, { role: "assistant", tool_calls: [call] }],
      [
        ...asked,
        { role: "assistant", content: "-" },
        { role: "tool", tool_call_id: "call_1", matcher: "any" },
        {
          role: "assistant",
          content: `<think>\n${THOUGHT}\n</think>\n\n17 times 23 is 391.\n\nFinal answer: 391`,
        },
      ],
    ]);
    const models = ["openai/gpt-4o", "openai/gpt-4.1?effort=low", "ai-sdk/openai-compatible/lab"];
    const others = ["--reviewers", "sim/ada,sim/bo", "--chair", "sim/cy", "--context", "chart.png"];
    const words = ["--models", models.join(","), ...others, "--tools", "files/read_text_file", "--json"];
    const own = {
      OPENAI_COMPATIBLE_BASE_URL: server["OPENAI_BASE_URL"] ?? "",
      OPENAI_COMPATIBLE_API_KEY: KEY,
    };
    const ended = await place.run(["council", QUESTION, ...words], { ...server, ...own });
    expect(ended).toMatchObject({ code: 0 });
    const result = resultIn(ended);
    expect(result.answer).toContain("391");
    expect(ended.stdout).not.toContain(SECRET);
    const events = eventsIn(await place.run(["export", result.id, "--format", "jsonl"]));
    const drafts = events.flatMap((event) =>
      event.type === "answer-given" ? (callOf(event as unknown as Entry) ?? []) : [],
    );
    expect(drafts).toHaveLength(3);
    for (const one of drafts)
      expect(one).toMatchObject({
        ok: true,
        reply: expect.stringMatching(/^17 times/) as string,
        thinking: { text: THOUGHT },
      });
    expect(events.filter(({ type }) => type === "tool-called")).toHaveLength(3);
  });
});
