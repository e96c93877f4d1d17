import { refusalOf, scratch, type Scratch } from "../../../../test/support/scratch.ts";
import { describe, expect, it } from "vitest";
import { readStoryFile, storyFiles } from "./file.ts";
import type { Subjects } from "./foreign.ts";

/** A bus of a few subjects, one of which never comes, and of tools. */
const SUBJECTS: Subjects = {
  names: ["answer.dialog", "critique.result", "generation.token"],
  known: (subject) =>
    subject === "answer.dialog"
      ? { ok: true, fields: ["query", "answer"] }
      : subject === "critique.result"
        ? { ok: true, fields: ["score", "feedback"] }
        : subject === "generation.token"
          ? { ok: false, reason: "tokens are not recorded" }
          : subject.startsWith("tool.call.")
            ? { ok: true, fields: ["tool", "args"] }
            : undefined,
};

const written = (text: string): Scratch => scratch({ "project/s.yaml": text });
const read = (place: Scratch) => readStoryFile("s.yaml", SUBJECTS, place);
const TURNS = "story_id: S1\nturns:\n  - query: Where?\n";

describe("a story", () => {
  it("of LoCAL2's is read as it is", () => {
    using place = written(`story_id: S7
title: "Two of them"
description: >
  What it is for.
startup_flags: ["--respondent-b", "--model-b", "gemma4:26b", "--temperature-b", "0.6", "--model", "openai/x"]
inter_turn_delay_secs: 1.5
turns:
  - query: >
      Where is it?
    expected_content: ["Paris| paree ", "100"]
    must_not_contain: []
    notes: "for people"
  - new_session: true
    query: And then?
    response_generation_checks: {tool_calls_not_empty: true, tool_names_include: [web_search, file_read]}
expected_bus_events:
  present: ["answer.dialog"]
  absent:
    - critique.result
response_generation_checks:
  answer_not_empty: true
  thinking_not_empty: false
  only_one_ui_response: true
  tool_calls_not_empty: false
critic:
  should_fire: false
notes: >
  More.
`);
    const checks = {
      answer_not_empty: true,
      thinking_not_empty: false,
      only_one_ui_response: true,
      tool_calls_not_empty: false,
    };
    const critic = { subject: "critique.result", where: [], times: undefined };
    expect(read(place)).toEqual({
      file: "s.yaml",
      id: "S7",
      title: "Two of them",
      turns: [
        {
          query: "Where is it?",
          newSession: false,
          says: [["Paris", "paree"], ["100"]],
          saysNot: [],
          checks,
          events: { present: [], absent: [] },
          skipped: [],
        },
        {
          query: "And then?",
          newSession: true,
          says: [],
          saysNot: [],
          checks: { ...checks, tool_calls_not_empty: true, tool_names_include: ["file_read"] },
          events: { present: [], absent: [] },
          skipped: [{ what: "the tool web_search was called", why: "there is no tool web_search here" }],
        },
      ],
      present: [{ subject: "answer.dialog", where: [], times: undefined }],
      absent: [critic, critic],
      engrams: [],
      skipped: [],
      delayMs: 1_500,
      needs: [],
      defaults: { respondentB: true, modelB: "ollama/gemma4:26b", temperatureB: 0.6, model: "openai/x" },
    });
  });

  it("of ours says more", () => {
    using place = written(`story_id: 6
turns: [{query: Where?}]
critic: {should_fire: true}
needs: [judge, respondent-b]
startup_flags: [--temperature-b, 1]
defaults: {judge: sim/jo, temperature_b: 0.4, temperature: 0, respondent_b: false}
expected_bus_events:
  present:
    - subject: critique.result
      where: {score: {type: integer}, feedback: [good, null, true]}
      times: 2
    - {subject: answer.dialog, where: {answer: 100}}
expected_engrams:
  - has: [grade, question]
  - {respondent: B, type: pinned}
`);
    const story = read(place);
    expect(story).toMatchObject({ id: "6", title: "", delayMs: 0, needs: ["judge", "respondent-b"] });
    expect(story.defaults).toEqual({
      judge: "sim/jo",
      temperatureB: 0.4,
      temperature: 0,
      respondentB: false,
    });
    expect(story.present).toEqual([
      {
        subject: "critique.result",
        where: [
          { field: "score", is: { type: "integer" } },
          { field: "feedback", is: { oneOf: ["good", null, true] } },
        ],
        times: 2,
      },
      { subject: "answer.dialog", where: [{ field: "answer", is: { oneOf: [100] } }], times: undefined },
      { subject: "critique.result", where: [], times: undefined },
    ]);
    expect(story.engrams).toEqual([
      { respondent: "A", type: "episodic", has: ["grade", "question"] },
      { respondent: "B", type: "pinned", has: [] },
    ]);
  });

  it.each([
    ["", ": the file must be a mapping (got null)"],
    ["turns: [{query: x}]", "story_id is missing; a story has a story_id and turns, each with a query"],
    ["story_id: S1\nturns: []", ":2:8: turns is not valid: it has no turns"],
    ["story_id: S1\nturns: [{}]", ":2:9: turns.0.query is missing"],
    ["story_id: S1\nturns: [{query: ' '}]", "turns.0.query must not be empty"],
    [`${TURNS}    querry: x`, ':4:5: unknown key "querry"; did you mean query?'],
    [`${TURNS}expected_engrms: []`, ':4:1: unknown key "expected_engrms"; did you mean expected_engrams?'],
    [
      `${TURNS}    response_generation_checks:\n      answr_not_empty: true`,
      ':5:7: unknown key "answr_not_empty"; did you mean answer_not_empty?',
    ],
    [`${TURNS}expected_bus_events:\n  presnt: []`, ':5:3: unknown key "presnt"; did you mean present?'],
    [
      `${TURNS}expected_bus_events:\n  present:\n    - {subject: answer.dialog, tmes: 1}`,
      ':6:32: unknown key "tmes"; did you mean times?',
    ],
    [`${TURNS}defaults: {jugde: sim/jo}`, ':4:12: unknown key "jugde"; did you mean judge?'],
    [`${TURNS}expected_engrams: [{hass: []}]`, ':4:21: unknown key "hass"; did you mean has?'],
    [`${TURNS}critic: {should_fir: true}`, ':4:10: unknown key "should_fir"; did you mean should_fire?'],
    [`${TURNS}defaults: {}\ncritic: {fire: true}`, ':5:10: unknown key "fire"; did you mean should_fire?'],
    [`${TURNS}needs: []\nmanual_checks: []`, ':5:1: unknown key "manual_checks"'],
    [`${TURNS}    attachments: []\nexpected_engrams: []`, ':4:5: unknown key "attachments"'],
    [`${TURNS}    expected_content: Paris`, ':4:23: turns.0.expected_content must be a list (got "Paris")'],
    [
      `${TURNS}    expected_content: ["a|"]`,
      ":4:24: turns.0.expected_content.0 is not valid: one side of a | is empty",
    ],
    [`${TURNS}    must_not_contain: [""]`, "turns.0.must_not_contain.0 must not be empty"],
    [
      `${TURNS}expected_bus_events:\n  present: [answer.dialogue]`,
      ':5:13: there is no subject "answer.dialogue"; did you mean answer.dialog?',
    ],
    [
      `${TURNS}expected_bus_events:\n  absent:\n    - subject: generation.token`,
      ':6:16: "generation.token" never comes: tokens are not recorded; remove it',
    ],
    [
      `${TURNS}expected_bus_events:\n  absent:\n    - subject: critique.result\n      where: {scroe: 5}`,
      ':7:15: there is no field "scroe" in "critique.result"; did you mean score?',
    ],
    [
      `${TURNS}expected_bus_events:\n  present:\n    - {subject: critique.result, where: {score: {type: whole}}}`,
      ":6:49: expected_bus_events.present.0.where.score is not valid: it should be a value, a list of values, or {type:",
    ],
    [
      `${TURNS}expected_bus_events:\n  present: [{subject: critique.result, times: 0}]`,
      "expected_bus_events.present.0.times must be at least 1 (got 0)",
    ],
    [`${TURNS}needs: [a judge]`, ':4:9: needs.0 must be judge or respondent-b (got "a judge")'],
    [`${TURNS}defaults: {judge: jo}`, "defaults.judge is not valid: a model is written provider/model"],
    [`${TURNS}defaults: {temperature_b: 3}`, "defaults.temperature_b must be at most 2 (got 3)"],
    [`${TURNS}inter_turn_delay_secs: -1`, "inter_turn_delay_secs must be at least 0 (got -1)"],
    [
      `${TURNS}startup_flags: [--respondentb]`,
      ':4:17: unknown flag "--respondentb"; did you mean --respondent-b?',
    ],
    [`${TURNS}startup_flags: [--model-b]`, ":4:17: --model-b needs a model; write it behind the flag"],
    [`${TURNS}startup_flags: [--temperature-b, warm]`, ":4:17: --temperature-b needs a temperature"],
    [`${TURNS}startup_flags: [--temperature-b, ""]`, "--temperature-b needs a temperature"],
  ])("is refused with the place and the reason: %#", async (text, expected) => {
    using place = written(text);
    const said = await refusalOf(() => read(place), place);
    expect(said).toMatch(/^HOME\/project\/s\.yaml/);
    expect(said).toContain(expected);
  });

  const skippedOf = (text: string) => {
    using place = written(text);
    const { skipped, turns } = read(place);
    return [...skipped, ...turns.flatMap((turn) => turn.skipped)].map(({ what, why }) => `${what}: ${why}`);
  };
  const NO_MEANING = "it has no meaning here";

  it.each([
    [`${TURNS}setup: {docker: true}`, [`setup: ${NO_MEANING}`]],
    [`${TURNS}priority: 3\nowner: ada`, [`priority: ${NO_MEANING}`, `owner: ${NO_MEANING}`]],
    [`${TURNS}    attachments: [{name: a.txt}]`, [`attachments: ${NO_MEANING}`]],
    [`${TURNS}critic: {rubric: style}`, [`critic.rubric: ${NO_MEANING}`]],
    [`${TURNS}expected_bus_events: {order: []}`, [`expected_bus_events.order: ${NO_MEANING}`]],
    [
      `${TURNS}response_generation_checks: {latency_below: 3}`,
      [`response_generation_checks.latency_below: ${NO_MEANING}`],
    ],
    [
      `${TURNS}expected_bus_events:\n  present: [library.opened, generation.token]\n  absent: [some.thing]`,
      [
        "there is library.opened: there is no such subject",
        "there is generation.token: it never comes: tokens are not recorded",
        "there is no some.thing: there is no such subject",
      ],
    ],
    [
      `${TURNS}expected_bus_events:\n  present: [tool.request.web_search, tool.activity.web_fetch]`,
      [
        "there is tool.request.web_search: there is no tool web_search here",
        "there is tool.activity.web_fetch: there is no tool web_fetch here",
      ],
    ],
    [
      `${TURNS}startup_flags: [--panels, --web-port, "8001", --respondent-b]`,
      [`the flag --panels: ${NO_MEANING}`, `the flag --web-port: ${NO_MEANING}`],
    ],
    [
      "story_id: S9\nmanual_checks:\n  - {id: M1, title: A file, steps: [click]}\n  - look at it\n  - 7",
      [
        "manual check M1 A file: a person makes it",
        "manual check look at it: a person makes it",
        "manual check 7: a person makes it",
      ],
    ],
    [
      `${TURNS}    assertions:\n      - {answer_contains: [[]]}\n      - {subject: answer.dialog, check: twice}\n      - {regex: x}\n      - odd`,
      [
        "the answer contains nothing in particular: there is nothing to look for",
        "an assertion on a subject: its check is neither present nor absent",
        `assertion regex: ${NO_MEANING}`,
        `assertion: ${NO_MEANING}`,
      ],
    ],
  ])("of LoCAL2's is skipped by name where it says what has no counterpart: %#", (text, expected) => {
    expect(skippedOf(text)).toEqual(expected);
  });

  it("of LoCAL2's is read under the names of any time", () => {
    using place = written(`story_id: s11
turns:
  - query: Where?
    expected_content: [here]
    assertions:
      - {subject: tool.activity.file_read, check: present}
      - answer_contains: [Paris, France]
      - {subject: tool.request.web_search, check: absent}
expected_bus_events:
  absent: [tool.request.web_search]
`);
    const { turns, absent, skipped } = read(place);
    const message = (subject: string) => ({ subject, where: [] });
    expect(turns[0]).toMatchObject({
      says: [["here"], ["Paris"], ["France"]],
      events: { present: [message("tool.call.file_read")], absent: [message("tool.call.web_search")] },
      skipped: [],
    });
    expect([absent, skipped]).toEqual([[message("tool.call.web_search")], []]);
  });

  it("is no folder", async () => {
    using place = scratch({ "project/sub/s.yaml": TURNS });
    const said = await refusalOf(() => readStoryFile("sub", SUBJECTS, place), place);
    expect(said).toBe("the story HOME/project/sub is a folder; name a file in it");
  });
});

