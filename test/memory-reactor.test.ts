import { describe, expect, it } from "vitest";
import { digestOf } from "../src/engine/index.ts";
import {
  Engram,
  EventId,
  isEvent,
  originKey,
  StepKey,
  type Annotation,
  type DeliberationId,
  type Entry,
  type Memory,
  type NewEvent,
} from "../src/kernel/index.ts";
import { respondAsked, RESPONDENT_SETTINGS, USER } from "./support/respond-table.ts";
import { stage, type StageOptions } from "../src/testing/stage.ts";
import { responding } from "./support/respond-protocol.ts";
import { memory } from "../src/features/memory/reactor/index.ts";
import { LOCAL } from "../src/testing/store-samples.ts";
import { respondentB } from "../src/features/respond/reactor/index.ts";

const SETTINGS = { user: USER, write: true, mergeAt: 0.9, retireAt: 2 };
const alone = new AbortController().signal;

/** A memory of two maps, once-only as the real one. */
function remembering({ broken = false, retires = null as string | null } = {}) {
  const engrams = new Map<string, Engram>();
  const annotations = new Map<string, Annotation>();
  const port: Memory = {
    recall: () => Promise.resolve({ engrams: [], facts: [], how: "not asked" }),
    find: () => Promise.resolve({ engrams: [], how: "not asked" }),
    pinTold: () => Promise.reject(new Error("nobody pins here")),
    write({ answer, mergeAt: _mergeAt, ...rest }) {
      if (broken) return Promise.reject(new Error("the disk is full"));
      const engram = Engram.parse({
        ...rest,
        type: "episodic",
        summary: answer,
        intent: "fact",
        entities: [],
      });
      if (!engrams.has(engram.id)) engrams.set(engram.id, engram);
      return Promise.resolve({ engram, cluster: engram.id, unembedded: null });
    },
    annotate({ id }, annotation) {
      const key = `${id} ${annotation.event}`;
      const state = annotations.has(key) ? ("known" as const) : ("annotated" as const);
      annotations.set(key, annotation);
      return Promise.resolve({ state: engrams.has(id) ? state : "kept", lapsed: [], retires });
    },
  };
  return { port, engrams, annotations };
}

function staged(remembers = remembering(), settings: object = SETTINGS, options: Partial<StageOptions> = {}) {
  const on = stage({
    protocols: [responding],
    reactors: [respondentB, memory],
    script: { first: () => "It is 391.", second: () => "I make it 391." },
    ports: { memory: remembers.port },
    ...options,
  });
  const drain = (id: DeliberationId, engine = on.engine) =>
    on.clock.settle(engine.drain(id, { worker: "w", signal: alone }));
  return {
    ...on,
    drain,
    async answered(request: string) {
      const reactions = { memory: { ...settings }, "respondent-b": RESPONDENT_SETTINGS };
      const { opened } = await on.engine.open(request, respondAsked({ reactions }));
      await on.drive(opened.deliberation);
      await drain(opened.deliberation);
      return opened.deliberation;
    },
    /** As another reactor would. */
    async said(id: DeliberationId, step: string, event: NewEvent) {
      const origin = {
        by: "reactor" as const,
        reactor: "test",
        event: EventId.parse(`${id}/open#0`),
        step: StepKey.parse(step),
        digest: digestOf(step),
        after: [],
      };
      await on.store.for(LOCAL).append(id, [event], origin);
    },
    of: async (id: DeliberationId, respondent: "A" | "B") =>
      (await on.store.for(LOCAL).read(id)).find(
        (entry) => isEvent(entry, "answer-given") && entry.data.respondent === respondent,
      )?.id ?? EventId.parse("none"),
    memories: async (id: DeliberationId) =>
      (await on.store.for(LOCAL).read(id)).filter(isMemorys).map(lineOf),
  };
}

const isMemorys = (entry: Entry) => entry.origin.by === "reactor" && entry.origin.reactor === "memory";

