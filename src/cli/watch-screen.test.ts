import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Cursor, DeliberationId, EventId, type Entry, type Origin } from "../kernel/index.ts";
import type { ReactorState, WatchReport } from "../views/reactor-state.ts";
import { styleOf } from "../reports/style.ts";
import { widthOf } from "../reports/text-width.ts";
import { reactorLine } from "./watch-text.ts";
import { opened, participantId, sampleCall, stepKey } from "../../test/support/sample-council.ts";
import type { ScreenTime } from "./terminal.ts";
import { fakeLifecycle, fakeTerminal } from "../../test/support/terminal.ts";
import { createWatchScreen, watchEvent, watchLines } from "./watch-text.ts";

const D1 = DeliberationId.parse("9bgzcxpf86bt");
const AT = "2026-01-02T03:04:05.000Z";
const style = styleOf(false);

const state = (reactor: string, changes: Partial<ReactorState> = {}): ReactorState => ({
  reactor,
  state: "idle",
  at: null,
  behind: 0,
  passed: 0,
  oldestMs: null,
  servedBy: { worker: null, drains: 0 },
  said: 0,
  lastSaid: null,
  lastError: null,
  cursor: null,
  ...changes,
});
const watched = (reactors: readonly ReactorState[], changes: Partial<WatchReport> = {}): WatchReport => ({
  at: AT,
  end: Cursor.parse(1_234),
  deliberations: 12,
  reactors: [...reactors],
  ...changes,
});

const lastSaid = (type: string, at: string, failed = false) => ({
  deliberation: D1,
  event: EventId.parse("e"),
  type,
  at,
  failed,
});
const BUSY = watched([
  state("critic", {
    state: "error",
    said: 40,
    lastSaid: lastSaid("grade-given", "2026-01-02T03:04:01.000Z", true),
    lastError: { deliberation: D1, at: "2026-01-02T03:04:01.000Z", why: "timed-out: no reply\nwithin 30 s" },
  }),
  state("memory", {
    state: "ingesting",
    behind: 1_200,
    oldestMs: 185_000,
    said: 3,
    cursor: Cursor.parse(34),
  }),
  state("pairwise", {
    state: "pairwise-grading",
    at: { deliberation: D1, event: EventId.parse("e"), type: "grade-given" },
    behind: 3,
    passed: 2,
    oldestMs: 4_200,
    servedBy: { worker: "4711-abc", drains: 0 },
    cursor: Cursor.parse(1_200),
  }),
  state("respondent-b", {
    state: "receiving",
    behind: 1,
    oldestMs: 20,
    servedBy: { worker: null, drains: 2 },
  }),
]);

function events(): readonly Entry[] {
  const sample = opened();
  const [opening] = sample.entries;
  if (!opening) throw new Error("the sample is empty");
  const digest =
    opening.type === "deliberation-opened" ? opening.data.participants[0]?.persona.instructions : undefined;
  if (digest === undefined) throw new Error("nobody takes part");
  const saidBy = (reactor: string, key: string): Origin => ({
    by: "reactor",
    reactor,
    event: opening.id,
    step: stepKey(key),
    digest,
    after: [],
  });
  const answer = sample.add(
    {
      type: "answer-given",
      data: {
        by: participantId("builder"),
        kind: "response",
        round: 1,
        text: "Paris is 首都 of France,\nsays \u001b[31mB\u001b[0m at some length.",
        final: null,
        respondent: "B",
        call: sampleCall("Paris"),
      },
    },
    saidBy("respondent-b", "answer/builder"),
  );
  sample.add(
    { type: "grade-given", data: { of: answer.id, score: 4, feedback: "It is right.", rubric: "r" } },
    saidBy("critic", "grade"),
  );
  sample.add(
    { type: "note-taken", data: { topic: "not-remembered", reason: "the disk is full", body: null } },
    saidBy("memory", "engram"),
  );
  sample.add(
    { type: "feedback-given", data: { thumb: "up", text: "good" } },
    { by: "client", request: "thumb" },
  );
  return sample.entries;
}

const LINES = events().map(watchEvent);
const shown = (columns: number, rows: number): string =>
  watchLines({ watched: BUSY, events: LINES, hint: "q or Ctrl-C ends" }, { columns, rows, style }).join("\n");

