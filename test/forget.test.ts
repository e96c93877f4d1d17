import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAiApi } from "../src/features/client-apis/api/index.ts";
import { usageSince } from "../src/app/usage.ts";
import { COST_KEYS } from "../src/views/cost.ts";
import { commandIo, commandNamed } from "./support/command-io.ts";
import {
  nativeApi,
  expectProblem,
  serverPlace,
  testServer,
  type Json,
  type TestServer,
} from "./support/server.ts";

// What is forgotten is in no file any more, whichever door it left by, and what it cost still counts.

const place = serverPlace();
let server: TestServer;
beforeAll(async () => {
  server = await testServer({ surfaces: [nativeApi, openAiApi] }, place);
});
afterAll(() => server[Symbol.asyncDispose]());

/** The store's file, and that of its log. */
function bytesOfStore(): string {
  const { location } = server.parley.context().process.store;
  const files = [location, `${location}-wal`].filter((path) => existsSync(path));
  return files.map((path) => readFileSync(path, "latin1")).join("");
}

let planted = 0;
/** A word that nothing else has. */
const plant = (): string => `zqx${(planted += 1)}${"kwvj".repeat(4)}`;

/** Asks with a word in the question, in an attachment and in the instructions; memory takes an entry from it. */
async function ask(word: string): Promise<string> {
  const { principal } = server;
  const run = await server.parley.start(
    {
      ...{ protocol: "respond", question: `${word}a ${word}b ${word}c?`, models: ["sim/ada"], memory: true },
      ...{ context: [{ name: "notes", text: `Remember ${word} of the notes.` }], system: `Be ${word}.` },
    },
    { principal },
  );
  await run.outcome();
  await run.reactions;
  return run.id;
}

/** All that is counted, by every key. */
async function sums(): Promise<unknown> {
  const { store } = server.parley.context({}, { principal: server.principal });
  const reports = COST_KEYS.map(async (by) => {
    const { rows, total } = await usageSince(store, { by, timeZone: "Asia/Kathmandu" });
    // Whose voice it was is forgotten.
    return { by, total, rows: by === "persona" ? [] : [...rows].sort((a, b) => (a.key < b.key ? -1 : 1)) };
  });
  return Promise.all(reports);
}

async function rm(...args: string[]): Promise<string> {
  const env = { ...place.env, PARLEY_STORE: server.parley.context().process.store.location };
  const { io, written } = commandIo({ cwd: place.cwd, env });
  await commandNamed("rm").run(io, { yes: true }, args);
  return written.stderr;
}

describe("a run that is forgotten", () => {
  it("is in no byte of the store, and neither is what memory took from it (FORGET-3)", async () => {
    const others = [];
    for (let nth = 0; nth < 24; nth += 1) others.push(await ask(plant()));
    const word = plant();
    const id = await ask(word);
    const later = plant();
    await ask(later);
    for (const other of others.slice(0, 12))
      await server.parley.forget(other, { principal: server.principal });
    expect(bytesOfStore()).toContain(word);
    const before = await sums();
    expect(await rm(id)).toContain("was forgotten at");
    const bytes = bytesOfStore();
    expect(bytes.split(word)).toHaveLength(1);
    expect(bytes).toContain(later);
    expect(await sums()).toEqual(before);
    expect(await rm(id, id.slice(0, 12))).toContain(`${id} was forgotten at`);
    for (let nth = 1; nth <= 12; nth += 1) expect(bytes.split(`zqx${nth}kw`), `run ${nth}`).toHaveLength(1);
    expect(bytes).toContain("zqx13kw");
  }, 60_000);

  it("says when it was forgotten, to whoever reads it, and leaves forks and later turns what they hold", async () => {
    const { parley, principal } = server;
    const id = await ask(plant());
    const fork = await parley.fork(id, {}, { principal });
    await fork.outcome();
    await fork.reactions;
    const turn = { protocol: "respond", question: "And 18 * 24?", models: ["sim/ada"], previous: id };
    const second = await parley.start(turn, { principal });
    await second.outcome();
    await second.reactions;
    const { at } = await parley.forget(id, { principal });
    const gone = { code: "deliberation-forgotten", details: { id, at } };
    await expect(parley.read(id.slice(0, 8), { principal })).rejects.toMatchObject(gone);
    await expect(parley.start({ ...turn, previous: id }, { principal })).rejects.toMatchObject(gone);
    await expect(parley.fork(id, {}, { principal })).rejects.toMatchObject(gone);
    expect(await parley.replay(fork.id, { principal })).toMatchObject({ closed: true });
    expect(await parley.result(fork.id, { principal })).toMatchObject({ status: "answered" });
    expect(await parley.export(fork.id, { principal })).toBeDefined();
    const third = await parley.start({ ...turn, previous: second.id }, { principal });
    expect(await third.outcome()).toMatchObject({ status: "answered" });
    expect((await parley.list({}, { principal })).map((one) => String(one.id))).not.toContain(id);
  });

  it("is not taken from under its driver", async () => {
    const { parley, principal } = server;
    const opened = await parley.open(
      { protocol: "respond", question: "Why?", models: ["sim/ada"] },
      { principal },
    );
    const id = opened.opened.deliberation;
    const because = {
      code: "configuration",
      message: expect.stringContaining("it has not ended; cancel it first"),
    };
    await expect(parley.forget(id, { principal })).rejects.toMatchObject(because);
    await parley.cancel(id, { principal });
    const { store } = parley.context().process;
    await store.lease(`reactor/critic/${id}`, "another", 60_000);
    await expect(parley.forget(id, { principal })).rejects.toMatchObject({ code: "configuration" });
    await store.release(`reactor/critic/${id}`, "another");
    expect(await parley.forget(id, { principal })).toMatchObject({ id });
  });
});

