import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ballot, copeland, pairwise, schulze } from "./ballot-rules.ts";
import { kemeny } from "./kemeny.ts";

/** `42 M>N=C>K`: groups of equals of one-letter candidates. */
const ballots = (...lines: readonly string[]): Ballot[] =>
  lines.map((line) => {
    const [count = "", order = ""] = line.split(" ");
    return { count: Number(count), ranking: order.split(">").map((group) => group.split("=")) };
  });
const letters = (order: readonly (readonly string[])[]) => order.map((group) => group.join("=")).join(">");
const exact = (given: readonly Ballot[]) => {
  const result = kemeny(given);
  if (!result.ok) throw new Error(result.reason);
  return result;
};

const tennessee = ballots("42 M>N>C>K", "26 N>C>K>M", "15 C>K>N>M", "17 K>C>N>M");
// Schulze 2011, section 3.1 of its preprint, and Wikipedia's example: 45 voters.
const schulze45 = ballots(
  "5 A>C>B>E>D",
  "5 A>D>E>C>B",
  "8 B>E>D>A>C",
  "3 C>A>B>E>D",
  "7 C>A>E>B>D",
  "2 C>B>A>D>E",
  "7 D>C>E>B>A",
  "8 E>B>A>D>C",
);
const cycle = ballots("4 A>B>C", "3 B>C>A", "2 C>A>B");
const evenCycle = ballots("1 A>B>C", "1 B>C>A", "1 C>A>B");

const candidates = "abcdef".split("");
const groups = (max: number) =>
  fc.array(fc.subarray(candidates.slice(0, max), { minLength: 1 }), { maxLength: 4 });
const profile = (max = 6) =>
  fc.array(fc.record({ ranking: groups(max), count: fc.integer({ min: 1, max: 5 }) }), { maxLength: 6 });

const renamed = (given: readonly Ballot[]): Ballot[] =>
  given.map(({ ranking, count }) => ({
    count,
    ranking: ranking.map((group) => group.map((id) => String.fromCharCode(219 - id.charCodeAt(0)))),
  }));
const setsOf = (order: readonly (readonly string[])[]) => order.map((group) => new Set(group));

const rules = [
  ["copeland", copeland],
  ["schulze by winning votes", (given: readonly Ballot[]) => schulze(given)],
  ["schulze by margins", (given: readonly Ballot[]) => schulze(given, { by: "margins" })],
  ["kemeny", exact],
] as const;

describe("all of them", () => {
  it.each(rules)("%s refuses counts that are none", (_, rule) => {
    for (const count of [Number.NaN, -1, Infinity])
      expect(() => rule([{ ranking: [["A"], ["B"]], count }])).toThrow(
        /count of .* must be a finite number of at least 0/,
      );
  });
});

describe("copeland", () => {
  it("gives the published figures of the Tennessee capital example (Nashville 3, Chattanooga 2, Knoxville 1)", () => {
    expect(copeland(tennessee)).toEqual({
      order: [["N"], ["C"], ["K"], ["M"]],
      scores: { N: 3, C: 2, K: 1, M: 0 },
    });
  });
  it("gives half a point for a tie, and the same to all of a cycle", () => {
    expect(copeland(ballots("1 A>B>C", "1 B>A>C")).scores).toEqual({ A: 1.5, B: 1.5, C: 0 });
    expect(copeland(cycle).scores).toEqual({ A: 1, B: 1, C: 1 });
  });
  it("gives out a point for each pair", () => {
    fc.assert(
      fc.property(profile(), (given) => {
        const scores = Object.values(copeland(given).scores);
        expect(scores.reduce((sum, score) => sum + score, 0)).toBeCloseTo(
          (scores.length * (scores.length - 1)) / 2,
          9,
        );
      }),
    );
  });
});

