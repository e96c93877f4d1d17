import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BenchRow } from "../contract.ts";
import { bestMember, weightedVotes } from "./row.ts";

/** A question's row with what each member answered; the right answer is `1`. */
const row = (task: string, answers: Readonly<Record<string, string | null>>): BenchRow => ({
  arm: "a",
  task,
  kind: null,
  deliberations: ["x"],
  openedAt: "2026-01-01T00:00:00.000Z",
  outcome: "inconclusive",
  finished: true,
  failed: null,
  answer: null,
  right: false,
  control: null,
  drafts: Object.entries(answers).map(([by, answer]) => ({
    by,
    model: "lab/x",
    answer,
    right: answer === "1",
  })),
  calls: 3,
  tokens: { in: 1, out: 1 },
  latencyMs: 1,
  steps: [],
  usd: 0,
  simulated: false,
});
const answersOf = (rows: readonly BenchRow[]) => rows.map(({ answer }) => answer);

/** Two that agree on everything and a third that is alone; then a question on which each says something else. */
const known = Array.from({ length: 8 }, (_, index) => row(`${index}`, { a: "1", b: "1", c: `${index + 5}` }));

describe("weighted votes", () => {
  it("let those decide who agree elsewhere, where a plain vote is level", () => {
    const level = row("level", { a: "1", c: "7" });
    expect(answersOf(weightedVotes([...known, level])).at(-1)).toBe("1");
  });
  it("count what is the same in other words as one answer", () => {
    const words = row("words", { a: "1/2", b: "0.5", c: "9" });
    expect(answersOf(weightedVotes([words]))).toEqual(["1/2"]);
  });
  it("elect nobody where nothing tells two answers apart, or there is none", () => {
    expect(answersOf(weightedVotes([row("x", { a: "1", b: "2" })]))).toEqual([null]);
    expect(answersOf(weightedVotes([row("x", { a: null, b: null })]))).toEqual([null]);
    expect(weightedVotes([])).toEqual([]);
  });
  it("leave alone what is not finished", () => {
    const open = { ...row("open", { a: "1", b: "1" }), finished: false };
    expect(weightedVotes([open])).toEqual([open]);
  });
  it("do not depend on which answer is right", () => {
    const answer = fc.constantFrom("1", "2", "3", null);
    const drawn = fc.array(fc.record({ a: answer, b: answer, c: answer }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(drawn, (all) => {
        const rows = all.map((answers, index) => row(`${index}`, answers));
        const wrong = rows.map((one) => ({
          ...one,
          drafts: one.drafts.map((draft) => ({ ...draft, right: false })),
        }));
        expect(answersOf(weightedVotes(rows))).toEqual(answersOf(weightedVotes(wrong)));
      }),
    );
  });
});

describe("the best member", () => {
  it("is whoever is right most often on the other questions", () => {
    const rows = [
      row("1", { a: "1", b: "2" }),
      row("2", { a: "1", b: "1" }),
      row("3", { a: "2", b: "1" }),
      row("4", { a: "1", b: "2" }),
    ];
    expect(answersOf(bestMember(rows))).toEqual(["1", "1", "2", "1"]);
  });
  it("is never chosen by the question itself", () => {
    // Each is right on one question alone, and on the others it is the other one that counts.
    const rows = [row("1", { a: "1", b: "2" }), row("2", { a: "2", b: "1" })];
    expect(bestMember(rows).map(({ right }) => right)).toEqual([false, false]);
  });
});
