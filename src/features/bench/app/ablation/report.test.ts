import { describe, expect, it } from "vitest";
import { EngramId, UserId } from "../../../../kernel/index.ts";
import type { BenchTask } from "../../../../app/tasks.ts";
import { memoryAblation, type AblationRow } from "./report.ts";

type Side = NonNullable<AblationRow["with"]>;

const side = (changes: Partial<Side> = {}): Side => ({
  deliberations: ["d"],
  outcome: "answered",
  finished: true,
  failed: null,
  text: "It is so.",
  answer: null,
  right: null,
  grade: null,
  calls: 1,
  tokens: { in: 10, out: 5 },
  usd: 0.5,
  ...changes,
});

const engram = { id: EngramId.parse("e"), mark: "mixed", similarity: null, words: 1, score: 1 } as const;

const row = (task: string, changes: Partial<AblationRow>): AblationRow => ({
  task,
  kind: null,
  question: task,
  recalled: { engrams: [engram], facts: 0, how: "full text" },
  with: side(),
  without: side(),
  ...changes,
});

type Judging = NonNullable<Parameters<typeof memoryAblation>[0]["judge"]>;

const judging = (simulated: boolean, scores: readonly (number | null)[]): Judging => ({
  id: "j",
  status: "answered",
  why: null,
  simulated,
  model: "lab/judge",
  family: null,
  form: "json",
  rubric: "answer-quality",
  repeat: 1,
  asked: { of: scores.length, done: scores.length },
  lost: [],
  calls: scores.length,
  unknown: 0,
  tokens: { in: 1, out: 1, cached: null, thinking: null },
  cost: { usd: 0, source: "free" },
  kind: "grade",
  items: scores.map((score, index) => ({
    name: `item-${index}`,
    score,
    feedback: "",
    why: score === null ? "unreadable" : null,
    grades: [],
  })),
});

const report = (rows: readonly AblationRow[], more: readonly string[] = [], judge?: Judging) =>
  memoryAblation({
    simulated: false,
    user: UserId.parse("eva"),
    model: "lab/m",
    seed: null,
    startedAt: null,
    file: "t.jsonl",
    tasks: [...rows.map(({ task }) => task), ...more].map((id): BenchTask => ({ id, question: id })),
    rows,
    judge,
  });

describe("a comparison of answers with memory and without", () => {
  it("counts a question where both sides have finished, and only there", () => {
    const rows = [
      row("a", { with: side({ right: true }), without: side({ right: false }) }),
      row("b", { with: side({ right: true }), without: null }),
      row("c", {
        with: side({ right: true }),
        without: side({ right: false, finished: false, failed: "no" }),
      }),
    ];
    const { right, complete, without } = report(rows, ["d"]);
    expect(right.all).toMatchObject({ n: 1, onlyWith: 1, both: 0, neither: 0, onlyWithout: 0 });
    expect([complete, without.failed, without.finished]).toEqual([false, 1, 1]);
    expect(report(rows.slice(0, 1)).complete).toBe(true);
    expect(report(rows.slice(0, 1), ["d"]).complete).toBe(false);
  });

  it("counts what is not known nowhere: neither as wrong nor as a grade", () => {
    const rows = [
      row("a", { with: side({ right: true, grade: 5 }), without: side({ right: true, grade: null }) }),
      row("b", { with: side({ grade: 4 }), without: side({ grade: 3 }) }),
      row("c", { with: side({ right: false, grade: 2 }), without: side({ right: true, grade: 2 }) }),
    ];
    const { right, grades, ...sides } = report(rows);
    expect(right.all).toMatchObject({ n: 2, both: 1, onlyWithout: 1, difference: { value: -0.5 } });
    expect(grades.all).toMatchObject({
      n: 2,
      with: 3,
      without: 2.5,
      higher: 1,
      alike: 1,
      lower: 0,
      difference: { value: 0.5, low: 0, high: 1 },
    });
    expect(sides.with).toMatchObject({ accuracy: { n: 2, value: 0.5 }, grade: { mean: 11 / 3, n: 3 } });
    expect(sides.without).toMatchObject({ accuracy: { n: 2, value: 1 }, grade: { mean: 2.5, n: 2 } });
  });

  it("tells those apart for which something was recalled, a pinned fact too", () => {
    const judged = { with: side({ right: true, grade: 5 }), without: side({ right: false, grade: 1 }) };
    const rows = [
      row("a", judged),
      row("b", { ...judged, recalled: { engrams: [], facts: 2, how: "words" } }),
      row("c", { ...judged, recalled: { engrams: [], facts: 0, how: "full text" } }),
      row("d", { ...judged, recalled: null }),
    ];
    const { recalled, right, grades } = report(rows);
    expect(recalled).toEqual({ n: 3, engrams: 1, facts: 1, any: 2, how: ["full text", "words"] });
    expect([right.all.n, right.recalled.n, grades.all.n, grades.recalled.n]).toEqual([4, 2, 4, 2]);
    expect(grades.all.difference).toEqual({ value: 4, low: 4, high: 4 });
  });

  it("adds up what each side took, and leaves unknown what any answer does not tell", () => {
    const { with: one, without: other } = report([
      row("a", { without: side({ usd: null, tokens: { in: null, out: 1 } }) }),
      row("b", {}),
    ]);
    expect(one).toMatchObject({ calls: 2, tokens: { in: 20, out: 10 }, usd: 1 });
    expect(other).toMatchObject({ calls: 2, tokens: { in: null, out: 6 }, usd: null });
  });

  it("says how many answers the judge graded, why one was not, and whether it was simulated", () => {
    const judged = (simulated: boolean) => report([row("a", {})], [], judging(simulated, [5, null, 3]));
    expect(judged(false)).toMatchObject({
      simulated: false,
      judge: { answers: 3, read: 2, why: "unreadable", calls: 3, model: "lab/judge" },
    });
    expect(judged(true).simulated).toBe(true);
    expect(report([row("a", {})], [], judging(false, [4])).judge?.why).toBeNull();
  });

  it("is empty without rows", () => {
    expect(report([], ["a"])).toMatchObject({
      complete: false,
      recalled: { n: 0 },
      right: { all: { n: 0, difference: null, p: 1 } },
      grades: { all: { n: 0, with: null, difference: null } },
      judge: null,
    });
  });
});