describe("schulze", () => {
  it("gives the published order of Schulze's example, E > A > C > B > D, by either measure", () => {
    for (const by of ["winning-votes", "margins"] as const) {
      expect(letters(schulze(schulze45, { by }).order)).toBe("E>A>C>B>D");
      expect(schulze(schulze45, { by }).scores).toEqual({ E: 4, A: 3, C: 2, B: 1, D: 0 });
    }
  });
  it("gives the published winners where the measures differ (Schulze 2011: A by margins, D by winning votes)", () => {
    const given = ballots(
      "6 A>B>C>D",
      "8 A=B>C=D",
      "8 A=C>B=D",
      "18 A=C>D>B",
      "8 A=C=D>B",
      "40 B>A=C=D",
      "4 C>B>D>A",
      "9 C>D>A>B",
      "8 C=D>A=B",
      "14 D>A>B>C",
      "11 D>B>C>A",
      "4 D>C>A>B",
    );
    expect(schulze(given, { by: "margins" }).order[0]).toEqual(["A"]);
    expect(schulze(given).order[0]).toEqual(["D"]);
    expect(schulze(given, { by: "winning-votes" })).toEqual(schulze(given));
  });
  it("breaks a cycle at its weakest win, and leaves an even one tied", () => {
    expect(letters(schulze(cycle).order)).toBe("A>B>C");
    expect(letters(schulze(evenCycle).order)).toBe("A=B=C");
  });
  it("puts first all that nobody stands above, though one of them stands above no one", () => {
    const given = ballots("1 A>C>B", "1 B>A>C");
    expect(schulze(given)).toEqual({ order: [["A", "B"], ["C"]], scores: { A: 2, B: 2, C: 1 } });
  });
  it("stands above whomever the strongest chains say, in the order as in the scores", () => {
    fc.assert(
      fc.property(profile(5), fc.constantFrom("winning-votes", "margins"), (given, by) => {
        const { order, scores } = schulze(given, { by });
        const { candidates: ids, over } = pairwise(given);
        // Chains by trying every path that visits nobody twice.
        const link = (one: number, other: number) => {
          const margin = over(one, other) - over(other, one);
          return margin <= 0 ? 0 : by === "margins" ? margin : over(one, other);
        };
        const strongest = (from: number, to: number, left: readonly number[]): number =>
          Math.max(
            link(from, to),
            ...left.map((via) =>
              Math.min(
                link(from, via),
                strongest(
                  via,
                  to,
                  left.filter((other) => other !== via),
                ),
              ),
            ),
          );
        const indices = [...ids.keys()];
        for (const one of indices)
          for (const other of indices) {
            if (one === other) continue;
            const left = indices.filter((index) => index !== one && index !== other);
            if (strongest(one, other, left) <= strongest(other, one, left)) continue;
            const [high = "", low = ""] = [ids[one], ids[other]];
            expect(scores[high]).toBeGreaterThan(scores[low] ?? Number.NaN);
            expect(order.findIndex((group) => group.includes(high))).toBeLessThan(
              order.findIndex((group) => group.includes(low)),
            );
          }
      }),
    );
  });
  it("is not moved by a clone of a loser, nor from the winner by one of the winner", () => {
    const cloned = (given: readonly Ballot[], id: string) =>
      given.map(({ ranking, count }) => ({
        count,
        ranking: ranking.flatMap((group) => (group.includes(id) ? [group, [`${id}2`]] : [group])),
      }));
    for (const id of ["A", "B", "C", "D"])
      expect(letters(schulze(cloned(schulze45, id)).order.slice(0, 1))).toBe("E");
    expect(schulze(cloned(schulze45, "E")).order[0]).toEqual(["E"]);
  });
});

