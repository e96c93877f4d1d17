import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSim, simServer, type SimServer } from "../src/sim/index.ts";
import { openAiApi } from "../src/features/client-apis/api/index.ts";
import { mcpClient, mcpTestServer } from "./support/mcp.ts";
import { countedCalls, type CountedCalls } from "./support/counted-calls.ts";
import {
  nativeApi,
  expectProblem,
  rawExchange,
  serverPlace,
  SUM,
  testServer,
  type Sent,
  type TestServer,
} from "./support/server.ts";

// SERVER-2, APP-1: what no server should accept has its status, costs no model call, and reads nobody's file.

const CANARY = "canary-4f1c9a-do-not-tell";
const SECRET = "sk-canary-000000000000000000000000";

let sim: SimServer;
let counted: CountedCalls;
let server: TestServer;
const place = serverPlace();
beforeAll(async () => {
  const listening = await simServer({ host: "127.0.0.1", port: 0, key: undefined, sim: createSim() });
  if (!listening.ok) throw new Error(listening.reason);
  sim = listening.server;
  counted = await countedCalls(sim.url);
  server = await testServer(
    { env: { OPENAI_BASE_URL: counted.url, CANARY_KEY: SECRET, PARLEY_CLIENT_MODELS: `${MODEL},openai/bo` } },
    place,
  );
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await counted[Symbol.asyncDispose]();
  await sim.close();
  place[Symbol.dispose]();
});

const MODEL = "openai/ada";
const question = { question: SUM, protocol: "respond", models: [MODEL], reactions: false };
const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, "host: localhost", `x-api-key: ${server.key}`, ...headers, "", ""].join("\r\n");
const statusIn = (text: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0);

/** Nothing was opened, so that nothing was called, and no answer was an unexpected error. */
async function expectUntouched(): Promise<void> {
  expect((await server.get("deliberations")).json.data).toEqual([]);
  expect(counted.calls()).toBe(0);
  expect(server.log).toEqual([]);
}

