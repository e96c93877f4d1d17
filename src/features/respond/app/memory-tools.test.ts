import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findServer, query as sql } from "../../../../test/support/postgres-server.ts";
import { memoryEngrams } from "../../../../test/support/memory-engrams.ts";
import { remembered } from "../../../../test/support/memory-samples.ts";
import { RECALL, respondAsked, RESPONDENT_SETTINGS, USER } from "../../../../test/support/respond-table.ts";
import { OrganizationId, UserId, type Json, type MemoryScope } from "../../../kernel/index.ts";
import type { EngramStore } from "../../../memory/engram-store.ts";
import { createMemory } from "../../../memory/memory.ts";
import { readFenced } from "../../../prompts/material.ts";
import { openPostgres } from "../../../stores/postgres.ts";
import { openSqlite } from "../../../stores/sqlite.ts";
import type { OpenedStore } from "../../../stores/store.ts";
import { closingOf, crashPoints, eventsOf, stage, type StageOptions } from "../../../testing/stage.ts";
import { stepClock } from "../../../testing/step-clock.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { respond } from "../protocol/index.ts";
import { memoryTools } from "../../../protocols/phases/memory-tools.ts";

const alone = new AbortController().signal;
const SCOPE: MemoryScope = { organization: LOCAL, user: USER };
const tools: Json = { specs: JSON.parse(JSON.stringify(memoryTools({ remember: true }))) as Json, limit: 5 };
/** A time that no real store outlasts while the stage's clock runs ahead of it. */
const callTimeoutMs = 7_200_000;
const asked = (changes: Parameters<typeof respondAsked>[0] = {}) =>
  respondAsked({ settings: { ...RESPONDENT_SETTINGS, callTimeoutMs, recall: RECALL, tools }, ...changes });
const calling = (name: string, input: unknown, id = "1") => ({
  id,
  name,
  arguments: typeof input === "string" ? input : JSON.stringify(input),
});
type Wishes = readonly ReturnType<typeof calling>[];

/** A respondent that calls these tools in its first reply, and answers in its second. */
function staged(wishes: Wishes, engrams: EngramStore = memoryEngrams(), options: Partial<StageOptions> = {}) {
  const memory = createMemory({ store: engrams, embeddings: null, world: stepClock() });
  const first = ({ messages }: { messages: readonly { role: string }[] }) =>
    messages.some(({ role }) => role === "tool") ? "It is Rust." : { text: "", toolCalls: wishes };
  return {
    ...stage({ protocols: [respond], script: { first }, ports: { memory }, ...options }),
    memory,
    facts: async (scope = SCOPE) => (await memory.facts(scope)).map(({ fact }) => fact),
  };
}

const RUST = "My favorite programming language is Rust. I use it for all my systems work.";
async function withRust(engrams: EngramStore, scope = SCOPE, question = RUST) {
  const memory = createMemory({ store: engrams, embeddings: null, world: stepClock() });
  const answer = remembered(`${scope.organization}-${scope.user}/a#0`, question, "Noted.");
  await memory.write({ ...answer, ...scope }, alone);
}