describe("files of stories", () => {
  it("are those that are named, and those that fit, where no shell says which", () => {
    using place = scratch({
      "project/sub/s2-b.yaml": "",
      "project/sub/s1-a.yml": "",
      "project/sub/s1.txt": "",
      "project/sub/.s1.yaml": "",
      "project/odd*.yaml": "",
      "project/oddly.yaml": "",
    });
    const files = (...words: string[]) => storyFiles(words, place);
    expect(files("x.yaml", "sub/s*.y*ml", "x.yaml")).toEqual([
      "x.yaml",
      "sub/s1-a.yml",
      "sub/s2-b.yaml",
      "x.yaml",
    ]);
    expect(files("sub/*-b.yaml")).toEqual(["sub/s2-b.yaml"]);
    expect(files("odd*.yaml")).toEqual(["odd*.yaml"]); // a file of that name
    expect(files("o*.yaml")).toEqual(["odd*.yaml", "oddly.yaml"]);
    expect(files("sub/*")).toEqual(["sub/s1-a.yml", "sub/s2-b.yaml"]);
  });

  it("are refused where none fits, or too many do", async () => {
    using place = scratch({ "project/aba.yaml": "" });
    for (const pattern of ["b*.yaml", "*c.yaml", "ab*ba.yaml", "none/*.yaml"]) {
      const said = await refusalOf(() => storyFiles([pattern], place), place);
      expect(said).toBe(`no story fits ${pattern}; name a file that exists`);
    }
    const many = Array.from({ length: 501 }, () => "x.yaml");
    expect(await refusalOf(() => storyFiles(many, place), place)).toContain("501 stories, more than 500");
  });
});
