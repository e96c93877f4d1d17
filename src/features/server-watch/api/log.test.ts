import { describe, expect, it } from "vitest";
import {
  nativeApi,
  SIMS,
  SUM,
  testServer,
  type Json,
  type TestServer,
} from "../../../../test/support/server.ts";
import { createLog } from "./log.ts";

const lines = ({ log }: TestServer): Json[] => log.map((line) => JSON.parse(line));
const told = (server: TestServer, msg: string): Json[] => lines(server).filter((one) => one.msg === msg);
const wait = (of: () => unknown) => expect.poll(of, { timeout: 9_000, interval: 20 });
const JSON_LOG = { PARLEY_LOG_FORMAT: "json" };
const SECRET_WORD = "quetzalcoatl";

describe("a log of JSON lines", () => {
  it("tells of requests by route, of runs and of calls that failed, with their ids", async () => {
    await using server = await testServer({ env: JSON_LOG });
    const { id: key, secret } = await server.newKey();
    const models = [SIMS[0], SIMS[1], "sim/cy?fail=1"];
    const { id } = await server.ask({ models });
    await server.get(`deliberations/${id}`, { key: secret });
    await server.get("nowhere", { key: secret });
    await wait(() => told(server, "request").length).toBe(3);
    const [asked, shown, missing] = told(server, "request");
    expect(shown).toEqual({
      ...{
        level: "info",
        time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        msg: "request",
        method: "GET",
      },
      ...{ request: expect.any(String) as string, route: "/api/v1/deliberations/:id", status: 200, key },
      ms: expect.any(Number) as number,
    });
    expect([missing.route, missing.status]).toEqual([undefined, 404]);
    await wait(() => told(server, "run ended").length).toBe(1);
    expect(told(server, "run begins")).toEqual([
      expect.objectContaining({ run: id, protocol: "council", key: asked.key }),
    ]);
    expect(asked.key).toEqual(expect.any(String));
    const [ended] = told(server, "run ended");
    expect(ended).toMatchObject({ level: "warn", run: id, status: "answered-degraded" });
    const failed = told(server, "call failed");
    expect(failed.length).toBeGreaterThan(0);
    for (const line of failed)
      expect(line).toMatchObject({
        ...{ level: "warn", run: id, model: "sim/cy", code: expect.any(String) as string },
        ...{ attempts: expect.any(Number) as number, step: expect.any(String) as string },
      });
  });

  it("has no word that was asked or answered, no key, and nothing of a query", async () => {
    await using server = await testServer({ env: { ...JSON_LOG, PARLEY_LOG_LEVEL: "debug" } });
    const { secret } = await server.newKey();
    await server.ask({
      question: `What does ${SECRET_WORD} mean?`,
      context: [{ name: "a.txt", text: SECRET_WORD }],
      labels: { note: SECRET_WORD },
    });
    await server.get(`deliberations?label=note:${SECRET_WORD}&token=${secret}`);
    await server.get(`/nothing/${SECRET_WORD}?api_key=${secret}`);
    await server.get(`/?token=${SECRET_WORD}`);
    await wait(() => told(server, "request").length).toBe(4);
    await wait(() => told(server, "call").length).toBeGreaterThan(0);
    const all = server.log.join("\n");
    expect(all).not.toContain(SECRET_WORD);
    expect(all).not.toContain(secret);
    expect(all).not.toContain(server.key);
  });

  it("the server's own lines are JSON, too, without what looks like a key", async () => {
    await using server = await testServer({ env: JSON_LOG, surfaces: [broken] });
    const got = await server.get("/broken/x");
    expect(got.status).toBe(500);
    await wait(() => told(server, "request").length).toBe(1);
    const [own] = lines(server).filter(({ msg }) => msg !== "request");
    expect(own.level).toBe("warn");
    expect(own.msg).toContain("at the wrong moment");
    expect(own.msg).not.toContain("sk-abcdefghijklmnop");
    expect(own.msg).toContain(got.headers["x-request-id"]);
    expect(told(server, "request")[0]).toMatchObject({ level: "error", status: 500, route: "/broken/x" });
  });

  it("tells that a run pauses, and of a fork no call that it took over", async () => {
    await using server = await testServer({ env: { ...JSON_LOG, PARLEY_LOG_LEVEL: "debug" } });
    const seats = [{ name: "me", seat: "reviewer" }];
    const body = { question: "What is 17 * 23?", protocol: "council", models: SIMS, seats, reactions: false };
    const { json } = await server.post("deliberations", body, { headers: { prefer: "wait=9" } });
    await wait(() => told(server, "run pauses")).toMatchObject([
      { level: "info", run: json.id, status: "waiting" },
    ]);
    const fork = await server.post(`deliberations/${json.id}/fork`, {}, { headers: { prefer: "wait=9" } });
    await wait(() => told(server, "run pauses").length).toBe(2);
    const callsOf = (run: string) => told(server, "call").filter((line) => line.run === run).length;
    expect(callsOf(json.id)).toBeGreaterThan(0);
    expect(callsOf(fork.json.id)).toBeLessThan(callsOf(json.id));
  });

  it("tells of what was refused as of any reply, and warns of who went away before one", async () => {
    let isAsked = false;
    const slow = surface(({ signal }) => {
      isAsked = true;
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    });
    await using server = await testServer({ env: JSON_LOG, surfaces: [nativeApi, slow] });
    const refused = [
      await server.get("models", { key: "pk_no" }),
      await server.get("models", { headers: { origin: "https://evil.example" } }),
      await server.post("deliberations", { question: SECRET_WORD, nothing: SECRET_WORD }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 403, 422]);
    await wait(() => told(server, "request").length).toBe(3);
    expect(lines(server).map(({ level, request, status }) => [level, request, status])).toEqual(
      refused.map(({ status, headers }) => ["info", headers["x-request-id"], status]),
    );
    expect(lines(server).map(({ key }) => typeof key)).toEqual(["undefined", "undefined", "string"]);
    const left = new AbortController();
    const gone = server.get("/broken/x", { signal: left.signal }).catch(() => undefined);
    await wait(() => isAsked).toBe(true);
    left.abort();
    await gone;
    await wait(() => told(server, "request").length).toBe(4);
    expect(told(server, "request")[3]).toMatchObject({ level: "warn", status: 0, route: "/broken/x" });
    for (const word of [SECRET_WORD, "pk_no", "evil", server.key])
      expect(server.log.join("\n")).not.toContain(word);
  });

  it("warns of a run that failed, and tells of one that was answered or cancelled", async () => {
    await using server = await testServer({ env: { ...JSON_LOG, PARLEY_LOG_LEVEL: "debug" } });
    const failed = await server.ask({ models: ["sim/ada?fail=1", "sim/bo?fail=1"] });
    const answered = await server.ask();
    const models = SIMS.map((one) => `${one}&latency=20000`);
    const { json } = await server.post("deliberations", {
      ...{ question: SUM, protocol: "council", models, reactions: false },
    });
    await wait(() => told(server, "run begins").length).toBe(3);
    await server.post(`deliberations/${json.id}/cancel`);
    await wait(() => told(server, "run ended").length).toBe(3);
    expect(told(server, "run ended").map(({ level, run, status }) => [level, run, status])).toEqual([
      ["warn", failed.id, "failed"],
      ["info", answered.id, "answered"],
      ["info", json.id, "cancelled"],
    ]);
    expect(new Set(told(server, "call").map(({ level }) => level))).toEqual(new Set(["debug"]));
    expect(new Set(told(server, "run begins").map(({ level }) => level))).toEqual(new Set(["info"]));
  });

  it.each([
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
  ] as const)(
    "at the level %s has the levels %j alone, and no time or id is left out",
    async (level, levels) => {
      const written: Json[] = [];
      const log = createLog({ log: (line) => void written.push(JSON.parse(line)) }, level);
      await using server = await testServer();
      const failing = { question: SUM, protocol: "council", models: [SIMS[0], "sim/bo?fail=1"] };
      const run = await server.parley.start({ ...failing, reactions: false });
      const drive = log.begun(run);
      await run.outcome();
      for (const entry of run.recorded()) drive.recorded?.(entry);
      drive.ended?.(undefined);
      expect(new Set(written.map((line) => line.level))).toEqual(new Set(levels));
      for (const line of written)
        expect(line).toMatchObject({ time: expect.stringMatching(/^\d{4}-/) as string, run: run.id });
      expect(written.at(-1)).toMatchObject({ level: "error", msg: "run cannot be driven" });
    },
  );

  it("tells no more than its level", async () => {
    await using server = await testServer({ env: { ...JSON_LOG, PARLEY_LOG_LEVEL: "warn" } });
    await server.ask({ models: [SIMS[0], SIMS[1], "sim/cy?fail=1"] });
    await wait(() => told(server, "call failed").length).toBeGreaterThan(0);
    expect(new Set(lines(server).map(({ level }) => level))).toEqual(new Set(["warn"]));
  });
});

it("a log for people says what it said before", async () => {
  await using server = await testServer({ surfaces: [broken] });
  await server.get("/broken/x");
  expect(server.log).toEqual([
    expect.stringMatching(/^urn:parley:request:\w+ GET \/broken\/x: Error: at the wrong/),
  ]);
});

type Surface = NonNullable<NonNullable<Parameters<typeof testServer>[0]>["surfaces"]>[number];
/** What has one route, which answers so. */
const surface = (answer: Surface["routes"][number]["answer"]): Surface => ({
  prefix: "broken/",
  routes: [
    {
      ...{ method: "get", path: "x", name: "x", summary: "x", tag: "x", needs: "read", replies: {} },
      answer,
    },
  ],
  refuse: () => ({ status: 500, body: {} }),
});
/** Its one route fails in a way that nobody expects. */
const broken = surface(() => Promise.reject(new Error("at the wrong moment, with sk-abcdefghijklmnop")));
