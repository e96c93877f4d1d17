import { describe, expect, it } from "vitest";
import { parseSolution } from "../judging/index.ts";
import { repairedOutcome } from "./solution-repair.ts";
import { outcomeText } from "./solution.ts";

const outcome = {
  solutionMarkdown: 'Use a "queue" {of one}\n\nFinal answer: 391',
  tradeoffs: ["a, b", 'c "d"'],
  recommendations: [],
  unfulfilledMajorRequirements: ["It must [last]"],
  openQuestions: ["Why?"],
  confidence: 33,
};
const text = outcomeText(outcome);

describe("an outcome written again", () => {
  it("is what a whole one says", () => {
    expect(repairedOutcome(`Here it is: ${text}`)).toEqual(outcome);
  });

  it("keeps what came before a cut, wherever that falls", () => {
    for (let at = 0; at < text.length; at += 1) {
      const repaired = repairedOutcome(text.slice(0, at));
      const read = parseSolution(outcomeText(repaired));
      if (at > 40) expect(read.ok, text.slice(0, at)).toBe(true);
      if (text.slice(0, at).includes('"tradeoffs"'))
        expect(repaired.solutionMarkdown).toBe(outcome.solutionMarkdown);
      expect(outcome.tradeoffs[0]?.startsWith(repaired.tradeoffs[0] ?? "")).toBe(true);
    }
  });

  it("takes a text without the form for the solution", () => {
    expect(repairedOutcome(" Use a queue. ")).toEqual({
      solutionMarkdown: "Use a queue.",
      tradeoffs: [],
      recommendations: [],
      unfulfilledMajorRequirements: [],
      openQuestions: [],
      confidence: null,
    });
  });

  it("reads hostile texts in linear time", () => {
    for (const hostile of [
      '"solutionMarkdown": "' + "\\".repeat(500_001),
      '"tradeoffs": [' + '"",'.repeat(300_000),
      '"'.repeat(1_000_000),
    ]) {
      const before = performance.now();
      expect(repairedOutcome(hostile)).toMatchObject({ recommendations: [], confidence: null });
      expect(performance.now() - before).toBeLessThan(1_000);
    }
  });
});
