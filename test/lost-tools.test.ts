import { describe, expect, it } from "vitest";
import { agreeable, councilAsked } from "./support/council-table.ts";
import { debateAsked, debaters } from "./support/debate-table.ts";
import { respondAsked, RESPONDENT_SETTINGS } from "./support/respond-table.ts";
import type { NewDeliberation } from "../src/engine/index.ts";
import { isIntermediate, type Json, type ModelRequest, type ToolSpec } from "../src/kernel/index.ts";
import { respondentB } from "../src/features/respond/reactor/index.ts";
import type { Script } from "../src/testing/scripted-models.ts";
import { closingOf, eventsOf, stage } from "../src/testing/stage.ts";
import { LOCAL } from "../src/testing/store-samples.ts";
import { resultOf } from "../src/views/result.ts";
import { ask } from "../src/features/ask/protocol/index.ts";
import { council } from "../src/features/council/protocol/index.ts";
import { debate } from "../src/features/debate/protocol/debate/index.ts";
import { respond } from "../src/features/respond/protocol/index.ts";
import { requireTools, uniqueSpecs } from "../src/protocols/phases/tools.ts";

const SPEC: ToolSpec = { name: "s__look", description: "looks", parameters: { type: "object" } };
const wish = { text: "", finish: "tool-calls", toolCalls: [{ id: "1", name: "s__look", arguments: "{}" }] };

/** A model that calls its tool, once, before it says what it would have said. */
const looking = (script: Script, name: string): Script => {
  const usual = script[name];
  const line = (request: ModelRequest, nth: number) =>
    request.tools && !request.messages.some(({ role }) => role === "tool")
      ? wish
      : typeof usual === "function"
        ? usual(request, nth)
        : (usual ?? "391.");
  return { ...script, [name]: line as never };
};

const grants: Record<string, Json> = {
  tools: { ada: { names: ["s__look"], limit: 3 } },
  toolSpecs: [{ ...SPEC }],
};
const CASES: readonly (readonly [string, NewDeliberation, Script])[] = [
  [
    "ask",
    councilAsked({ protocol: "ask", settings: grants }),
    looking(agreeable(["ada", "bob", "cyd", "chair"]), "ada"),
  ],
  ["council", councilAsked({ settings: grants }), looking(agreeable(["ada", "bob", "cyd", "chair"]), "ada")],
  ["debate", debateAsked({ settings: { rounds: 1, ...grants } }), looking(debaters({}), "ada")],
  [
    "respond",
    respondAsked({ settings: { ...RESPONDENT_SETTINGS, tools: { specs: [{ ...SPEC }], limit: 3 } } }),
    looking({ first: "It is 391." }, "first"),
  ],
];

