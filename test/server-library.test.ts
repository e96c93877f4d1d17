import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { isEvent } from "../src/kernel/index.ts";
import type { Scratch } from "./support/scratch.ts";
import {
  expectProblem,
  serverPlace,
  testServer,
  type Got,
  type Json,
  type TestServer,
} from "./support/server.ts";

// LIBRARY-1 to LIBRARY-3, SHELF-1: what is shared is changed by whoever may, by name, and whole.

let place: Scratch;
let server: TestServer;
beforeEach(async () => {
  place = serverPlace();
  server = await testServer({}, place);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

const file = (path: string) => join(place.home, "parley", path);
const read = (path: string) => readFileSync(file(path), "utf8");
const strategy = (name: string, directive = "Weigh it.") => `name: ${name}\ndirective: ${directive}\n`;
const pack = (id: string, more = "") => `id: ${id}\nname: Mine\nmembers: [analyst]\n${more}`;
const persona = (id: string, instructions = "Be brief.", more = "") =>
  `# mine\nid: ${id}\nname: ${id}\n${more}instructions: ${instructions}\n`;
const MODEL = "sim/ada?family=oak";
const MODELS = [MODEL, "sim/bo?family=elm"];
const wait = { headers: { prefer: "wait=20" } };
/** Fails where a reply names a place of this machine. */
const pathless = (got: Got): Got => {
  expect(got.text).not.toContain(place.home);
  return got;
};
const post = async (path: string, body: unknown, sent = {}) => pathless(await server.post(path, body, sent));
const get = async (path: string) => pathless(await server.get(path));
const remove = async (path: string) => pathless(await server.request("DELETE", path));

const WRITES: readonly (readonly [path: string, body: Json])[] = [
  ["strategies/mine", { text: strategy("mine") }],
  ["packs/mine", { text: pack("mine") }],
  ["prompts/council-draft", { text: "x" }],
  ["personas/mine", { text: persona("mine") }],
  ["personas/mine/decision", { decision: "retired", why: "x" }],
  ["personas/breed", { parents: ["analyst", "historian"] }],
  ["personas/mine/trial", {}],
];

describe("the right to manage", () => {
  it("is needed for every change, and an ordinary key has it not", async () => {
    const { secret: key } = await server.newKey({ scopes: ["read", "write"] });
    for (const [path, body] of WRITES)
      expect(expectProblem(await post(path, body, { key }), 403, "forbidden").next).toContain("manage");
    for (const path of ["strategies/mine", "packs/mine", "prompts/council-draft"])
      expectProblem(await server.request("DELETE", path, { key }), 403, "forbidden");
    expect((await server.get("prompts", { key })).status).toBe(200);
    expect(readdirSync(join(place.home, "parley"))).not.toContain("strategies");
  });

  it("is the printed link's", async () => {
    const opened = await server.request("GET", `/?token=${new URL(server.link).searchParams.get("token")}`, {
      key: null,
    });
    const cookie = String(opened.headers["set-cookie"]?.[0]).split(";")[0] ?? "";
    const sent = { key: null, headers: { cookie, "sec-fetch-site": "same-origin" } };
    expect((await post("strategies/mine", { text: strategy("mine") }, sent)).status).toBe(200);
  });
});

describe("strategies and packs", () => {
  it("are written whole, shown, used within a second, and removed", async () => {
    const own = { text: strategy("balanced", "Say what stands.") };
    const shipped = (await get("strategies/balanced")).json;
    expect(shipped).toMatchObject({ from: "built-in", shadows: [], problem: null });
    const written = (await post("strategies/balanced", own)).json;
    expect(written).toMatchObject({
      ...{ from: "user", shadows: ["built-in"], shipped: shipped.text, ...own },
      strategy: { directive: "Say what stands.", needsGoal: false, sees: [] },
    });
    expect(read("strategies/balanced.yaml")).toBe(own.text);
    expect((await post("packs/mine", { text: pack("mine", "strategy: balanced\n") })).json).toMatchObject({
      shipped: null,
      pack: { title: "Mine", protocol: "ask", settings: { personas: ["analyst"], strategy: "balanced" } },
    });
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const run = await server.ask({ pack: "mine" });
    const { digest } = written;
    const { store } = server.parley.context({}, { principal: server.principal });
    const [opened] = await server.parley.read(run.id);
    if (!opened || !isEvent(opened, "deliberation-opened")) throw new Error("it was not opened");
    expect(await store.text(opened.data.templates["strategy"] ?? digest)).toContain("Say what stands.");
    expect((await remove("packs/mine")).status).toBe(204);
    expectProblem(await get("packs/mine"), 404, "not-found");
    expect((await remove("strategies/balanced")).status).toBe(204);
    expect((await get("strategies/balanced")).json).toEqual(shipped);
    expect(readdirSync(file("strategies"))).toEqual([]);
  });

  it("are refused with line and reason before anything is written (LIBRARY-2)", async () => {
    await post("strategies/mine", { text: strategy("mine") });
    const refused: readonly (readonly [path: string, text: string, why: RegExp])[] = [
      ["strategies/mine", "name: mine\nwords: x\n", /^mine\.yaml:2:1: .*words/],
      ["strategies/mine", strategy("mine", "Weigh {{x}}."), /nothing fills \{\{x\}\}/],
      ["strategies/mine", strategy("other"), /its name is other, not mine/],
      ["strategies/mine", "a: [b", /^mine\.yaml:1:/],
      ["strategies/mine", "directive: a\0b", /binary/],
      ["strategies/mine", `directive: ${"é".repeat(40_000)}`, /more than 64 kB/],
      ["strategies/mine", " \n", /is empty/],
      ["packs/mine", pack("mine", "strategy: nowhere\n"), /^mine\.yaml:4:\d+: .*nowhere/],
      ["packs/mine", pack("mine", "chair: [ai-sdk/pkg/model]\n"), /may not name a package/],
      ["packs/mine", pack("mine", "settings:\n  store: x.db\n"), /^mine\.yaml:5:3: .*store/],
      ["personas/mine", persona("mine", "Be brief.", "model: ai-sdk/pkg/model\n"), /may not name a package/],
      ["personas/mine", persona("other"), /its id is other, not mine/],
      ["personas/analyst", "id: analyst\nenabled: false\n", /may not hide/],
    ];
    for (const [path, text, why] of refused)
      expect([text.slice(0, 40), expectProblem(await post(path, { text }), 422, "configuration")]).toEqual([
        text.slice(0, 40),
        expect.objectContaining({ detail: expect.stringMatching(why) as string }),
      ]);
    expectProblem(await post("strategies/mine", { text: "x".repeat(64_001) }), 422, "invalid-request");
    expect(read("strategies/mine.yaml")).toBe(strategy("mine"));
    expect(readdirSync(join(place.home, "parley")).filter((name) => /personas|packs/.test(name))).toEqual([]);
  });

  it("bear YAML that grows without end", async () => {
    const bomb = Array.from(
      { length: 30 },
      (_, nth) =>
        `a${nth}: &a${nth} [${Array.from({ length: 9 }, () => (nth === 0 ? "x" : `*a${nth - 1}`)).join()}]`,
    );
    // What grows would take for ever.
    for (const text of [bomb.join("\n"), "[".repeat(60_000), "a: &a [*a]", "? - - - - -\n".repeat(5_000)])
      expectProblem(await post("packs/mine", { text }), 422, "configuration");
  }, 60_000);

  it("have names that lead nowhere else (LIBRARY-1)", async () => {
    const names = [
      "..%2fx",
      "%2e%2e%2fparley",
      "..",
      "a%2fb",
      "a%5cb",
      "A",
      "-a",
      "a.yaml",
      "a%00",
      "x".repeat(61),
    ];
    for (const kind of ["strategies", "packs", "prompts", "personas"])
      for (const name of names) {
        const got = await post(`${kind}/${name}`, { text: "x" });
        expect([name, [404, 405, 422].includes(got.status)]).toEqual([name, true]);
        const gone = kind === "personas" ? got : await remove(`${kind}/${name}`);
        expect([name, [404, 405, 422].includes(gone.status)]).toEqual([name, true]);
        const read = await get(`${kind}/${name}`);
        // `..` is gone before it is sent: what is above is the document of the API.
        const isAbove = name === ".." && read.text.includes("<title>The API of Parley");
        expect([name, isAbove || [400, 404, 405].includes(read.status)]).toEqual([name, true]);
      }
    expectProblem(await post("packs/a%2fb", { text: "x" }), 422, "invalid-request");
    expectProblem(await remove("strategies/..%2fx"), 422, "invalid-request");
    expect(readdirSync(place.home).sort()).toEqual(["parley", "project"]);
  });

  it("are neither written nor removed through a link, nor in the place of something else (LIBRARY-1)", async () => {
    const outside = place.write("outside.yaml", strategy("linked"));
    place.write("parley/strategies/other.yaml", strategy("real"));
    symlinkSync(outside, file("strategies/linked.yaml"));
    symlinkSync(join(place.home, "nowhere"), file("strategies/dangling.yaml"));
    place.write("secret.txt", "secret: [");
    symlinkSync(join(place.home, "secret.txt"), file("strategies/peek.yaml"));
    expect((await get("strategies/linked")).json).toMatchObject({ from: "user" });
    expect((await get("strategies/peek")).json).toMatchObject({ text: null, strategy: null });
    for (const name of ["linked", "dangling", "peek", "other"])
      expectProblem(await post(`strategies/${name}`, { text: strategy(name) }), 409, "conflict");
    for (const name of ["linked", "peek"]) expectProblem(await remove(`strategies/${name}`), 409, "conflict");
    expect(readFileSync(outside, "utf8")).toBe(strategy("linked"));
    expect(read("strategies/other.yaml")).toBe(strategy("real"));
    expect(readdirSync(place.home)).not.toContain("nowhere");
  });

  it("stay where they ship, are the project's, or are in use", async () => {
    place.write("project/.parley/packs/theirs.yaml", pack("theirs"));
    const shipped = expectProblem(await remove("packs/risk-review"), 409, "conflict");
    expect(shipped.detail).toMatch(/ships with the program/);
    expect(expectProblem(await remove("packs/theirs"), 409, "conflict").detail).toMatch(/project/);
    expect(
      expectProblem(await post("packs/theirs", { text: pack("theirs") }), 409, "conflict").detail,
    ).toMatch(/project/);
    expect(expectProblem(await remove("packs/risk-revew"), 404, "not-found").next).toContain("risk-review");
    await post("strategies/mine", { text: strategy("mine") });
    await post("packs/mine", { text: pack("mine", "strategy: mine\n") });
    expectProblem(await remove("strategies/mine"), 409, "conflict");
    const goal = { text: strategy("mine", "Toward {{goal}}.") };
    expectProblem(await post("strategies/mine", goal), 409, "conflict");
    expect((await get("packs/mine")).json.problem).toBeNull();
  });

  it("that are broken can be seen, without a path, and mended", async () => {
    place.write("parley/packs/mine.yaml", "id: mine\nnme: x\n");
    const broken = (await get("packs/mine")).json;
    expect(broken).toMatchObject({ text: "id: mine\nnme: x\n", pack: null });
    expect(broken.problem).toMatch(/packs\/mine\.yaml:2:1/);
    expect((await post("packs/mine", { text: pack("mine") })).json.problem).toBeNull();
    place.write("parley/personas/bad.yaml", "id: bad\n");
    const why = expectProblem(await post("packs/mine", { text: pack("mine") }), 422, "configuration").detail;
    expect(why).toMatch(/^personas\/bad\.yaml/);
  });

  it("tell a second writer that there was a first one (LIBRARY-3)", async () => {
    const { digest } = (await post("strategies/mine", { text: strategy("mine") })).json;
    const texts = Array.from({ length: 12 }, (_, nth) =>
      strategy("mine", `Version ${nth}. ${"x".repeat(20_000)}`),
    );
    const blind = await Promise.all(texts.map((text) => post("strategies/mine", { text })));
    expect(blind.map(({ status }) => status)).toEqual(texts.map(() => 200));
    expect(texts).toContain(read("strategies/mine.yaml"));
    expectProblem(await post("strategies/mine", { text: texts[0], digest }), 409, "conflict");
    const now = (await get("strategies/mine")).json.digest;
    const two = await Promise.all(
      texts.slice(0, 2).map((text) => post("strategies/mine", { text: `${text}\n`, digest: now })),
    );
    expect(two.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 409]);
    expect(readdirSync(file("strategies"))).toEqual(["mine.yaml"]);
  });
});

describe("prompts", () => {
  it("are listed with their slots, replaced, and put back", async () => {
    const { data } = (await get("prompts")).json;
    const draft = data.find(({ name }: Json) => name === "council-draft");
    expect(draft).toMatchObject({ from: "built-in", replaced: false, problem: null });
    expect(draft.protocols).toContain("council");
    expect(draft.text).toBe(draft.shipped);
    expect(draft.slots.filter(({ required }: Json) => required).length).toBeGreaterThan(0);
    const text = draft.text.replace("=== user ===", "=== user ===\nMINE");
    const own = (await post("prompts/council-draft", { text, digest: draft.digest })).json;
    expect(own).toMatchObject({ from: "user", replaced: true, text, shipped: draft.text });
    expect((await get("prompts/council-draft")).json).toEqual(own);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const [opened] = await server.parley.read((await server.ask()).id);
    expect(opened?.data).toMatchObject({ templates: { "council-draft": own.digest } });
    expectProblem(await post("prompts/council-draft", { text, digest: draft.digest }), 409, "conflict");
    expect((await remove("prompts/council-draft")).status).toBe(204);
    expectProblem(await remove("prompts/council-draft"), 409, "conflict");
    expect((await get("prompts/council-draft")).json).toEqual(draft);
  });

  it("are refused without a required slot, with a slot that nothing fills, and where none has the name", async () => {
    const { text, slots } = (await get("prompts/council-draft")).json;
    const [required] = slots.filter((slot: Json) => slot.required);
    const wrong: readonly (readonly [text: string, why: RegExp])[] = [
      [text.replaceAll(`{{${required.name}}}`, ""), new RegExp(`${required.name}.* is missing`)],
      [`${text}\n{{nothing}}\n`, /^council-draft\.md:\d+: nothing fills its slot \{\{nothing\}\}/],
      ["no parts", /=== user ===/],
    ];
    for (const [one, why] of wrong)
      expect(
        expectProblem(await post("prompts/council-draft", { text: one }), 422, "configuration").detail,
      ).toMatch(why);
    expect(expectProblem(await post("prompts/council-drft", { text }), 404, "not-found").next).toContain(
      "council-draft",
    );
    place.write("parley/prompts/council-draft.md", "broken");
    expect((await get("prompts")).json.data.find(({ name }: Json) => name === "council-draft")).toMatchObject(
      { from: "user", text: "broken", problem: expect.stringContaining("=== user ===") as string },
    );
    expect((await remove("prompts/council-draft")).status).toBe(204);
  });
});

describe("a persona", () => {
  it("that ships is shown by its parts, and edited as a copy that is on record", async () => {
    const shipped = (await get("personas/analyst")).json;
    expect(shipped).toMatchObject({ id: "analyst", name: "Analyst", status: "shipped", from: "built-in" });
    expect(Object.keys(shipped.parts)).toHaveLength(6);
    const parts = { ...shipped.parts, tone: "Short." };
    const { run, persona: mine } = (await post("personas/analyst", { parts, why: "too long" })).json;
    expect(mine).toMatchObject({ status: "own", from: "user", parts, shadows: ["built-in"] });
    expect(mine.version).not.toBe(shipped.version);
    const events = await server.parley.read(run);
    expect(events.find(({ type }) => type === "persona-decided")?.data).toMatchObject({
      ...{ decision: "edited", why: "too long", by: server.principal.user, version: mine.version },
      file: read("personas/analyst.yaml"),
    });
  });

  it("keeps its comments, is retired, and is rolled back to what was on no record", async () => {
    place.write("parley/personas/mine.yaml", persona("mine"));
    const first = (await get("personas/mine")).json;
    await post("personas/mine", { text: persona("mine", "Be long.") });
    const back = await post("personas/mine/decision", { decision: "rolled-back", why: "worse" });
    expect(back.json.persona).toMatchObject({ version: first.version, instructions: "Be brief." });
    expect(read("personas/mine.yaml")).toBe(persona("mine"));
    const retired = await post("personas/mine/decision", { decision: "retired", why: "superseded" });
    expect(retired.json.persona).toMatchObject({
      status: "retired",
      retired: { by: expect.stringContaining("superseded") as string },
    });
    expect(read("personas/mine.yaml")).toContain("# mine");
    const { versions } = (await get("personas/mine/lineage")).json.persona;
    expect(versions.map(({ how }: Json) => how)).toEqual(["edited", "edited", "rolled-back", "retired"]);
    for (const [id, decision, status] of [
      ["mine", "retired", 422],
      ["mine", "accepted", 422],
      ["analyst", "retired", 409],
      ["nobody", "retired", 404],
    ] as const)
      expect([id, (await post(`personas/${id}/decision`, { decision, why: "x" })).status]).toEqual([
        id,
        status,
      ]);
  });

  it("says nothing of its origin and of decisions by an edit", async () => {
    const digest = "f".repeat(64);
    const parent = (id: string) => `    - {id: ${id}, version: ${digest}, feedback: null}\n`;
    const forged = [
      `accepted: {version: ${digest}, at: "2026-01-01T00:00:00Z", by: me}\n`,
      `retired: {at: "2026-01-01T00:00:00Z", by: me}\n`,
      `lineage:\n  bred: "222222222222"\n  prompt: ${digest}\n  seed: ${digest}\n  model: sim/ada\n` +
        `  parents:\n${parent("analyst")}${parent("historian")}`,
    ];
    for (const more of forged) {
      const got = await post("personas/mine", { text: persona("mine", "x", more) });
      expect(expectProblem(got, 422, "configuration").detail).toContain("by trials and decisions");
    }
    place.write("parley/personas/mine.yaml", persona("mine", "x", forged[2]));
    const dropped = await post("personas/mine", { text: persona("mine", "x") });
    expect(expectProblem(dropped, 422, "configuration").detail).toContain("lineage is written by trials");
    expect(read("personas/mine.yaml")).toBe(persona("mine", "x", forged[2]));
  });

  it("is changed by one at a time", async () => {
    place.write("parley/personas/mine.yaml", persona("mine"));
    const { digest } = (await get("personas/mine")).json;
    const all = await Promise.all([
      ...[1, 2, 3].map((nth) => post("personas/mine", { text: persona("mine", `Nth ${nth}.`), digest })),
      post("personas/mine/decision", { decision: "retired", why: "one" }),
      post("personas/mine/decision", { decision: "retired", why: "two" }),
    ]);
    expect(all.map(({ status }) => status).sort((one, other) => one - other)).toEqual([
      200, 200, 409, 409, 422,
    ]);
    expect(parseDocument(read("personas/mine.yaml")).toJS()).toMatchObject({ id: "mine", retired: {} });
    expect(readdirSync(file("personas"))).toEqual(["mine.yaml"]);
  });

  it("is written as Markdown where its file is", async () => {
    const text = (words: string) => `---\nid: mine\nname: Mine\n---\n\n# Tone\n\n${words}\n`;
    place.write("parley/personas/mine.md", text("Short."));
    expect((await get("personas/mine")).json.parts).toEqual({ tone: "Short." });
    expectProblem(await post("personas/mine", { parts: { tone: "Long." } }), 422, "configuration");
    const got = await post("personas/mine", { text: text("Long.") });
    expect(got.json.persona.parts).toEqual({ tone: "Long." });
    expect(
      expectProblem(
        await post("personas/mine", { text: `${text("x")}# Wisdom\n\nx\n` }),
        422,
        "configuration",
      ).detail,
    ).toMatch(/^mine\.md:9:1/);
  });
});

describe("breeding and trying", () => {
  const tasks = Array.from({ length: 20 }, (_, nth) => ({
    question: `What is ${nth + 2} * 3?`,
    answer: String((nth + 2) * 3),
  }));
  const breed = (more: object = {}, sent: object = wait) =>
    post("personas/breed", { parents: ["analyst", "historian"], name: "Kid", models: MODELS, ...more }, sent);

  it("makes a child that is on trial, tries it, and shows the family", async () => {
    const bred = await breed();
    expect([bred.status, bred.json.status]).toEqual([200, "answered"]);
    const kid = (await get("personas/kid")).json;
    expect(kid).toMatchObject({ status: "on-trial", from: "user", lineage: { bred: bred.json.id } });
    expect((await breed()).json.id).toBe(bred.json.id);
    const tried = await post("personas/kid/trial", { tasks, models: [MODEL] }, wait);
    expect([tried.status, tried.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
    const { persona: own, ancestors } = (await get("personas/kid/lineage")).json;
    expect(ancestors.map(({ id }: Json) => id)).toEqual(["analyst", "historian"]);
    expect(own.trials).toHaveLength(1);
    expect(own.trials[0].run).toBe(tried.json.id);
    const [test] = own.trials[0].tests;
    expect(test.path.length).toBeGreaterThanOrEqual(test.wins + test.losses + test.ties);
    const { descendants } = (await get("personas/analyst/lineage")).json;
    expect(descendants.map(({ id }: Json) => id)).toEqual(["kid"]);
    expect(
      (await post("personas/kid/decision", { decision: "accepted", why: "a demo" })).json.persona.status,
    ).toBe("accepted");
    const parts = { tone: "Short." };
    expect((await post("personas/kid", { parts })).json.persona.status).toBe("changed");
    expect((await get("personas/kid/lineage")).json.persona.versions.map(({ how }: Json) => how)).toEqual([
      "bred",
      "accepted",
      "edited",
    ]);
    expect(server.log).toEqual([]);
  }, 60_000);

  it("opens at once, is driven by the server, and a repeat joins it by its key (REQUEST-1)", async () => {
    const sent = { headers: { "idempotency-key": "one" } };
    const [first, second] = await Promise.all([breed({ again: true }, sent), breed({ again: true }, sent)]);
    expect(first.status).toBe(202);
    expect(second.json.id).toBe(first.json.id);
    expect(first.headers["location"]).toContain(first.json.id);
    await expect.poll(async () => (await get("personas/kid")).status, { timeout: 10_000 }).toBe(200);
    const third = await breed({ again: true }, { headers: { ...sent.headers, ...wait.headers } });
    expect([third.json.id, third.headers["idempotent-replayed"]]).toEqual([first.json.id, "true"]);
    expectProblem(await breed({ name: "Other" }, sent), 422, "idempotency-key-reused");
    expect(readdirSync(file("personas"))).toEqual(["kid.yaml"]);
  });

  it("goes on after a restart, and writes the child then", async () => {
    const slow = { models: MODELS.map((one) => `${one}&latency=1500`) };
    const { json } = await breed(slow, {});
    await server.stop(0);
    expect(readdirSync(join(place.home, "parley"))).not.toContain("personas");
    server = await testServer({}, place);
    await expect.poll(async () => (await get("personas/kid")).status, { timeout: 15_000 }).toBe(200);
    expect((await get("personas/kid")).json.lineage.bred).toBe(json.id);
  }, 30_000);

  it("is refused before anything is spent, with the reason", async () => {
    place.write("parley/personas/mine.yaml", persona("mine"));
    const refused: readonly (readonly [got: Promise<Got>, status: number, why: RegExp])[] = [
      [breed({ parents: ["analyst", "analyst"] }), 422, /two or three parents/],
      [breed({ parents: ["analyst"] }), 422, /parents/],
      [breed({ parents: ["analyst", "histrian"] }), 422, /histrian/],
      [breed({ name: "Inventor" }), 422, /built-in persona Inventor/],
      [breed({ models: ["ai-sdk/pkg/model"] }), 422, /may not name a package/],
      [post("personas/nobody/trial", { tasks }), 404, /nobody/],
      [post("personas/mine/trial", { tasks, models: [MODEL] }), 422, /was not bred/],
      [post("personas/mine/trial", { tasks: [] }), 422, /tasks/],
    ];
    for (const [got, status, why] of refused) {
      const { status: is, json } = await got;
      expect([is, json.detail]).toEqual([status, expect.stringMatching(why)]);
    }
  });
});

it("a file that appears meanwhile is not written over by a child", async () => {
  const got = await post(
    "personas/breed",
    { parents: ["analyst", "historian"], name: "Kid", models: MODELS.map((one) => `${one}&latency=500`) },
    {},
  );
  expect(got.status).toBe(202);
  const text = persona("kid");
  place.write("parley/personas/kid.yaml", text);
  await expect.poll(() => server.log.join(), { timeout: 10_000 }).toContain("already there");
  expect(read("personas/kid.yaml")).toBe(text);
});