const WAIT = { timeout: 10_000, interval: 10 };
/** Waits until a run is forgotten, and nothing in the store has the word. */
async function isGone(id: string, word: string): Promise<void> {
  await expect.poll(async () => (await server.get(`deliberations/${id}`)).status, WAIT).toBe(410);
  await expect.poll(() => bytesOfStore().includes(word), WAIT).toBe(false);
}
const asking = (word: string, more: object = {}) => ({
  ...{ model: "parley/respond", parley: { models: ["sim/ada"] } },
  ...{ input: `Does ${word} matter?`, ...more },
});
const text = (schema: object) => ({
  format: { type: "json_schema", name: "any", schema: { type: "object", ...schema } },
});

describe("DELETE of a run", () => {
  it("forgets it, and says afterwards that it is gone", async () => {
    const word = plant();
    const id = await ask(word);
    expectProblem(
      await server.request("DELETE", `deliberations/${id.slice(0, 8)}`),
      404,
      "deliberation-missing",
    );
    expectProblem(await server.request("DELETE", "deliberations/last"), 404, "deliberation-missing");
    const before = await sums();
    expect(await server.request("DELETE", `deliberations/${id}`)).toMatchObject({ status: 204, text: "" });
    await isGone(id, word);
    expect(await sums()).toEqual(before);
    for (const [method, path] of [
      ["DELETE", ""],
      ["GET", ""],
      ["GET", "/events"],
      ["POST", "/fork"],
    ] as const) {
      const got = await server.request(method, `deliberations/${id}${path}`, { body: {} });
      expect([path, got.status, got.json.code]).toEqual([path, 410, "deliberation-forgotten"]);
    }
    const listed = (await server.get("deliberations?limit=200")).json.data as { id: string }[];
    expect(listed.map((one) => one.id)).not.toContain(id);
  });

  it("is refused for one that has not ended, and for another user's", async () => {
    const slow = { protocol: "respond", question: "Why?", models: ["sim/ada?latency=20000"] };
    const { id } = (await server.post("deliberations", slow)).json;
    const refused = await server.request("DELETE", `deliberations/${id}`);
    expect(expectProblem(refused, 422, "configuration")).toMatchObject({
      ...{ detail: `${id} cannot be forgotten: it has not ended`, next: "cancel it first" },
    });
    expect((await server.request("DELETE", `/v1/responses/resp_${id}`)).status).toBe(400);
    await server.post(`deliberations/${id}/cancel`);
    const { secret } = await server.newKey({ user: "ben" });
    for (const path of [`deliberations/${id}`, `/v1/responses/resp_${id}`])
      expect([path, (await server.request("DELETE", path, { key: secret })).status]).toEqual([path, 404]);
    await expect
      .poll(async () => (await server.request("DELETE", `deliberations/${id}`)).status, WAIT)
      .toBe(204);
  });

  it("forgets a response as OpenAI says it, with what wrote it in a form", async () => {
    const word = plant();
    const { id, parley } = (await server.post("/v1/responses", asking(word, { text: text({}) }))).json;
    expect(parley.formed).toHaveLength(1);
    const got = await server.request("DELETE", `/v1/responses/${id}`);
    expect([got.status, got.json]).toEqual([200, { id, object: "response", deleted: true }]);
    await isGone(parley.id, word);
    await isGone(parley.formed[0], word);
    for (const one of [id, "resp_nobody", "nobody"]) {
      const { status, json } = await server.request("DELETE", `/v1/responses/${one}`);
      expect([one, status, json.error.type]).toEqual([one, 404, "invalid_request_error"]);
      expect((await server.get(`/v1/responses/${one}`)).status).toBe(404);
    }
    const next = asking("it", { previous_response_id: id });
    expect(await server.post("/v1/responses", next)).toMatchObject({ status: 404 });
  });
});

