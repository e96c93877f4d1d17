import { describe, expect, it } from "vitest";
import type { NewDeliberation } from "../../../../engine/index.ts";
import { Json, type ModelRequest } from "../../../../kernel/index.ts";
import { readFenced } from "../../../../prompts/material.ts";
import type { ScriptedLine } from "../../../../testing/scripted-models.ts";
import { shippedTextsOf, toyAsked, toyParticipant } from "../../../../testing/kit.ts";
import { closingOf, crashPoints, eventsOf, factsOf, stage } from "../../../../testing/stage.ts";
import { LOCAL } from "../../../../testing/store-samples.ts";
import { judge } from "./index.ts";

const rubric = {
  name: "right",
  criteria: "Is it right?",
  anchors: { 1: "No.", 2: "Hardly.", 3: "In part.", 4: "Mostly.", 5: "Yes." },
};

type Settings = Readonly<Record<string, unknown>>;

const asked = (
  settings: Settings,
  texts: Readonly<Record<string, string>>,
  budget: NewDeliberation["budget"] = {},
): NewDeliberation =>
  toyAsked("judge", {
    context: Object.entries(texts).map(([name, text]) => ({ name, text })),
    settings: Object.fromEntries(
      Object.entries({ form: "json", rubric, ...settings }).map(([key, value]) => [key, Json.parse(value)]),
    ),
    participants: [toyParticipant("eve", "judge", "")],
    templates: shippedTextsOf(judge),
    budget,
  });

const names = (count: number) => Array.from({ length: count }, (_, index) => `item-${index + 1}`);

/** Pairs whose better answer is the one that says `good`. */
const pairs = (count: number, settings: Settings = {}, budget?: NewDeliberation["budget"]): NewDeliberation =>
  asked(
    {
      kind: "preference",
      items: names(count).map((name) => ({ name, lengths: { a: 4, b: 3 } })),
      ...settings,
    },
    Object.fromEntries(
      names(count).flatMap((name) => [
        [`${name}/question`, `Why ${name}?`],
        [`${name}/a`, `good ${name}`],
        [`${name}/b`, `bad ${name}`],
      ]),
    ),
    budget,
  );

const answers = (count: number, settings: Settings = {}): NewDeliberation =>
  asked(
    { kind: "grade", items: names(count).map((name) => ({ name })), ...settings },
    Object.fromEntries(
      names(count).flatMap((name) => [
        [`${name}/question`, `Why ${name}?`],
        [`${name}/answer`, `good ${name}`],
        [`${name}/reference`, `best ${name}`],
      ]),
    ),
  );

const shownIn = ({ messages }: ModelRequest) =>
  readFenced(messages.map(({ text }) => text).join("\n")).filter(({ kind }) => kind === "answer");

/** Prefers what says `good`, wherever it stands. */
const fair = (request: ModelRequest): ScriptedLine => {
  const better = shownIn(request).find(({ text }) => text.startsWith("good"))?.label;
  return { text: JSON.stringify({ reason: "it is good", winner: better }), latencyMs: 10 };
};

type Answering = (request: ModelRequest, nth: number) => ScriptedLine;

const bench = (eve: Answering) => stage({ protocols: [judge], script: { eve } });

