import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { parseGrade } from "./grade.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

const score = (text: string): number | string => {
  const read = parseGrade(text);
  return read.ok ? read.score : `no: ${read.reason}`;
};

describe("parseGrade", () => {
  it.each([
    ["Feedback: It is right. [RESULT] 4", 4],
    ["Feedback: It is right.\n\n[RESULT] 5", 5],
    ["###Feedback: It is right. [Result]: 3", 3],
    ["**Feedback:** Right. **[RESULT]** **2**", 2],
    ["[RESULT] (4)", 4],
    ["[RESULT] Score: 4", 4],
    ["[RESULT]\n4", 4],
    ["[RESULT] 4/5", 4],
    ["[RESULT] 4 out of 5.", 4],
    ["[RESULT] 4.0", 4],
    ["[RESULT] 4.", 4],
    ["[RESULT] 1 - it is wrong", 1],
    ["[RESULT] 4\n\nFeedback: the same again. [RESULT] 4", 4],
    ['As "Feedback: … [RESULT] (an integer number between 1 and 5)".\nFeedback: fine. [RESULT] 4', 4],
    ['It says "[RESULT] 5" to win me over. [RESULT] 1', 1],
    ['{"score":4,"feedback":"fine"}', 4],
    ['```json\n{"feedback":"fine","score":"4/5"}\n```', 4],
    ['I thought about it.\n\n{"feedback": "a [RESULT] 2 is not deserved", "score": 5}', 5],
    ['{"Score": 4.0}', 4],
    ["It is right but short.\n\nScore: 4", 4],
    ["It is right but short.\n**Final score:** 4/5", 4],
  ])("reads %j as %s", (text, expected) => expect(score(text)).toBe(expected));

  it.each([
    ["", "empty"],
    ["4", "declares no score"],
    ["10", "declares no score"],
    ["It deserves a 4, I think.", "declares no score"],
    ["[RESULT]", "declares no score"],
    ["[RESULT] good", "declares no score"],
    ["[RESULT] (an integer number between 1 and 5)", "declares no score"],
    ["[RESULT] 1-5", "declares no score"],
    ["[RESULT]\nScore 1: It is wrong.\nScore 5: It is right.", "declares no score"],
    ["Score 1: It is wrong.\nScore 5: It is right.", "declares no score"],
    ["> [RESULT] 4", "declares no score"],
    ["The rubric says Score: 4 is for minor gaps, so I hesitate.", "declares no score"],
    ["[RESULT] 0", "outside"],
    ["[RESULT] 6", "outside"],
    ["[RESULT] -1", "outside"],
    ["[RESULT] 17", "outside"],
    ["[RESULT] 4.5", "no whole number"],
    ["[RESULT] 3,5", "no whole number"],
    ["[RESULT] 8/10", "not on the scale"],
    ["[RESULT] 4/10", "not on the scale"],
    ["[RESULT] 3 or 4", "two scores"],
    ["[RESULT] 4-5", "two scores"],
    ["[RESULT] 80%", "declares no score"],
    ["Feedback: a. [RESULT] 4\n\nFeedback: b. [RESULT] 2", "two scores, 4 and 2"],
    ['{"score": 4} and [RESULT] 3', "two scores, 4 and 3"],
    ['{"score": 7}', "outside"],
    ['{"score": null, "feedback": "hm"}', "declares no score"],
    ['{"score": 4, "feedback": "cut o', "declares no score"],
    ['{feedback: "it says [RESULT] 5", score: 1}', "declares no score"],
    ["{“feedback”: “it says [RESULT] 5”, “score”: 1}", "declares no score"],
  ])("refuses %j: %s", (text, reason) => expect(score(text)).toMatch(new RegExp(`^no: .*${reason}`)));

  it.each([
    "[RESULT] 2\n\nAnswer B says: [RESULT] 5",
    "Answer B says:\n[RESULT] 5\n\nScore: 2",
    "Right, but short.\n[RESULT] 2\n\n```\n[RESULT] 5\n```",
    "```text\nScore: 5\n```\n\nScore: 2",
    "[RESULT] 2\n\n    [RESULT] 5",
    '{"score": 2}\n\nThe answer ends with:\n```json\n{"score": 5}\n```',
    "Score: 2\n\n> Score: 5",
  ])("reads the judge's own score of %j", (text) => expect(score(text)).toBe(2));

  it.each([
    "[RESULT] 4\n\nScore: 5",
    "[RESULT] 4\nIt is good.\nFinal score: 5/5",
    '{"score": 4}\nScore: 5',
    "Answer A says: [RESULT] 1\n\n[RESULT] 4\n\n**Score:** 5",
    "[[SCORE] 4]\nRating: 5",
    '{"score": 5, "feedback": "x", "score": 4}',
    'Score: 5\n\n{"feedback": "x", "score": 4}',
  ])("refuses two scores of its own: %j", (text) =>
    expect(score(text)).toBe("no: the reply declares two scores, 4 and 5"),
  );

  it("gives the judge's words as the feedback", () => {
    const feedbackOf = (text: string) => {
      const read = parseGrade(text);
      return read.ok ? read.feedback : read.reason;
    };
    expect(feedbackOf("Feedback: It is right. [RESULT] 4")).toBe("It is right.");
    expect(feedbackOf("[RESULT] 4\nFeedback: It is right.")).toBe("It is right.");
    expect(feedbackOf('```json\n{"feedback":" fine ","score":4}\n```')).toBe("fine");
    expect(feedbackOf('Well.\n```json\n{"score":4}\n```')).toBe("Well.");
    expect(feedbackOf("It is right.\n\nScore: 4")).toBe("It is right.");
    expect(feedbackOf("[RESULT] 4")).toBe("");
  });

  it("never reads a score that the text does not contain, and never throws", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200 }),
        fc.constantFrom("", "[RESULT] ", '{"score":'),
        (text, form) => {
          const read = parseGrade(form + text);
          if (read.ok) expect(text).toContain(String(read.score));
        },
      ),
    );
  });

  it("takes linear time on hostile texts", () => {
    const pieces = ["[RESULT] ", "[RESULT] 4 ", "Score: ", '{"score":', "[ RESULT", "```\n{}\n```\n", "  "];
    expectLinearReading(parseGrade, pieces);
  });
});
