import { describe, expect, it } from "vitest";
import type { Answer } from "../replies/answer.ts";
import { majority } from "./vote.ts";

const answers = (...values: (string | null)[]) =>
  values.map((value, index) => ({
    id: `m${index}`,
    answer: value === null ? null : ({ kind: "number", value } satisfies Answer),
  }));

describe("majority", () => {
  it("groups equal answers and finds more than half", () => {
    const result = majority(answers("1,000", "7", "1e3"));
    expect(result.groups.map(({ ids }) => ids)).toEqual([["m0", "m2"], ["m1"]]);
    expect(result.outcome).toMatchObject({
      kind: "majority",
      group: { answer: { value: "1,000" }, ids: ["m0", "m2"] },
    });
  });
  it("counts those without an answer in the whole", () => {
    expect(majority(answers("1", "1", null, null))).toMatchObject({
      total: 4,
      outcome: { kind: "plurality" },
    });
    expect(majority(answers("1", null, null)).outcome.kind).toBe("plurality");
    expect(majority(answers("1", "1", "2", null)).outcome.kind).toBe("plurality");
    expect(majority(answers("1", "1", null)).outcome.kind).toBe("majority");
  });
  it("says tie for equals at the top, whatever is below", () => {
    const { outcome } = majority(answers("1", "2", "2", "1", "3"));
    expect(outcome.kind === "tie" && outcome.groups.map(({ ids }) => ids)).toEqual([
      ["m0", "m3"],
      ["m1", "m2"],
    ]);
  });
  it("says none where nobody answered", () => {
    expect(majority(answers(null, null))).toEqual({ groups: [], total: 2, outcome: { kind: "none" } });
    expect(majority([])).toEqual({ groups: [], total: 0, outcome: { kind: "none" } });
  });
});
