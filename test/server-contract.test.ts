import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withProtocols } from "../src/app/registry.ts";
import { features } from "../src/features.ts";
import { recordedBench } from "./support/recorded-bench.ts";
import { scratch } from "./support/scratch.ts";
import { valuesOf, type Known } from "./support/schema-arbitrary.ts";
import {
  routes,
  SIMS,
  SUM,
  testServer,
  type Got,
  type Json,
  type Sent,
  type TestServer,
} from "./support/server.ts";

// The document says what the API takes and gives. Requests are made from it, and replies are held against it.

/** Of each operation so many requests that fit the document, and as many that do not. */
const RUNS = Number(process.env["PARLEY_CONTRACT_RUNS"] ?? 12);
const SEED = Number(process.env["PARLEY_CONTRACT_SEED"] ?? 17);

let server: TestServer;
let document: Json;
let ids: string[];
let benches: string[];
/** What may be forgotten without another operation missing it. */
let spare: string[];
/** Sessions that may end. */
let sessions: string[];
const ajv = new Ajv2020({ strict: false, validateFormats: false });
beforeAll(async () => {
  server = await testServer({ maxDrives: 2 });
  document = (await server.get("openapi.json")).json;
  ajv.addSchema(document, "api");
  const seats = [{ name: "me", seat: "reviewer" }];
  const runs = [
    await server.ask(),
    await server.ask({ protocol: "debate", rounds: 1 }),
    await server.ask({ protocol: "respond", models: [SIMS[0]], reactions: true }),
    await server.ask({ protocol: "ask" }),
    (
      await server.post(
        "deliberations",
        { question: SUM, protocol: "council", models: SIMS, seats },
        { headers: { prefer: "wait=9" } },
      )
    ).json,
    (
      await server.post(
        "deliberations",
        { question: SUM, protocol: "debate", models: ["sim/ada?asks=2"], clarify: true },
        { headers: { prefer: "wait=9" } },
      )
    ).json,
  ];
  ids = runs.map(({ id }) => id as string);
  for (let nth = 0; nth < 4; nth += 1) await server.newSession();
  sessions = ((await server.get("sessions")).json.data as Json[]).map(({ id }) => id as string);
  spare = [(await server.ask()).id, (await server.ask()).id];
  benches = [(await recordedBench(server, { tasks: 2 })).id];
  const parents = ["analyst", "historian"];
  for (const name of ["Kid", "Tot"])
    await server.post("personas/breed", { parents, name, models: SIMS }, { headers: { prefer: "wait=9" } });
  expect(runs.map(({ status }) => status as string)).toEqual([
    ...Array.from({ length: 4 }, () => "answered"),
    "waiting",
    "waiting",
  ]);
}, 30_000);
afterAll(() => server[Symbol.asyncDispose]());

it("the document is valid OpenAPI 3.1, and every reference leads somewhere", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(document));
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
  expect(validator.version).toBe("3.1");
  expect(() => validator.resolveRefs()).not.toThrow();
  expect(JSON.stringify(document)).not.toContain("/$defs/");
});

it("Spectral has nothing to say against it", async () => {
  using place = scratch();
  const file = place.write("openapi.json", JSON.stringify(document));
  const ruleset = place.write("ruleset.yaml", 'extends: ["spectral:oas"]\n');
  const spectral = fileURLToPath(
    new URL("../node_modules/@stoplight/spectral-cli/dist/index.js", import.meta.url),
  );
  const args = [spectral, "lint", file, "--ruleset", ruleset, "--format", "json", "--quiet"];
  const found = await new Promise<string>((resolve) =>
    execFile(process.execPath, args, { cwd: place.home }, (_error, stdout) => resolve(stdout)),
  );
  expect(JSON.parse(found)).toEqual([]);
}, 30_000);

