import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bradleyTerry } from "./bradley-terry.ts";
import { random } from "./numbers.ts";

const win = (winner: string, loser: string, count = 1) => ({ winner, loser, count });
const fitted = (...given: Parameters<typeof bradleyTerry>) => {
  const result = bradleyTerry(...given);
  if (!result) throw new Error("there is no top");
  return result;
};

describe("bradleyTerry", () => {
  it("gives two players the log odds of their wins, and their textbook standard error", () => {
    const { strength, standardError } = fitted([win("a", "b", 30), win("b", "a", 10)]);
    expect(strength["a"]).toBeCloseTo(Math.log(3) / 2, 10);
    expect(strength["b"]).toBeCloseTo(-Math.log(3) / 2, 10);
    expect(standardError["a"]).toBeCloseTo(Math.sqrt(1 / 30 + 1 / 10) / 2, 10);
    expect(standardError["b"]).toBeCloseTo(Math.sqrt(1 / 30 + 1 / 10) / 2, 10);
  });

  it("gives two players with a prior of one half the empirical logit (Anscombe 1956)", () => {
    for (const [won, lost] of [
      [30, 10],
      [5, 0],
      [1, 0],
      [0, 7],
      [3, 3],
    ] as const) {
      const results = [win("a", "b", won), win("b", "a", lost)];
      const { strength, standardError } = fitted(results, 0.5);
      const difference = (strength["a"] ?? Number.NaN) - (strength["b"] ?? Number.NaN);
      expect(difference).toBeCloseTo(Math.log((won + 0.5) / (lost + 0.5)), 9);
      expect(standardError["a"]).toBeCloseTo(Math.sqrt(1 / (won + 0.5) + 1 / (lost + 0.5)) / 2, 9);
    }
  });
  it("draws what was seen together with a prior, and tells what without one cannot be told", () => {
    // One who beat another once, and a third whom neither met: 1.5 to 0.5, and nothing is known of the third.
    const results = [win("a", "b"), win("c", "d"), win("c", "d")];
    expect(bradleyTerry(results)).toBeNull();
    const { strength } = fitted(results, 0.5);
    expect(strength["a"]).toBeGreaterThan(0);
    expect(strength["c"]).toBeGreaterThan(strength["a"] ?? Number.NaN);
    const spread = (prior: number) => fitted(results, prior).strength["c"] ?? Number.NaN;
    expect([0.1, 0.5, 1, 10].map(spread).toSorted((x, y) => y - x)).toEqual([0.1, 0.5, 1, 10].map(spread));
    // The same as results that say so.
    const said = ["a", "b", "c", "d"].flatMap((one, _, all) => all.map((other) => ({ one, other })));
    const more = said.filter(({ one, other }) => one !== other).map(({ one, other }) => win(one, other, 0.5));
    const explicit = fitted([...results, ...more]).strength;
    for (const name of ["a", "b", "c", "d"])
      expect(strength[name]).toBeCloseTo(explicit[name] ?? Number.NaN, 9);
  });
  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e16])("refuses a prior of %d", (prior) => {
    expect(() => bradleyTerry([win("a", "b")], prior)).toThrow(/the prior must be from 0 to .*got/);
  });

  const names = "abcd".split("");
  const games = fc
    .array(
      fc.record({
        winner: fc.constantFrom(...names),
        step: fc.integer({ min: 1, max: 3 }),
        count: fc.integer({ min: 1, max: 8 }),
      }),
      { maxLength: 14 },
    )
    .map((rows) =>
      rows.map(({ winner, step, count }) =>
        win(winner, names[(names.indexOf(winner) + step) % 4] ?? "", count),
      ),
    );
  /** The log likelihood by its definition. */
  const likelihood = (strength: Readonly<Record<string, number>>, wins: ReturnType<typeof win>[]) => {
    const worth = (id: string) => Math.exp(strength[id] ?? Number.NaN);
    return wins.reduce(
      (sum, { winner, loser, count }) =>
        sum + count * Math.log(worth(winner) / (worth(winner) + worth(loser))),
      0,
    );
  };
  it("finds the top where there is one: no step to any side climbs", () => {
    let found = 0;
    fc.assert(
      fc.property(games, (given) => {
        const result = bradleyTerry(given);
        if (!result) return;
        found += 1;
        const top = likelihood(result.strength, given);
        const strengths = Object.entries(result.strength);
        expect(strengths.reduce((sum, [, value]) => sum + value, 0)).toBeCloseTo(0, 8);
        for (const [id, value] of strengths)
          for (const step of [-0.01, 0.01])
            expect(likelihood({ ...result.strength, [id]: value + step }, given)).toBeLessThan(top);
      }),
    );
    expect(found).toBeGreaterThan(5);
  });
  it("has a top exactly where no set of players is unbeaten by the rest", () => {
    fc.assert(
      fc.property(games, (given) => {
        const players = [...new Set(given.flatMap(({ winner, loser }) => [winner, loser]))];
        const sets = Array.from({ length: 2 ** players.length }, (_, mask) =>
          players.filter((__, index) => mask & (1 << index)),
        ).filter((set) => set.length > 0 && set.length < players.length);
        const unbeaten = sets.some((set) =>
          given.every(({ winner, loser }) => !set.includes(loser) || set.includes(winner)),
        );
        expect(bradleyTerry(given) !== null).toBe(players.length > 0 && !unbeaten);
      }),
    );
  });
  it("does not depend on names, order, or how counts are split", () => {
    const given = [win("a", "b", 4), win("b", "a", 2), win("b", "c", 5), win("c", "a", 3), win("c", "b", 1)];
    const { strength, standardError } = fitted(given);
    const swap: Record<string, string> = { a: "z", b: "y", c: "x" };
    const other = fitted(
      given
        .toReversed()
        .flatMap(({ winner, loser, count }) =>
          Array.from({ length: count }, () => win(swap[winner] ?? "", swap[loser] ?? "")),
        ),
    );
    for (const [id, name] of Object.entries(swap)) {
      expect(other.strength[name]).toBeCloseTo(strength[id] ?? Number.NaN, 9);
      expect(other.standardError[name]).toBeCloseTo(standardError[id] ?? Number.NaN, 9);
    }
  });
  it("gives standard errors that its estimates really have", () => {
    const truth: Record<string, number> = { a: 1, b: 0.2, c: -0.4, d: -0.8 };
    const next = random("errors");
    const estimates = Array.from({ length: 200 }, () => {
      const played = names.flatMap((one, index) =>
        names
          .slice(index + 1)
          .flatMap((other) =>
            Array.from({ length: 30 }, () =>
              next() < 1 / (1 + Math.exp((truth[other] ?? 0) - (truth[one] ?? 0)))
                ? win(one, other)
                : win(other, one),
            ),
          ),
      );
      return fitted(played);
    });
    for (const id of names) {
      const values = estimates.map(({ strength }) => strength[id] ?? Number.NaN);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const deviation = Math.sqrt(
        values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1),
      );
      expect(Math.abs(mean - (truth[id] ?? 0))).toBeLessThan(0.05);
      const stated = estimates.reduce((sum, { standardError }) => sum + (standardError[id] ?? 0), 0) / 200;
      expect(deviation / stated).toBeGreaterThan(0.85);
      expect(deviation / stated).toBeLessThan(1.15);
    }
  });
  it("stays exact for thousands of lopsided results", () => {
    const { strength } = fitted([
      win("a", "b", 999_999),
      win("b", "a", 1),
      win("b", "c", 999_999),
      win("c", "b", 1),
    ]);
    expect((strength["a"] ?? 0) - (strength["c"] ?? 0)).toBeCloseTo(2 * Math.log(999_999), 6);
  });
  it.each([1e3, 1e8, 1e12, 1e15])("gives the log odds of %d to 1", (count) => {
    const { strength, standardError } = fitted([win("a", "b", count), win("b", "a", 1)]);
    const difference = (strength["a"] ?? Number.NaN) - (strength["b"] ?? Number.NaN);
    expect(Math.abs(difference - Math.log(count))).toBeLessThan(1e-12 * Math.log(count));
    expect(standardError["a"]).toBeCloseTo(Math.sqrt(1 + 1 / count) / 2, 9);
  });
  it("comes to rest on very many results that are not quite even", () => {
    const next = random("many");
    for (let trial = 0; trial < 20; trial += 1) {
      const given = names.flatMap((one) =>
        names.filter((other) => other !== one).map((other) => win(one, other, Math.floor(next() * 1e15))),
      );
      const { strength } = fitted(given);
      for (const one of names) {
        const expected = given.reduce((sum, { winner, loser, count }) => {
          if (winner !== one && loser !== one) return sum;
          const other = winner === one ? loser : winner;
          return sum + count / (1 + Math.exp((strength[other] ?? 0) - (strength[one] ?? 0)));
        }, 0);
        const won = given.reduce((sum, { winner, count }) => sum + (winner === one ? count : 0), 0);
        expect(expected / won).toBeCloseTo(1, 9);
      }
    }
  });
  it("refuses what rounding hides rather than guess, and else gives finite figures", () => {
    const next = random("q");
    const reasons = Array.from({ length: 400 }, () => {
      const count = () => Math.ceil(10 ** (15 * next()));
      const given = names.flatMap((one) =>
        names.filter((other) => other !== one && next() < 0.7).map((other) => win(one, other, count())),
      );
      const result = bradleyTerry(given);
      if (!result) return "none";
      for (const value of Object.values(result.strength)) expect(Number.isFinite(value)).toBe(true);
      return "ok";
    });
    expect(reasons.filter((reason) => reason === "ok").length).toBeGreaterThan(200);
  });
  it("keeps what few results say beside very many", () => {
    const { strength } = fitted([win("a", "b", 1e9), win("b", "a", 1e9), win("b", "c", 3), win("c", "b")]);
    expect((strength["b"] ?? Number.NaN) - (strength["c"] ?? Number.NaN)).toBeCloseTo(Math.log(3), 9);
  });
  it("keeps names that objects have of their own", () => {
    const { strength } = fitted([win("__proto__", "x"), win("x", "__proto__")]);
    expect(Object.keys(strength)).toEqual(["__proto__", "x"]);
  });
});

