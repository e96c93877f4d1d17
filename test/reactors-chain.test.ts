import { describe, expect, it, vi } from "vitest";
import { createEngine } from "../src/engine/index.ts";
import {
  callOf,
  EngramId,
  isEvent,
  OrganizationId,
  originKey,
  type DeliberationId,
  type Embeddings,
  type Entry,
  type EventId,
  type ModelRequest,
} from "../src/kernel/index.ts";
import { readFenced } from "../src/prompts/material.ts";
import { mortal, type CrashPoint } from "../src/testing/crash.ts";
import { memoryEngrams } from "./support/memory-engrams.ts";
import { mortalMemory, type MemoryCrash } from "./support/mortal-memory.ts";
import { RECALL, RESPONDENT_SETTINGS, respondAsked, USER } from "./support/respond-table.ts";
import { shippedText } from "./support/templates.ts";
import { CRITIC, JUDGE } from "./support/toys/respondents.ts";
import { stage } from "../src/testing/stage.ts";
import { responding } from "./support/respond-protocol.ts";
import { critic } from "../src/features/judging/reactor/critic.ts";
import { memory } from "../src/features/memory/reactor/index.ts";
import { pairwise } from "../src/features/judging/reactor/pairwise.ts";
import { LOCAL } from "../src/testing/store-samples.ts";
import { respondentB } from "../src/features/respond/reactor/index.ts";
import { sampled } from "./support/long.ts";

// The whole chain: answer → engram → grade → preference → annotation → feedback. Guarantees 1 and 2 of docs/DESIGN.md:
// killed anywhere and started again, it ends in the same state, and everything is there once.

// Up to forty deaths a test.
vi.setConfig({ testTimeout: 60_000 });

const reactors = [respondentB, critic, pairwise, memory];
const alone = new AbortController().signal;
const SCOPE = { organization: OrganizationId.parse("local"), user: USER };
const RESPONDS = { ...RESPONDENT_SETTINGS, recall: RECALL };
const ASKED = respondAsked({
  settings: RESPONDS,
  reactions: {
    "respondent-b": RESPONDS,
    critic: CRITIC,
    pairwise: JUDGE,
    memory: { user: USER, write: true, mergeAt: 0.9, retireAt: 1 },
  },
  templates: Object.fromEntries(
    ["respond", "judge-grade-prometheus", "judge-preference-prometheus"].map((name) => [
      name,
      shippedText(name),
    ]),
  ),
});

/** One vector for everything: what there is is recalled. */
const embeddings: Embeddings = {
  model: "sim/one",
  embed: (texts) => Promise.resolve(texts.map(() => [1, 0])),
};

/** Remembered of another conversation before this one begins. */
const BEFORE = {
  id: EngramId.parse("before"),
  ...SCOPE,
  question: "What is 17 * 23?",
  answer: "It is 391.",
  participant: null,
  respondent: null,
  models: [],
  temperature: null,
  deliberation: null,
  conversation: null,
  tools: false,
  at: "2025-12-31T00:00:00.000Z",
  mergeAt: 0.9,
};

const answersIn = ({ messages }: ModelRequest): string[] =>
  readFenced(messages.map(({ text }) => text).join("\n")).flatMap(({ kind, text }) =>
    kind === "answer" ? [text] : [],
  );

/** Grades the first one with a 4 and the second one with a 1; prefers the first, wherever it stands. */
function verdictOn(request: ModelRequest): string {
  const [one = "", other] = answersIn(request);
  const isFirst = one.startsWith("It is");
  if (other === undefined) return `Feedback: ${isFirst ? "right" : "wrong"}. [RESULT] ${isFirst ? 4 : 1}`;
  return `Feedback: one is right. [RESULT] ${isFirst ? "A" : "B"}`;
}

type Point = CrashPoint | MemoryCrash;
type Latencies = { readonly a: number; readonly b: number };

const isMemorys = (point: Point): point is MemoryCrash =>
  point.at === "put" || point.at === "annotate" || point.at === "embed";