/** What would be drawn from too many texts to ever be carried out. */
const KNOWN: Known = {
  models: fc.constantFrom([...SIMS], [SIMS[0]], ["sim/ada", "sim/bo"]),
  ...Object.fromEntries(
    ["chair", "reviewers", "synthesizer", "judge"].map((name) => [
      name,
      fc.constantFrom([...SIMS], [SIMS[1]], ["nobody/x"]),
    ]),
  ),
  modelB: fc.constantFrom("sim/bo", "nobody/x"),
  mapModels: fc.constantFrom("sim/bo", "sim/ada=sim/bo", "="),
  protocol: fc.constantFrom(...Object.keys(withProtocols([], features)), "nothing"),
  strategy: fc.constantFrom("balanced", "risk-averse", "goal-seeking", "nothing"),
  pack: fc.constantFrom("architecture-decision", "nothing"),
  personas: fc.constantFrom(["analyst"], ["nobody"]),
  parents: fc.constantFrom(["analyst", "historian"], ["analyst", "nobody"]),
  against: fc.constantFrom("analyst", "nobody"),
  tasks: fc.constantFrom([{ question: SUM }]),
  agents: fc.constantFrom(["architect", "kiss"], ["nobody"]),
  question: fc.oneof(fc.constant(SUM), fc.string({ unit: "grapheme", minLength: 1 }), fc.constant("\ud800")),
  maxCalls: fc.integer({ min: 1, max: 3 }),
  rounds: fc.integer({ min: 1, max: 2 }),
  seats: fc.constantFrom([], [{ name: "me", seat: "member" }], [{ name: "x y", seat: "x" }]),
  timeoutMs: fc.constantFrom(2_000, "2s", "soon", "1e9"),
  openrouter: fc.constantFrom({}, { sort: "price" }),
};

/** What operations on the library are about. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  personas: ["mine", "kid", "kid", "analyst", "nobody", "a b"],
  strategies: ["mine", "mine", "mine", "balanced", "nobody", "A"],
  packs: ["mine", "mine", "mine", "risk-review", "nobody", "x".repeat(70)],
  prompts: ["council-draft", "council-draft", "nobody", "..x"],
};
const TEXTS: Readonly<Record<string, string>> = {
  editPersona: "id: mine\nname: Mine\ninstructions: Be brief.\n",
  writeStrategy: "name: mine\ndirective: Weigh it.\n",
  writePack: "id: mine\nname: Mine\nmembers: [analyst]\n",
  writePrompt: "=== user ===\n{{material}}\n{{persona}}\n",
};
/** Their bodies, without which hardly anything would be carried out. */
function inBody(operation: string, bodies: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const text = TEXTS[operation];
  const more: fc.Arbitrary<object> =
    text !== undefined
      ? fc.constantFrom({ text, digest: undefined }, { text, digest: undefined }, { text: "a: [" }, {})
      : operation === "breedPersona"
        ? fc.nat().map((nth) => ({ name: `Kid ${nth}` })) // two that are bred at once have two names
        : operation === "tryPersona"
          ? fc.constantFrom({ tasks: TASKS, models: ["sim/ada"], chair: undefined }, {})
          : fc.constant({});
  return fc.tuple(bodies, more).map(([body, own]) => {
    const { parts: _parts, ...rest } = body as { parts?: unknown };
    return "text" in own ? { ...rest, ...own } : { ...(body as object), ...own };
  });
}
const TASKS = Array.from({ length: 14 }, (_, nth) => ({
  question: `What is ${nth + 2} * 2?`,
  answer: String(nth * 2 + 4),
}));

type Operation = {
  readonly method: string;
  readonly path: string;
  readonly spec: Json;
  readonly name: string;
};
const operations: readonly Operation[] = routes.map(({ method, path, name }) => ({
  method,
  path: `/${path}`,
  name,
  spec: undefined,
}));

/** One request: with its path filled in, and why it is wrong where it is. */
type Asked = { readonly path: string; readonly sent: Sent; readonly why?: string };

const header = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 20,
});