describe("a bad request", () => {
  const post = (body: unknown, headers: Sent["headers"] = {}) =>
    server.post("deliberations", body, { headers });
  const bytes = (length: number) => JSON.stringify({ ...question, question: "x".repeat(length) });
  const BAD: Record<string, readonly [send: () => Promise<{ status: number }>, status: number]> = {
    "a body over 2 MB": [() => post(bytes(2_000_001)), 413],
    "a body over 2 MB of unknown length": [
      async () => {
        const piece = `${(100_000).toString(16)}\r\n${"x".repeat(100_000)}\r\n`;
        const sent = head(
          "POST /api/v1/deliberations",
          "content-type: application/json",
          "transfer-encoding: chunked",
        );
        return { status: statusIn(await rawExchange(server.port, sent + piece.repeat(21))) };
      },
      413,
    ],
    "broken UTF-8": [() => post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), 400],
    "broken JSON": [() => post('{"question": '), 400],
    "JSON that is no object": [() => post("[1]"), 422],
    null: [() => post("null"), 422],
    "a text": [() => post('"What?"'), 422],
    "no JSON type": [() => post("question=x", { "content-type": "application/x-www-form-urlencoded" }), 415],
    "no type": [() => post(JSON.stringify(question), { "content-type": "" }), 415],
    "no body": [() => post(""), 422],
    "a body that is nested without end": [
      () => post(`{"question":"x","protocolSettings":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`),
      400,
    ],
    "an unknown key": [() => post({ ...question, modell: MODEL }), 422],
    "an unknown key of a prototype": [() => post('{"question":"x","__proto__":{"models":[]}}'), 400],
    "a number beyond numbers": [() => post('{"question":"x","maxCalls":1e999}'), 422],
    "a reply of endless length": [() => post({ ...question, respondTokens: 5e15 }), 422],
    "a reply of endless length below": [
      () =>
        server.post("estimate", {
          question: SUM,
          protocol: "council",
          models: [MODEL, MODEL],
          protocolSettings: { maxOutputTokens: { review: 5e15 } },
        }),
      422,
    ],
    "a spelling of files": [() => post({ ...question, models: `${MODEL},${MODEL}` }), 422],
    "no question": [() => post({ ...question, question: " " }), 422],
    "a label without end": [() => post({ ...question, labels: { a: "x".repeat(10_000) } }), 422],
    "a Last-Event-ID that is no number": [
      () =>
        server.get("deliberations/abc/events", {
          headers: { accept: "text/event-stream", "last-event-id": "x" },
        }),
      400,
    ],
    "a URL over 8 KB": [() => server.get(`deliberations?q=${"x".repeat(8_200)}`), 414],
    "a path with broken percent-encoding": [() => server.get("deliberations/%zz"), 404],
    "a query with broken percent-encoding": [() => server.get("deliberations?limit=%zz"), 400],
    "a query key twice": [() => server.get("usage?by=model&by=day"), 400],
    "a query where none is taken": [() => server.get("models?x=1"), 400],
    "a path that is nowhere": [() => server.get("nothing"), 404],
    "a path above": [() => server.get("/api/v1/../../etc/passwd"), 404],
    "an unknown id": [() => server.get("deliberations/222222222222"), 404],
    "an id that is none": [() => server.get(`deliberations/${encodeURIComponent("../../x")}`), 404],
    "a method that is not allowed": [() => server.request("PUT", "deliberations"), 405],
    "a method on a path beside the API": [() => server.request("DELETE", "/readyz"), 405],
    OPTIONS: [() => server.request("OPTIONS", "models"), 405],
    "10,000 headers": [
      async () => {
        const many = Array.from({ length: 10_000 }, (_, nth) => `x-${nth}: y`);
        return { status: statusIn(await rawExchange(server.port, head("GET /api/v1/models", ...many))) };
      },
      431,
    ],
    "no HTTP": [async () => ({ status: statusIn(await rawExchange(server.port, "hello\r\n\r\n")) }), 400],
    "two lengths": [
      async () => ({
        status: statusIn(
          await rawExchange(
            server.port,
            head("POST /api/v1/estimate", "content-length: 2", "content-length: 3") + "{}",
          ),
        ),
      }),
      400,
    ],
  };

  it.each(Object.keys(BAD))("%s has its status, and costs nothing", async (name) => {
    const [send, status] = BAD[name] ?? [];
    expect((await send?.())?.status).toBe(status);
    await expectUntouched();
  });

  it("is told in the words of RFC 9457, with the nearest name", async () => {
    const unknown = expectProblem(await post({ ...question, modell: MODEL }), 422, "invalid-request");
    expect(JSON.stringify(unknown)).toMatch(/modell.*model/);
    const twice = expectProblem(await server.get("usage?bi=model"), 400, "invalid-request");
    expect(JSON.stringify(twice)).toMatch(/bi.*"?by/);
    const typed = expectProblem(
      await post({ ...question, context: [{ name: 1, text: "" }] }),
      422,
      "invalid-request",
    );
    expect(typed.errors).toMatchObject([{ pointer: "#/context/0/name" }]);
    expect((await server.request("PUT", "deliberations")).headers.allow).toBe("GET, HEAD, POST");
    const large = await post(bytes(2_000_001));
    expectProblem(large, 413, "body-too-large");
    expect(large.headers.connection).toBe("close");
    await expectUntouched();
  });

  it("that never ends is over, with what was wrong", async () => {
    const sent = head("POST /api/v1/deliberations", "content-type: application/json", "content-length: 100");
    const text = await rawExchange(server.port, `${sent}{`, 60_000);
    expect(statusIn(text)).toBe(408);
    expect(text).toContain('"code":"too-slow"');
    await expectUntouched();
  }, 70_000);

  it("SERVER-2: has an id, which the log has too where nobody expected it", async () => {
    const answer = () => Promise.reject(new Error(`it holds ${SECRET}`));
    const broken500 = nativeApi.routes
      .slice(0, 1)
      .map((one) => ({ ...one, method: "get" as const, path: "", answer }));
    const surfaces = [nativeApi, openAiApi, { ...nativeApi, prefix: "broken", routes: broken500 }];
    await using own = await testServer({ surfaces });
    const broken = await own.get("/broken");
    const { instance } = expectProblem(broken, 500, "internal");
    expect(broken.text).not.toContain(SECRET);
    expect(own.log).toEqual([expect.stringContaining(`${instance} GET /broken: Error`)]);
    const [missing, again] = [await own.get("/nothing"), await own.get("/nothing")];
    expect(expectProblem(missing, 404, "not-found").instance).not.toBe(again.json.instance);
    // OpenAI's clients read the header, and have no field for it.
    const refused = await own.post("/v1/chat/completions", {});
    expect([refused.status, refused.headers["x-request-id"]]).toEqual([
      400,
      expect.stringMatching(/^\w{20}$/),
    ]);
    const [, id, named] = /x-request-id: (\w+)\r\n.*"instance":"urn:parley:request:(\w+)"/s.exec(
      await rawExchange(own.port, "hello\r\n\r\n"),
    ) ?? ["", "none", ""];
    expect(named).toBe(id);
    expect(own.log).toHaveLength(1);
  });

  it("has one of a bounded number of connections, and gives it back whatever its client does", async () => {
    await using own = await testServer({ maxConnections: 3 });
    const connected = () =>
      Promise.all(
        [1, 2, 3].map(async () => {
          const socket = connect({ host: "127.0.0.1", port: own.port, allowHalfOpen: true });
          await once(socket, "connect");
          return socket;
        }),
      );
    const open = await connected();
    const late = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    expect([await rawExchange(own.port, late), await rawExchange(own.port, late)]).toEqual(["", ""]);
    expect(own.log).toEqual([expect.stringContaining("3 connections are open")]);
    // Refused, and open on the client's side.
    for (const socket of open) socket.write("hello\r\n\r\n");
    await Promise.all(open.map((socket) => once(socket.resume(), "end")));
    await expect.poll(() => rawExchange(own.port, late, 200), { timeout: 3_000 }).toMatch(/^HTTP\/1.1 200 /);
    for (const socket of open) socket.on("error", () => undefined).destroy();
  });

  it("is nobody's when its client goes away in the middle", async () => {
    const sent = head("POST /api/v1/deliberations", "content-type: application/json", "content-length: 100");
    await rawExchange(server.port, `${sent}{"question"`, 100);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await expectUntouched();
  });

  it("in odd letters is a question like others, or refused", async () => {
    await using own = await testServer();
    for (const text of ["\u0000 is NUL", "\ud800 is half a letter", "👩‍👩‍👧‍👦", "‮right to left", "a\u2028b"]) {
      const got = await own.post("estimate", { ...question, models: ["sim/ada"], question: text });
      expect([text, got.status]).toEqual([text, 200]);
      const opened = await own.post(
        "deliberations",
        { ...question, models: ["sim/ada"], question: text },
        { headers: { prefer: "wait=10", "idempotency-key": "odd" + text.codePointAt(0) } },
      );
      expect([200, 422]).toContain(opened.status);
      if (opened.status === 200)
        expect((await own.get(`deliberations/${opened.json.id}`)).json.question.length).toBeGreaterThan(0);
    }
    expect(own.log).toEqual([]);
  });
});

