import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ballot, borda } from "./ballot-rules.ts";

const strict = (order: string, count: number): Ballot => ({
  ranking: order.split("").map((id) => [id]),
  count,
});

describe("borda", () => {
  it("gives the published figures of the Tennessee capital example", () => {
    const ballots = [strict("MNCK", 42), strict("NCKM", 26), strict("CKNM", 15), strict("KCNM", 17)];
    expect(borda(ballots)).toEqual({
      order: [["N"], ["C"], ["M"], ["K"]],
      scores: { N: 194, C: 173, M: 126, K: 107 },
    });
  });
  it("shares the points of the places that equals take, the unlisted being equal last", () => {
    expect(borda([{ ranking: [["a", "b"], ["c"]], count: 2 }]).scores).toEqual({ a: 3, b: 3, c: 0 });
    expect(borda([strict("abcd", 1), { ranking: [["d"]], count: 1 }]).scores).toEqual({
      a: 4,
      b: 3,
      c: 2,
      d: 3,
    });
  });
  it("groups equal scores, alphabetically within", () => {
    expect(borda([strict("ba", 1), strict("ab", 1)]).order).toEqual([["a", "b"]]);
  });
  it("counts a repeated candidate once, and no ballots as nothing", () => {
    expect(borda([strict("aba", 1)]).scores).toEqual({ a: 1, b: 0 });
    expect(borda([])).toEqual({ order: [], scores: {} });
  });
  it.each([Number.NaN, -1, Infinity])("refuses a count of %d", (count) => {
    expect(() => borda([strict("ab", count)])).toThrow(RangeError);
  });
  it("keeps names that objects have of their own", () => {
    const { scores } = borda([{ ranking: [["__proto__"], ["constructor"]], count: 1 }]);
    expect(Object.entries(scores)).toEqual([
      ["__proto__", 1],
      ["constructor", 0],
    ]);
  });

  const ballots = fc.array(
    fc.record({
      ranking: fc.array(fc.subarray("abcde".split(""), { minLength: 1 }), { maxLength: 3 }),
      count: fc.integer({ min: 1, max: 9 }),
    }),
    { maxLength: 6 },
  );
  it("is not moved by the order of ballots, nor of equals, nor by splitting a count", () => {
    fc.assert(
      fc.property(ballots, (given) => {
        const turned = given.toReversed().flatMap(({ ranking, count }) => {
          const equals = ranking.map((group) => group.toReversed());
          return Array.from({ length: count }, () => ({ ranking: equals, count: 1 }));
        });
        expect(borda(turned)).toEqual(borda(given));
      }),
    );
  });
  it("gives out n (n − 1) / 2 points a ballot", () => {
    fc.assert(
      fc.property(ballots, (given) => {
        const { scores } = borda(given);
        const n = Object.keys(scores).length;
        const voters = given.reduce((total, { count }) => total + count, 0);
        const points = Object.values(scores).reduce((total, score) => total + score, 0);
        expect(points).toBe(Math.max(0, (voters * n * (n - 1)) / 2));
      }),
    );
  });
});