describe("a respondent's memory tools", () => {
  it("find in its own words what the whole question did not, fenced as data, and replay without a memory", async () => {
    const engrams = memoryEngrams();
    await withRust(engrams);
    const on = staged([calling("search_memory", { query: "programming language" })], engrams);
    const { entries, id } = await on.play(
      asked({ question: "What did I tell you, long ago, about tools of my trade?" }),
    );
    expect(eventsOf(entries, "engrams-recalled")[0]?.data.engrams).toEqual([]);
    const [called] = eventsOf(entries, "tool-called");
    expect(called?.data).toMatchObject({
      by: "A",
      tool: "search_memory",
      arguments: { query: "programming language" },
    });
    expect(called?.data.result).toMatchObject({
      memories: [{ question: RUST, answer: "Noted.", mark: "unjudged" }],
    });
    const last = on.models.calls.at(-1)?.request.messages.at(-1);
    expect(readFenced(last?.text ?? "")).toMatchObject([{ kind: "tool", label: "search_memory" }]);
    expect(readFenced(last?.text ?? "")[0]?.text).toContain("Rust");
    const dark = stage({ protocols: [respond], store: () => on.store });
    await expect(dark.engine.replay(id)).resolves.toEqual({ steps: 4, calls: 2 });
  });

  it("keep a fact that a fork adopts and does not keep again", async () => {
    const on = staged([calling("remember_this", { fact: "I live in Kyiv." })]);
    const { entries, id } = await on.play(asked());
    expect(await on.facts()).toEqual(["I live in Kyiv."]);
    expect(eventsOf(entries, "tool-called")[0]?.data.result).toMatchObject({
      remembered: "I live in Kyiv.",
      id: expect.stringMatching(/^pinned:/) as string,
      fresh: true,
    });
    const [fact] = await on.memory.facts(SCOPE);
    expect(fact?.by).toBe("sim/first");
    await on.memory.forget(SCOPE, { id: fact?.id as never, by: "ada", at: "2026-02-01T00:00:00.000Z" });
    const { opened } = await on.engine.fork(id, { request: "f1", changes: {} });
    await on.drive(opened.deliberation);
    expect(await on.facts()).toEqual([]);
    expect(on.models.count()).toBe(2);
  });

  it("tells that a fact was there before, and lets it be said again once it was forgotten", async () => {
    const on = staged([calling("remember_this", { fact: "I live in Kyiv." })]);
    const fresh = async (request: string) =>
      eventsOf((await on.play(asked(), request)).entries, "tool-called")[0]?.data.result;
    expect(await fresh("r1")).toMatchObject({ fresh: true });
    expect(await fresh("r2")).toMatchObject({ fresh: false });
    const [fact] = await on.memory.facts(SCOPE);
    await on.memory.forget(SCOPE, { id: fact?.id as never, by: "ada", at: "2026-02-01T00:00:00.000Z" });
    expect(await fresh("r3")).toMatchObject({ fresh: true });
    expect(await on.facts()).toEqual(["I live in Kyiv."]);
  });

  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const HOSTILE: readonly (readonly [string, string, unknown])[] = [
    ["a query of 1 MB", "search_memory", { query: "x".repeat(1_000_000) }],
    ["a query that is just too long", "search_memory", { query: "x".repeat(1_001) }],
    ["an empty query", "search_memory", { query: "" }],
    ["a blank query", "search_memory", { query: " \n\t " }],
    ["control characters", "search_memory", { query: "a\u0000b" }],
    ["an escape sequence", "search_memory", { query: "\u001b[2Jrust" }],
    ["no query", "search_memory", {}],
    ["null", "search_memory", "null"],
    ["a list", "search_memory", ["rust"]],
    ["a text", "search_memory", '"rust"'],
    ["no JSON", "search_memory", "{query: rust"],
    ["no arguments", "search_memory", ""],
    ["a number", "search_memory", { query: 7 }],
    ["another argument", "search_memory", { query: "rust", user: "eve" }],
    ["an organization", "search_memory", { query: "rust", organization: "acme" }],
    ["n of 0", "search_memory", { query: "rust", n: 0 }],
    ["n of -1", "search_memory", { query: "rust", n: -1 }],
    ["n of 11", "search_memory", { query: "rust", n: 11 }],
    ["n of 1e99", "search_memory", '{"query":"rust","n":1e99}'],
    ["n of 1.5", "search_memory", { query: "rust", n: 1.5 }],
    ["n of x", "search_memory", { query: "rust", n: "x" }],
    ["500 levels", "search_memory", nested(500)],
    ["500 levels in a field", "search_memory", `{"query":${nested(500)}}`],
    ["20,000 levels", "remember_this", nested(20_000)],
    ["no fact", "remember_this", {}],
    ["an empty fact", "remember_this", { fact: " " }],
    ["a fact of 1 MB", "remember_this", { fact: "x".repeat(1_000_000) }],
    ["a fact that is just too long", "remember_this", { fact: "x".repeat(2_001) }],
    ["a fact with control characters", "remember_this", { fact: "a\u0007b" }],
    ["two paragraphs", "remember_this", { fact: "one\n\ntwo" }],
    ["a fact for somebody else", "remember_this", { fact: "one", user: "eve" }],
    ["a fact that is a list", "remember_this", { fact: ["one"] }],
  ];
  it.each(HOSTILE)("get an error as their result for %s, and the model answers", async (_, name, input) => {
    const on = staged([calling(name, input)]);
    const { entries, id } = await on.play(asked());
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
    const [called] = eventsOf(entries, "tool-called");
    expect(called?.data.result).toEqual({ error: expect.any(String) as string });
    expect(JSON.stringify(called?.data.result).length).toBeLessThan(400);
    expect(await on.facts()).toEqual([]);
    await on.engine.replay(id);
  });

  it.each([1, 3, 10, "2", null, undefined])("take n of %s", async (n) => {
    const engrams = memoryEngrams();
    for (let index = 0; index < 12; index += 1)
      await withRust(engrams, SCOPE).then(() =>
        createMemory({ store: engrams, embeddings: null, world: stepClock() }).write(
          {
            ...remembered(`d${index}/a#0`, `Rust question ${index} of ${"qwertyuiopas"[index]}x`, "So."),
            ...SCOPE,
            mergeAt: 2,
          },
          alone,
        ),
      );
    const on = staged([calling("search_memory", { query: "rust", n })], engrams);
    const { entries } = await on.play(asked());
    const result = eventsOf(entries, "tool-called")[0]?.data.result;
    expect(result).toMatchObject({ memories: Array.from({ length: Number(n ?? 5) }, () => ({})) });
  });

  it("counts every request against the budget, and keeps what was kept when it ends", async () => {
    const on = staged([calling("remember_this", { fact: "I live in Kyiv." })]);
    const { entries } = await on.play(asked({ budget: { calls: 1 } }));
    expect(closingOf(entries)).toMatchObject({ outcome: "stopped-by-budget", cap: "calls" });
    expect(on.models.count()).toBe(1);
    expect(await on.facts()).toEqual(["I live in Kyiv."]);
  });

  it("are not there where no memory is pinned, whatever the settings say", async () => {
    const on = staged([calling("remember_this", { fact: "I live in Kyiv." })]);
    const { entries } = await on.play(asked({ settings: { ...RESPONDENT_SETTINGS, recall: null, tools } }));
    expect(eventsOf(entries, "tool-called")[0]?.data.result).toEqual({ error: "there is no memory here" });
    expect(await on.facts()).toEqual([]);
  });

  describe("killed anywhere", () => {
    const wishes = [
      calling("remember_this", { fact: "I live in Kyiv." }, "1"),
      calling("search_memory", { query: "rust" }, "2"),
    ];
    it.each(crashPoints({ calls: 2, appends: 6 }))("remembers once, at $at $nth $when", async (point) => {
      const engrams = memoryEngrams();
      await withRust(engrams);
      const on = staged(wishes, engrams);
      const { entries, made, recorded } = await on.playKilled(asked(), point);
      expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
      expect(eventsOf(entries, "tool-called").map(({ data }) => data.result)).toMatchObject([
        { remembered: "I live in Kyiv.", fresh: true },
        { memories: [{ question: RUST }] },
      ]);
      expect(await on.facts()).toEqual(["I live in Kyiv."]);
      expect(made - recorded).toBeLessThanOrEqual(1);
      expect(on.models.count()).toBeLessThanOrEqual(3);
    });

    it("does not undo that the person forgot the fact before the next process came (FACT-1)", async () => {
      const engrams = memoryEngrams();
      const on = staged(wishes, engrams);
      // Opening, recall and the first reply are recorded; the third append of this process is the tool's.
      const dying = on.start({ at: "append", nth: 3, when: "before" });
      const { opened } = await on.engine.open("r1", asked());
      void dying.engine.drive(opened.deliberation, { signal: alone });
      await on.clock.settle(dying.died);
      const [fact] = await on.memory.facts(SCOPE);
      await on.memory.forget(SCOPE, { id: fact?.id as never, by: "ada", at: "2026-02-01T00:00:00.000Z" });
      await on.drive(opened.deliberation, on.start().engine);
      const entries = await on.store.for(LOCAL).read(opened.deliberation);
      expect(eventsOf(entries, "tool-called")[0]?.data.result).toEqual({
        error: "the fact has been forgotten since",
      });
      expect(await on.facts()).toEqual([]);
    });
  });
});

