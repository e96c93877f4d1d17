import { type BenchArm, BenchReport, type BenchRow } from "../contract.ts";
import { holm } from "../../../stats/proportions.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { benchPairs, benchReport, benchVotes } from "./report.ts";

const row = (arm: string, task: string, changes: Partial<BenchRow> = {}): BenchRow => ({
  arm,
  task,
  kind: null,
  deliberations: [`${arm}-${task}`],
  openedAt: "2026-01-01T00:00:00.000Z",
  outcome: "answered",
  finished: true,
  failed: null,
  answer: "1",
  right: true,
  control: null,
  drafts: [],
  calls: 1,
  tokens: { in: 10, out: 5 },
  latencyMs: 200,
  steps: [],
  usd: 0.01,
  simulated: false,
  ...changes,
});
const wrong = { right: false } as const;

const arm = (name: string, deliberates = false): BenchArm => ({
  name,
  what: name,
  protocol: "ask@1",
  seats: [],
  deliberates,
});

const report = (rows: readonly BenchRow[], arms: readonly BenchArm[], count: number): BenchReport =>
  BenchReport.parse(benchReport({ tasks: { file: "t.jsonl", count }, seed: null, arms, rows }));

describe("an arm's figures", () => {
  it("count what has no answer as not right, and show it", () => {
    const rows = [
      row("a", "1"),
      row("a", "2", wrong),
      row("a", "3", { ...wrong, answer: null, outcome: "inconclusive" }),
      row("a", "4", { ...wrong, answer: "1", outcome: "answered-degraded" }),
    ];
    const [one] = report(rows, [arm("a")], 4).arms;
    expect(one).toMatchObject({ right: 1, wrong: 2, noAnswer: 1, unfinished: 0, failed: 0 });
    expect(one?.accuracy).toMatchObject({ value: 0.25, n: 4 });
    expect(one?.outcomes).toEqual({ answered: 2, "answered-degraded": 1, inconclusive: 1 });
  });
  it("do not score what failed for want of replies, and count it apart", () => {
    const outage = { ...wrong, answer: null, outcome: "failed", finished: false, failed: "network: no" };
    const rows = [row("a", "1"), row("a", "2", outage), row("b", "1", wrong), row("b", "2")];
    const whole = report(rows, [arm("a"), arm("b")], 3);
    expect(whole.complete).toBe(false);
    expect(whole.arms[0]).toMatchObject({
      accuracy: { value: 1, n: 1 },
      noAnswer: 0,
      unfinished: 2,
      failed: 1,
      outcomes: { answered: 1 },
    });
    expect(whole.arms[1]).toMatchObject({ accuracy: { n: 2 }, unfinished: 1, failed: 0 });
    expect(whole.pairs).toMatchObject([{ n: 1, onlyFirst: 1, onlySecond: 0 }]);
  });
  it("leave out what is not finished, and say how much that is; its cost is spent all the same", () => {
    const rows = [
      row("a", "1"),
      row("a", "2", { finished: false, outcome: "stopped-by-budget", calls: 5, usd: 1 }),
    ];
    const whole = report(rows, [arm("a")], 5);
    expect(whole).toMatchObject({ complete: false, spent: { calls: 6, usd: 1.01 } });
    expect(whole.arms[0]).toMatchObject({
      unfinished: 4,
      accuracy: { n: 1 },
      perQuestion: { calls: 1, usd: 0.01 },
    });
  });
  it("know no mean of what is unknown", () => {
    const rows = [row("a", "1", { usd: null, tokens: { in: null, out: 5 } }), row("a", "2")];
    expect(report(rows, [arm("a")], 2).arms[0]?.perQuestion).toEqual({
      calls: 1,
      tokensIn: null,
      tokensOut: 5,
      latencyMs: 200,
      usd: null,
    });
    expect(report(rows, [arm("a")], 2).spent.usd).toBeNull();
    expect(report([], [arm("a")], 2).arms[0]?.perQuestion.calls).toBeNull();
  });
  it("tell kinds apart", () => {
    const rows = [row("a", "1", { kind: "x" }), row("a", "2", { kind: "y", ...wrong }), row("a", "3")];
    expect(report(rows, [arm("a")], 3).arms[0]?.kinds).toMatchObject([
      { kind: "x", accuracy: { value: 1, n: 1 } },
      { kind: "y", accuracy: { value: 0, n: 1 } },
    ]);
  });
  it("hold flips from one answer to another against the control, and count no answer apart", () => {
    const control = (right: boolean) => ({ answer: "1", right });
    const none = { answer: null, right: false };
    const rows = [
      row("a", "1", { control: control(true) }),
      row("a", "2", { control: control(true), ...wrong }),
      row("a", "3", { control: control(true), ...wrong, answer: null, outcome: "inconclusive" }),
      row("a", "4", { control: control(false) }),
      row("a", "5", { control: null, ...wrong }),
      row("a", "6", { control: none }),
      row("a", "7", { control: none, ...wrong, answer: null, outcome: "inconclusive" }),
      row("a", "8", { control: control(false), ...wrong, answer: null, outcome: "inconclusive" }),
    ];
    const [deliberating, not] = [arm("a", true), arm("a")].map((one) => report(rows, [one], 8).arms[0]);
    expect(deliberating?.flips).toMatchObject({
      n: 7,
      controlRight: 3,
      rightToWrong: 1,
      wrongToRight: 1,
      rightToNone: 1,
      noneToRight: 1,
      p: 1,
    });
    expect(not?.flips).toBeNull();
  });
});