describe("kemeny", () => {
  it("gives the published order of the Tennessee capital example: N > C > K > M, 393 agreements of 600", () => {
    expect(exact(tennessee)).toEqual({
      ok: true,
      order: [["N"], ["C"], ["K"], ["M"]],
      scores: { N: 3, C: 2, K: 1, M: 0 },
      disagreements: 600 - 393,
      optima: [["N", "C", "K", "M"]],
      optimaCount: 1,
    });
  });
  it("breaks a cycle where it costs least, and lists all that cost the same", () => {
    expect(exact(cycle).optima).toEqual([["A", "B", "C"]]);
    const even = exact(evenCycle);
    expect(even.optima.map((order) => order.join(""))).toEqual(["ABC", "BCA", "CAB"]);
    expect(even.order).toEqual([["A", "B", "C"]]);
    expect(even.disagreements).toBe(4);
  });
  it("groups only what optima place differently", () => {
    const { order, optima } = exact(ballots("1 A>B>C>D", "1 A>C>B>D"));
    expect(optima.map((one) => one.join(""))).toEqual(["ABCD", "ACBD"]);
    expect(letters(order)).toBe("A>B=C>D");
  });
  it("lists the first 1,000 of very many optima, and says how many there are", () => {
    const all = exact([{ count: 3, ranking: ["abcdefghi".split("")] }]);
    expect(all.optimaCount).toBe(362_880);
    expect(all.optima).toHaveLength(1_000);
    expect(all.optima[0]?.join("")).toBe("abcdefghi");
    expect(all.optima[1]?.join("")).toBe("abcdefgih");
    expect(all.order).toEqual(["abcdefghi".split("")]);
  });
  it("refuses more than nine candidates, and has one order of none", () => {
    expect(kemeny([{ count: 1, ranking: ["abcdefghij".split("")] }])).toEqual({
      ok: false,
      reason: "there are 10 candidates, and an exact Kemeny order of at most 9",
    });
    expect(exact([])).toMatchObject({ order: [], scores: {}, optima: [[]], optimaCount: 1 });
  });

  const permutations = (ids: readonly string[]): string[][] =>
    ids.length === 0
      ? [[]]
      : ids.flatMap((id) => permutations(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]));
  it("is what trying every order finds", () => {
    fc.assert(
      fc.property(profile(), (given) => {
        const { candidates: ids, over } = pairwise(given);
        const cost = (order: readonly string[]) =>
          order.reduce(
            (sum, high, at) =>
              sum +
              order.slice(at + 1).reduce((all, low) => all + over(ids.indexOf(low), ids.indexOf(high)), 0),
            0,
          );
        const costs = permutations(ids).map((order) => ({ order, cost: cost(order) }));
        const least = Math.min(...costs.map((one) => one.cost));
        const best = costs.filter((one) => one.cost === least).map((one) => one.order);
        const { disagreements, optima, optimaCount, order, scores } = exact(given);
        expect([disagreements, optimaCount]).toEqual([least, best.length]);
        expect(optima).toEqual(best);
        for (const high of ids) {
          const lower = ids.filter((low) => best.some((one) => one.indexOf(high) < one.indexOf(low)));
          expect(scores[high]).toBe(lower.length);
        }
        if (best.length === 1) expect(order.flat()).toEqual(best[0]);
      }),
      { numRuns: 60 },
    );
  });
  it("reverses with the voters", () => {
    fc.assert(
      fc.property(profile(5), (given) => {
        const ids = pairwise(given).candidates;
        const whole = given.map(({ ranking, count }) => {
          const placed = new Set<string>();
          const full = [...ranking, ids].map((group) =>
            group.filter((id) => !placed.has(id) && placed.add(id)),
          );
          return { count, ranking: full.toReversed() };
        });
        expect(new Set(exact(whole).optima.map((order) => order.toReversed().join("")))).toEqual(
          new Set(exact(given).optima.map((order) => order.join(""))),
        );
      }),
    );
  });
});

describe.each(rules)("%s", (_, rule) => {
  it("puts first whoever beats all others one by one, and last whoever loses to all", () => {
    fc.assert(
      fc.property(profile(), (given) => {
        const { candidates: ids, over } = pairwise(given);
        const beats = (one: number, other: number) => over(one, other) > over(other, one);
        const others = (own: number) => [...ids.keys()].filter((other) => other !== own);
        const winner = ids.find((__, own) => others(own).every((other) => beats(own, other)));
        const loser = ids.find((__, own) => others(own).every((other) => beats(other, own)));
        const { order } = rule(given);
        if (winner !== undefined) expect(order[0]).toEqual([winner]);
        if (loser !== undefined) expect(order.at(-1)).toEqual([loser]);
      }),
    );
  });
  it("knows no voter from another, and no candidate", () => {
    fc.assert(
      fc.property(profile(), (given) => {
        const split = given
          .toReversed()
          .flatMap(({ ranking, count }) => Array.from({ length: count }, () => ({ ranking, count: 1 })));
        expect(rule(split)).toEqual(rule(given));
        const again = renamed(rule(renamed(given)).order.map((group) => ({ ranking: [group], count: 1 })));
        expect(setsOf(again.map(({ ranking }) => ranking.flat()))).toEqual(setsOf(rule(given).order));
      }),
    );
  });
  it("reads ballots as Borda does: the unlisted equal last, a repeated candidate at its first place", () => {
    const [short, long] = [ballots("2 A>B", "1 C>A>D"), ballots("2 A>B>C=D", "1 C>A>D>B")];
    expect(rule(short)).toEqual(rule(long));
    expect(rule(ballots("1 A>B>A>C"))).toEqual(rule(ballots("1 A>B>C")));
    expect(rule([]).order).toEqual([]);
  });
  it("keeps names that objects have of their own", () => {
    const { scores } = rule([{ ranking: [["__proto__"], ["constructor"]], count: 1 }]);
    expect(Object.entries(scores)).toEqual([
      ["__proto__", 1],
      ["constructor", 0],
    ]);
  });
});
