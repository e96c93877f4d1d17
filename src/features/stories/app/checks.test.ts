import { describe, expect, it } from "vitest";
import { Engram, type Annotation, type Entry } from "../../../kernel/index.ts";
import {
  answered,
  asked,
  called,
  closed,
  graded,
  preferred,
  turnOf,
} from "../../../../test/support/sample-turn.ts";
import { shownAnswer, storyChecks, turnChecks, type KeptEngram } from "./checks.ts";
import type { MessageExpectation, ResponseChecks } from "./file.ts";

type TurnExpectation = Parameters<typeof turnChecks>[0];
type StoryExpectation = Parameters<typeof storyChecks>[0];

const TURN: TurnExpectation = {
  ...{ says: [], saysNot: [], checks: {} },
  ...{ events: { present: [], absent: [] }, skipped: [] },
};
const STORY: StoryExpectation = { present: [], absent: [], engrams: [], skipped: [] };

/** `ok what` or `no what: found`, a line each. */
const lines = (checks: ReturnType<typeof turnChecks>): string[] =>
  checks.map(({ what, ok, found }) => (ok ? `ok ${what}` : `no ${what}: ${found}`));

const turn = (text: string, ...more: Parameters<typeof turnOf>[1]): Entry[] =>
  turnOf("d1", [asked("Where?"), ...more, answered("A", text)]);

describe("what a turn's answer is checked for", () => {
  const checked = (expected: Partial<TurnExpectation>, entries: readonly Entry[]) =>
    lines(turnChecks({ ...TURN, ...expected }, entries)).slice(1);

  it("is that there is one, first of all, and then nothing else", () => {
    const says = { ...TURN, says: [["Paris"]], saysNot: [["Rome"]] };
    const of = (...more: Parameters<typeof turnOf>[1]) =>
      lines(turnChecks(says, turnOf("d1", [asked("Where?"), ...more])));
    expect(of()).toEqual(["no there is an answer: it did not end"]);
    expect(of(closed({ outcome: "failed", why: "refused: no" }))).toEqual([
      "no there is an answer: failed: refused: no",
    ]);
    expect(of(answered("B", "Paris"))).toEqual(["no there is an answer: it did not end"]);
    expect(lines(turnChecks(TURN, turn("Paris.")))).toEqual(["ok there is an answer"]);
  });

  it.each<[string, string[], boolean]>([
    ["It is PARIS.", ["paris"], true],
    ["It is Paris.", ["Rome"], false],
    ["It is Paris.", ["Rome", "Paris"], true],
    ["Caf\u0065\u0301 Zürich", ["CAFÉ"], true],
    ["[simulated 100abc] It is cold.", ["100"], false],
    ["a|b", ["a|b"], true],
    ["1.5", ["1*5"], false],
  ])("is one of several texts, in any case of letters: %s", (text, saying, ok) => {
    const [says] = turnChecks({ ...TURN, says: [saying] }, turn(text)).slice(1);
    const [saysNot] = turnChecks({ ...TURN, saysNot: [saying] }, turn(text)).slice(1);
    expect([says?.ok, saysNot?.ok]).toEqual([ok, !ok]);
  });

  it("is told with what there is instead", () => {
    expect(checked({ says: [["Rome", "Oslo"], ["is"]], saysNot: [["Paris"]] }, turn("It is Paris."))).toEqual(
      [
        'no the answer contains "Rome" or "Oslo": "It is Paris."',
        'ok the answer contains "is"',
        'no the answer does not contain "Paris": "It is Paris."',
      ],
    );
  });

  const ALL: ResponseChecks = {
    answer_not_empty: true,
    tool_calls_empty: true,
    tool_calls_not_empty: true,
    tool_names_include: ["web_search", "web_fetch"],
    only_one_ui_response: true,
  };

  it("is how it came about", () => {
    expect(checked({ checks: ALL }, turn("So.", called("A", "web_search")))).toEqual([
      "ok the answer is not empty",
      "no no tool was called: web_search",
      "ok a tool was called",
      "ok the tool web_search was called",
      "no the tool web_fetch was called: web_search",
      "ok one answer is shown",
    ]);
    expect(checked({ checks: ALL }, turn("  "))).toEqual([
      'no the answer is not empty: ""',
      "ok no tool was called",
      "no a tool was called: no tool was called",
      "no the tool web_search was called: no tool was called",
      "no the tool web_fetch was called: no tool was called",
      "ok one answer is shown",
    ]);
    expect(checked({ checks: { answer_not_empty: false, tool_calls_empty: false } }, turn(""))).toEqual([]);
  });

  it("is neither so nor not so where it cannot be looked at", () => {
    const [only] = turnChecks({ ...TURN, checks: { thinking_not_empty: true } }, turn("So.")).filter(
      ({ ok }) => ok === null,
    );
    expect(only).toEqual({
      what: "the model thinks",
      ok: null,
      found: "what a model thinks is not recorded",
    });
  });

  it("is of the one that is shown: the other respondent's tools and words are not", () => {
    const entries = turnOf("d1", [
      asked("Where?"),
      answered("A", "Paris."),
      called("B", "web_search"),
      answered("B", "Rome."),
    ]);
    expect(shownAnswer(entries)).toBe("Paris.");
    expect(checked({ saysNot: [["Rome"]], checks: { tool_calls_empty: true } }, entries)).toEqual([
      'ok the answer does not contain "Rome"',
      "ok no tool was called",
    ]);
    const two = [...entries, ...turnOf("d2", [asked("Where?"), answered("A", "Paris!")])];
    expect(checked({ checks: { only_one_ui_response: true } }, two)).toEqual(["no one answer is shown: 2"]);
  });
});