describe("over HTTP", () => {
  it("no setting names a file, a folder, a variable or a package", async () => {
    const file = place.write(
      "canary.yaml",
      `name: canary\ndescription: ${CANARY}\ndirective: ${CANARY}\nfacts: [{question: "${SUM}", answer: "${CANARY}"}]\n`,
    );
    const project = place.write("project/canary.yaml", `name: canary\ndirective: ${CANARY}\n`);
    // A package that is installed beside the settings, and would be run.
    const packages = join(place.home, "parley", "node_modules", "@ai-sdk");
    mkdirSync(packages, { recursive: true });
    symlinkSync(
      fileURLToPath(new URL("../node_modules/@ai-sdk/mistral", import.meta.url)),
      join(packages, "mistral"),
    );
    const council = { question: SUM, protocol: "council", models: [MODEL, "openai/bo"], reactions: false };
    const compatible = { x: { url: counted.url, "key-env": "CANARY_KEY" } };
    const bodies: Record<string, object> = {
      "a strategy's file": { ...council, strategy: file },
      "a strategy's file in the folder": { ...council, strategy: "./canary.yaml" },
      "a strategy above": { ...council, strategy: "../canary.yaml" },
      "a strategy without an ending": { ...council, strategy: project.replace(".yaml", "") },
      "a file of facts": { ...question, models: [`sim/x?facts=${file}`] },
      "a file of facts as chair": { ...council, chair: [`sim/x?facts=${file}`] },
      "recorded answers": { ...question, models: [`recorded/${file}`] },
      "recorded answers below": { ...question, models: ["recorded/canary.yaml"] },
      "a context folder": { ...question, contextFolder: place.home },
      "a context folder below": { ...question, protocolSettings: { contextFolder: place.home } },
      "a folder": { ...question, folder: place.home },
      "an endpoint": { ...question, compatible, models: ["compatible/x/m"] },
      "an endpoint that is not set": { ...question, models: ["compatible/x/m"] },
      "a store": { ...question, store: join(place.home, "other.db") },
      "an organization": { ...question, organization: "acme" },
      "a user": { ...question, user: "bob" },
      prices: { ...question, prices: {} },
      "a package": { ...question, models: ["ai-sdk/mistral/mistral-large-latest"] },
      "a package as sdk": { ...question, models: ["sdk/@ai-sdk/mistral/x"] },
      "a package among others": { ...council, models: `${MODEL},ai-sdk/mistral/x` },
      "a package for a debate": {
        question: SUM,
        protocol: "debate",
        models: [MODEL],
        mapModels: `${MODEL}=ai-sdk/mistral/x`,
      },
      "a package above": { ...question, models: ["ai-sdk/../../x"] },
      "a debate's file": {
        question: SUM,
        protocol: "debate",
        models: [MODEL],
        config: { agents: [{ name: "a", promptPath: file }] },
      },
      "an empty debate": { question: SUM, protocol: "debate", models: [MODEL], config: {} },
      "a pack's file": { ...council, pack: file },
      "a pack above": { ...council, pack: "../canary" },
      "a persona's file": { ...council, personas: [file] },
      "a protocol's file": { ...question, protocol: file },
      "a protocol of the prototype": { ...question, protocol: "constructor" },
      "a forest's folder": { question: SUM, protocol: "forest", models: [MODEL], forest: place.home },
      "a rubric": { ...council, judge: [MODEL], rubric: file },
      "a prompt": { ...council, prompts: file },
      "a role's file": { question: SUM, protocol: "debate", models: [MODEL], agents: [file] },
    };
    for (const [name, body] of Object.entries(bodies))
      for (const path of ["deliberations", "estimate"]) {
        const got = await server.post(path, body);
        expect([name, path, got.status, got.text]).toEqual([
          name,
          path,
          422,
          expect.not.stringContaining(CANARY),
        ]);
        expect(got.json.detail, name).not.toBe("an unexpected error");
        expect(got.text, name).not.toContain(SECRET);
      }
    await expectUntouched();
    const { id } = await server.ask({ ...council, protocol: "council" });
    for (const changes of [
      { strategy: file },
      { strategy: "../canary.yaml" },
      { chair: [`sim/x?facts=${file}`] },
      { chair: ["ai-sdk/mistral/x"] },
    ]) {
      const got = await server.post(`deliberations/${id}/fork`, changes);
      expect([changes, got.status]).toEqual([changes, 422]);
      expect(got.text).not.toContain(CANARY);
    }
    const config = await server.get("config");
    expect(config.text).not.toContain(SECRET);
    const everything = [
      ...[
        "personas",
        "strategies",
        "packs",
        "models",
        `deliberations/${id}/events`,
        `deliberations/${id}/export?format=json`,
      ],
    ];
    for (const path of everything) {
      const { text } = await server.get(path);
      for (const told of [CANARY, SECRET, place.home])
        expect([path, text.includes(told)]).toEqual([path, false]);
    }
    expect(server.log).toEqual([]);
  }, 30_000);
});

