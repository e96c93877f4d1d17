import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ModelRow } from "../../contract/figures.ts";
import { commandIo, commandNamed } from "../../../test/support/command-io.ts";
import { refusalOf, scratch } from "../../../test/support/scratch.ts";
import { widthOf } from "../../reports/text-width.ts";
import { EXIT } from "../exits.ts";
import { tableText } from "./models.ts";

const NOWHERE = { OLLAMA_HOST: "http://127.0.0.1:1", LMSTUDIO_HOST: "http://127.0.0.1:1" };

const row = (ref: string, more: Partial<ModelRow> = {}): ModelRow => ({
  ...{ ref, family: "openai", context: 400_000, output: 128_000, reachable: "key set", how: "" },
  ...{ can: ["pictures", "tools"], cannot: ["documents"] },
  price: { in: 0.25, out: 2, date: "2025-11-30", source: "list" },
  ...more,
});
const table = {
  models: [
    row("openai/gpt-5-mini"),
    row("ollama/a-very-long-name-of-a-model-that-somebody-tuned-at-home:27b-instruct-q4_K_M", {
      price: "free",
      ...{ context: null, output: null, can: [], cannot: [] },
      reachable: "answers",
    }),
    row("ollama/\u001b[31mred\u202e\u0007", { price: null, family: null }),
  ],
  missing: [{ provider: "groq", next: "set GROQ_API_KEY" }],
};

describe("the table of models", () => {
  it.each([80, 40])("fits into %i cells and has nothing that acts on a terminal", (width) => {
    const text = tableText(table, width);
    const lines = text.trimEnd().split("\n");
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width);
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
    expect(lines.filter((line) => /(?:key set|answers)$/.test(line))).toHaveLength(3);
    expect(text).toMatch(/^openai\/gpt-5-mini/m);
    expect(text).toMatch(/0\.25.*2\.00.*400k.*it.*key set$/m);
    expect(text.replaceAll(/\s+/g, " ")).toContain("Not configured: groq (set GROQ_API_KEY)");
  });

  it("has the price, the context and the family of each model", () => {
    const [head, mini, local, red] = tableText(table, 160).split("\n");
    const heads = ["MODEL", "IN", "OUT", "CONTEXT", "OUTPUT", "CAN", "FAMILY", "REACHABLE"];
    expect(head?.split(/ +/)).toEqual(heads);
    expect(mini).toMatch(/^openai\/gpt-5-mini +0\.25 +2\.00 +400k +128k +pictures tools +openai +key set$/);
    expect(local).toMatch(/q4_K_M +free +free +\? +\? +\? +openai +answers$/);
    expect(red).toMatch(/^ollama\/red +\? +\? +400k +128k +pictures tools +\? +key set$/);
    expect(tableText(table, 80)).toMatch(/^openai\/gpt-5-mini +0\.25 +2\.00 +400k +it +key set$/m);
    expect(tableText(table, 80)).toContain("i pictures, p PDFs");
    const plan = row("codex/default", { price: "subscription", context: null, can: [], cannot: [] });
    expect(tableText({ models: [plan], missing: [] }, 40)).toContain("  subscription · ? · ? · key set\n");
  });
});

it("tells the price of a model that is called through a package or over another API as its own", async () => {
  const yaml = "models: ['ai-sdk/mistral/mistral-small-latest', 'openai/gpt-4.1?wire=responses', sim/ada]\n";
  using place = scratch(
    { ".config/parley/parley.yaml": yaml },
    { ...NOWHERE, OPENAI_API_KEY: "sk-0123456789abcdef" },
  );
  const { io, written } = commandIo(place);
  expect(await commandNamed("models").run(io, { json: true }, [])).toBe(EXIT.answered);
  const { models } = JSON.parse(written.stdout) as { models: ModelRow[] };
  expect(models.find(({ ref }) => ref.startsWith("ai-sdk/"))).toMatchObject({
    ...{ family: "mistral", reachable: "configured", price: { in: 0.15, out: 0.6 } },
  });
  expect(models.find(({ ref }) => ref.endsWith("wire=responses"))).toMatchObject({
    ...{ family: "openai", price: { in: 2, out: 8 }, context: expect.any(Number) },
  });
});

