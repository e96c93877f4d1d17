import { describe, expect, it } from "vitest";
import {
  Cursor,
  DeliberationId,
  Digest,
  decodeEntry,
  EventId,
  eventId,
  OrganizationId,
  originKey,
  ParticipantId,
  ModelRef,
  StepKey,
  encodeEvent,
  type Entry,
  type EventType,
  type NewEvent,
  type Origin,
} from "../kernel/index.ts";
import {
  isChanged,
  ReactorState,
  reactorsView,
  type ReactorMoment,
  type WatchedReactor,
} from "./reactor-state.ts";

const DIGEST = Digest.parse("0".repeat(64));
const OPENED_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const A = ParticipantId.parse("A");
const B = ParticipantId.parse("B");

/** A store's journal by hand: every entry is a second later than the one before, over all deliberations. */
function journal() {
  const all: Entry[] = [];
  const of = (id: string) => all.filter(({ deliberation }) => deliberation === id);
  const add = (id: string, event: NewEvent, origin: Origin): Entry => {
    const cursor = all.length + 1;
    const deliberation = DeliberationId.parse(id);
    const entry = decodeEntry({
      ...encodeEvent(event),
      id: eventId(deliberation, originKey(origin), 0),
      deliberation,
      seq: of(id).length + 1,
      cursor: Cursor.parse(cursor),
      at: new Date(OPENED_MS + cursor * 1_000).toISOString(),
      origin: JSON.stringify(origin),
    });
    all.push(entry);
    return entry;
  };
  return { all, of, add };
}

const step = (key: string) => ({ step: StepKey.parse(key), digest: DIGEST, after: [] });
const protocol = (key: string): Origin => ({ by: "protocol", ...step(key) });
const adopted = (key: string, from: string): Origin => ({
  by: "adopted",
  ...step(key),
  from: DeliberationId.parse(from),
});
const saidBy = (reactor: string, to: Entry, key = "said"): Origin => ({
  by: "reactor",
  reactor,
  event: to.id,
  ...step(key),
});

const opening = (id: string, parent?: string): NewEvent => ({
  type: "deliberation-opened",
  data: {
    question: `${id}?`,
    context: [],
    protocol: { name: "respond", version: 1 },
    settings: {},
    participants: [
      {
        id: A,
        seat: "respondent",
        persona: { name: "A", instructions: DIGEST },
        model: ModelRef.parse("sim/ada"),
        family: null,
      },
    ],
    templates: {},
    seed: "s",
    budget: {},
    organization: OrganizationId.parse("local"),
    ...(parent === undefined ? {} : { parent: { id: DeliberationId.parse(parent), upToSeq: 2 } }),
  },
});
const answer = (by = A): NewEvent => ({
  type: "answer-given",
  data: { by, kind: "response", round: 1, text: "391", final: null, respondent: by === A ? "A" : "B" },
});
const grade = (of: Entry, score: 1 | 2 | 3 | 4 | 5 | null): NewEvent => ({
  type: "grade-given",
  data: {
    of: of.id,
    score,
    feedback: "",
    rubric: "r",
    ...(score === null ? { why: "timed-out: 30 s" } : {}),
  },
});
const note = (topic: string): NewEvent => ({
  type: "note-taken",
  data: { topic, reason: "it broke", body: null },
});
const failure = (code: string): NewEvent => ({
  type: "reaction-failed",
  data: { code, why: "it broke", detail: null },
});
const reply: NewEvent = { type: "reply-received", data: { by: A, why: "one order" } };
const CLOSED: NewEvent = { type: "deliberation-closed", data: { outcome: "cancelled", why: "done" } };

/** The words of the reactors here, by event. */
const WORK: { readonly [reactor: string]: { readonly [T in EventType]?: string } } = {
  critic: { "answer-given": "grading" },
  memory: { "answer-given": "ingesting", "grade-given": "updating-score" },
  pairwise: { "grade-given": "pairwise-grading" },
};
/** As an engine says it: an adopted event is owed nothing. */
const owing = (name: string, ...on: EventType[]): WatchedReactor => ({
  name,
  workOn: (type) => WORK[name]?.[type] ?? "reacting",
  needsReaction: (entry, before) =>
    before.at(-1) === entry && entry.origin.by !== "adopted" && on.some((type) => type === entry.type),
});
const REACTORS = [
  owing("critic", "answer-given"),
  owing("memory", "answer-given", "grade-given"),
  owing("pairwise", "grade-given"),
];

