import { describe, expect, it } from "vitest";
import { readStoryFile, type Story } from "./file.ts";
import { refusalOf, scratch } from "../../../../test/support/scratch.ts";
import { DeliberationId, Engram, ModelRef, type Entry } from "../../../kernel/index.ts";
import { answered, asked, turnOf } from "../../../../test/support/sample-turn.ts";
import { StoryReport } from "./checks.ts";
import { SUBJECTS, subjectKnown } from "../../../interop/local2/subjects.ts";
import { stepClock } from "../../../testing/step-clock.ts";
import { refuseUnmet, runStory, storyFlags, type StoryPorts } from "./story.ts";

const subjects = { names: SUBJECTS.map(({ subject }) => subject), known: subjectKnown };

function storyOf(text: string): Story {
  using place = scratch({ "project/s.yaml": text });
  return readStoryFile("s.yaml", subjects, place);
}

type Said = Parameters<StoryPorts["converse"]>[0];

/** Conversations in which every answer is what `says` makes of the question; everything asked of them is in `log`. */
function faked(
  says: (question: string, asked: Said) => string | Promise<string> = (question) => `So: ${question}`,
) {
  const log: string[] = [];
  const clock = stepClock();
  const users = new Set<string>();
  let turns = 0;
  const ports: StoryPorts = {
    world: { id: clock.id, sleep: (ms) => (log.push(`slept ${ms}`), Promise.resolve()) },
    notes: (question, user) => (users.add(user), Promise.resolve([`about ${question}`])),
    async converse(said) {
      turns += 1;
      users.add(said.user);
      log.push(`${said.previous ?? "new"}: ${said.question}`);
      const id = DeliberationId.parse(`d${turns}`);
      const text = await says(said.question, said);
      const entries: Entry[] = turnOf(id, [asked(said.question), answered("A", text), answered("B", "B.")]);
      return { id, entries: entries.toReversed() };
    },
    engrams(user, ids) {
      users.add(user);
      log.push(`engrams ${ids.join(", ")}`);
      return Promise.resolve(ids.map((id) => ({ engram: engramOf(id), annotations: [] })));
    },
  };
  return { ports, log, users };
}

const engramOf = (id: string): Engram =>
  Engram.parse({
    id,
    type: "episodic",
    organization: "local",
    user: "ada",
    question: "",
    summary: "",
    intent: "fact",
    entities: [],
    participant: null,
    respondent: id.endsWith("/2") ? "A" : "B",
    models: [],
    temperature: null,
    deliberation: null,
    conversation: null,
    tools: false,
    at: "",
  });

const THREE = `story_id: "S 9/ü"
title: Three turns
inter_turn_delay_secs: 2
turns:
  - query: One?
    expected_content: [one]
  - query: Two?
    must_not_contain: [two]
  - {query: Three?, new_session: true}
expected_bus_events:
  present: [{subject: answer.dialog, times: 3}]
expected_engrams: [{respondent: B}]
`;

const open = new AbortController().signal;