const PAIR = turnOf("d1", [
  asked("Where?"),
  answered("A", "Paris."),
  answered("B", "Paris!"),
  graded("d1/2", 4),
  graded("d1/3", null, { why: "unreadable: no score" }),
  preferred(["d1/2", "d1/3"], "tie"),
]);

describe("what is expected on the bus", () => {
  const checked = (expected: Partial<StoryExpectation>, entries = PAIR) =>
    lines(storyChecks({ ...STORY, ...expected }, { entries, engrams: [] }));
  const message = (
    subject: string,
    where: MessageExpectation["where"] = [],
    times?: number,
  ): MessageExpectation => ({ subject, where, times });
  const is = (field: string, ...oneOf: (string | number | boolean | null)[]) => ({ field, is: { oneOf } });
  const typed = (field: string, type: "integer" | "number" | "text" | "boolean" | "list" | "null") => ({
    field,
    is: { type },
  });

  it("is there once at least, or so often", () => {
    expect(
      checked({
        present: [
          message("response.generation"),
          message("response.generation", [], 2),
          message("response.generation", [], 1),
          message("answer.dialog", [], 1),
          message("tool.call.web_search"),
        ],
      }),
    ).toEqual([
      "ok there is response.generation",
      "ok there is response.generation 2 times",
      "no there is response.generation once: 2 of response.generation",
      "ok there is answer.dialog once",
      "no there is tool.call.web_search: 0 of tool.call.web_search",
    ]);
  });

  it("is not there", () => {
    expect(
      checked({
        absent: [
          message("tool.call.web_search"),
          message("answer.dialog"),
          message("critique.result", [is("score", 1, 2)]),
          message("critique.result", [is("score", null)]),
        ],
      }),
    ).toEqual([
      "ok there is no tool.call.web_search",
      "no there is no answer.dialog: 1 of answer.dialog",
      "ok there is no critique.result with score 1 or 2",
      "no there is no critique.result with score null: 2 of critique.result: score 4; score null (unreadable: no score)",
    ]);
  });

  it("has fields of a value, of one of several, or of a type, in one message", () => {
    const score = (respondent: string) => [typed("score", "integer"), is("respondent_id", respondent)];
    expect(
      checked({
        present: [
          message("critique.result", score("A"), 1),
          message("critique.result", score("B")),
          message("pairwise.result", [is("winner", "A", "B", null)]),
          message("pairwise.result", [is("winner", "A", "B")]),
          message("pairwise.result", [is("score_a", "4")]),
          message("pairwise.result", [is("none", null)]),
        ],
      }),
    ).toEqual([
      'ok there is critique.result with score of type integer and respondent_id "A" once',
      'no there is critique.result with score of type integer and respondent_id "B": 2 of critique.result: score 4, respondent_id "A"; score null, respondent_id "B" (unreadable: no score)',
      'ok there is pairwise.result with winner "A" or "B" or null',
      'no there is pairwise.result with winner "A" or "B": 1 of pairwise.result: winner null',
      'no there is pairwise.result with score_a "4": 1 of pairwise.result: score_a 4',
      "no there is pairwise.result with none null: 1 of pairwise.result: none nothing",
    ]);
  });

  it.each<[string, "integer" | "number" | "text" | "boolean" | "list" | "null", boolean]>([
    ["score", "integer", true],
    ["score", "number", true],
    ["score", "text", false],
    ["feedback", "text", true],
    ["rubric_text", "null", true],
    ["rubric_text", "text", false],
    ["feedback", "list", false],
    ["feedback", "number", false],
    ["feedback", "integer", false],
    ["score", "boolean", false],
  ])("knows types: %s of type %s", (field, type, ok) => {
    const entries = turnOf("d1", [asked("Where?"), graded("x", 4)]);
    const [check] = storyChecks(
      { ...STORY, present: [message("critique.result", [typed(field, type)])] },
      { entries, engrams: [] },
    );
    expect(check?.ok).toBe(ok);
  });

  it("takes an empty text for none, and a list and a truth for what they are", () => {
    const entries = turnOf("d1", [asked("Where?"), graded("x", 4, { feedback: " " }), answered("A", "So.")]);
    expect(
      checked(
        {
          present: [
            message("critique.result", [typed("feedback", "text")]),
            message("response.generation", [typed("tool_calls", "list"), typed("error", "boolean")]),
          ],
        },
        entries,
      ).map((line) => line.slice(0, 2)),
    ).toEqual(["no", "ok"]);
  });

  it("tells of a few of many", () => {
    const many = turnOf("d1", [asked("Where?"), ...Array.from({ length: 7 }, () => graded("x", 4))]);
    const [line] = checked({ present: [message("critique.result", [is("score", 5)])] }, many);
    expect(line).toBe(
      "no there is critique.result with score 5: 7 of critique.result: score 4; score 4; score 4; score 4; score 4; …",
    );
  });
});