const lineOf = (entry: Entry): string => {
  const about = originKey(entry.origin).replace(/^reactor\/memory\/[^/]+\//, "");
  if (isEvent(entry, "engram-annotated"))
    return `${entry.data.engram.slice(-3)} ${JSON.stringify(entry.data.annotation.what)} < ${about}`;
  if (isEvent(entry, "reaction-failed")) return `${entry.data.code}: ${entry.data.why} < ${about}`;
  if (isEvent(entry, "note-taken")) return `${entry.data.topic}: ${entry.data.reason} < ${about}`;
  return `${entry.type} < ${about}`;
};

const grade = (of: EventId, score: 1 | 2 | 3 | 4 | 5 | null): NewEvent => ({
  type: "grade-given",
  data: { of, score, feedback: "clear", rubric: "answer-quality" },
});

describe("memory", () => {
  it("writes one engram for each answer, under the answer's id, with who answered", async () => {
    const remembers = remembering();
    const on = staged(remembers);
    const id = await on.answered("r1");
    await on.drain(id);
    expect(
      [...remembers.engrams.values()].map(({ id: _, ...engram }) => engram).sort(byRespondent),
    ).toMatchObject([
      { type: "episodic", question: "What is 17 * 23?", respondent: "A", models: ["sim/first"], user: "ada" },
      {
        type: "episodic",
        question: "What is 17 * 23?",
        respondent: "B",
        models: ["sim/second"],
        user: "ada",
      },
    ]);
    expect([...remembers.engrams.keys()].sort()).toEqual([
      `${id}/protocol/answer/A#0`,
      `${id}/reactor/respondent-b/${id}/open#0/answer/B#0`,
    ]);
  });

  it("annotates what is said of an answer, with who said it and when", async () => {
    const remembers = remembering();
    const on = staged(remembers);
    const id = await on.answered("r1");
    const [a, b] = [await on.of(id, "A"), await on.of(id, "B")];
    await on.said(id, "grade", grade(a, 4));
    await on.said(id, "none", grade(b, null));
    await on.said(id, "preference", {
      type: "preference-given",
      data: { of: [a, b], winner: "B", orderSensitive: false, reason: "shorter" },
    });
    await on.store
      .for(LOCAL)
      .append(
        id,
        [
          {
            type: "feedback-given",
            data: { of: a, thumb: "up", text: "thanks", outcome: "good", by: "ada" },
          },
        ],
        { by: "client", request: "feedback/1" },
      );
    await on.drain(id);
    const said = [...remembers.annotations.values()].map(({ by, what }) => `${by}: ${JSON.stringify(what)}`);
    expect(said).toEqual([
      `critic: {"kind":"grade","score":4,"feedback":"clear","rubric":"answer-quality"}`,
      `critic: {"kind":"preference","result":"lost","against":${JSON.stringify(b)},"orderSensitive":false,"reason":"shorter"}`,
      `critic: {"kind":"preference","result":"won","against":${JSON.stringify(a)},"orderSensitive":false,"reason":"shorter"}`,
      `ada: {"kind":"thumb","thumb":"up","text":"thanks"}`,
      `ada: {"kind":"outcome","outcome":"good","text":"thanks"}`,
    ]);
    for (const annotation of remembers.annotations.values())
      expect(annotation.at).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect((await on.memories(id)).filter((line) => line.includes("annotate"))).toHaveLength(5);
  });

  it("owes nothing to drafts, and to grades that are none", () => {
    const due = (type: string, data: object) =>
      memory.shouldReact?.({ type, data } as never, [], {} as never);
    expect(due("answer-given", { kind: "response" })).toBe(true);
    expect(due("answer-given", { kind: "draft" })).toBe(false);
    expect(due("synthesis-given", {})).toBe(true);
    expect(due("grade-given", { score: 1 })).toBe(true);
    expect(due("grade-given", { score: null })).toBe(false);
    expect(due("feedback-given", { of: "x" })).toBe(true);
    expect(due("feedback-given", {})).toBe(false);
  });

  it("says on the journal why an engram retires", async () => {
    const on = staged(remembering({ retires: "two say that it is bad" }));
    const id = await on.answered("r1");
    await on.said(id, "grade", grade(await on.of(id, "A"), 1));
    await on.drain(id);
    const events = (await on.store.for(LOCAL).read(id)).filter((entry) => isEvent(entry, "engram-annotated"));
    expect(events.map(({ data }) => data)).toMatchObject([{ retires: "two say that it is bad" }]);
  });

  it.each([
    [
      "memory is off in this deliberation",
      { remembers: remembering(), settings: { ...SETTINGS, write: false } },
      ["memory-off: ", "memory-off: ", "memory-off: "],
    ],
    [
      "the disk is full",
      { remembers: remembering({ broken: true }), settings: SETTINGS },
      ["annotation-lapsed: its answer was not remembered: ", "not-remembered: ", "not-remembered: "],
    ],
  ])(
    "lets what is said lapse with a note where nothing was remembered: %s",
    async (why, { remembers, settings }, topics) => {
      const on = staged(remembers, settings);
      const id = await on.answered("r1");
      await on.said(id, "grade", grade(await on.of(id, "A"), 4));
      await on.drain(id);
      expect(remembers.engrams.size + remembers.annotations.size).toBe(0);
      expect((await on.memories(id)).map((line) => line.replace(/ < .*/, "")).sort()).toEqual(
        topics.map((topic) => `${topic}${why}`),
      );
    },
  );

  it("notes what is kept for an engram that is not there", async () => {
    const on = staged();
    const id = await on.answered("r1");
    await on.said(id, "grade", grade(EventId.parse("elsewhere/protocol/answer/A#0"), 4));
    await on.drain(id);
    expect((await on.memories(id)).filter((line) => line.startsWith("annotation-kept"))).toEqual([
      expect.stringMatching(/^annotation-kept: its engram is not there yet: it is kept for it </),
    ]);
  });

  it("comes to the same wherever it is killed", async () => {
    const whole = staged();
    const id = await whole.answered("r1");
    await whole.said(id, "grade", grade(await whole.of(id, "A"), 5));
    await whole.drain(id);
    const expected = timeless(await whole.facts(id));
    for (const when of ["before", "after"] as const) {
      for (let nth = 1; nth <= 3; nth += 1) {
        const remembers = remembering();
        const on = staged(remembers, SETTINGS, { reactors: [respondentB, memory] });
        const same = await on.engine.open(
          "r1",
          respondAsked({ reactions: { memory: SETTINGS, "respondent-b": RESPONDENT_SETTINGS } }),
        );
        await on.drive(id);
        expect(same.opened.deliberation).toBe(id);
        const dying = on.start({ at: "append", nth, when });
        void dying.engine.drain(id, { worker: "dying", signal: alone });
        await on.clock.advance(100);
        await on.drain(id);
        await on.said(id, "grade", grade(await on.of(id, "A"), 5));
        await on.drain(id);
        expect(timeless(await on.facts(id)), `${when} append ${nth}`).toEqual(expected);
        expect(remembers.engrams.size).toBe(2);
        expect(remembers.annotations.size).toBe(1);
      }
    }
  });
});

/** A death takes time, which stands in what was written later. */
const timeless = (facts: readonly string[]) =>
  facts.map((fact) => fact.replaceAll(/"at":"[^"]*"/g, '"at":"…"'));

const byRespondent = (a: Pick<Engram, "respondent">, b: Pick<Engram, "respondent">) =>
  (a.respondent ?? "") < (b.respondent ?? "") ? -1 : 1;