function parametersIn(spec: Json, where: string): Json[] {
  return (spec.parameters ?? []).filter((one: Json) => one.in === where);
}

/** Requests that fit the document. */
function fitting({ path, spec, name: operation }: Operation): fc.Arbitrary<Asked> {
  const named = (where: string, kept: Known = {}) =>
    fc.record(
      Object.fromEntries(
        parametersIn(spec, where).map(({ name, schema }) => [
          name,
          kept[name] ?? valuesOf(schema, { root: document }),
        ]),
      ),
      { requiredKeys: where === "path" ? undefined : [] } as { requiredKeys: [] },
    ) as fc.Arbitrary<Record<string, unknown>>;
  const anyId = fc.oneof(
    // What waits is not cancelled, or nothing would be left that waits.
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        ...(operation === "getBench"
          ? benches
          : operation === "endSession"
            ? sessions
            : operation === "forgetDeliberation"
              ? spare
              : operation === "cancelDeliberation"
                ? ids.slice(0, 4)
                : ids),
      ),
    },
    fc.constantFrom("222222222222", "x", "..%2f"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 9 }),
  );
  const names = operation === "editPersona" ? ["mine"] : NAMES[path.split("/")[1] ?? ""];
  const name = fc.constantFrom(...(operation === "tryPersona" ? ["tot", "nobody"] : (names ?? ["x"])));
  const params = named("path", {
    ...{ id: names ? name : anyId, name },
    seq: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 1e9 })),
  });
  const query = named("query", {
    since: fc.constantFrom("12h", "2026-01-31", "soon"),
    until: fc.constantFrom("1s", "2999-12-31T23:59Z"),
    label: fc.constantFrom("a:b", ["a:b", "c:"]),
    after: fc.oneof(
      fc.constantFrom(...ids),
      fc.integer({ min: 0, max: 20 }).map(String),
      fc.constantFrom(...ids.map((id) => `${id}:3`)),
    ),
    of: fc.array(
      fc.tuple(anyId, fc.integer({ min: 0, max: 20 })).map(([id, seq]) => `${id}:${seq}`),
      { minLength: 1, maxLength: 3 },
    ),
    format: fc.constantFrom("md", "html", "json", "jsonl", "csv", "adr", "debate", "dialectic", "local2"),
  });
  const headers = named("header", {
    "Idempotency-Key": header,
    Prefer: fc.constantFrom("wait=0", "wait=1", "x", "respond-async"),
    "Last-Event-ID": fc.integer({ min: 0, max: 30 }).map(String),
    "If-None-Match": header,
  });
  const schema = spec.requestBody?.content["application/json"].schema;
  const body =
    schema === undefined
      ? fc.constant(undefined)
      : inBody(
          operation,
          valuesOf(schema, { root: document, known: { ...KNOWN, correlation_id: fc.constantFrom(...ids) } }),
        );
  return fc
    .record({ params, query, headers, body })
    .map((drawn) => ({
      path: fill(path, drawn.params) + search(drawn.query),
      sent: {
        headers: drawn.headers as Record<string, string>,
        ...(drawn.body === undefined ? {} : { body: JSON.stringify(drawn.body) }),
      },
    }));
}

const fill = (path: string, params: Record<string, unknown>): string =>
  path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(params[name]).toWellFormed?.() ?? String(params[name])),
    );
const search = (query: Record<string, unknown>): string => {
  const all = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) all.append(name, String(one));
  return all.size > 0 ? `?${all.toString()}` : "";
};

const bodyOf = ({ sent: { body } }: Asked): Record<string, unknown> =>
  JSON.parse(typeof body === "string" ? body : "{}") as Record<string, unknown>; // a body is made of a record

