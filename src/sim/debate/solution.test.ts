import { describe, expect, it } from "vitest";
import { repairSolution, solutionText } from "./judge.ts";
import { expectLinearReading } from "../../../test/support/growth.ts";

const whole = {
  solutionMarkdown: 'Use a "queue" {of one}\n\nFinal answer: 391',
  tradeoffs: ["a, b", 'c "d"'],
  recommendations: [],
  unfulfilledMajorRequirements: ["It must [last]"],
  openQuestions: ["Why?"],
  confidence: 33,
};
const nothing = {
  tradeoffs: [],
  recommendations: [],
  unfulfilledMajorRequirements: [],
  openQuestions: [],
  confidence: null,
};
const text = solutionText(whole);

describe("a solution written again", () => {
  it("keeps the text that came before a cut, wherever that falls", () => {
    const end = text.indexOf('"tradeoffs"');
    for (let at = 40; at < text.length; at += 1) {
      const { solutionMarkdown, ...rest } = repairSolution(`Here it is: ${text.slice(0, at)}`);
      expect(rest).toEqual(nothing);
      if (at >= end) expect(solutionMarkdown).toBe(whole.solutionMarkdown);
      expect(whole.solutionMarkdown.startsWith(solutionMarkdown)).toBe(true);
    }
  });

  it("takes a text without the form for the solution", () => {
    expect(repairSolution(" Use a queue. ")).toEqual({ solutionMarkdown: "Use a queue.", ...nothing });
  });

  it("reads hostile texts in linear time", () => {
    const read = (text: string) => expect(repairSolution(text)).toMatchObject(nothing);
    expectLinearReading((text) => read(`"solutionMarkdown": "${text}`), ["\\"]);
    expectLinearReading(read, ['"solutionMarkdown": ', '"']);
  });
});