describe("what a person sees", () => {
  it("at 80 and at 40 columns", () => {
    expect(shown(79, 23)).toMatchInlineSnapshot(`
      "12 deliberations · journal at 1,234 · 03:04:05Z
      REACTOR       STATE             LAG    PASSED  OLDEST  WORKER           EVENTS
      critic        error             0      0               –                40
      memory        ingesting         1,200  0       3 min   –                3
      pairwise      pairwise-grading  3      2       4 s     worker at 1,200  0
      respondent-b  receiving         1      0       20 ms   2 commands       0
      ✗ 03:04:01Z 9bgzcxpf86bt critic: timed-out: no reply within 30 s
      03:04:05Z  Kx7sampleCouncil0001  deliberation-opened  council: What is 17 * 23?
      03:04:05Z  Kx7sampleCouncil0001  answer-given  B builder  Paris is 首都 of Fra…
      03:04:05Z  Kx7sampleCouncil0001  grade-given  critic  4/5 It is right.
      03:04:05Z  Kx7sampleCouncil0001  reaction-failed  memory  ✗ not-remembered: th…
      03:04:05Z  Kx7sampleCouncil0001  feedback-given  up good
      q or Ctrl-C ends"
    `);
    expect(shown(39, 23)).toMatchInlineSnapshot(`
      "12 deliberations · journal at 1,234 ·…
      REACTOR       STATE             LAG
      critic        error             0
      memory        ingesting         1,200
      pairwise      pairwise-grading  3
      respondent-b  receiving         1
      ✗ 03:04:01Z critic: timed-out: no repl…
      03:04:05Z  deliberation-opened  counci…
      03:04:05Z  answer-given  B builder  Pa…
      03:04:05Z  grade-given  critic  4/5 It…
      03:04:05Z  reaction-failed  memory  ✗…
      03:04:05Z  feedback-given  up good
      q or Ctrl-C ends"
    `);
  });

  it("lets events go first, then errors, then reactors, where there are few rows", () => {
    const heads = (rows: number) =>
      shown(79, rows)
        .split("\n")
        .map((line) => line.split(" ")[0]);
    expect(heads(8)).toEqual(["12", "REACTOR", "critic", "memory", "pairwise", "respondent-b", "✗", "q"]);
    const failing = BUSY.reactors.map((one) => ({ ...one, lastError: BUSY.reactors[0]?.lastError ?? null }));
    const mixed = watchLines(
      { watched: watched(failing), events: LINES, hint: "q" },
      { columns: 79, rows: 12, style },
    );
    expect(mixed.slice(6).map((line) => line.slice(0, 1))).toEqual(["✗", "✗", "✗", "0", "0", "q"]);
    expect(heads(7)).toEqual(["12", "REACTOR", "critic", "memory", "pairwise", "respondent-b", "q"]);
    expect(heads(4)).toEqual(["12", "REACTOR", "critic", "memory"]);
  });

  it("says that nothing was asked yet", () => {
    const empty = watched([state("critic")], { deliberations: 0, end: Cursor.parse(0) });
    const [head] = watchLines({ watched: empty, events: [], hint: "" }, { columns: 79, rows: 23, style });
    expect(head).toBe('No runs yet. Ask: parley "your question"');
    const other = watchLines(
      { watched: { ...empty, end: Cursor.parse(7) }, events: [], hint: "" },
      { columns: 79, rows: 23, style },
    );
    expect(other[0]).toContain("No runs yet");
  });

  it("fits, whatever the size, the figures and the texts", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc.constantFrom(
        "\u001b[2J\u009b1;1H",
        "a\nb\rc\td",
        "日".repeat(90),
        "👩‍👩‍👧".repeat(40),
        "x".repeat(5_000),
      ),
    );
    const some = fc
      .record({
        reactor: hostile,
        state: fc.constantFrom(
          "idle",
          "receiving",
          "pairwise-grading",
          "reacting",
          "error",
          "a-reactor-of-somebody",
        ),
        behind: fc.nat(),
        passed: fc.nat(),
        oldestMs: fc.option(fc.nat()),
        why: hostile,
        worker: fc.option(hostile),
      })
      .map(({ reactor, why, worker, ...changes }) =>
        state(reactor, {
          ...changes,
          servedBy: { worker, drains: 3 },
          lastSaid: lastSaid(why, AT),
          lastError: { deliberation: D1, at: AT, why },
        }),
      );
    const size = fc.record({
      columns: fc.integer({ min: 1, max: 120 }),
      rows: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 6 }), size, (reactors, { columns, rows }) => {
        const moment = { watched: watched(reactors), events: LINES, hint: "q ends" };
        const lines = watchLines(moment, { columns, rows, style });
        expect(lines.length).toBeLessThanOrEqual(rows);
        const logged = reactors.map((one) => reactorLine(one, AT));
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        for (const line of [...lines, ...logged]) expect(line).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

it("says each state on a line of a log", () => {
  expect(BUSY.reactors.map((one) => reactorLine(one, AT)).join("\n")).toMatchInlineSnapshot(`
    "03:04:05Z critic: error · no worker · timed-out: no reply within 30 s
    03:04:05Z memory: ingesting · 1,200 behind · the oldest since 3 min 5 s · no worker
    03:04:05Z pairwise: pairwise-grading grade-given of 9bgzcxpf86bt · 3 behind · 2 of them passed over · the oldest since 4.2 s · served by worker at 1,200
    03:04:05Z respondent-b: receiving · 1 behind · the oldest since 20 ms · served by 2 commands"
  `);
});

/** Time that ticks when it is told to. */
function fakeTicks(): Pick<ScreenTime, "every"> & { tick(): void; readonly running: () => number } {
  const runs = new Set<() => void>();
  return {
    every: (_ms, run) => {
      runs.add(run);
      return () => void runs.delete(run);
    },
    tick: () => runs.forEach((run) => run()),
    running: () => runs.size,
  };
}

function stage({ columns = 80, rows = 24, color = false } = {}) {
  const output = fakeTerminal(columns, rows);
  const time = fakeTicks();
  const lifecycle = fakeLifecycle();
  const screen = createWatchScreen({ output, color, hint: "q ends", time, lifecycle });
  return { output, time, lifecycle, screen };
}

describe("on a terminal", () => {
  it.each([
    [80, 24],
    [30, 8],
  ])("draws at %ix%i in place, and leaves nothing behind", (columns, rows) => {
    const { output, time, lifecycle, screen } = stage({ columns, rows });
    output.write("$ parley watch\n");
    for (const entry of events()) screen.entry(entry);
    expect(output.screen()).toEqual(["$ parley watch", ""]);
    screen.state(BUSY);
    const first = output.screen();
    expect(first.join("\n")).toContain("pairwise");
    screen.state(watched([state("critic"), state("memory")]));
    expect(output.screen()).toEqual(first);
    time.tick();
    expect(output.screen().join("\n")).not.toContain("pairwise");
    expect(output.cursorVisible).toBe(false);
    screen.stop();
    screen.stop();
    const { length } = output.writes;
    screen.state(BUSY);
    time.tick();
    expect(output.writes).toHaveLength(length);
    expect(output.screen().filter((line) => line !== "" && !line.startsWith("$"))).toEqual([]);
    expect([output.cursorVisible, output.autowrap, time.running(), lifecycle.listeners()]).toEqual([
      true,
      true,
      0,
      0,
    ]);
  });

  it("begins nothing after it was stopped", () => {
    const { output, screen } = stage();
    screen.stop();
    screen.state(BUSY);
    expect(output.writes).toEqual([]);
  });

  it("styles nothing without color", () => {
    const written = (color: boolean) => {
      const { output, screen } = stage({ color });
      screen.state(BUSY);
      screen.stop();
      return output.writes.join("");
    };
    expect(written(false)).not.toMatch(/\[\d+m/);
    expect(written(true)).toContain("[31m");
  });

  it("keeps the last events of many", () => {
    const { output, time, screen } = stage({ rows: 12 });
    const sample = opened();
    screen.state(watched([state("critic")]));
    for (let n = 0; n < 500; n += 1)
      screen.entry(
        sample.add(
          { type: "feedback-given", data: { text: `the ${n}th` } },
          { by: "client", request: `r${n}` },
        ),
      );
    time.tick();
    const text = output.screen().join("\n");
    expect(text).toContain("the 499th");
    expect(text).not.toContain("the 1th");
  });
});
