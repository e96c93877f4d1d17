import { describe, expect, it } from "vitest";
import { meanRank } from "./rank-correlation.ts";

describe("meanRank", () => {
  it("means 1 − (p − 1) / (m − 1) over the reviewers that ranked an answer", () => {
    const ranks = meanRank([
      { reviewer: "a", ranking: ["b", "c", "d"] },
      { reviewer: "b", ranking: ["c", "a"] },
    ]);
    expect(Object.fromEntries(ranks)).toEqual({
      a: { score: 0, votes: 1 },
      b: { score: 1, votes: 1 },
      c: { score: 0.75, votes: 2 },
      d: { score: 0, votes: 1 },
    });
  });
  it("gives the only one of a ballot 0.5", () => {
    expect(meanRank([{ reviewer: "a", ranking: ["b"] }]).get("b")).toEqual({ score: 0.5, votes: 1 });
  });
});
