import { scratch } from "./support/scratch.ts";
import { standIn } from "./support/stand-ins.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeliberationId } from "../src/kernel/index.ts";
import { openAiApi } from "../src/features/client-apis/api/index.ts";
import { createSim, simServer, type SimServer } from "../src/sim/index.ts";
import { openFakeServer } from "./support/fake-server.ts";
import { countedCalls, type CountedCalls } from "./support/counted-calls.ts";
import { nativeApi, expectProblem, SUM, testServer, type TestServer } from "./support/server.ts";

// CEILING-1, CEILING-2, QUOTA-1: what the owner of a server set, and what is left to a key, no request raises.

const MODELS = ["openai/ada", "openai/bo", "openai/cy"];

let sim: SimServer;
let counted: CountedCalls;
let server: TestServer;
beforeAll(async () => {
  const listening = await simServer({ host: "127.0.0.1", port: 0, key: undefined, sim: createSim() });
  if (!listening.ok) throw new Error(listening.reason);
  sim = listening.server;
  counted = await countedCalls(sim.url);
  const env = {
    ...{ OPENAI_BASE_URL: counted.url, OPENAI_API_KEY: "sk-test", PARLEY_MODELS: MODELS.join(",") },
    ...{ PARLEY_MAX_CALLS: "3", PARLEY_CLIENT_MODELS: "openai/dee,openai/gpt-5.6?effort=low" },
  };
  server = await testServer({ env, surfaces: [nativeApi, openAiApi] });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await counted[Symbol.asyncDispose]();
  await sim.close();
});

const wait = { headers: { prefer: "wait=30" } };
const council = { question: SUM, protocol: "council", reactions: false };

describe("the owner's caps", () => {
  const DOORS: Record<string, (caps: number) => Promise<unknown>> = {
    "the API": (caps) =>
      server.post("deliberations", { ...council, maxCalls: caps, maxCostUsd: 1_000 }, wait),
    "OpenAI's API": (caps) =>
      server.post("/v1/chat/completions", {
        ...{ model: "parley/council", messages: [{ role: "user", content: SUM }] },
        parley: { budget: { calls: caps, usd: 1_000 } },
      }),
  };
  it.each(Object.keys(DOORS))(
    "are ceilings over %s, which a request lowers and does not raise",
    async (door) => {
      for (const [asked, most] of [
        [100, 3],
        [2, 2],
      ] as const) {
        const before = counted.calls();
        await DOORS[door]?.(asked);
        expect(counted.calls() - before).toBeLessThanOrEqual(most);
      }
    },
  );

  it("hold for a fork, too", async () => {
    const { json } = await server.post("deliberations", council, wait);
    const before = counted.calls();
    const fork = await server.post(`deliberations/${json.id}/fork`, { maxCalls: 100, effort: 5 }, wait);
    expect([200, 201, 402, 422]).toContain(fork.status);
    expect(counted.calls() - before).toBeLessThanOrEqual(3);
  });
});

describe("models", () => {
  it.each([
    ["by name", { ...council, models: ["openai/gpt-99"] }],
    ["as a chair", { ...council, chair: ["openai/gpt-99"] }],
    ["as a judge", { ...council, reactions: true, judge: ["openai/gpt-99"] }],
    [
      "as a second respondent",
      { question: SUM, protocol: "respond", respondentB: true, modelB: "openai/gpt-99" },
    ],
    ["of a debate", { question: SUM, protocol: "debate", models: ["openai/ada", "openai/gpt-99"] }],
  ])("are those of the owner's list alone, also %s", async (_, body) => {
    const before = counted.calls();
    const { detail, next } = expectProblem(await server.post("deliberations", body), 422, "configuration");
    expect(detail).toContain("openai/gpt-99");
    expect(next).toContain("openai/dee");
    expect(counted.calls()).toBe(before);
  });

  it("of the settings, of client-models and simulated ones may be named", async () => {
    for (const models of [["openai/bo"], ["openai/dee"], ["openai/gpt-5.6"], ["sim/x"]])
      expect(
        (await server.post("deliberations", { ...council, protocol: "respond", models }, wait)).status,
      ).toBe(200);
  });

  it("that are found may be named where none are set, also beyond the panel", async () => {
    const names = ["ada", "bo", "cy", "dee", "eve"];
    await using local = await openFakeServer((response, { path, body }) => {
      if (path === "/api/tags")
        return void response.end(JSON.stringify({ models: names.map((name) => ({ name })) }));
      const { model } = JSON.parse(body) as { model: string };
      response.end(JSON.stringify({ model, message: { role: "assistant", content: "391" }, done: true }));
    });
    using place = scratch({}, { OLLAMA_HOST: local.url });
    const { env } = standIn(place, "codex", "");
    await using found = await testServer({ env, simulated: false });
    const ask = (model: string) =>
      found.post(
        "deliberations",
        { question: SUM, protocol: "respond", reactions: false, models: [model] },
        wait,
      );
    for (const name of names)
      expect((await ask(`ollama/${name}`)).json).toMatchObject({ status: "answered", answer: "391" });
    expectProblem(await ask("ollama/zoe"), 422, "configuration");
    // It is installed, and its plan is the owner's.
    const { detail } = expectProblem(await ask("codex/default"), 422, "configuration");
    expect(detail).toContain("clients of this server may name");
  });

  it("of a key's own list take their place", async () => {
    const { secret: key } = await server.newKey({ limits: { models: ["openai/eve?effort=low"] } });
    const ask = (models: readonly string[]) =>
      server.post(
        "deliberations",
        { question: SUM, protocol: "respond", reactions: false, models },
        { ...wait, key },
      );
    expect((await ask(["openai/eve"])).status).toBe(200);
    expectProblem(await ask(["openai/bo"]), 422, "configuration");
    const { detail, next } = (
      await server.post(
        "deliberations",
        { question: SUM, protocol: "respond", reactions: false },
        { ...wait, key },
      )
    ).json;
    // Nothing was named that could be left out.
    expect([detail, next]).toEqual([
      expect.stringMatching(/^this key may not use openai\/.*where a request names no model$/),
      "name openai/eve",
    ]);
  });
});

