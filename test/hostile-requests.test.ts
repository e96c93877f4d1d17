import { afterAll, beforeAll, expect, it } from "vitest";
import { apis } from "../src/features/client-apis/api/index.ts";
import { mcpTestServer } from "./support/mcp.ts";
import { nativeApi, SIMS, SUM, type Got, type Sent, type TestServer } from "./support/server.ts";

// Broken and hostile requests: anything in each place of bodies that would be answered, and bodies, types, methods, paths and headers that
// no client sends. Each is answered or refused in the words of its API, none is an error of the server, none that is refused opens a run,
// and the server answers afterwards.

const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);

/** What stands at a place where something else belongs. */
const VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2],
  ...["", "\0", "\ud800", "\u202eevil", "../../etc/passwd", "__proto__", "constructor", "x".repeat(70_000)],
  ...["data:image/png;base64,AAAA", "file:///etc/passwd", "http://127.0.0.1:1/x", "${HOME}"],
  ...[[], [null], [[]], ["x"], {}, { constructor: 1 }, { type: "x" }, { toString: { valueOf: 1 } }],
  ...[nested(60), nested(99), Array.from({ length: 1_200 }, () => ({})), { $ref: "#" }],
  { type: "string", pattern: "^(a+)+$" },
];

/** A body with something else at each of its places, or nothing. */
function* changed(body: unknown): Generator<unknown> {
  yield* VALUES;
  if (typeof body !== "object" || body === null) return;
  const put = (key: string, ...inner: readonly unknown[]): unknown => {
    const copy = (Array.isArray(body) ? [...body] : { ...body }) as Record<string, unknown>; // indexed as either is
    if (inner.length === 0) Reflect.deleteProperty(copy, key);
    else copy[key] = inner[0];
    return copy;
  };
  for (const [key, inner] of Object.entries(body)) {
    yield put(key);
    for (const other of changed(inner)) yield put(key, other);
  }
}

type Tried = { readonly method: string; readonly path: string; readonly sent: Sent };

const post = (path: string, body: unknown, sent: Sent = {}): Tried => ({
  ...{ method: "POST", path },
  sent: { body, ...sent },
});

/** Requests that no client sends, for a path with a body that is answered. */
function* malformed(path: string, body: unknown): Generator<Tried> {
  const text = JSON.stringify(body);
  const texts = [
    ...["{", "nul", '"', "{}{}", `${text},`, `\ufeff${text}`, `${text.slice(0, -1)},"__proto__":{"a":1}}`],
    ...["[".repeat(100_000), `${text.slice(0, -1)},"a":${"[".repeat(101)}${"]".repeat(101)}}`],
    ...["a=1&b=2", "<xml/>", "\0\0\0\0", `{"a":"\u0001"}`, `{"a":1e999,"a":}`, "// {}\n{}"],
  ];
  const bytes = [
    Buffer.from([0xff, 0xfe, 0x7b]),
    Buffer.from([0x1f, 0x8b, 8, 0, 0]),
    Buffer.alloc(31_000_000, " "),
  ];
  for (const one of [...texts, ...bytes]) yield post(path, one);
  for (const type of [
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "x",
    "application/xml",
  ])
    yield post(path, body, { headers: { "content-type": type } });
  for (const method of ["PUT", "PATCH", "TRACE", "PROPFIND"]) yield { method, path, sent: { body } };
  for (const key of [null, "", "x", "parley_", "x".repeat(10_000), "\u00ff\u00fe"])
    yield post(path, body, { key });
  for (const authorization of ["Basic eDp5", "Bearer", "Bearer a b", "Digest x"])
    yield post(path, body, { key: null, headers: { authorization } });
  yield post(path, body, { headers: { origin: "https://evil.test", "sec-fetch-site": "cross-site" } });
  yield post(path, body, { headers: { host: "evil.test" } });
  yield post(path, body, { headers: { "idempotency-key": "x".repeat(9_000) } });
  for (const odd of [
    "%00",
    "%ff",
    "/..%2f..%2fetc",
    "/x/y/z",
    "%e2%80%ae",
    "/__proto__",
    `/${"x".repeat(9_000)}`,
  ])
    yield post(`${path}${odd}`, body);
}

