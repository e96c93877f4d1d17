import { describe, expect, it } from "vitest";
import type { Entry } from "../kernel/index.ts";
import { answerEvent, gradeOf, answerOfB } from "./answer-event.ts";
import { resultOf } from "./result.ts";

/** Entries as a store gives them, as far as these folds look. */
const entries = (
  ...told: readonly {
    readonly type: string;
    readonly data: object;
    readonly by?: string;
    readonly step?: string;
  }[]
): readonly Entry[] =>
  told.map(({ type, data, by = "protocol", step = "x" }, index) => ({
    type,
    data,
    id: `e${index}`,
    deliberation: "d",
    seq: index + 1,
    cursor: index + 1,
    at: `2026-01-01T00:00:0${index}.000Z`,
    origin:
      by === "protocol"
        ? { by, step, digest: "0", after: [] }
        : by === "close"
          ? { by, after: [] }
          : { by: "reactor", reactor: by, event: "e0", step, digest: "0", after: [] },
  })) as unknown as readonly Entry[];

const opened = {
  type: "deliberation-opened",
  data: {
    question: "?",
    protocol: { name: "respond", version: 1 },
    settings: {},
    participants: [],
    organization: "local",
  },
  step: "open",
};
const answer = (by: string, respondent: "A" | "B", more: object = {}) => ({
  type: "answer-given",
  data: {
    by: respondent,
    kind: "response",
    round: 1,
    text: `of ${respondent}`,
    final: null,
    respondent,
    ...more,
  },
  by,
  step: `answer/${respondent}`,
});
const closing = {
  type: "deliberation-closed",
  data: { outcome: "answered", answer: "answer/A", control: null },
  by: "close",
};
const grade = (of: string, score: number | null, why?: string) => ({
  type: "grade-given",
  data: { of, score, feedback: "f", rubric: "r", ...(why === undefined ? {} : { why }) },
  by: "critic",
});

describe("the given answer", () => {
  const all = entries(opened, answer("protocol", "A"), answer("respondent-b", "B"), closing);

  it("is what the closing names; the second one's is told apart", () => {
    expect(answerEvent(all)?.data.text).toBe("of A");
    expect(answerOfB(all)?.data.text).toBe("of B");
    expect(answerEvent(all.slice(0, 3))).toBeUndefined();
  });

  it("has its own last grade, and no other's", () => {
    const graded = [...all, ...entries(grade("e2", 1), grade("e1", 3), grade("e1", 5), grade("e2", 2))];
    expect(gradeOf(graded, answerEvent(graded)?.id)).toMatchObject({ score: 5, rubric: "r", why: null });
    expect(gradeOf(all, answerEvent(all)?.id)).toBeNull();
    expect(gradeOf(entries(grade("e1", null, "it was late")), "e1" as never)).toMatchObject({
      score: null,
      why: "it was late",
    });
    expect(resultOf(graded)?.grade?.score).toBe(5);
  });

  it("is not weakened by what reactors say, or fail to say", () => {
    const noted = {
      type: "degradation-noted",
      data: { what: "the second answer", why: "it was cut", weakens: "nothing" },
      by: "respondent-b",
    };
    const cut = answer("respondent-b", "B", { call: { ok: true, finish: "length", attempts: 0 } });
    const result = resultOf(entries(opened, answer("protocol", "A"), cut, noted, closing));
    expect(result).toMatchObject({ answer: "of A", degraded: [], status: "answered" });
  });
});