const moment = (changes: Partial<ReactorMoment> = {}): ReactorMoment => ({
  now: OPENED_MS + 60_000,
  leases: [],
  cursors: new Map(),
  ...changes,
});
const lease = (name: string) => ({ name: `reactor/${name}`, holder: "w1" });
const cursors = (of: Record<string, number>) =>
  new Map(Object.entries(of).map(([name, at]) => [name, Cursor.parse(at)] as const));

/** What a view shows at a moment, of all that a journal holds. */
function shown(
  on: ReturnType<typeof journal>,
  at: ReactorMoment = moment(),
  reactors: readonly WatchedReactor[] = REACTORS,
): Record<string, ReactorState> {
  const view = reactorsView(reactors);
  const before = new Map<string, Entry[]>();
  for (const entry of on.all) {
    const own = before.get(entry.deliberation) ?? [];
    own.push(entry);
    before.set(entry.deliberation, own);
    view.event(entry, own);
  }
  return Object.fromEntries(view.read(at).map((state) => [state.reactor, ReactorState.parse(state)]));
}
const words = (states: Record<string, ReactorState>) =>
  Object.values(states).map(({ reactor, state, behind }) => `${reactor} ${state} ${behind}`);

describe("a reactor's state", () => {
  it("goes from idle to receiving, to its work, and back, as events and leases come and go", () => {
    const on = journal();
    const seen: string[][] = [];
    const look = (...leases: string[]) =>
      seen.push(words(shown(on, moment({ leases: leases.map((name) => lease(name)) }))));
    look();
    on.add("d1", opening("d1"), { by: "open", request: "r" });
    look("critic/d1", "memory/d1");
    const given = on.add("d1", answer(), protocol("answer/A"));
    look();
    look("critic/d1", "memory/d1");
    const graded = on.add("d1", grade(given, 4), saidBy("critic", given));
    look("critic/d1", "memory/d1");
    on.add("d1", note("kept"), saidBy("memory", given));
    look("critic/d1", "memory/d1", "pairwise");
    on.add("d1", note("kept"), saidBy("memory", graded));
    on.add("d1", note("kept"), saidBy("pairwise", graded));
    look("critic/d1");
    expect(seen).toEqual([
      ["critic idle 0", "memory idle 0", "pairwise idle 0"],
      ["critic idle 0", "memory idle 0", "pairwise idle 0"],
      ["critic receiving 1", "memory receiving 1", "pairwise idle 0"],
      ["critic grading 1", "memory ingesting 1", "pairwise idle 0"],
      ["critic idle 0", "memory ingesting 2", "pairwise receiving 1"],
      ["critic idle 0", "memory updating-score 1", "pairwise pairwise-grading 1"],
      ["critic idle 0", "memory idle 0", "pairwise idle 0"],
    ]);
  });

  it("tells who serves it, what it is at, how old that is, and what was said last", () => {
    const on = journal();
    on.add("d1", opening("d1"), { by: "open", request: "r" });
    const given = on.add("d1", answer(), protocol("answer/A"));
    const second = on.add("d1", answer(B), protocol("answer/B"));
    const graded = on.add("d1", grade(given, 4), saidBy("critic", given));
    const leases = [lease("critic"), lease("critic/d1"), lease("critic/d2"), lease("critical")];
    expect(shown(on, moment({ leases, cursors: cursors({ critic: 2 }) }))["critic"]).toEqual({
      reactor: "critic",
      state: "grading",
      at: { deliberation: "d1", event: second.id, type: "answer-given" },
      behind: 1,
      passed: 0,
      oldestMs: 57_000,
      servedBy: { worker: "w1", drains: 2 },
      said: 1,
      lastSaid: { deliberation: "d1", event: graded.id, type: "grade-given", at: graded.at, failed: false },
      lastError: null,
      cursor: 2,
    });
  });

  it("is at the oldest event that somebody serves, not at an older one that nobody does", () => {
    const on = journal();
    for (const id of ["d1", "d2"]) {
      on.add(id, opening(id), { by: "open", request: "r" });
      on.add(id, answer(), protocol("answer/A"));
    }
    const { critic } = shown(on, moment({ leases: [lease("critic/d2")] }));
    expect([critic?.state, critic?.at?.deliberation, critic?.behind, critic?.oldestMs]).toEqual([
      "grading",
      "d2",
      2,
      58_000,
    ]);
  });

  it("falls back to receiving when a dead worker's lease has run out", () => {
    const on = journal();
    on.add("d1", opening("d1"), { by: "open", request: "r" });
    on.add("d1", answer(), protocol("answer/A"));
    const at = { cursors: cursors({ critic: 1 }) };
    const held = shown(on, moment({ ...at, leases: [lease("critic")] }));
    const lapsed = shown(on, moment(at));
    expect([held["critic"]?.state, lapsed["critic"]?.state]).toEqual(["grading", "receiving"]);
    expect(lapsed["critic"]).toMatchObject({ behind: 1, servedBy: { worker: null, drains: 0 } });
  });

  it("is at work until a reaction ends, whatever is recorded on the way", () => {
    const on = journal();
    on.add("d1", opening("d1"), { by: "open", request: "r" });
    const given = on.add("d1", answer(), protocol("answer/A"));
    const graded = on.add("d1", grade(given, 4), saidBy("critic", given));
    const leases = [lease("pairwise")];
    const seen = () => {
      const { pairwise } = shown(on, moment({ leases }));
      return `${pairwise?.state} ${pairwise?.behind} ${pairwise?.said}`;
    };
    const said = [seen()];
    const onTheWay: readonly (readonly [string, NewEvent])[] = [
      ["order-1", reply],
      ["turns", { type: "turns-chosen", data: { answers: [] } }],
      ["recall", { type: "engrams-recalled", data: { for: B, engrams: [], facts: [], how: "" } }],
      ["tool", { type: "tool-called", data: { by: B, tool: "t", arguments: null, result: null } }],
      ["preference", note("other")],
    ];
    for (const [key, event] of onTheWay) {
      on.add("d1", event, saidBy("pairwise", graded, key));
      said.push(seen());
    }
    expect(said).toEqual([
      "pairwise-grading 1 0",
      "pairwise-grading 1 1",
      "pairwise-grading 1 2",
      "pairwise-grading 1 3",
      "pairwise-grading 1 4",
      "idle 0 5",
    ]);
  });

  it("counts what a worker has gone by as passed, and nobody as being at it", () => {
    const on = journal();
    on.add("d1", opening("d1"), { by: "open", request: "r" });
    on.add("d1", answer(), protocol("answer/A"));
    const at = (leases: string[], cursor: number) => {
      const found = shown(
        on,
        moment({ leases: leases.map((name) => lease(name)), cursors: cursors({ critic: cursor }) }),
      )["critic"];
      return `${found?.state} ${found?.behind} ${found?.passed} ${found?.oldestMs}`;
    };
    expect(at(["critic"], 1)).toBe("grading 1 0 58000");
    expect(at(["critic"], 2)).toBe("idle 1 1 58000");
    expect(at([], 2)).toBe("idle 1 1 58000");
    expect(at(["critic/d1"], 2)).toBe("grading 1 0 58000"); // a command goes on with it
  });

  const codes = ["reaction-failed", "preference-unreadable", "not-remembered", "no-second-answer"];
  it.each(codes.map((code) => [code, failure(code), `${code}: it broke`] as const))(
    "is an error after %s, and none after the next thing said",
    (_, event, why) => {
      const on = journal();
      on.add("d1", opening("d1"), { by: "open", request: "r" });
      const first = on.add("d1", answer(), protocol("answer/A"));
      const failed = on.add("d1", event, saidBy("memory", first));
      expect(shown(on)["memory"]).toMatchObject({
        state: "error",
        behind: 0,
        lastSaid: { type: "reaction-failed", failed: true },
        lastError: { deliberation: "d1", at: failed.at, why },
      });
      const second = on.add("d1", answer(B), protocol("answer/B"));
      expect(shown(on)["memory"]?.state).toBe("receiving");
      on.add("d1", note("kept"), saidBy("memory", second));
      expect(shown(on)["memory"]).toMatchObject({ state: "idle", lastError: { why } });
    },
  );

  it("is an error after a grade of null, with the reason, bounded", () => {
    const on = journal();
    on.add("d1", opening("d1"), { by: "open", request: "r" });
    const given = on.add("d1", answer(), protocol("answer/A"));
    on.add("d1", grade(given, null), saidBy("critic", given));
    expect(shown(on)["critic"]).toMatchObject({ state: "error", lastError: { why: "timed-out: 30 s" } });
    const data = { code: "reaction-failed", why: "x".repeat(9_000), detail: null };
    on.add("d1", { type: "reaction-failed", data }, saidBy("critic", given, "failed"));
    expect(shown(on)["critic"]?.lastError?.why.length).toBeLessThanOrEqual(1_000);
  });

  it("owes nothing to what a fork adopts, to other reactors' entries, and to types it does not know", () => {
    const on = journal();
    on.add("d1", opening("d1"), { by: "open", request: "r" });
    const given = on.add("d1", answer(), protocol("answer/A"));
    on.add("d1", grade(given, 4), saidBy("critic", given));
    on.add("fork", opening("fork", "d1"), { by: "open", request: "f" });
    on.add("fork", answer(), adopted("answer/A", "d1"));
    on.add("fork", CLOSED, { by: "close", after: [] });
    const cursor = Cursor.parse(on.all.length + 1);
    const strange = (origin: Origin, id: string): Entry => ({
      type: "unknown",
      data: { type: "dream-dreamt", data: {} },
      id: EventId.parse(id),
      deliberation: DeliberationId.parse("d1"),
      seq: 4,
      cursor,
      at: new Date(OPENED_MS).toISOString(),
      origin,
    });
    on.all.push(strange({ by: "client", request: "x" }, "x"), strange(saidBy("pairwise", given), "y"));
    const states = shown(on);
    expect(words(states)).toEqual(["critic idle 0", "memory receiving 2", "pairwise receiving 1"]);
    expect(states["pairwise"]).toMatchObject({ said: 1, lastSaid: { type: "dream-dreamt", failed: false } });
    expect(states["critic"]?.said).toBe(1);
  });
});