/** One store, one memory, one provider; `live` is one process's life, which dies at `point` or gets to the end. */
async function scene({ a, b }: Latencies) {
  const on = stage({
    protocols: [responding],
    script: {
      first: () => ({ text: "It is 391.", latencyMs: a }),
      second: () => ({ text: "I make it 392.", latencyMs: b }),
      judge: (request) => ({ text: verdictOn(request), latencyMs: 30 }),
    },
  });
  const { clock, frames, models, store } = on;
  const engrams = memoryEngrams();
  const start = (point?: Point, own = reactors) => {
    const process = mortal({ store, models, world: clock }, point && !isMemorys(point) ? point : undefined);
    const remembers = mortalMemory(
      { engrams, embeddings },
      process,
      point && isMemorys(point) ? point : undefined,
    );
    const engine = createEngine({
      store: process.store,
      models: process.models,
      world: process.world,
      frames,
      protocols: [responding],
      reactors: own,
      ports: { memory: remembers.memory },
    });
    return { process, remembers, engine };
  };
  await start().remembers.memory.write(BEFORE, alone);

  const live = async ({ engine, process }: ReturnType<typeof start>, worker: string) => {
    const { opened } = await engine.open("r1", ASKED);
    const id = opened.deliberation;
    const driven = engine.drive(id, { signal: alone });
    await engine.drain(id, { worker, signal: alone, until: driven });
    const of = `${id}/protocol/answer/A#0` as EventId; // the id of A's answer, as events are named
    await process.store
      .for(LOCAL)
      .append(
        id,
        [{ type: "feedback-given", data: { of, thumb: "up", outcome: "good", text: "thanks", by: "ada" } }],
        { by: "client", request: "feedback/1" },
      );
    await engine.drain(id, { worker, signal: alone });
    return id;
  };
  return {
    ...on,
    begin: start,
    live,
    /** To the end, whoever has died before. */
    finish: (worker: string) => clock.settle(live(start(), worker)),
    /** Until it dies of its point, and everything that it had asked for has come to nothing. */
    async die(point: Point) {
      const dying = start(point);
      void live(dying, "dying");
      await clock.settle(dying.process.died);
      await clock.advance(1_000);
      return { calls: models.count() };
    },
    /** How many calls the journal knows. */
    recordedCalls: async (id: DeliberationId) =>
      (await store.for(LOCAL).read(id)).filter((entry) => callOf(entry) !== undefined).length,
    /** All that has to be the same, whatever happened on the way. */
    async state(id: DeliberationId) {
      const stored = await engrams.list(SCOPE, { limit: 100 });
      return {
        facts: (await on.facts(id)).map(timeless),
        engrams: stored
          .map((one) => ({
            ...one,
            engram: { ...one.engram, at: LATER },
            annotations: one.annotations.map((annotation) => ({ ...annotation, at: LATER })),
          }))
          .sort((one, other) => (one.engram.id < other.engram.id ? -1 : 1)),
      };
    },
  };
}

/** A death takes time, which stands in what was written later. */
const LATER = "…";
const timeless = (fact: string): string =>
  fact.replaceAll(/"at":"[^"]*"/g, `"at":"${LATER}"`).replaceAll(/"latencyMs":\d+/g, '"latencyMs":0');

/** Milliseconds until each of them answers. */
const ARRIVALS = [
  ["the first answers first", { a: 10, b: 200 }],
  ["the second answers first", { a: 200, b: 10 }],
  ["the second answers while the first is graded", { a: 10, b: 25 }],
] as const;
const KINDS = ["append", "call", "put", "embed", "annotate"] as const;

/** Nobody dies. */
async function whole(latencies: Latencies) {
  const on = await scene(latencies);
  const living = on.begin();
  const id = await on.clock.settle(on.live(living, "whole"));
  const { process, remembers } = living;
  const begun = {
    append: process.begun("append"),
    call: process.begun("call"),
    put: remembers.begun("put"),
    embed: remembers.begun("embed"),
    annotate: remembers.begun("annotate"),
  };
  return {
    id,
    begun,
    state: await on.state(id),
    calls: on.models.count(),
    entries: await on.store.for(LOCAL).read(id),
  };
}

/** What it comes to in either order of arrival: whoever comes after a death may hear the answers in another one. */
const undisturbed = Promise.all(ARRIVALS.map(([, latencies]) => whole(latencies)));

type State = Awaited<ReturnType<typeof whole>>["state"];

/** The undisturbed state with the pair completed by the same grade. */
async function undisturbedAs(state: State): Promise<State | undefined> {
  const states = (await undisturbed).map((one) => one.state);
  return states.find(({ facts }) => completedBy(facts) === completedBy(state.facts));
}

/** Which of so many events of a kind there is a death at. */
const deaths = (begun: number) => sampled(Array.from({ length: begun }, (_, index) => index + 1));

const completedBy = (facts: readonly string[]): string | undefined =>
  facts.map((fact) => /^reactor\/pairwise\/(\S+)\/preference /.exec(fact)?.[1]).find(Boolean);