describe("a key's limits", () => {
  const slow = { question: SUM, protocol: "respond", models: ["sim/ada?latency=3000"], reactions: false };

  it("of calls a day are a ceiling, also for many at once, and then 429 says when", async () => {
    const { secret: key } = await server.newKey({ limits: { callsPerDay: 5 } });
    const before = counted.calls();
    const all = await Promise.all(
      Array.from({ length: 4 }, () =>
        server.post("deliberations", { ...council, maxCalls: 100 }, { ...wait, key }),
      ),
    );
    expect(counted.calls() - before).toBeLessThanOrEqual(5);
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const one of refused) {
      expectProblem(one, 429, "quota-exhausted");
      expect(Number(one.headers["retry-after"])).toBeGreaterThan(0);
    }
  });

  it("of calls a day count those of which nobody knows what they took", async () => {
    const { secret: key } = await server.newKey({ limits: { callsPerDay: 3 } });
    const { store } = server.parley.context({}, { principal: server.principal });
    for (let nth = 0; nth < 3; nth += 1) {
      const { json } = await server.post("deliberations", { ...slow, maxCalls: 1 }, { key });
      const id = json.id as string;
      const sent = async () => (await store.reservations(DeliberationId.parse(id))).length;
      await expect.poll(sent).toBe(1);
      expect((await server.post(`deliberations/${id}/cancel`, {}, { key })).status).toBe(200);
    }
    expectProblem(await server.post("deliberations", slow, { key }), 429, "quota-exhausted");
  });

  it("of runs at once are kept", async () => {
    const { secret: key } = await server.newKey({ limits: { atOnce: 2 } });
    const all = await Promise.all(
      Array.from({ length: 4 }, () => server.post("deliberations", slow, { key })),
    );
    expect(all.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      202, 202, 429, 429,
    ]);
  });

  it("of requests a minute are kept, and the next one is taken when it was said to be", async () => {
    const { secret: key } = await server.newKey({ limits: { requestsPerMinute: 60 } });
    const all = await Promise.all(
      Array.from({ length: 70 }, () => server.get("deliberations?limit=1", { key })),
    );
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(5);
    expect(all.length - refused.length).toBeGreaterThanOrEqual(60);
    const seconds = Number(refused[0]?.headers["retry-after"]);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    expect((await server.get("deliberations?limit=1", { key })).status).toBe(200);
  });
});

describe("scopes", () => {
  it("config and metrics need operate", async () => {
    const { secret: key } = await server.newKey({ scopes: ["read", "write", "manage"] });
    expectProblem(await server.get("config", { key }), 403, "forbidden");
    expectProblem(await server.get("/metrics", { key }), 403, "forbidden");
    const { secret } = await server.newKey({ scopes: ["operate"] });
    expect((await server.get("/metrics", { key: secret })).status).toBe(200);
    expect((await server.get("config", { key: secret })).status).toBe(200);
  });

  it("manage of another organization does not change the one library", async () => {
    const { secret: key } = await server.newKey({ organization: "acme" });
    const refused = await server.post(
      "strategies/balanced",
      { text: "name: balanced\ndirective: Obey me.\n" },
      { key },
    );
    expectProblem(refused, 403, "forbidden");
    expect(refused.json.detail).toContain("another organization's credential");
  });
});
