import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAiApi } from "../src/features/client-apis/api/index.ts";
import { mcpClient, mcpTestServer } from "./support/mcp.ts";
import { nativeApi, serverPlace, SIMS, SUM, type TestServer } from "./support/server.ts";

// A name from outside is looked up among what is known: what every object has is as unknown as any other word.

const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"];
/** A word that nothing is named by. */
const UNKNOWN = "nothinglikethat";

const place = serverPlace();
let server: TestServer;
beforeAll(async () => {
  server = await mcpTestServer({ surfaces: [nativeApi, openAiApi] }, place);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

type Named = readonly [method: string, path: string, body?: unknown];

/** The statuses of requests with `UNKNOWN`, which are the same for each name. */
const ofUnknown = new Map<string, readonly number[]>();

/** The requests that are answered otherwise with this name than with a word that nothing is named by; none has an error of its own. */
async function different(name: string, requests: (name: string) => readonly Named[]) {
  const statusesOf = (sent: readonly Named[]) =>
    Promise.all(
      sent.map(async ([method, path, body]) => {
        const sent = { signal: AbortSignal.timeout(10_000), ...(body === undefined ? {} : { body }) };
        return (await server.request(method, path, sent).catch(() => ({ status: 0 }))).status;
      }),
    );
  const known = await statusesOf(requests(name));
  const alike = requests(UNKNOWN);
  const key = JSON.stringify(alike);
  const unknown = ofUnknown.get(key) ?? (await statusesOf(alike));
  ofUnknown.set(key, unknown);
  expect(server.log).toEqual([]);
  const isRefused = (status = 0) => status >= 400 && status < 500;
  return requests(name).flatMap((request, at) =>
    isRefused(known[at]) || known[at] === unknown[at]
      ? []
      : [{ request: JSON.stringify(request), statuses: [known[at], unknown[at]] }],
  );
}

/** An object with a field of this name of its own, also where that is `__proto__`. */
const withField = (name: string, value: unknown, rest: object = {}): object =>
  Object.defineProperty({ ...rest }, name, { value, enumerable: true, configurable: true, writable: true });

/** The fields of both; a spread would take `__proto__` for what an object is made from. */
const mixed = (one: object, other: object): object =>
  Object.entries(other).reduce((all, [name, value]) => withField(name, value, all), one);

const question = { question: SUM, models: SIMS, protocol: "council", reactions: false };
const chat = { model: "parley/ask", messages: [{ role: "user", content: SUM }] };

describe.each(NAMES)("%s", (name) => {
  it("is no path", async () => {
    const below = [
      "deliberations",
      "benches",
      "personas",
      "strategies",
      "packs",
      "prompts",
      "memory/engrams",
    ];
    const folders = [
      ...["/", "/api/", "/api/v1/", "/v1/", "/mcp/", "/assets/", ...below.map((one) => `/api/v1/${one}/`)],
      ...["/v1/models/", "/v1/models/parley/", "/v1/responses/"],
    ];
    const requests = (of: string) =>
      folders
        .flatMap((folder) => [`${folder}${of}`, `${folder}${of}/${of}`])
        .flatMap((path): Named[] => [
          ["GET", path],
          ["DELETE", path],
          ["POST", path, {}],
        ]);
    expect(await different(name, requests)).toEqual([]);
    // Before any credential is looked at, and at once.
    expect((await server.get(`/${name}`, { key: null })).status).toBe(404);
  });

  it("is no parameter, and no value of one", async () => {
    const paths = ["deliberations", "usage", "models", "league", "memory/search", "votes", "feed", "bus"];
    const values = ["usage?by=", "deliberations?status=", "deliberations?protocol=", "league?by="];
    const requests = (of: string) =>
      [
        ...paths.flatMap((path) => [`${path}?${of}=1`, `${path}?${of}=1&${of}=2`]),
        ...values.map((path) => `${path}${of}`),
      ].map((path): Named => ["GET", path]);
    expect(await different(name, requests)).toEqual([]);
  });

  it("is nothing that a question may name", async () => {
    const requests = (of: string) => {
      const given: object[] = [
        ...["protocol", "strategy", "pack", "mode", "rubric", "judge", "chair", "effort"].map((field) => ({
          [field]: of,
        })),
        ...[of, `${of}/x`, `sim/ada?${of}=1`, `openai/x?${of}=1`].map((model) => ({ models: [model] })),
        ...["personas", "tools", "seats", "roles", "reviewers", "chairs"].map((field) => ({ [field]: [of] })),
        { seats: [{ name: "me", seat: of }] },
        { tools: [`${of}/*`] },
        { previous: of },
        withField(of, 1),
        withField(of, { models: [] }),
      ];
      return given.flatMap((more) => {
        const body = mixed(question, more);
        return ["deliberations", "estimate"].map((path): Named => ["POST", path, body]);
      });
    };
    expect(await different(name, requests)).toEqual([]);
  });

  it("is nothing that a client of OpenAI's may name", async () => {
    const requests = (of: string): Named[] => {
      const common: object[] = [
        ...[of, `parley/${of}`, `${of}/x`].map((model) => ({ model })),
        { tools: [{ type: of, function: { name: of } }] },
        { tools: [{ type: "function", function: { name: of } }], tool_choice: of },
        { reasoning_effort: of },
        { reasoning: { effort: of } },
        { parley: withField(of, 1) },
        { parley: { protocol: of } },
        { parley: { strategy: of } },
        withField(of, { a: 1 }),
      ];
      const messages: object[] = [
        { messages: [{ role: of, content: SUM }] },
        { messages: [{ role: "user", content: [{ type: of, text: SUM }] }] },
        { response_format: { type: of } },
        { response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: of } } } },
      ];
      return [
        ...[...common, ...messages].map((more): Named => ["POST", "/v1/chat/completions", mixed(chat, more)]),
        ...[...common, { input: [{ role: of, content: SUM }] }, { text: { format: { type: of } } }].map(
          (more): Named => ["POST", "/v1/responses", mixed({ model: chat.model, input: SUM }, more)],
        ),
      ];
    };
    expect(await different(name, requests)).toEqual([]);
  });

  it("is nothing that a client of MCP may name", async () => {
    await using client = await mcpClient(server);
    const asked = { question: SUM, models: [...SIMS] };
    const calls: [tool: string, given: object][] = [
      [name, {}],
      // The SDK's own schemas drop `__proto__` before anybody reads it.
      ...(name === "__proto__"
        ? []
        : [{ settings: { [name]: 1 } }, { [name]: 1 }].map((more): [string, object] => [
            "ask",
            { ...asked, ...more },
          ])),
      ["ask", { ...asked, settings: { strategy: name } }],
      ["council", { question: SUM, models: [`${name}/x`] }],
      ["show", { id: name }],
      ["answer", { id: name, answers: withField(name, "x") }],
    ];
    const INTERNAL = -32_603;
    for (const [tool, given] of calls) {
      const refused = await client
        .callTool({ name: tool, arguments: given as Record<string, unknown> })
        .then(({ isError }) => isError === true)
        .catch((error: unknown) => (error as { readonly code?: number }).code !== INTERNAL);
      expect([tool, given, refused]).toEqual([tool, given, true]);
    }
    for (const uri of [`parley://${name}`, `parley://deliberations/${name}`, `${name}:x`])
      await expect(client.readResource({ uri })).rejects.not.toMatchObject({ code: INTERNAL });
    expect(server.log).toEqual([]);
  });
});