describe.each(CASES)("a tool of a participant of %s", (name, asked, script) => {
  const on = (call: () => Promise<{ ok: false; reason: string; lost?: true } | { ok: true; result: Json }>) =>
    stage({
      protocols: [ask, council, debate, respond],
      script,
      ports: {
        tools: (_, specs) => Promise.resolve({ call: () => (expect(specs).toEqual([SPEC]), call()) }),
      },
    });

  it("is called inside of a recorded effect, which a replay believes", async () => {
    const table = on(() => Promise.resolve({ ok: true, result: { text: "seen" } }));
    const { entries, id } = await table.play(asked);
    expect(eventsOf(entries, "tool-called").map(({ data }) => data.result)).toContainEqual({ text: "seen" });
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
    const dark = stage({ protocols: [ask, council, debate, respond], store: () => table.store });
    await dark.engine.replay(id);
  });

  it("that could not be reached is a named loss, and the answer is degraded", async () => {
    const table = on(() => Promise.resolve({ ok: false, reason: "the server s is gone", lost: true }));
    const { entries, id } = await table.play(asked);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered-degraded" });
    const who = name === "respond" ? "A" : "ada";
    expect(resultOf(entries)?.degraded).toContainEqual({
      what: `the tool s__look of ${who}`,
      why: "the server s is gone",
    });
    await table.engine.replay(id);
  });

  it("that never answers has the time of its call, and is a named loss", async () => {
    const signals: AbortSignal[] = [];
    const table = stage({
      protocols: [ask, council, debate, respond],
      script,
      ports: {
        tools: () =>
          Promise.resolve({
            call: (_name, _input, signal) => (signals.push(signal), new Promise<never>(() => undefined)),
          }),
      },
    });
    const { entries, id } = await table.play(asked);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered-degraded" });
    const [called] = eventsOf(entries, "tool-called");
    expect(called?.data.result).toMatchObject({ error: "its time was up before it answered" });
    expect(Date.parse(called?.at ?? "") - Date.UTC(2026, 0, 1)).toBeLessThanOrEqual(180_000);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    await table.engine.replay(id);
  });

  it("that never answers has the time of its run, which says that it was up", async () => {
    const table = stage({
      protocols: [ask, council, debate, respond],
      script,
      ports: { tools: () => Promise.resolve({ call: () => new Promise<never>(() => undefined) }) },
    });
    const { entries } = await table.play({ ...asked, budget: { timeMs: 4_000 } });
    expect(eventsOf(entries, "tool-called")).toHaveLength(1);
    expect(JSON.stringify([closingOf(entries), resultOf(entries)?.degraded])).toMatch(
      /time (?:limit|was up)/,
    );
    expect(Date.parse(entries.at(-1)?.at ?? "") - Date.UTC(2026, 0, 1)).toBeLessThanOrEqual(5_000);
  });

  it("that says no is no loss", async () => {
    const table = on(() => Promise.resolve({ ok: false, reason: "no such page" }));
    const { entries } = await table.play(asked);
    expect(eventsOf(entries, "tool-called")[0]?.data.result).toEqual({ error: "no such page" });
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
    expect(resultOf(entries)?.degraded).toEqual([]);
  });
});

it("names the step of an answer that came after calls, so that a draft alone is found", async () => {
  const table = stage({
    protocols: [ask],
    script: looking(agreeable(["ada"]), "ada"),
    ports: { tools: () => Promise.resolve({ call: () => Promise.resolve({ ok: true, result: 1 }) }) },
  });
  const asked = councilAsked({ protocol: "ask", members: ["ada"], chairs: [], settings: grants });
  const { entries } = await table.play(asked);
  expect(closingOf(entries)).toMatchObject({ outcome: "answered", answer: "draft/ada/turn-2" });
  expect(resultOf(entries)?.answer).toContain("391");
});

it("a second respondent goes on after a loss of its own", async () => {
  const tools = { specs: [{ ...SPEC }], limit: 3 };
  const table = stage({
    protocols: [respond],
    reactors: [respondentB],
    script: looking({ first: "It is 391.", second: "It is 17." }, "second"),
    ports: {
      tools: () =>
        Promise.resolve({ call: () => Promise.resolve({ ok: false, reason: "gone", lost: true as const }) }),
    },
  });
  const reactions = { "respondent-b": { ...RESPONDENT_SETTINGS, tools } };
  const { id } = await table.play(respondAsked({ reactions }));
  const { signal } = new AbortController();
  await table.clock.settle(table.engine.drain(id, { worker: "w", signal }));
  const entries = await table.store.for(LOCAL).read(id);
  expect(eventsOf(entries, "answer-given").map(({ data }) => data.text)).toEqual(["It is 391.", "It is 17."]);
  const noted = eventsOf(entries, "degradation-noted");
  expect(noted.map(({ data }) => data.what)).toEqual(["the tool s__look of B"]);
  // Killed behind it, the reaction is still owed.
  expect(noted.map(isIntermediate)).toEqual([true]);
});

it("refuses a name that settings give and nobody knows, with the nearest", async () => {
  const namedTools = () => Promise.resolve({ specs: new Map(), known: ["get_datetime", "search/*"] });
  await expect(requireTools({ namedTools }, ["serch/*"])).rejects.toThrow(
    'there is no tool "serch/*"; did you mean search/*?',
  );
  expect(await requireTools({ namedTools }, [])).toEqual([]);
  expect(uniqueSpecs([SPEC, { ...SPEC, description: "other" }])).toEqual([SPEC]);
});