it("sees a journal again without counting it, and ends with the same", () => {
  const on = journal();
  on.add("d1", opening("d1"), { by: "open", request: "r" });
  const given = on.add("d1", answer(), protocol("answer/A"));
  on.add("d1", grade(given, null), saidBy("critic", given));
  const view = reactorsView(REACTORS);
  const see = (counted: boolean) =>
    on.all.forEach((entry, index) => view.event(entry, on.all.slice(0, index + 1), { counted }));
  see(true);
  const first = view.read(moment());
  see(false);
  expect(view.read(moment())).toEqual(first);
  expect(first.map(({ said, behind }) => [said, behind])).toEqual([
    [1, 0],
    [0, 2],
    [0, 1],
  ]);
});

it("takes the last on the journal for the last that was said, in whichever order deliberations are seen", () => {
  const on = journal();
  on.add("d1", opening("d1"), { by: "open", request: "r" });
  on.add("d2", opening("d2"), { by: "open", request: "r" });
  const [one, two] = ["d1", "d2"].map((id) => on.add(id, answer(), protocol("answer/A")));
  if (!one || !two) throw new Error("nothing was added");
  on.add("d1", failure("annotation-lapsed"), saidBy("memory", one, "first"));
  on.add("d2", failure("not-remembered"), saidBy("memory", two, "first"));
  on.add("d1", note("kept"), saidBy("memory", one));
  on.add("d2", note("kept"), saidBy("memory", two));
  const reversed = [...on.of("d2"), ...on.of("d1")];
  const view = reactorsView(REACTORS);
  for (const entry of reversed)
    view.event(
      entry,
      on.of(entry.deliberation).filter(({ seq }) => seq <= entry.seq),
    );
  const memory = view.read(moment()).find(({ reactor }) => reactor === "memory");
  expect(memory).toMatchObject({
    state: "idle",
    lastSaid: { deliberation: "d2" },
    lastError: { deliberation: "d2" },
  });
});

it("takes nothing for younger than new, by a clock that is behind the recorder's", () => {
  const on = journal();
  on.add("d1", opening("d1"), { by: "open", request: "r" });
  on.add("d1", answer(), protocol("answer/A"));
  expect(shown(on, moment({ now: OPENED_MS }))["critic"]?.oldestMs).toBe(0);
});

it("is changed by all but time and how far a worker has read", () => {
  const [state] = reactorsView([owing("critic")]).read(moment());
  if (!state) throw new Error("there is one");
  expect(isChanged(state, { ...state, oldestMs: 5, cursor: Cursor.parse(9) })).toBe(false);
  expect(isChanged(state, { ...state, behind: 1 })).toBe(true);
  expect(isChanged(state, { ...state, servedBy: { worker: null, drains: 1 } })).toBe(true);
});