/** Requests that the document refuses. */
function broken(operation: Operation): fc.Arbitrary<Asked> {
  const { spec, method } = operation;
  const ways: ((good: Asked, any: unknown, name: string) => Asked | undefined)[] = [
    (good) => ({ ...good, sent: { ...good.sent, key: null }, why: "no key" }),
    (good) => ({
      ...good,
      sent: { ...good.sent, headers: { ...good.sent.headers, host: "evil.example" } },
      why: "another host",
    }),
    (good, _any, name) => ({
      ...good,
      path: `${good.path}${good.path.includes("?") ? "&" : "?"}zz${name.replaceAll(/\W/g, "")}=1`,
      why: "an unknown query",
    }),
  ];
  for (const { name, schema, in: where } of spec.parameters ?? []) {
    const fits = ajv.compile({ ...schema, $id: undefined });
    if (where === "query" && (schema.enum !== undefined || schema.type === "integer"))
      ways.push((good, any) => {
        const value = typeof any === "string" || typeof any === "number" ? String(any) : "";
        if (fits(value) || (/^\d{1,15}$/.test(value) && fits(Number(value)))) return undefined;
        return {
          path: good.path.replace(/\?.*/, "") + search({ [name]: value }),
          sent: good.sent,
          why: `query ${name}`,
        };
      });
  }
  if (method === "post") {
    const body = (text: string, why: string) => (good: Asked) => ({
      ...good,
      sent: { ...good.sent, body: text },
      why,
    });
    ways.push(
      body("{", "broken JSON"),
      body('"text"', "a text"),
      body("[1]", "a list"),
      body('{"__proto__":1}', "a prototype"),
    );
    ways.push((good) => ({
      ...good,
      sent: { body: "{}", headers: { "content-type": "text/plain" } },
      why: "no JSON",
    }));
    const schema = spec.requestBody?.content["application/json"].schema;
    if (schema === undefined) ways.push(body('{"x":1}', "a body"));
    else {
      const fits = ajv.compile({ $ref: `api${schema.$ref}` });
      const change = (good: Asked, any: unknown, name: string) => {
        const known = bodyOf(good);
        const names = [...Object.keys(resolved(schema).properties ?? known), name];
        const at = names[Math.abs(JSON.stringify(any).length * 7 + name.length) % names.length] ?? name;
        const value = { ...known, [at]: any };
        if (fits(JSON.parse(JSON.stringify(value)))) return undefined;
        return { ...good, sent: { ...good.sent, body: JSON.stringify(value) }, why: `${at}` };
      };
      ways.push(change, change, change, change);
      for (const name of resolved(schema).required ?? [])
        ways.push((good) => {
          const { [name]: _left, ...rest } = bodyOf(good);
          return { ...good, sent: { ...good.sent, body: JSON.stringify(rest) }, why: `without ${name}` };
        });
    }
  }
  const any = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(-1, 1.5, 1e300, "", [], {}, null, "x".repeat(5_000)),
  );
  const names = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 9 });
  return fc
    .tuple(fitting(operation), any, names, fc.constantFrom(...ways))
    .map(([good, one, name, way]) => way(good, one, name))
    .filter((one) => one !== undefined);
}

const resolved = (schema: Json): Json =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)];

/** A reply; of a stream that does not end, what comes first. */
async function reach({ method, name }: Operation, { path, sent }: Asked): Promise<Got> {
  if (!["subscribeBus", "followFeed"].includes(name)) return server.request(method.toUpperCase(), path, sent);
  const stream = await server.sse(path, sent);
  if (stream.status !== 200) return server.request("GET", path, sent);
  stream.close();
  const { status, headers } = stream;
  return { status, headers, text: "", json: undefined };
}

/** Says what is wrong with a reply by the document; undefined where nothing is. */
function complaint({ spec }: Operation, { status, headers, text }: Got): string | undefined {
  const declared = spec.responses[status];
  if (declared === undefined) return `${status} is not declared`;
  if (declared.content === undefined) return text === "" ? undefined : "it has a body, and none is declared";
  const type = headers["content-type"]?.split(";")[0] ?? "";
  const media = declared.content[type] ?? declared.content["*/*"];
  if (media === undefined) return `${status} of the type ${type} is not declared`;
  if (!type.endsWith("json") || media.schema.$ref === undefined) return undefined;
  const fits = ajv.compile({ $ref: `api${media.schema.$ref}` });
  return fits(JSON.parse(text)) ? undefined : ajv.errorsText(fits.errors);
}