/** How an API is asked, and what its refusals look like. */
type Api = {
  /** Where it is asked, with bodies that are answered. */
  readonly asked: readonly (readonly [path: string, body: unknown])[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it was refused; asserts that this is said as the API says it. */
  readonly isRefused: (got: Got) => boolean;
};

const SCHEMA = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
const asking = { model: "parley/respond", temperature: 0.5, stream: false };
const user = { role: "user", content: SUM };
const tool = { name: "sum", description: "Adds.", parameters: SCHEMA };
const part = expect.stringMatching(/./) as string;
const anError = { message: part, type: expect.stringMatching(/_error$|^request_too_large$/) as string };

/** A refusal by HTTP, with a body of this form. */
const refusedWith =
  (form: object) =>
  (got: Got): boolean => {
    if (got.status < 400) return false;
    expect(got.json).toMatchObject(form);
    return true;
  };

const CHAT = "/v1/chat/completions";
const APIS: Readonly<Record<string, Api>> = {
  chat: {
    asked: [
      [
        CHAT,
        {
          ...{ ...asking, stop: ["x"], max_tokens: 500, top_p: 0.5, seed: 7, reasoning_effort: "low" },
          ...{ messages: [{ role: "user", content: [{ type: "text", text: SUM }] }], metadata: { a: "b" } },
          ...{ parley: { models: ["sim/ada"], budget: { usd: 1 } }, stream_options: { include_usage: true } },
        },
      ],
      [
        CHAT,
        {
          ...asking,
          messages: [
            user,
            {
              ...{ role: "assistant", content: null },
              tool_calls: [{ id: "c", type: "function", function: { name: "sum", arguments: "{}" } }],
            },
            { role: "tool", tool_call_id: "c", content: "391" },
          ],
          tools: [{ type: "function", function: tool }],
          tool_choice: { type: "function", function: { name: "sum" } },
        },
      ],
      [
        CHAT,
        {
          ...{ model: "parley/respond", messages: [user] },
          response_format: { type: "json_schema", json_schema: { name: "sum", schema: SCHEMA } },
        },
      ],
    ],
    isRefused: refusedWith({ error: anError }),
  },
  responses: {
    asked: [
      [
        "/v1/responses",
        {
          ...{ ...asking, input: SUM, instructions: "Be short.", max_output_tokens: 500, truncation: "auto" },
          ...{ reasoning: { effort: "low", summary: "auto" }, background: false, metadata: { a: "b" } },
          text: { format: { type: "json_schema", name: "sum", schema: SCHEMA } },
        },
      ],
      [
        "/v1/responses",
        {
          ...asking,
          input: [
            { type: "message", role: "user", content: [{ type: "input_text", text: SUM }] },
            { type: "function_call", call_id: "c", name: "sum", arguments: "{}" },
            { type: "function_call_output", call_id: "c", output: "391" },
          ],
          tools: [{ type: "function", ...tool }],
          tool_choice: { type: "function", name: "sum" },
        },
      ],
      ["/v1/responses/input_tokens", { model: "parley/respond", input: [user] }],
    ],
    isRefused: refusedWith({ error: anError }),
  },
  messages: {
    asked: [
      [
        "/v1/messages",
        {
          ...{ ...asking, max_tokens: 500, system: [{ type: "text", text: "Be short." }] },
          messages: [{ role: "user", content: [{ type: "text", text: SUM }] }],
          ...{ stop_sequences: ["x"], metadata: { user_id: "me" }, thinking: { type: "enabled" } },
          output_config: { effort: "low", format: { type: "json_schema", schema: SCHEMA } },
        },
      ],
      [
        "/v1/messages",
        {
          ...{ model: "parley/respond", max_tokens: 500 },
          messages: [
            user,
            { role: "assistant", content: [{ type: "tool_use", id: "c", name: "sum", input: {} }] },
            { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "391" }] },
          ],
          tools: [{ name: "sum", description: "Adds.", input_schema: SCHEMA }],
          tool_choice: { type: "tool", name: "sum", disable_parallel_tool_use: true },
        },
      ],
    ],
    isRefused: refusedWith({ type: "error", error: anError }),
  },
  native: {
    asked: [
      [
        "deliberations",
        {
          ...{ question: SUM, protocol: "respond", models: ["sim/ada"], temperature: 0.5, seed: "7" },
          ...{
            labels: { a: "b" },
            history: [{ question: "a", answer: "b" }],
            maxCostUsd: 1,
            reactions: false,
          },
          ...{ context: [{ name: "a.md", text: "b" }], system: "Be short.", sampling: { top_p: 0.5 } },
        },
      ],
      [
        "estimate",
        {
          ...{ question: SUM, protocol: "council", models: SIMS, strategy: "balanced", mode: "consensus" },
          ...{ personas: ["analyst", "skeptic", "pragmatist"], seats: [{ name: "me", seat: "reviewer" }] },
        },
      ],
      ["deliberations/ID/fork/estimate", { without: ["a"], models: ["sim/ada"] }],
      ["deliberations/ID/feedback", { thumb: "up", note: "good" }],
      ["deliberations/ID/answers", { answers: { q: "Yes." } }],
    ],
    isRefused: refusedWith({ type: "about:blank", title: part, detail: part, code: part }),
  },
  MCP: {
    asked: ["ask", "council", "show", "list"].map((name) => [
      "/mcp",
      {
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: {
          name,
          arguments: { question: SUM, models: ["sim/ada"], id: "x" },
          _meta: { progressToken: 1 },
        },
      },
    ]),
    headers: { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" },
    isRefused({ status, text }) {
      if (status === 202 && text === "") return false;
      const [last = text] = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => data).reverse();
      const said = JSON.parse(last);
      for (const one of [said].flat()) {
        if (one.result?.isError === true) expect(one.result.content).toMatchObject([{ text: part }]);
        else if (one.code !== undefined) expect(one).toMatchObject({ title: part, detail: part, code: part });
        else if (one.result === undefined)
          expect(one.error).toMatchObject({ code: expect.any(Number), message: part });
        else return false;
      }
      return true;
    },
  },
};