/** A server of OpenAI's API, which refuses a body with the field `refuses`. */
async function openaiServer(
  status: number,
  reply: unknown,
  { refuses, asked = [] }: { readonly refuses?: string; readonly asked?: Record<string, unknown>[] } = {},
): Promise<Readonly<Record<string, string>>> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (bytes: Buffer) => (text += bytes.toString()));
    request.on("end", () => {
      const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
      if (request.method === "POST") asked.push(body);
      const refused = refuses !== undefined && refuses in body;
      const error = { message: `Unsupported parameter: '${refuses}' is not supported with this model.` };
      response.writeHead(refused ? 400 : status).end(JSON.stringify(refused ? { error } : reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_API_KEY: "sk-0123456789abcdef",
    ...NOWHERE,
  };
}

const ANSWER = {
  choices: [{ message: { content: "I am\u001b[31m a model" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 12, completion_tokens: 1_500 },
};

describe("a test of one model", () => {
  it("tells time, tokens, cost and the reply's beginning", async () => {
    using place = scratch({}, await openaiServer(200, ANSWER));
    const { io, written } = commandIo(place);
    expect(await commandNamed("models").run(io, {}, ["test", "openai/gpt-5-mini"])).toBe(EXIT.answered);
    expect(written.stdout.replace(/in [\d.]+ m?s/, "in 1 s").replaceAll(/\n */g, " ")).toBe(
      "openai/gpt-5-mini answered in 1 s (12 input + 1,500 output tokens, $0.0030) I am a model ",
    );
  });

  it("asks again without what was refused, and gives a model that thinks room for it", async () => {
    const asked: Record<string, unknown>[] = [];
    using place = scratch({}, await openaiServer(200, ANSWER, { refuses: "reasoning_effort", asked }));
    const { io } = commandIo(place);
    const test = (ref: string) => commandNamed("models").run(io, {}, ["test", ref]);
    expect(await test("openai/gpt-5-mini?effort=low")).toBe(EXIT.answered);
    expect(await test("openai/gpt-4o")).toBe(EXIT.answered);
    const limits = asked.map((body) => [body["reasoning_effort"], body["max_tokens"]]);
    expect(limits).toEqual([
      ["low", 16_384],
      [undefined, 16_384],
      [undefined, 4_096],
    ]);
  });

  it("fails as the provider does, and shows no key", async () => {
    const error = { message: "Incorrect API key: sk-0123456789abcdef", code: "invalid_api_key" };
    using place = scratch({}, await openaiServer(401, { error }));
    const { io, written } = commandIo(place);
    expect(await commandNamed("models").run(io, {}, ["test", "openai/gpt-5-mini"])).toBe(EXIT.authentication);
    expect(written.stdout).toMatch(/^openai\/gpt-5-mini failed in [\d.]+ m?s\n/);
    expect(written.stdout).not.toContain("0123456789");
  });

  it("is refused where it names no model that can be called", async () => {
    using place = scratch({}, NOWHERE);
    const run = (...words: string[]) =>
      refusalOf(() => commandNamed("models").run(commandIo(place).io, {}, words), place);
    expect(await run("test")).toContain("takes one model");
    expect(await run("openai/gpt-5")).toContain("parley models test openai/gpt-5");
    expect(await run("test", "opnai/gpt-5")).toContain("openai/gpt-5");
  });
});

describe("doctor", () => {
  const checks = async (env: Readonly<Record<string, string>>, given: Record<string, unknown>) => {
    using place = scratch({}, { PARLEY_STORE: ":memory:", ...env });
    const { io, written } = commandIo(place);
    const code = await commandNamed("doctor").run(io, { json: true, ...given }, []);
    return { code, checks: JSON.parse(written.stdout) as { what: string; found: string; next?: string }[] };
  };

  it("says that a key is set and not tested, where it calls nothing", async () => {
    const { code, checks: all } = await checks({ OPENAI_API_KEY: "sk-0123456789abcdef", ...NOWHERE }, {});
    expect(code).toBe(EXIT.answered);
    expect(all.find(({ what }) => what === "models")?.found).toBe(
      "openai (OPENAI_API_KEY is set, not tested)",
    );
  });

  it("makes one call a provider with --probe, and fails where that does", async () => {
    const good = await checks(await openaiServer(200, ANSWER), { probe: true });
    expect(good.code).toBe(EXIT.answered);
    expect(good.checks.at(-1)).toMatchObject({
      what: "call to openai",
      found: expect.stringMatching(/^openai\/gpt-6\.1-terra answered in /),
    });
    const none = { choices: [{ message: { content: "" }, finish_reason: "length" }], usage: ANSWER.usage };
    const thought = await checks(await openaiServer(200, none), { probe: true });
    expect(thought.checks.at(-1)?.found).toMatch(/^openai\/gpt-6\.1-terra answered in /);
    const bad = await checks(await openaiServer(401, { error: { message: "no", code: "invalid_api_key" } }), {
      probe: true,
    });
    expect(bad.code).toBe(EXIT.refusedByCheck);
    expect(bad.checks.at(-1)?.next).toBe("set the right key of openai");
  });
});