const engramOf = (id: string, more: object = {}): Engram =>
  Engram.parse({
    id,
    type: "episodic",
    organization: "local",
    user: "ada",
    question: "Where?",
    summary: "Paris.",
    intent: "fact",
    entities: ["Paris"],
    participant: "A",
    respondent: "A",
    models: ["openai/a"],
    temperature: null,
    deliberation: "d1",
    conversation: "d1",
    tools: false,
    at: "2026-01-01T00:00:02.000Z",
    ...more,
  });

const said = (...kinds: Annotation["what"][]): Annotation[] =>
  // Ids of events are texts of a few characters, and these are.
  kinds.map((what, index) => ({ event: `d1/${index}`, by: "judge", at: "", what }) as Annotation);

const GRADE: Annotation["what"] = { kind: "grade", score: 4, feedback: "Good.", rubric: "r" };

describe("what is expected in memory", () => {
  const kept = (over: object = {}, annotations: readonly Annotation[] = said(GRADE)): KeptEngram => ({
    engram: engramOf("d1/2", over),
    annotations,
  });
  const checked = (
    engrams: readonly KeptEngram[],
    { has = [], respondent = "A", type = "episodic" }: Partial<StoryExpectation["engrams"][number]> = {},
    entries = PAIR,
  ) => lines(storyChecks({ ...STORY, engrams: [{ respondent, type, has }] }, { entries, engrams }));

  it("is an engram of the answer's own id, with what it had and what was said of it", () => {
    expect(checked([kept()], { has: ["question", "summary", "at", "entities", "models", "grade"] })).toEqual([
      "ok A's memory entry is episodic and has question, summary, at, entities, models, grade",
    ]);
    expect(checked([kept()], { has: ["grade", "preference"] })).toEqual([
      "no A's memory entry is episodic and has grade, preference: lacks preference",
    ]);
    expect(checked([])).toEqual(["no A's memory entry is episodic: no memory entry of A's answer"]);
    expect(checked([kept()], { respondent: "B" })).toEqual([
      "no B's memory entry is episodic: no memory entry of B's answer",
    ]);
    expect(checked([kept({ respondent: null })])).toEqual(["ok A's memory entry is episodic"]);
  });

  it.each<[object, string]>([
    [{ type: "pinned" }, "is pinned"],
    [{ respondent: "B" }, "is of B"],
    [{ question: "" }, "lacks question"],
    [{ question: "Who?" }, "lacks question"],
    [{ summary: " " }, "lacks summary"],
    [{ at: "" }, "lacks at"],
    [{ entities: [] }, "lacks entities"],
    [{ models: [] }, "lacks models"],
  ])("has lost nothing by what was said of it: %#", (over, what) => {
    const has = ["question", "summary", "at", "entities", "models"] as const;
    expect(checked([kept(over)], { has })[0]).toMatch(new RegExp(`^no .*: ${what}$`));
  });

  it("keeps the beginning of a long question", () => {
    const entries = turnOf("d1", [asked("Where? ".repeat(1_000)), answered("A", "Paris.")]);
    const question = "Where? ".repeat(1_000).slice(0, 4_000);
    expect(checked([kept({ question })], { has: ["question"] }, entries)[0]).toMatch(/^ok/);
  });

  it("is there of every answer that the respondent gave", () => {
    const two = [...PAIR, ...turnOf("d2", [asked("Where?"), answered("A", "Oslo.")])];
    const tied: Annotation["what"] = {
      kind: "preference",
      result: "tied",
      against: engramOf("d1/3").id,
      orderSensitive: false,
      reason: "",
    };
    expect(checked([kept({}, said(GRADE, tied))], {}, two)).toEqual([
      "no A's memory entry is episodic: episodic, grade 4, preference tied; no memory entry of A's answer",
    ]);
    const second = { engram: engramOf("d2/2"), annotations: [] };
    expect(checked([kept(), second], {}, two)).toEqual(["ok A's memory entry is episodic"]);
    expect(checked([kept(), second], { has: ["grade"] }, two)).toEqual([
      "no A's memory entry is episodic and has grade: episodic, grade 4; lacks grade",
    ]);
    expect(checked([kept()], {}, turnOf("d1", [asked("Where?")]))).toEqual([
      "no A's memory entry is episodic: A gave no answer",
    ]);
  });
});
