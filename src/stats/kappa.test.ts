import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kappa, weightedKappa } from "./kappa.ts";

/** The two lists that a table of counts (rows the first rater's grades 1, 2, …) stands for. */
const rated = (table: readonly (readonly number[])[]) => {
  const pairs = table.flatMap((row, one) =>
    row.flatMap((count, other) => Array.from({ length: count }, () => [one + 1, other + 1] as const)),
  );
  return [pairs.map(([one]) => one), pairs.map(([, other]) => other)] as const;
};
const named = (grades: readonly number[]) => grades.map(String);

// Westlund and Kurland 1953: two neurologists' diagnoses of the Winnipeg patients with multiple sclerosis.
const [oneNeurologist, otherNeurologist] = rated([
  [38, 5, 0, 1],
  [33, 11, 3, 0],
  [10, 14, 5, 6],
  [3, 7, 3, 10],
]);
const grades = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })), {
  maxLength: 30,
});

describe("kappa", () => {
  it("gives the figures of the textbook", () => {
    const [first, second] = rated([
      [20, 5],
      [10, 15],
    ]);
    expect(kappa(named(first), named(second))).toBeCloseTo(0.4, 12);
    // Agresti, Categorical Data Analysis, 2002, 10.5.4: two pathologists, κ = .493.
    const [one, other] = rated([
      [22, 2, 2, 0],
      [5, 7, 14, 0],
      [0, 2, 36, 0],
      [0, 1, 17, 10],
    ]);
    expect(kappa(named(one), named(other))).toBeCloseTo(0.493, 3);
    expect(kappa(named(oneNeurologist), named(otherNeurologist))).toBeCloseTo(0.208, 3);
  });
  it("is 1 for agreement, 0 for chance, and below for contradiction", () => {
    expect(kappa(["a", "b"], ["a", "b"])).toBe(1);
    expect(kappa(["a", "a", "b", "b"], ["a", "b", "a", "b"])).toBe(0);
    expect(kappa(["a", "b"], ["b", "a"])).toBe(-1);
  });
  it("is null where chance alone agrees always, and refuses lists of different length", () => {
    expect(kappa([], [])).toBeNull();
    expect(kappa(["a", "a"], ["a", "a"])).toBeNull();
    expect(kappa(["a", "a"], ["b", "b"])).toBe(0);
    expect(() => kappa(["a"], [])).toThrow(RangeError);
    expect(() => kappa([], ["a"])).toThrow(RangeError);
  });
  it("does not depend on who is first, on the order of items, nor on the names", () => {
    fc.assert(
      fc.property(grades, (pairs) => {
        const [first, second] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)];
        const value = kappa(named(first), named(second));
        const renamed = (list: readonly number[]) => list.map((grade) => `label ${7 - grade}`);
        for (const same of [
          kappa(named(second), named(first)),
          kappa(named(first).toReversed(), named(second).toReversed()),
          kappa(renamed(first), renamed(second)),
        ])
          if (value === null) expect(same).toBeNull();
          else expect(same).toBeCloseTo(value, 12);
        expect(value ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("weightedKappa", () => {
  it("is the intraclass correlation of Fleiss and Cohen 1973 when both raters use all grades alike", () => {
    const [first, second] = rated([
      [3, 1, 0],
      [0, 2, 2],
      [1, 1, 3],
    ]);
    // For equal marginals it is the product-moment correlation itself.
    const mean = first.reduce((sum, grade) => sum + grade, 0) / first.length;
    const covariance = first.reduce((sum, grade, at) => sum + (grade - mean) * ((second[at] ?? 0) - mean), 0);
    const variance = first.reduce((sum, grade) => sum + (grade - mean) ** 2, 0);
    expect(first.toSorted((a, b) => a - b)).toEqual(second.toSorted((a, b) => a - b));
    expect(weightedKappa(first, second)).toBeCloseTo(covariance / variance, 12);
  });
  it("is Cohen's κ for two grades, whatever their distance", () => {
    const [first, second] = rated([
      [20, 5],
      [10, 15],
    ]);
    const tripled = (grades: readonly number[]) => grades.map((grade) => grade * 3);
    expect(weightedKappa(tripled(first), tripled(second))).toBeCloseTo(0.4, 12);
  });
  it("counts a near miss less than a far one", () => {
    const near = weightedKappa([1, 2, 3, 4, 5], [1, 2, 3, 4, 4]) ?? Number.NaN;
    const far = weightedKappa([1, 2, 3, 4, 5], [1, 2, 3, 4, 1]) ?? Number.NaN;
    expect(near).toBeGreaterThan(far);
  });
  it("is null for one grade throughout, and refuses what is no number", () => {
    expect(weightedKappa([3, 3], [3, 3])).toBeNull();
    expect(() => weightedKappa([Number.NaN], [1])).toThrow(RangeError);
  });
});