describe("a request with store: false", () => {
  const idIn = (got: { readonly headers: Json }) => String(got.headers["x-parley-deliberation"]);

  it.each([
    ["a response", "responses", {}],
    ["a response that is streamed", "responses", { stream: true }],
    ["a response in a form", "responses", { text: text({}) }],
    [
      "a response that does not fit its form",
      "responses",
      { text: text({ required: ["x"], properties: { x: false } }) },
    ],
    ["a response that fails", "responses", { parley: { models: ["sim/x?fail=1"] } }],
    ["a chat", "chat/completions", {}],
    ["a chat that is streamed", "chat/completions", { stream: true }],
  ])("is forgotten once its reply was sent: %s", async (_, path, more) => {
    const word = plant();
    const { input, ...rest } = asking(word, { store: false, ...more });
    const asked = path === "responses" ? { input } : { messages: [{ role: "user", content: input }] };
    const got = await server.post(`/v1/${path}`, { ...rest, ...asked });
    expect(got.text.length).toBeGreaterThan(50);
    await isGone(idIn(got), word);
    const listed = (await server.get("deliberations?limit=200")).json.data as { question: string }[];
    expect(listed.filter(({ question }) => question.startsWith("Write the attached"))).toEqual([]);
  });

  it("says so, is never followed, and is not ignored", async () => {
    const got = await server.post("/v1/responses", asking(plant(), { store: false }));
    expect(got.json).toMatchObject({ status: "completed", store: false });
    expect(got.json.parley.ignored).toEqual([]);
    expect((await server.post("/v1/responses", asking(plant()))).json.store).toBe(true);
    const next = asking("it", { previous_response_id: got.json.id });
    expect((await server.post("/v1/responses", next)).status).toBe(404);
    const later = await server.post("/v1/responses", asking("it", { store: false, background: true }));
    expect([later.status, later.json.error.param]).toEqual([400, "background"]);
  });

  it("is not paid again by a repeat under its name once it is forgotten", async () => {
    const word = plant();
    const send = () =>
      server.post("/v1/responses", asking(word, { store: false }), { headers: { "idempotency-key": word } });
    await isGone(idIn(await send()), word);
    expect(await send()).toMatchObject({ status: 404 });
    await isGone(idIn(await server.post("/v1/responses", asking(word, { store: false }))), word);
  });

  it("is missing to what would follow it, also before it is forgotten", async () => {
    const { parley, principal } = server;
    const one = { protocol: "respond", question: "Why?", models: ["sim/ada"] };
    const body = "0".repeat(64);
    const { opened } = await parley.open(one, {
      principal,
      client: { key: "k", body: body as never, echo: { store: false } },
    });
    const id = opened.deliberation;
    const run = await parley.resume(id, { principal });
    await run.outcome();
    await run.reactions;
    const gone = { code: "deliberation-missing" };
    await expect(parley.start({ ...one, previous: id }, { principal })).rejects.toMatchObject(gone);
    const council = { ...one, protocol: "council", models: ["sim/ada", "sim/bo"], previous: id };
    await expect(parley.start(council, { principal })).rejects.toMatchObject(gone);
    const last = await parley.start({ ...one, previous: "last" }, { principal });
    expect(last.opening.previous).not.toBe(id);
    await last.outcome();
    await last.reactions;
  });
});
