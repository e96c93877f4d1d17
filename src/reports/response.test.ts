import { describe, expect, it } from "vitest";
import { gradeBadge, gradeLine, responseLine } from "./response.ts";
import { styleOf } from "./style.ts";

const colored = styleOf(true);
const plain = styleOf(false);

describe("a badge", () => {
  it("is green for 5 and 4, amber for 3, red for 2 and 1, and nothing without a score", () => {
    const badges = [5, 4, 3, 2, 1, null].map((score) => gradeBadge(score, colored));
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
    const line = gradeLine({ score: 4, feedback, rubric: "answer-quality" }, { style: plain, width: 60 });
    expect(line).toMatch(/^● 4\/5 {2}answer-quality {2}right and clear x+…?$/);
    expect(line?.length).toBeLessThanOrEqual(60);
    expect(gradeLine({ score: null, feedback, rubric: "r" }, { style: plain, width: 60 })).toBeUndefined();
  });
});

it("says who answered, what memory gave, what it took and where it is kept", () => {
  const result = {
    id: "abc",
    recalled: { engrams: 1, facts: 2, how: "" },
    tokens: { in: 1_234, out: 5, cached: null },
    cost: { usd: 0, source: "free" },
    wallMs: 1_500,
    simulated: true,
  };
  expect(responseLine(result, { model: "sim/ada", unpriced: [] })).toBe(
    "sim/ada (simulated) · 1 engram, 2 pinned facts · tokens 1,234 in, 5 out · free · 1.5 s · abc",
  );
  const bare = { ...result, recalled: null, wallMs: null, simulated: false };
  expect(responseLine(bare, { model: "openai/x", unpriced: [] })).toBe(
    "openai/x · tokens 1,234 in, 5 out · free · abc",
  );
});