describe("where there is no top", () => {
  it("gives nothing for one who never lost, for groups that nobody connects, and for no results", () => {
    expect(bradleyTerry([win("b", "a"), win("a", "c"), win("c", "a")])).toBeNull();
    const apart = [win("a", "b"), win("b", "a"), win("c", "d"), win("d", "c"), win("a", "c", 0)];
    expect(bradleyTerry(apart)).toBeNull();
    expect(bradleyTerry([])).toBeNull();
  });
  it("refuses a player against itself, and counts that are none", () => {
    expect(() => bradleyTerry([win("a", "a")])).toThrow(RangeError);
    expect(() => bradleyTerry([win("a", "b", -1)])).toThrow(RangeError);
    expect(() => bradleyTerry([win("a", "b", 1e300), win("b", "a")])).toThrow(/must be from 0 to/);
    expect(() => bradleyTerry([win("a", "b", Number.NaN)])).toThrow(RangeError);
  });
});

const baseball = "../shared/data/pairwise-wins/baseball1987.csv";

describe("bradleyTerry on published results", () => {
  it("gives the published strengths of the American League East 1987 (Agresti 2002, table 10.10)", (test) => {
    test.skip(!existsSync(baseball), "the published results are not on this machine");
    const rows = readFileSync(baseball, "utf8").trim().split("\n").slice(1);
    const results = rows.flatMap((row) => {
      const [home = "", away = "", homeWins, awayWins] = row.split(",");
      return [win(home, away, Number(homeWins)), win(away, home, Number(awayWins))];
    });
    const { strength } = fitted(results);
    const rounded = (values: Record<string, number>, digits: number) =>
      Object.fromEntries(
        Object.entries(values).map(([team, value]) => [
          team,
          Number((value - (strength["Baltimore"] ?? Number.NaN)).toFixed(digits)),
        ]),
      );
    expect(rounded(strength, 3)).toEqual({
      Baltimore: 0,
      Boston: 1.108,
      Cleveland: 0.684,
      Detroit: 1.436,
      Milwaukee: 1.581,
      "New York": 1.248,
      Toronto: 1.294,
    });
  });
});