describe("a judge of pairs", () => {
  it("is asked in both orders, and both together are the preference", async () => {
    const on = bench(fair);
    const { id, entries } = await on.play(pairs(1));
    expect(on.models.calls.map(({ request }) => shownIn(request).map(({ text }) => text))).toEqual([
      ["good item-1", "bad item-1"],
      ["bad item-1", "good item-1"],
    ]);
    expect(await on.lines(id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "reply-received < protocol/item-1/order-1",
        "reply-received < protocol/item-1/order-2",
        "preference-given < protocol/item-1/preference",
        "roster-fixed < protocol/judge/roster",
        "note-taken < protocol/judged",
        "deliberation-closed < close",
      ]
    `);
    expect(eventsOf(entries, "preference-given")[0]?.data).toEqual({
      of: ["item-1/a", "item-1/b"],
      winner: "A",
      orderSensitive: false,
      reason: "it is good",
    });
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
    expect(await on.engine.replay(id)).toMatchObject({ calls: 2 });
  });

  it("that keeps to a place calls no winner", async () => {
    const { entries } = await bench(() => '{"reason":"first","winner":"A"}').play(pairs(2));
    expect(
      eventsOf(entries, "preference-given").map(({ data }) => [data.winner, data.orderSensitive]),
    ).toEqual([
      ["tie", true],
      ["tie", true],
    ]);
  });

  it("asks every prompt as often as told, word by word the same", async () => {
    const on = bench(fair);
    const { id } = await on.play(pairs(1, { repeat: 2 }));
    expect((await on.lines(id)).filter((line) => line.includes("item-1"))).toEqual([
      "reply-received < protocol/item-1/order-1",
      "reply-received < protocol/item-1/order-2",
      "preference-given < protocol/item-1/preference",
      "reply-received < protocol/item-1/order-1/repeat-2",
      "reply-received < protocol/item-1/order-2/repeat-2",
      "preference-given < protocol/item-1/preference/repeat-2",
    ]);
    const [first, , again] = on.models.calls.map(({ request }) => request);
    expect(again).toEqual(first);
  });

  it("says what it could not read, and goes on", async () => {
    const on = bench((request, nth) => (nth === 2 ? "hm" : fair(request)));
    const { entries } = await on.play(pairs(2, { lanes: 1 }));
    expect(eventsOf(entries, "degradation-noted").map(({ data }) => [data.what, data.why])).toEqual([
      ["the preference on item-1", "the second order: the reply prefers neither answer"],
    ]);
    expect(eventsOf(entries, "preference-given")).toHaveLength(1);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered-degraded" });
    expect(eventsOf(entries, "note-taken")[0]?.data.body).toEqual({ read: 3, unread: 1 });
  });

  it("is inconclusive when nothing it says can be read", async () => {
    const { entries } = await bench(() => "hm").play(pairs(1));
    expect(closingOf(entries)).toMatchObject({ outcome: "inconclusive" });
  });
});

describe("a judge of single answers", () => {
  it("sees question, answer, reference and rubric, and its grade is recorded with its words", async () => {
    const on = bench(() => 'Here: {"feedback":"good","score":4}');
    const { entries } = await on.play(answers(1));
    const prompt = on.models.calls[0]?.request.messages.map(({ text }) => text).join("\n") ?? "";
    expect(readFenced(prompt).map(({ kind }) => kind)).toEqual(["question", "answer", "reference", "rubric"]);
    expect(on.models.calls[0]?.request.reply?.name).toBe("grade");
    const { call, ...data } = eventsOf(entries, "grade-given")[0]?.data ?? {};
    expect(data).toEqual({ of: "item-1/answer", score: 4, feedback: "good", rubric: "right" });
    expect(call).toMatchObject({ ok: true });
  });

  it("in the form of Prometheus is held to no schema, and grades without a verdict say why", async () => {
    const on = bench((_, nth) => (nth === 1 ? "Feedback: fine. [RESULT] 9" : "Feedback: fine. [RESULT] 5"));
    const { entries } = await on.play(answers(2, { form: "prometheus", lanes: 1 }));
    expect(on.models.calls[0]?.request.reply).toBeUndefined();
    expect(eventsOf(entries, "grade-given").map(({ data }) => [data.score, data.why])).toEqual([
      [null, "the score 9 is outside of 1 to 5"],
      [5, undefined],
    ]);
  });
});

describe("lanes", () => {
  it("keep so many items before the judge at a time", async () => {
    let [now, most] = [0, 0];
    const on = bench(fair);
    const { complete } = on.models;
    on.models.complete = async (...call) => {
      most = Math.max(most, (now += 1));
      return complete(...call).finally(() => (now -= 1));
    };
    await on.play(pairs(7, { lanes: 3 }));
    expect(most).toBe(3);
    expect(on.models.count()).toBe(14);
  });

  it("asks the same, however many there are", async () => {
    const requests = async (lanes: number) => {
      const on = bench(fair);
      await on.play(pairs(4, { lanes }));
      return on.models.calls.map(({ request }) => JSON.stringify(request)).sort();
    };
    expect(await requests(3)).toEqual(await requests(1));
  });

  it.each([
    ["unauthorised", 1],
    ["out-of-credit", 1],
    ["network", 3],
  ] as const)("end when calls fail as %s, after %i of them", async (fail, calls) => {
    const on = bench(() => ({ fail }));
    const { entries } = await on.play(pairs(4, { lanes: 1 }));
    expect(on.models.count()).toBe(calls);
    expect(closingOf(entries)).toMatchObject({ outcome: "failed", why: expect.stringContaining(fail) });
  });

  it("go on over failures that stand alone", async () => {
    const on = bench((request, nth) => (nth % 3 === 0 ? { fail: "network" } : fair(request)));
    const { entries } = await on.play(pairs(6, { lanes: 1 }));
    expect(on.models.count()).toBe(12);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered-degraded" });
  });
});

describe("a budget", () => {
  it("opens no more lanes than it reaches for, and ends them", async () => {
    const on = bench(fair);
    const { entries } = await on.play(pairs(5, { lanes: 4 }, { calls: 3 }));
    expect(on.models.count()).toBe(3);
    expect(eventsOf(entries, "roster-fixed")[0]?.data).toMatchObject({ in: ["lane-1", "lane-2", "lane-3"] });
    expect(closingOf(entries)).toMatchObject({ outcome: "stopped-by-budget", best: null });
  });

  it("a fork with a larger one takes over what is recorded and asks for the rest", async () => {
    const on = bench(fair);
    const { id } = await on.play(pairs(3, { lanes: 2 }, { calls: 3 }));
    const { opened } = await on.engine.fork(id, { request: "r2", changes: { budget: {} } });
    await on.drive(opened.deliberation);
    const entries = await on.store.for(LOCAL).read(opened.deliberation);
    expect(eventsOf(entries, "preference-given")).toHaveLength(3);
    expect(on.models.count()).toBe(6);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
  });

  it("a fork of a run that failed asks once more for what had failed, and for nothing else", async () => {
    const on = bench((request, nth) => (nth === 2 ? { fail: "unauthorised" } : fair(request)));
    const { id, entries: before } = await on.play(pairs(2, { lanes: 1 }));
    expect(closingOf(before)).toMatchObject({ outcome: "failed" });
    const [opening] = eventsOf(before, "deliberation-opened");
    const settings = { ...opening?.data.settings, again: 1 };
    const { opened } = await on.engine.fork(id, { request: "r2", changes: { settings } });
    await on.drive(opened.deliberation);
    const entries = await on.store.for(LOCAL).read(opened.deliberation);
    expect(on.models.count()).toBe(2 + 3);
    expect(entries.map(({ origin }) => ("step" in origin ? origin.step : ""))).toContain(
      "item-1/order-2/again-1",
    );
    expect(eventsOf(entries, "preference-given")).toHaveLength(2);
  });
});

describe("a judge that is killed", () => {
  const opening = () => pairs(3, { lanes: 2 });
  // Six replies, three preferences, the roster, the note, the closing.
  const points = crashPoints({ calls: 6, appends: 12 });

  it.each(points)("resumes to the same history: $when $at $nth", async (point) => {
    const whole = bench(fair);
    const { entries: expected } = await whole.play(opening());
    const on = bench(fair);
    const { entries } = await on.playKilled(opening(), point);
    expect(factsOf(entries)).toEqual(factsOf(expected));
    // One call in flight a lane.
    expect(on.models.count() - whole.models.count()).toBeLessThanOrEqual(2);
  });
});
