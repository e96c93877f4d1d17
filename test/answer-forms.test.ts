import { expect, it } from "vitest";
import { respond } from "../src/features/respond/protocol/index.ts";
import { defineModel } from "../src/models/define-model.ts";
import { openParley } from "../src/app/parley.ts";

const SUM = { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] };
const WORD = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };

/** A process whose one model answers in prose, and in a form what `formed` says at its nth time. */
async function stage(formed: (schema: string, nth: number) => string) {
  const asked: string[] = [];
  const model = defineModel(({ messages }) => {
    const question = messages.at(-1)?.text ?? "";
    if (!question.includes("JSON Schema:")) return { text: "The sum is four.", tokens: { in: 10, out: 5 } };
    asked.push(question);
    return { text: formed(question, asked.length), tokens: { in: 100, out: 10 } };
  });
  const parley = await openParley({
    ...{ store: ":memory:", env: {}, protocols: [respond], models: { "mine/one": model } },
    settings: { prices: { "mine/one": { in: 1, out: 1 } } },
  });
  const ask = async (more = {}) => {
    const request = { question: "What is 2 + 2?", models: ["mine/one"], reactions: false, ...more };
    const run = await parley.start(request);
    await run.outcome();
    return run.id;
  };
  return { parley, ask, asked, [Symbol.asyncDispose]: () => parley.close() };
}

it("is written by who answered, once: a repeat and another form of the same answer do not meet", async () => {
  await using place = await stage((schema) => (schema.includes('"word"') ? '{"word":"four"}' : '{"sum":4}'));
  const id = await place.ask();
  const both = await Promise.all([SUM, WORD].map((schema) => place.parley.writeInForm(id, schema)));
  expect(both.map((one) => one.ok && one.value)).toEqual([{ sum: 4 }, { word: "four" }]);
  expect(place.asked).toHaveLength(2);
  const again = await place.parley.writeInForm(id, SUM);
  expect([again.ok && again.value, place.asked.length]).toEqual([{ sum: 4 }, 2]);
  expect(again.results.map((one) => one.participants[0]?.model)).toEqual(["mine/one"]);
});

it("is asked for once more with what was wrong, and is then refused with it", async () => {
  await using place = await stage((_, nth) => (nth === 1 ? "It is four." : 'Well: {"sum":4}'));
  const formed = await place.parley.writeInForm(await place.ask(), SUM);
  expect(formed).toMatchObject({ ok: true, value: { sum: 4 }, results: [{}, {}] });
  expect(place.asked[1]).toContain("An earlier try did not fit: there is no JSON in the reply");
  await using never = await stage(() => '{"sum":"four"}');
  expect(await never.parley.writeInForm(await never.ask(), SUM)).toMatchObject({
    ...{ ok: false, why: expect.stringMatching(/^sum: /) as string, results: [{}, {}] },
  });
  expect(never.asked).toHaveLength(2);
});

it.each([
  [
    "keywords without a type",
    { properties: { sum: { type: "integer" } }, required: ["sum"] },
    '{"sum":"four"}',
  ],
  ["what is required and not described", { type: "object", required: ["sum"] }, "{}"],
  ["all of several", { allOf: [{ required: ["sum"] }] }, "{}"],
  ["lengths of a list of anything", { type: "array", maxItems: 1 }, "[1,2]"],
  ["what stands beside a choice", { anyOf: [{ type: "number" }, { type: "null" }], minimum: 3 }, "2"],
  ["what must not be", { not: { type: "object" } }, "{}"],
  ["a pattern that takes for ever", { type: "string", pattern: "^(a+)+$" }, `"${"a".repeat(40)}!"`],
])("holds a reply to %s", async (_, schema, reply) => {
  await using place = await stage(() => reply);
  expect((await place.parley.writeInForm(await place.ask(), schema)).ok).toBe(false);
  expect(place.asked).toHaveLength(2);
});

it.each([
  { schema: { type: "array", items: { type: "number" } }, reply: "```json\n[1, 2]\n```", value: [1, 2] },
  { schema: { type: "string", pattern: "^\\p{L}+$" }, reply: '"é"', value: "é" },
  { schema: { const: { a: 1 } }, reply: '{"a":1}', value: { a: 1 } },
])("takes $reply", async ({ schema, reply, value }) => {
  await using place = await stage(() => reply);
  expect(await place.parley.writeInForm(await place.ask(), schema)).toMatchObject({ ok: true, value });
});

it.each([
  ["refers to itself without end", { $ref: "#" }],
  ["refers to what is not there", { $ref: "#/$defs/none" }],
  ["has a keyword of another kind", { type: "object", properties: null }],
  ["requires what is no list", { required: "sum" }],
  ["has a pattern that is none", { type: "string", pattern: "(" }],
])("is not begun by a schema that %s", async (_, schema) => {
  await using place = await stage(() => "{}");
  const id = await place.ask();
  await expect(place.parley.writeInForm(id, schema)).rejects.toThrow(/the schema cannot be used: /);
  expect(place.asked).toEqual([]);
});

it("stays within what the run's limits left", async () => {
  await using place = await stage(() => "no");
  const calls = await place.ask({ maxCalls: 2 });
  expect(await place.parley.writeInForm(calls, SUM)).toMatchObject({ ok: false, results: [{}] });
  expect(place.asked).toHaveLength(1);
  const none = await place.ask({ maxCalls: 1 });
  expect(await place.parley.writeInForm(none, SUM)).toEqual({
    ...{ ok: false, why: "the run's limits leave nothing for it", results: [] },
  });
  expect(place.asked).toHaveLength(1);
});

it("takes nothing where the answer has the form already, and refuses what it cannot begin with", async () => {
  await using place = await stage(() => "{}");
  const id = await place.ask();
  const formed = await place.parley.writeInForm(id, { type: "object" });
  expect(formed.ok && formed.results).toHaveLength(1);
  const text = await place.parley.writeInForm(id, { type: "string" }); // prose is no JSON
  expect(text.ok).toBe(false);
  await expect(place.parley.writeInForm(id, { type: "nothing" })).rejects.toThrow(
    /the schema cannot be used/,
  );
  await expect(place.parley.writeInForm("nosuch", SUM)).rejects.toThrow(/nosuch/);
});

it("is no run of its own in lists, and is forgotten with its answer", async () => {
  await using place = await stage(() => '{"sum":4}');
  const id = await place.ask();
  const formed = await place.parley.writeInForm(id, SUM);
  const [form] = formed.results;
  expect((await place.parley.list()).map((one) => one.id)).toEqual([id]);
  expect(await place.parley.resolveId("last")).toBe(id);
  expect((await place.parley.read(form?.id ?? "")).length).toBeGreaterThan(0);
  await place.parley.forget(id);
  await expect(place.parley.read(form?.id ?? "")).rejects.toMatchObject({ code: "deliberation-forgotten" });
});
