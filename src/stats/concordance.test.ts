import { describe, expect, it } from "vitest";
import { concordance, effectiveReviewers, standing } from "./standing.ts";
import type { ReviewerBallot } from "./rank-correlation.ts";

const named = (count: number) =>
  Array.from({ length: count }, (_, index) => `m${String(index).padStart(2, "0")}`);

const permutations = (ids: readonly string[]): string[][] =>
  ids.length < 2
    ? [[...ids]]
    : ids.flatMap((id) => permutations(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]));

/** Every way in which all members can rank the others. */
const councils = (ids: readonly string[]): ReviewerBallot[][] =>
  ids.reduce<ReviewerBallot[][]>(
    (built, reviewer) =>
      permutations(ids.filter((id) => id !== reviewer)).flatMap((ranking) =>
        built.map((ballots) => [...ballots, { reviewer, ranking }]),
      ),
    [[]],
  );

const agreement = (candidates: readonly string[], ballots: readonly ReviewerBallot[]) =>
  standing({ candidates, ballots }).agreement ?? Number.NaN;

const mean = (values: readonly number[]) => values.reduce((total, value) => total + value, 0) / values.length;

/** A fixed sequence of pseudo-random numbers in 0..1 (the minimal standard generator of Park and Miller). */
const randoms = (seed: number) => {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
};

describe("concordance", () => {
  it("is 1 when all follow one order, also when some reviewers are missing", () => {
    for (const size of [3, 4, 7]) {
      const ids = named(size);
      const all = ids.map((reviewer) => ({ reviewer, ranking: ids.filter((id) => id !== reviewer) }));
      for (let left = 2; left <= size; left += 1)
        for (const ballots of [all.slice(0, left), all.slice(-left)])
          expect(agreement(ids, ballots), `${left} of ${size}`).toBeCloseTo(1, 12);
    }
  });
  it("is 12 S / (λ² n (n² − 1)) where each ranks all others", () => {
    const ids = named(4);
    for (const ballots of councils(ids)) {
      const sums = ids.map((id) =>
        ballots.reduce((sum, { ranking }) => sum + (ranking.includes(id) ? ranking.indexOf(id) + 1 : 0), 0),
      );
      const spread = sums.reduce((total, sum) => total + (sum - mean(sums)) ** 2, 0);
      expect(agreement(ids, ballots)).toBeCloseTo((12 * spread) / (4 * 4 * 15), 12);
    }
  });
  it("is Kendall's W on complete rankings", () => {
    const orders = ["abcd", "badc", "cdab", "abdc"].map((order) => order.split(""));
    const ballots = orders.map((ranking, index) => ({ reviewer: `r${index}`, ranking }));
    const ids = "abcd".split("");
    const sums = ids.map((id) => orders.reduce((sum, order) => sum + order.indexOf(id) + 1, 0));
    const spread = sums.reduce((total, sum) => total + (sum - mean(sums)) ** 2, 0);
    // Of m rankings of n items: 12 S / (m² (n³ − n)).
    expect(agreement(ids, ballots)).toBeCloseTo((12 * spread) / (4 ** 2 * (4 ** 3 - 4)), 12);
  });
  it("has the mean that its docstring states when all rank at random", () => {
    for (const size of [3, 4]) {
      const ids = named(size);
      const values = councils(ids).map((ballots) => agreement(ids, ballots));
      expect(mean(values)).toBeCloseTo(size / ((size - 2) * (size + 1)), 12);
      expect(Math.max(...values)).toBeCloseTo(1, 12);
      expect(Math.min(...values)).toBeCloseTo(0, 12);
    }
  });
  it("comes near 0 for many who rank at random", () => {
    const ids = named(40);
    const random = randoms(7);
    const shuffled = (list: readonly string[]) =>
      list
        .map((id) => [random(), id] as const)
        .sort(([a], [b]) => a - b)
        .map(([, id]) => id);
    const ballots = ids.map((reviewer) => ({
      reviewer,
      ranking: shuffled(ids.filter((id) => id !== reviewer)),
    }));
    expect(agreement(ids, ballots)).toBeLessThan(0.06);
  });
  it("never leaves 0..1 when reviewers are missing", () => {
    const ids = named(4);
    for (const ballots of councils(ids))
      for (const left of [2, 3]) {
        const value = agreement(ids, ballots.slice(0, left));
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
  });
  it("is null where nothing is compared twice", () => {
    expect(concordance([{ reviewer: "a", ranking: ["b", "c"] }], ["b", "c"])).toBeNull();
    expect(
      concordance(
        [
          { reviewer: "a", ranking: ["b"] },
          { reviewer: "b", ranking: ["a"] },
        ],
        ["a", "b"],
      ),
    ).toBeNull();
  });
});

describe("effectiveReviewers", () => {
  it("is 1 for one order and n for orders that do not correlate", () => {
    const same = named(4).map((reviewer) => ({ reviewer, ranking: "wxyz".split("") }));
    expect(effectiveReviewers(same)).toBe(1);
    expect(
      effectiveReviewers([
        { reviewer: "a", ranking: "wxyz".split("") },
        { reviewer: "b", ranking: "zyxw".split("") },
      ]),
    ).toBe(2);
  });
  it("is null where two reviewers share no pair, as with three members", () => {
    const ids = named(3);
    const ballots = ids.map((reviewer) => ({ reviewer, ranking: ids.filter((id) => id !== reviewer) }));
    expect(effectiveReviewers(ballots)).toBeNull();
    expect(effectiveReviewers(ballots.slice(0, 1))).toBeNull();
  });
});
