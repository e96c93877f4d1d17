import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sameAnswer } from "../../replies/answer.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import { solve } from "../solver/index.ts";
import { makeTasks, MAX_TASKS, makePairs, TASK_KINDS } from "./index.ts";

const answerOf = (value: string) => {
  const answer = extractAnswer(`Final answer: ${value}`);
  if (!answer) throw new Error(`no answer in ${value}`);
  return answer;
};

const tasks = makeTasks({ count: 900, seed: "7", kinds: TASK_KINDS });

describe("generated tasks", () => {
  // Each form worked out its answer by itself when this digest was taken, and the solver agreed on every one.
  it("are questions and answers as they ever were, to the letter", () => {
    expect(createHash("sha256").update(JSON.stringify(tasks)).digest("hex")).toBe(
      "fe4fe79a2d7f0e2d32d653bde4a9a49445bda91880db8c7c702549ff4cf82993",
    );
  });
  it("leave room for mistakes that are none of the answer", () => {
    for (const { question, answer } of tasks) {
      const wrong = solve(question, () => null)?.wrong ?? [];
      expect(wrong.length, question).toBeGreaterThan(0);
      for (const one of wrong) expect(sameAnswer(answerOf(one), answerOf(answer)), question).toBe(false);
    }
  });
  it("repeat no question and no id, and are the same for the same seed only", () => {
    expect(new Set(tasks.map(({ question }) => question)).size).toBe(tasks.length);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
    expect(makeTasks({ count: 30, seed: "7", kinds: TASK_KINDS })).toEqual(tasks.slice(0, 30));
    expect(makeTasks({ count: 30, seed: "8", kinds: TASK_KINDS })).not.toEqual(tasks.slice(0, 30));
  });
  it("are enough, of one kind too", () => {
    for (const kind of TASK_KINDS)
      expect(makeTasks({ count: MAX_TASKS, seed: "1", kinds: [kind] })).toHaveLength(MAX_TASKS);
  });
  it("say yes about as often as no, in every form", () => {
    const all = makeTasks({ count: 1_200, seed: "7", kinds: ["yes-no"] });
    for (const form of new Set(all.map(({ id }) => id.replace(/^.*\d-/, "")))) {
      const own = all.filter(({ id }) => id.endsWith(`-${form}`));
      const yes = own.filter(({ answer }) => answer === "yes").length / own.length;
      // Five standard deviations of a share in 200 are 0.18.
      expect(Math.abs(yes - 0.5), form).toBeLessThan(0.18);
    }
  });
});

describe("pairs", () => {
  const pairs = makePairs(tasks.slice(0, 200), "7");
  it("hold one right and one wrong answer under their label", () => {
    pairs.forEach(({ a, b, label }, index) => {
      const right = (text: string) =>
        sameAnswer(extractAnswer(text) ?? answerOf("none"), answerOf(tasks[index]?.answer ?? ""));
      expect([right(a), right(b)]).toEqual([label === "A", label === "B"]);
    });
  });
  it("are balanced: neither side nor length tells which is right", () => {
    const cells = pairs.map(({ a, b, label }) => {
      const longer = a.length > b.length ? "A" : "B";
      return `right ${label}, ${longer === label ? "longer" : "shorter"}`;
    });
    const counts = [...new Set(cells)]
      .sort()
      .map((cell) => [cell, cells.filter((one) => one === cell).length]);
    expect(counts).toEqual([
      ["right A, longer", 50],
      ["right A, shorter", 50],
      ["right B, longer", 50],
      ["right B, shorter", 50],
    ]);
  });
});
