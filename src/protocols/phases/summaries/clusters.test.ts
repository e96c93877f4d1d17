import { describe, expect, it } from "vitest";
import { clusterItems, chooseRepresentative } from "./selection.ts";

/** Items on a line: the nearer, the more alike. */
const line =
  (places: readonly number[]) =>
  (one: number, other: number): number =>
    1 - Math.abs((places[one] ?? 0) - (places[other] ?? 0));

const all = (places: readonly number[]): number[] => places.map((_, index) => index);

describe("clustersOf", () => {
  it("puts each item to the leader that it is most like", () => {
    const places = [0, 0.5, 0.3, 0.1, 0.2];
    expect(clusterItems(5, line(places), 0.75)).toEqual([
      [0, 3, 4],
      [1, 2],
    ]);
  });

  it("counts the threshold itself as alike", () => {
    expect(clusterItems(2, () => 0.8, 0.8)).toEqual([[0, 1]]);
    expect(clusterItems(2, () => 0.799, 0.8)).toEqual([[0], [1]]);
  });

  it("takes the older leader of equals", () => {
    expect(clusterItems(3, line([0, 0.5, 0.25]), 0.7)).toEqual([[0, 2], [1]]);
  });

  it("makes one group of everything at 0, and of nothing none", () => {
    expect(clusterItems(3, () => 0, 0)).toEqual([[0, 1, 2]]);
    expect(clusterItems(0, () => 1, 0.5)).toEqual([]);
  });
});

describe("representativeOf", () => {
  it("is the one in the middle", () => {
    const places = [0, 0.9, 0.4, 0.5, 1];
    expect(chooseRepresentative(all(places), line(places))).toBe(3);
    expect(chooseRepresentative([4, 0, 2], line(places))).toBe(2);
  });

  it("is the newest of equals, rounding aside", () => {
    expect(chooseRepresentative([2, 5, 7], () => 0.9)).toBe(7);
    expect(chooseRepresentative([2, 5], () => 0.1 + 0.2)).toBe(5);
    const rounded = (one: number, other: number) => 0.9 + (one + other) * 1e-12;
    expect(chooseRepresentative([0, 1, 2].reverse(), rounded)).toBe(0);
  });

  it("is the only one of one", () => {
    expect(chooseRepresentative([3], () => 1)).toBe(3);
  });
});