describe("a full server", () => {
  it("drives as many as it may, keeps a line, and then refuses with Retry-After", async () => {
    await using own = await testServer({ maxDrives: 1 });
    const slow = { ...question, models: ["sim/ada?latency=30000"] };
    const first = await own.post("deliberations", slow);
    expect(first.json.place).toBe(0);
    const second = await own.post("deliberations", slow);
    expect(second.json.place).toBe(1);
    const rest = await Promise.all(Array.from({ length: 1_010 }, () => own.post("deliberations", slow)));
    const refused = rest.filter(({ status }) => status === 503);
    expect(rest.filter(({ status }) => status === 202).length).toBeGreaterThanOrEqual(999);
    expect(refused.length).toBeGreaterThan(0);
    for (const one of refused.slice(0, 1)) {
      expectProblem(one, 503, "over-capacity");
      expect(Number(one.headers["retry-after"])).toBeGreaterThan(0);
    }
    // Reading goes on.
    expect((await own.get("deliberations?limit=1")).status).toBe(200);
    await own.post(`deliberations/${first.json.id}/cancel`);
    // Whoever is next has its turn.
    await expect
      .poll(async () => (await own.post(`deliberations/${second.json.id}/resume`)).json.place as number)
      .toBe(0);
  }, 40_000);
});

