import { describe, expect, it } from "vitest";
import { scoreBadge, scoreLine } from "./score.ts";
import { styleOf } from "./style.ts";

const colored = styleOf(true);
const plain = styleOf(false);

describe("a badge", () => {
  it("is green for 5 and 4, amber for 3, red for 2 and 1, and nothing without a score", () => {
    const badges = [5, 4, 3, 2, 1, null].map((score) => scoreBadge(score, colored));
    expect(badges.map((badge) => badge.replaceAll("\u001b", "^"))).toEqual([
      "^[32m● 5/5^[39m",
      "^[32m● 4/5^[39m",
      "^[33m● 3/5^[39m",
      "^[31m● 2/5^[39m",
      "^[31m● 1/5^[39m",
      "",
    ]);
  });

  it("stands on one line with what it was given for, whatever a judge writes", () => {
    const feedback = `right\u001b[2J and\nclear ${"x".repeat(200)}`;
    const line = scoreLine({ score: 4, feedback, rubric: "answer-quality" }, { style: plain, width: 60 });
    expect(line).toMatch(/^● 4\/5 {2}answer-quality {2}right and clear x+…?$/);
    expect(line?.length).toBeLessThanOrEqual(60);
    expect(scoreLine({ score: null, feedback, rubric: "r" }, { style: plain, width: 60 })).toBeUndefined();
  });
});