const recalledIn = (entries: readonly Entry[]) =>
  entries.flatMap((entry) =>
    isEvent(entry, "engrams-recalled") ? [entry.data.engrams.map((one) => one.id)] : [],
  );

describe.each(ARRIVALS)("killed between any two of its events, where %s", (_, latencies) => {
  it("comes to two graded, compared and annotated engrams", async () => {
    const { begun, calls, entries, id, state } = await whole(latencies);
    expect(calls).toBe(6);
    expect(begun).toEqual({ append: 20, call: 6, put: 2, embed: 2, annotate: 7 });
    expect(
      entries.filter(
        ({ type }) => type === "reaction-failed" || type === "note-taken" || type === "degradation-noted",
      ),
    ).toEqual([]);
    expect(new Set(entries.map(({ origin }) => originKey(origin))).size).toBe(entries.length);
    const said = state.engrams.map(({ engram, annotations }) => [
      engram.id,
      engram.respondent,
      ...annotations.map(
        ({ by, what }) =>
          `${by}: ${"result" in what ? what.result : "score" in what ? what.score : what.kind}`,
      ),
    ]);
    expect(said).toEqual([
      [`${id}/protocol/answer/A#0`, "A", "sim/judge: 4", "sim/judge: won", "ada: thumb", "ada: outcome"],
      [
        `${id}/reactor/respondent-b/${id}/open#0/answer/B#0`,
        "B",
        "sim/judge: 1",
        "memory: retired",
        "sim/judge: lost",
      ],
      ["before", null],
    ]);
    expect(recalledIn(entries)).toEqual([["before"], ["before"]]);
  });

  it.each(KINDS)("ends in the same state exactly once: before and after every %s", async (at) => {
    const { begun, calls, id } = await whole(latencies);
    for (const nth of deaths(begun[at])) {
      for (const when of ["before", "after"] as const) {
        const label = `${when} ${at} ${nth}`;
        const on = await scene(latencies);
        const died = await on.die({ at, nth, when });
        const inFlight = died.calls - (await on.recordedCalls(id));
        expect(await on.finish("heir"), label).toBe(id);
        const state = await on.state(id);
        expect(state, label).toEqual(await undisturbedAs(state));
        // Guarantee 2: what was in flight is asked once more, and nothing else is.
        expect(inFlight, label).toBeLessThanOrEqual(2);
        expect(on.models.count(), label).toBe(calls + inFlight);
        // A third life finds nothing to do.
        const end = await on.store.end();
        await on.finish("third");
        expect(await on.store.end(), label).toBe(end);
        expect(await on.state(id), label).toEqual(state);
      }
    }
  });
});

it("what the first one answered is not recalled by a second one that comes to it only after a death", async () => {
  const on = await scene({ a: 10, b: 10 });
  const { calls, id, state } = await whole({ a: 10, b: 200 });
  // It gets as far as A's engram, its grade and what that adds to it, and has no time for B.
  const first = on.begin(undefined, [critic, memory]);
  await on.clock.settle(on.live(first, "first"));
  first.process.kill();
  expect(await on.finish("heir")).toBe(id);
  expect(recalledIn(await on.store.for(LOCAL).read(id))).toEqual([["before"], ["before"]]);
  expect(await on.state(id)).toMatchObject({ facts: state.facts });
  expect(on.models.count()).toBe(calls);
});

describe("two processes at once", () => {
  it.each(ARRIVALS)("agree on one state where %s", async (_, latencies) => {
    const on = await scene(latencies);
    const [id, other] = await on.clock.settle(
      Promise.all([on.live(on.begin(), "one"), on.live(on.begin(), "two")]),
    );
    expect(other).toBe(id);
    const state = await on.state(id);
    expect(state).toEqual(await undisturbedAs(state));
    // Both drive, so both may pay for the first answer; what reacts is one process's at a time.
    expect([on.models.count("second"), on.models.count("judge")]).toEqual([1, 4]);
    expect(on.models.count("first")).toBeLessThanOrEqual(2);
  });

  it.each(KINDS)("end in the same state where one dies after any %s", async (at) => {
    const [[, latencies]] = ARRIVALS;
    const { begun, id } = await whole(latencies);
    for (const nth of deaths(begun[at])) {
      const label = `after ${at} ${nth}`;
      const on = await scene(latencies);
      const dying = on.begin({ at, nth, when: "after" });
      void on.live(dying, "dying");
      expect(await on.clock.settle(on.live(on.begin(), "rival")), label).toBe(id);
      const state = await on.state(id);
      expect(state, label).toEqual(await undisturbedAs(state));
    }
  });
});