const AT_ONCE = 16;
const LIMIT_MS = 30_000;
/** How many of an API's bodies are tried, spread over all: what is answered takes time. */
const MOST = 1_250;

const spread = <T>(all: readonly T[], most: number): readonly T[] =>
  all.filter((_, nth) => Math.floor((nth * most) / all.length) < Math.floor(((nth + 1) * most) / all.length));

let server: TestServer;
let ended: string;
beforeAll(async () => {
  server = await mcpTestServer({ surfaces: [nativeApi, ...apis] });
  ended = (await server.ask({ protocol: "respond", models: ["sim/ada"] })).id;
});
afterAll(() => server[Symbol.asyncDispose]());

/** How many runs were opened, but for those that write an answer in a form. */
async function countRuns(): Promise<number> {
  const { store } = server.parley.context({}, { principal: server.principal });
  const all = await store.list({ limit: 100_000 });
  return all.filter(({ question }) => !question.startsWith("Write the attached answer")).length;
}

it.each(Object.entries(APIS))("%s", { timeout: 300_000 }, async (_, { asked, headers = {}, isRefused }) => {
  const bodies = asked.flatMap(([path, body]) => [...changed(body)].map((one) => post(path, one)));
  const all = [...spread(bodies, MOST), ...asked.flatMap(([path, body]) => [...malformed(path, body)])];
  const tried = all.map((one) => ({ ...one, path: one.path.replace("ID", ended) }));
  const before = await countRuns();
  const counts = { refused: 0, answered: 0, unmet: 0 };
  const wrong: string[] = [];
  const one = async ({ method, path, sent }: Tried): Promise<void> => {
    const signal = AbortSignal.timeout(LIMIT_MS);
    try {
      const asking = { ...sent, headers: { ...headers, ...sent.headers }, signal };
      const got = await server.request(method, path, asking);
      if (got.status >= 500) throw new Error(`${got.status} ${got.text.slice(0, 300)}`);
      const refused = isRefused(got);
      counts[refused ? "refused" : "answered"] += 1;
      // The run was answered, and its answer did not come into the form that was asked for.
      if (refused && got.text.includes("could not be written in the form")) counts.unmet += 1;
    } catch (error) {
      const body =
        sent.body instanceof Uint8Array ? "bytes" : String(JSON.stringify(sent.body)).slice(0, 500);
      wrong.push(`${method} ${path.slice(0, 80)} ${body}\n  ${String(error).slice(0, 600)}`);
    }
  };
  const rest = tried.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const next of rest) await one(next);
    }),
  );
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(counts.refused).toBeGreaterThan(1_000);
  expect((await countRuns()) - before).toBeLessThanOrEqual(counts.answered + counts.unmet);
  expect((await server.ask()).status).toBe("answered");
});
