import { describe, expect, it } from "vitest";
import { parseQuestions } from "./questions.ts";

const asking = (...questions: unknown[]) => JSON.stringify({ questions });

describe("parseQuestions", () => {
  it("reads the questions, each once and the first ones only", () => {
    expect(
      parseQuestions(`Sure:\n${asking({ text: " Who? " }, { text: "Who?" }, "When?", { text: "Why?" })}`, 2),
    ).toEqual({ ok: true, questions: ["Who?", "When?"], cut: 1 });
    expect(parseQuestions(asking({ text: "Who?" }, { text: "" }, 7, null), 5)).toEqual({
      ok: true,
      questions: ["Who?", "7"],
      cut: 0,
    });
  });

  it("reads none", () => {
    expect(parseQuestions('```json\n{"questions": []}\n```', 5)).toEqual({ ok: true, questions: [], cut: 0 });
    expect(parseQuestions(asking("Who?"), 0)).toEqual({ ok: true, questions: [], cut: 1 });
  });

  it.each([
    ["nothing", "", "the reply is empty"],
    ["words", "I have no questions.", 'there is no JSON object with "questions"'],
    ["a bare list", '["Who?"]', 'there is no JSON object with "questions"'],
    ["no list", '{"questions": "Who?"}', "questions is no list"],
    [
      "rows without a text",
      '{"questions": [{"q": "Who?"}, {"text": 0.5e999}]}',
      "no question in the list has a text",
    ],
  ])("refuses %s", (_, text, reason) => {
    expect(parseQuestions(text, 5)).toEqual({ ok: false, reason });
  });

  it("bounds the rows and their length", () => {
    const read = parseQuestions(
      asking(...Array.from({ length: 5_000 }, (_, n) => `${n} ${"x".repeat(100)}`)),
      5,
    );
    expect(read.ok && [read.questions.length, read.cut]).toEqual([5, 995]);
    const long = parseQuestions(asking("y".repeat(9_000)), 5);
    expect(long.ok && long.questions.map(({ length }) => length)).toEqual([2_000]);
  });
});
