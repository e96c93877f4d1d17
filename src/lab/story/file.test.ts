import { refusalOf, scratch, type Scratch } from "../../../test/support/scratch.ts";
import { describe, expect, it } from "vitest";
import { readStoryFile, storyFiles, type Subjects } from "./file.ts";

/** A bus of three subjects, one of which never comes. */
const SUBJECTS: Subjects = {
  names: ["answer.dialog", "critique.result", "generation.token"],
  known: (subject) =>
    subject === "answer.dialog"
      ? { ok: true, fields: ["query", "answer"] }
      : subject === "critique.result"
        ? { ok: true, fields: ["score", "feedback"] }
        : subject === "generation.token"
          ? { ok: false, reason: "tokens are not recorded" }
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
    response_generation_checks: {tool_calls_not_empty: true, tool_names_include: [web_search]}
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
        },
        {
          query: "And then?",
          newSession: true,
          says: [],
          saysNot: [],
          checks: { ...checks, tool_calls_not_empty: true, tool_names_include: ["web_search"] },
        },
      ],
      present: [{ subject: "answer.dialog", where: [], times: undefined }],
      absent: [critic, critic],
      engrams: [],
      delayMs: 1_500,
      needs: [],
      defaults: {
        respondentB: true,
        modelB: "ollama/gemma4:26b",
        temperatureB: 0.6,
        model: "openai/x",
      },
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
    [`${TURNS}critic: {fire: true}`, ':4:10: unknown key "fire"; did you mean should_fire?'],
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
      `${TURNS}startup_flags: [--panels]`,
      ':4:17: the flag "--panels" has no meaning here; did you mean --model?',
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