describe("a store", () => {
  it("that hangs keeps nobody waiting who asks whether the server is well, and nothing is written", async () => {
    await using own = await testServer();
    const { store } = own.parley.context({}, { principal: own.principal }).process;
    const health = async () => [(await own.get("/healthz")).status, (await own.get("/readyz")).status];
    const before = await store.end();
    expect(await health()).toEqual([200, 200]);
    expect([await store.end(), await store.leases("")]).toEqual([before, []]);
    const asked: string[] = [];
    let answer = (): void => undefined;
    for (const name of ["end", "lease", "listAll", "leases"] as const)
      Object.assign(store, {
        [name]: () => {
          asked.push(name);
          return new Promise((resolve) => (answer = () => resolve(before)));
        },
      });
    await expect.poll(health, { timeout: 20_000 }).toEqual([200, 503]);
    expect((await own.get("/readyz")).json).toEqual({ problems: { store: "it does not answer" } });
    expect(asked).not.toContain("lease");
    const looks = asked.filter((name) => name === "end").length;
    await Promise.all(Array.from({ length: 50 }, health)); // no look for those who ask
    expect(asked.filter((name) => name === "end").length - looks).toBeLessThanOrEqual(1);
    answer();
  }, 30_000);

  it("a rush of questions keeps nobody waiting who asks whether the server is well", async () => {
    await using own = await testServer();
    let answered = 0;
    const rush = Array.from({ length: 60 }, async () => {
      await own.post("estimate", { ...question, models: ["sim/ada"] });
      answered += 1;
    });
    expect((await own.get("/healthz")).status).toBe(200);
    expect(answered).toBeLessThan(30);
    await Promise.all(rush);
  }, 60_000);

  it.each([
    ["deleted", (path: string) => rmSync(path)],
    ["replaced", (path: string) => (rmSync(path), writeFileSync(path, "another"))],
  ])(
    "SQLITE-4: that was %s gets no question, gives none out, and says so",
    async (_, harm) => {
      using here = serverPlace();
      const own = await testServer({}, here);
      await own.ask({ models: ["sim/ada"], protocol: "respond" });
      const { location } = own.parley.context({}, { principal: own.principal }).process.store;
      harm(location);
      const ask = (key: string) =>
        own.post(
          "deliberations",
          { ...question, models: ["sim/ada"] },
          { headers: { "idempotency-key": key } },
        );
      for (const key of ["a", "a", "b"]) {
        const { detail, next } = expectProblem(await ask(key), 503, "store-unavailable");
        expect(`${detail} ${next}`).toMatch(/deleted, moved or replaced.*put it back/);
      }
      expect((await own.get("deliberations")).status).toBe(503);
      await expect.poll(async () => (await own.get("/readyz")).status, { timeout: 20_000 }).toBe(503);
      expect((await own.get("/readyz")).json.problems.store).toMatch(
        /deleted, moved or replaced.*put it back/,
      );
      expect((await own.get("/healthz")).status).toBe(200);
      await own.stop(0).catch(() => undefined);
    },
    30_000,
  );
});

describe("without a model", () => {
  const WAYS = /parley keys set .*PARLEY_MODELS.*--simulated/;
  const asked = { question: SUM };
  const chat = { model: "parley/council", messages: [{ role: "user", content: SUM }] };

  it("no question is answered by simulated models that nobody named, over any API", async () => {
    await using own = await mcpTestServer({ simulated: false, surfaces: [nativeApi, openAiApi] });
    for (const protocol of ["council", "ask", "debate", "respond"]) {
      for (const path of ["deliberations", "estimate"]) {
        const { next } = expectProblem(await own.post(path, { ...asked, protocol }), 503, "no-model");
        expect(next).toMatch(WAYS);
      }
      const refused = await own.post("/v1/chat/completions", { ...chat, model: `parley/${protocol}` });
      expect(refused).toMatchObject({ status: 503, json: { error: { code: "no-model" } } });
      expect(refused.json.error.message).toMatch(WAYS);
    }
    expect((await own.post("/v1/responses", { model: "parley/council", input: SUM })).status).toBe(503);
    expect((await own.get("/v1/models")).status).toBe(200);
    await using client = await mcpClient(own);
    const told = await client.callTool({ name: "ask", arguments: { question: SUM } });
    expect(told).toMatchObject({ isError: true, _meta: { "parley/code": "no-model" } });
    expect(JSON.stringify(told.content)).toMatch(WAYS);
    expect((await own.get("deliberations")).json.data).toEqual([]);
    const named = await own.ask({ models: ["sim/ada"], protocol: "respond" });
    expect(named).toMatchObject({ status: "answered", simulated: true });
  });

  it("simulated ones answer where the server was told so", async () => {
    await using own = await mcpTestServer({ simulated: true, surfaces: [nativeApi, openAiApi] });
    const got = await own.post("deliberations", asked, { headers: { prefer: "wait=20" } });
    expect(got).toMatchObject({ status: 200, json: { status: "answered", simulated: true } });
    expect((await own.post("/v1/chat/completions", chat)).status).toBe(200);
  });
});