it("a reply that had to begin early is 200, and is as the document says", async () => {
  const config = { version: "0", place: { env: {}, cwd: "/" }, maxDepth: 0, quietMs: 50 };
  await using own = await testServer({ config });
  const slow = { question: SUM, protocol: "respond", models: ["sim/ada?latency=1300"], reactions: false };
  const send = async (name: string, path: string, { body, wait }: { body?: unknown; wait: number }) => {
    const headers = { prefer: `wait=${wait}` };
    const got = await own.post(path, body, { headers });
    const bare = operations.find((one) => one.name === name);
    if (!bare) throw new Error(`there is no operation ${name}`);
    const operation = { ...bare, spec: document.paths[bare.path][bare.method] };
    expect([got.status, got.text.slice(0, 2), complaint(operation, got)]).toEqual([200, "\n\n", undefined]);
    expect(got.headers.location).toContain(`deliberations/${got.json.id}`);
    return got.json;
  };
  const { id, ...opened } = await send("openDeliberation", "deliberations", { body: slow, wait: 1 });
  expect(opened).toMatchObject({ status: "open", events: expect.stringContaining(id) as string });
  const resumed = await send("resumeDeliberation", `deliberations/${id}/resume`, { wait: 9 });
  expect(resumed).toMatchObject({ id, status: "answered", finalAnswer: "391" });
  const fork = { body: { upToSeq: 1 }, wait: 1 };
  expect(await send("forkDeliberation", `deliberations/${id}/fork`, fork)).toMatchObject({ status: "open" });
  // What is over before anything had to be said keeps its own status.
  const brief = await own.post("deliberations", { ...slow, models: ["sim/ada"] });
  expect(brief).toMatchObject({ status: 202, text: expect.stringMatching(/^\{/) as string });
});

describe.each(operations)("$name", (bare) => {
  const operation = (): Operation => ({ ...bare, spec: document.paths[bare.path][bare.method] });
  const check = async (requests: fc.Arbitrary<Asked>, judge: (got: Got, asked: Asked) => void) => {
    const one = operation();
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(requests, async (asked) => {
        const got = await reach(one, asked);
        statuses.set(got.status, (statuses.get(got.status) ?? 0) + 1);
        const told = `${asked.why ?? "fits"}: ${got.status} ${got.text.slice(0, 300)}`;
        expect(got.status, told).toBeLessThan(500);
        expect(complaint(one, got), told).toBeUndefined();
        judge(got, asked);
        if (one.name === "openDeliberation" || one.name === "forkDeliberation") {
          const id = got.status < 300 ? (got.json.id as string) : undefined;
          if (id !== undefined) await server.post(`deliberations/${id}/cancel`);
        }
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true, examples: [] },
    );
    return statuses;
  };

  it("replies to what fits as the document says", { timeout: 30_000 + RUNS * 300 }, async () => {
    const statuses = await check(fitting(operation()), () => undefined);
    expect(server.log).toEqual([]);
    // Without one that is carried out, the schema of its reply was never tried.
    const carried = [...statuses.keys()].filter((status) => status < 400);
    // Over HTTP nothing is attached yet.
    if (!["answer", "getEngram", "forgetFact", "getAttachment"].includes(bare.name))
      expect(carried, JSON.stringify([...statuses])).not.toEqual([]);
  });

  it("refuses what does not fit", { timeout: 30_000 + RUNS * 300 }, async () => {
    await check(broken(operation()), (got, asked) => {
      expect([asked.why, asked.path, asked.sent.body, got.status >= 400]).toEqual([
        asked.why,
        asked.path,
        asked.sent.body,
        true,
      ]);
    });
    expect(server.log).toEqual([]);
  });
});