describe("pairs of arms", () => {
  it("are compared on the questions that both finished", () => {
    const rows = [
      row("a", "1"),
      row("b", "1", wrong),
      row("a", "2", wrong),
      row("b", "2"),
      row("a", "3"),
      row("b", "3"),
      row("a", "4"),
    ];
    expect(report(rows, [arm("a"), arm("b")], 4).pairs).toMatchObject([
      {
        first: "a",
        second: "b",
        n: 3,
        both: 1,
        onlyFirst: 1,
        onlySecond: 1,
        neither: 0,
        difference: { value: 0 },
      },
    ]);
  });
  it("are tested exactly: eight differences one way", () => {
    const tasks = Array.from({ length: 20 }, (_, index) => String(index));
    const rows = tasks.flatMap((task, index) => [row("a", task), row("b", task, index < 8 ? wrong : {})]);
    const [pair] = benchPairs(["a", "b"], rows);
    expect(pair?.p).toBeCloseTo(2 * 0.5 ** 8, 12);
    expect(pair?.adjusted).toBe(pair?.p);
  });
});

describe("Holm's correction", () => {
  it("multiplies the smallest by all, the next by all but one, and never lets a larger one become smaller", () => {
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
    expect(holm([])).toEqual([]);
  });
  it("keeps the order of its values, never lowers one, and stays a probability", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (values) => {
        const adjusted = holm(values);
        values.forEach((value, one) => {
          expect(adjusted[one]).toBeGreaterThanOrEqual(value);
          expect(adjusted[one]).toBeLessThanOrEqual(1);
          values.forEach((other, two) => {
            if (value < other) expect(adjusted[one]).toBeLessThanOrEqual(adjusted[two] ?? 0);
          });
        });
      }),
    );
  });
});

describe("the votes of a panel", () => {
  /** One row a pattern: 1 for a right draft, 0 for a wrong one, a blank for none. */
  const rows = (...patterns: readonly string[]): BenchRow[] =>
    patterns.map((pattern, index) =>
      row("a", String(index), {
        drafts: [...pattern].flatMap((right, seat) =>
          right === " " ? [] : [{ by: `m${seat}`, model: "m", answer: "1", right: right === "1" }],
        ),
      }),
    );

  it("are as many as members where these err independently, one where they err together", () => {
    expect(benchVotes(rows("00", "01", "10", "11")).effective).toBe(2);
    expect(benchVotes(rows("00", "11", "00", "11")).effective).toBeCloseTo(1);
    expect(benchVotes(rows("000", "111", "001", "110")).effective).toBeCloseTo(9 / (3 + 2));
  });
  it("cannot be told of one member, or of one who never errs", () => {
    expect(benchVotes(rows("0", "1")).effective).toBeNull();
    expect(benchVotes(rows("01", "11")).effective).toBeNull();
    expect(benchVotes([]).members).toEqual([]);
  });
  it("leave questions out that one of two did not draft", () => {
    const { members, effective } = benchVotes(rows("00", "01", "10", "11", "1 ", "1 "));
    expect(effective).toBe(2);
    expect(members.map(({ accuracy: { n, value } }) => [n, value])).toEqual([
      [6, 4 / 6],
      [4, 0.5],
    ]);
  });
  it("are held against Condorcet's formula for an odd number of members", () => {
    expect(benchVotes(rows("000", "111", "001", "110")).condorcet).toBeCloseTo(0.5);
    expect(benchVotes(rows("00", "01", "10", "11")).condorcet).toBeNull();
  });
});
