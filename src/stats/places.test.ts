import { describe, expect, it } from "vitest";
import { orderByScore, assignPlaces } from "./ballot-rules.ts";

describe("orderByScore", () => {
  it("puts the highest first and groups what differs by rounding only", () => {
    expect(
      orderByScore([
        ["a", 0.3],
        ["b", 1],
        ["c", 0.1 + 0.2],
        ["d", 0.300001],
      ]),
    ).toEqual([["b"], ["d"], ["a", "c"]]);
  });
});

describe("places", () => {
  it("counts 1, 1, 3", () => {
    expect(assignPlaces([["a", "b"], ["c"]])).toEqual([
      { id: "a", place: 1, tiedWith: ["b"] },
      { id: "b", place: 1, tiedWith: ["a"] },
      { id: "c", place: 3, tiedWith: [] },
    ]);
  });
});