describe("a story", () => {
  it("is held turn by turn, in a memory of its own, and checked", async () => {
    const { ports, log, users } = faked();
    const heard: string[] = [];
    const report = await runStory(ports, storyOf(THREE), {
      signal: open,
      onNote: (note) => heard.push(note),
      onTurn: (turn, query) => heard.push(`${turn} ${query}`),
      onChecked: ({ checks }) => heard.push(checks.map(({ ok }) => (ok ? "ok" : "no")).join(" ")),
    });
    expect(log).toEqual([
      "new: One?",
      "d1: Two?",
      "new: Three?",
      "engrams d1/2, d1/3, d2/2, d2/3, d3/2, d3/3",
    ]);
    expect([...users]).toEqual([report?.user]);
    expect(report?.user).toMatch(/^story-S-9--id\d+$/);
    expect(heard).toEqual(["about One?", "1 One?", "ok ok", "2 Two?", "ok no", "3 Three?", "ok"]);
    expect(StoryReport.parse(report)).toMatchObject({
      file: "s.yaml",
      id: "S 9/ü",
      title: "Three turns",
      ok: false,
      simulated: false,
      turns: [
        { query: "One?", deliberation: "d1", answer: "So: One?" },
        { query: "Two?", deliberation: "d2", answer: "So: Two?" },
        { query: "Three?", deliberation: "d3", answer: "So: Three?" },
      ],
      checks: [
        { what: "there is answer.dialog 3 times", ok: true },
        { what: "B's memory entry is episodic", ok: true },
      ],
    });
  });

  it("passes where every check holds, and looks for no engrams that nobody expects", async () => {
    const { ports, log } = faked();
    const report = await runStory(ports, storyOf("story_id: S1\nturns: [{query: One?}]"), { signal: open });
    expect([report?.ok, log]).toEqual([true, ["new: One?"]]);
  });

  it("fails with what it expects of all its turns alone", async () => {
    const { ports } = faked();
    const text =
      "story_id: S1\nturns: [{query: One?}]\nexpected_bus_events: {present: [critique.result], absent: []}";
    expect((await runStory(ports, storyOf(text), { signal: open }))?.ok).toBe(false);
  });

  it("waits between turns only where that is wanted", async () => {
    const { ports, log } = faked();
    await runStory(ports, storyOf(THREE), { signal: open, delays: true });
    expect(log.slice(0, 5)).toEqual(["new: One?", "slept 2000", "d1: Two?", "slept 2000", "new: Three?"]);
  });

  it("has another user with every run", async () => {
    const { ports } = faked();
    const story = storyOf("story_id: S1\nturns: [{query: One?}]");
    const first = await runStory(ports, story, { signal: open });
    const second = await runStory(ports, story, { signal: open });
    expect(first?.user).not.toBe(second?.user);
  });

  it("ends at once when it is interrupted, whether or not the turn does", async () => {
    const stop = new AbortController();
    const { ports, log } = faked((question) => {
      if (question === "Two?") stop.abort();
      return question === "Two?" ? new Promise<string>(() => undefined) : "one";
    });
    expect(await runStory(ports, storyOf(THREE), { signal: stop.signal })).toBeNull();
    expect(log).toEqual(["new: One?", "d1: Two?"]);
  });

  it("is as interrupted where the turn fails of it, and asks nothing when it was before", async () => {
    const stop = new AbortController();
    const failing = faked((_, { signal }) => {
      stop.abort();
      signal.throwIfAborted();
      return "";
    });
    expect(await runStory(failing.ports, storyOf(THREE), { signal: stop.signal })).toBeNull();
    expect(await runStory(failing.ports, storyOf(THREE), { signal: stop.signal })).toBeNull();
    expect(failing.log).toEqual(["new: One?"]);
  });

  it("passes on what went wrong with a turn", async () => {
    const { ports } = faked(() => Promise.reject(new Error("no store")));
    await expect(runStory(ports, storyOf(THREE), { signal: open })).rejects.toThrow("no store");
  });
});

describe("the flags of a story", () => {
  const defaults = storyOf(
    "story_id: S7\nturns: [{query: x}]\ndefaults: {model: sim/a, judge: sim/j, respondent_b: true, temperature_b: 0.6}",
  );

  it("are its own where none is given", () => {
    expect(storyFlags(defaults, { json: true, judge: undefined })).toEqual({
      json: true,
      models: ["sim/a"],
      judge: ["sim/j"],
      respondentB: true,
      temperatureB: 0.6,
    });
    expect(storyFlags({ defaults: {} }, {})).toEqual({});
  });

  it("are those that are given where some are", () => {
    const given = { model: "openai/x", judge: ["openai/y"], temperatureB: "0.1", modelB: "openai/z" };
    expect(storyFlags(defaults, given)).toEqual({
      models: ["openai/x"],
      judge: ["openai/y"],
      respondentB: true,
      temperatureB: "0.1",
      modelB: "openai/z",
    });
  });

  it("have to give what it needs", async () => {
    using place = scratch();
    const { file } = defaults;
    const judge = { file, needs: ["judge"] } as const;
    const both = { file, needs: ["judge", "respondent-b"] } as const;
    const settings = { critic: "auto" as const, judge: [], respondentB: false };
    expect(await refusalOf(() => refuseUnmet(judge, settings), place)).toBe(
      "s.yaml needs a judge, and none is configured; set judge to provider/model",
    );
    const graded = { ...settings, judge: [ModelRef.parse("sim/j")] };
    expect(await refusalOf(() => refuseUnmet(judge, { ...graded, critic: "off" as const }), place)).toContain(
      "a judge",
    );
    expect(await refusalOf(() => refuseUnmet(both, graded), place)).toBe(
      "s.yaml needs a second model (respondent B), and none is configured; set respondent-b: true",
    );
    refuseUnmet(judge, graded);
    refuseUnmet(judge, { ...settings, critic: "on" as const });
    refuseUnmet(both, { ...graded, respondentB: true });
    refuseUnmet({ file, needs: [] }, settings);
  });
});
