import { describe, expect, it } from "vitest";
import { summarizeAnnotations, chooseMark } from "./annotate.ts";
import { grade, outcome, preference, said, thumb, timeOf } from "../../test/support/memory-samples.ts";

describe("judgedOf", () => {
  it("is the last that was said of each kind, by time and not by arrival", () => {
    const judged = summarizeAnnotations([
      said(5, grade(4, "clear")),
      said(2, grade(1, "wrong")),
      said(3, preference("lost")),
      said(4, preference("won")),
      said(6, thumb("down")),
      said(7, thumb("up")),
      said(8, outcome("bad")),
      said(9, { kind: "comment", text: "hm" }),
    ]);
    expect(judged).toEqual({
      grade: 4,
      feedback: "clear",
      preference: "won",
      thumb: "up",
      outcome: "bad",
      retired: null,
    });
  });
  it("takes what arrived last of one time, and a time that cannot be read as the first", () => {
    expect(summarizeAnnotations([said(1, grade(2)), said(1, grade(5))]).grade).toBe(5);
    expect(summarizeAnnotations([said(1, grade(2)), said(2, grade(5), { at: "yesterday" })]).grade).toBe(2);
    const early = said(2, grade(5), { at: "2026-01-01T00:00:01Z" });
    expect(summarizeAnnotations([said(1, grade(2), { at: "2026-01-01T00:00:01.500Z" }), early]).grade).toBe(
      2,
    );
  });
  it("takes a comparison that changed with the order as a tie", () => {
    expect(summarizeAnnotations([said(1, preference("won", { orderSensitive: true }))]).preference).toBe(
      "tied",
    );
  });
  it("bounds a critic's words, on one line", () => {
    const { feedback } = summarizeAnnotations([said(1, grade(3, `a\n\nb ${"x".repeat(2_000)}`))]);
    expect([feedback.length, feedback.slice(0, 5)]).toEqual([600, "a b x"]);
  });
  it("says why it retired", () => {
    const retired = said(1, { kind: "retired", reason: "2 against" }, { at: timeOf(1) });
    expect(summarizeAnnotations([retired]).retired).toBe("2 against");
  });
});

describe("markOf", () => {
  it.each([
    ["good-example", [grade(4)]],
    ["good-example", [grade(5), thumb("up"), preference("lost")]],
    ["avoid", [grade(5), thumb("down")]],
    ["avoid", [thumb("down")]],
    ["avoid", [grade(2), thumb("up")]],
    ["mixed", [grade(3)]],
    ["mixed", [thumb("up")]],
    ["mixed", [preference("tied")]],
    ["mixed", [outcome("bad")]],
    ["unjudged", []],
    ["unjudged", [{ kind: "comment", text: "hm" } as const]],
  ])("%s for %j", (mark, whats) => {
    expect(chooseMark(summarizeAnnotations(whats.map((what, index) => said(index, what))))).toBe(mark);
  });
});