describe.each(["SQLite", "PostgreSQL"])("memory tools over %s", (kind) => {
  let store: OpenedStore | undefined;
  let because = "";
  const schema = `parley_test_tools_${process.pid}`;
  beforeAll(async () => {
    if (kind === "SQLite") return void (store = await openSqlite(":memory:"));
    const found = await findServer();
    if ("because" in found) return void (because = found.because);
    await sql(found.url, `drop schema if exists ${schema} cascade`);
    store = await openPostgres(found.url, { schema });
  });
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]();
    const found = await findServer();
    if (kind !== "SQLite" && "url" in found) await sql(found.url, `drop schema if exists ${schema} cascade`);
  });

  it("reach the pinned organization and user alone (MEMTOOL-3)", async (test) => {
    if (!store) return test.skip(because);
    const { engrams } = store;
    const eve = { organization: LOCAL, user: UserId.parse("eve") };
    const acme = { organization: OrganizationId.parse("acme"), user: USER };
    await withRust(engrams, eve, "My favorite language of eve is Cobol.");
    await withRust(engrams, acme, "My favorite language of acme is Ada.");
    const wishes = [
      calling("search_memory", { query: "favorite language of eve acme", n: 10 }, "1"),
      calling("remember_this", { fact: "I live in Kyiv." }, "2"),
    ];
    const on = staged(wishes, engrams);
    const { entries } = await on.play(asked());
    const searched = (all: typeof entries) =>
      eventsOf(all, "tool-called").find(({ data }) => data.tool === "search_memory")?.data.result;
    expect(searched(entries)).toMatchObject({ memories: [] });
    expect(await on.facts()).toEqual(["I live in Kyiv."]);
    expect([await on.facts(eve), await on.facts(acme)]).toEqual([[], []]);
    await withRust(engrams);
    const own = await on.play(asked(), "r2");
    const result = searched(own.entries);
    expect(JSON.stringify(result)).toContain("Rust");
    expect(JSON.stringify(result)).not.toMatch(/Cobol|acme/);
  });
});

it("puts the facts that a person pinned before those that models kept, where there are too many", async () => {
  const memory = createMemory({ store: memoryEngrams(), embeddings: null, world: stepClock() });
  const at = "2026-02-01T00:00:00.000Z";
  await memory.pin(SCOPE, { fact: "I am Ada.", at, by: "ada" });
  const ids = {
    participant: "A",
    model: "sim/first",
    deliberation: "d1",
    conversation: "d1",
  } as never as object;
  for (let index = 0; index < 60; index += 1)
    await memory.pinTold({ ...SCOPE, fact: `Ignore Ada, ${index}.`, ...ids } as never);
  const rules = (RECALL as never as { rules: never }).rules;
  const asking = { ...SCOPE, question: "Who am I?", rules, conversation: "d2" as never };
  const { facts } = await memory.recall(asking, alone);
  expect(facts).toHaveLength(50);
  expect(facts[0]).toBe("I am Ada.");
  expect(facts.at(-1)).toBe("Ignore Ada, 59.");
});
