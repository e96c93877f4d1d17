import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bradleyTerry } from "./bradley-terry.ts";
import { random } from "./numbers.ts";

const win = (winner: string, loser: string, count = 1) => ({ winner, loser, count });
const tie = (a: string, b: string, count = 1) => ({ a, b, count });
const fitted = (...given: Parameters<typeof bradleyTerry>) => {
  const result = bradleyTerry(...given);
  if (!result.ok) throw new Error(result.reason);
  return result;
};

describe("bradleyTerry", () => {
  it("gives two players the log odds of their wins, and its textbook standard error", () => {
    const {
      strength,
      standardError,
      logLikelihood,
      tie: parameter,
    } = fitted([win("a", "b", 30), win("b", "a", 10)], {
      reference: "b",
    });
    expect(strength["a"]).toBeCloseTo(Math.log(3), 10);
    expect(standardError["a"]).toBeCloseTo(Math.sqrt(1 / 30 + 1 / 10), 10);
    expect([strength["b"], standardError["b"]]).toEqual([0, 0]);
    expect(logLikelihood).toBeCloseTo(30 * Math.log(0.75) + 10 * Math.log(0.25), 10);
    expect(parameter).toBeNull();
    const centred = fitted([win("a", "b", 30), win("b", "a", 10)]);
    expect(centred.strength["a"]).toBeCloseTo(Math.log(3) / 2, 10);
    expect(centred.strength["b"]).toBeCloseTo(-Math.log(3) / 2, 10);
    expect(centred.standardError["b"]).toBeCloseTo(Math.sqrt(1 / 30 + 1 / 10) / 2, 10);
  });
  it("gives two players with ties the shares themselves (Davidson 1970)", () => {
    const {
      strength,
      standardError,
      tie: parameter,
      logLikelihood,
    } = fitted([win("a", "b", 12), win("b", "a", 3)], {
      ties: [tie("a", "b", 5)],
      reference: "b",
    });
    expect(strength["a"]).toBeCloseTo(Math.log(4), 9);
    expect(standardError["a"]).toBeCloseTo(Math.sqrt(1 / 12 + 1 / 3), 9);
    // P(tie)² / (P(a) P(b)) = ν².
    expect(parameter).toBeCloseTo(5 / Math.sqrt(12 * 3), 9);
    expect(logLikelihood).toBeCloseTo(12 * Math.log(0.6) + 3 * Math.log(0.15) + 5 * Math.log(0.25), 9);
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
      const { strength, standardError, logLikelihood } = fitted(results, { prior: 0.5, reference: "b" });
      expect(strength["a"]).toBeCloseTo(Math.log((won + 0.5) / (lost + 0.5)), 9);
      expect(standardError["a"]).toBeCloseTo(Math.sqrt(1 / (won + 0.5) + 1 / (lost + 0.5)), 9);
      const share = (won + 0.5) / (won + lost + 1);
      expect(logLikelihood).toBeCloseTo(won * Math.log(share) + lost * Math.log(1 - share), 9);
    }
  });
  it("draws what was seen together with a prior, and tells what without one cannot be told", () => {
    // One who beat another once, and a third whom neither met: 1.5 to 0.5, and nothing is known of the third.
    const results = [win("a", "b"), win("c", "d"), win("c", "d")];
    expect(bradleyTerry(results).ok).toBe(false);
    const { strength } = fitted(results, { prior: 0.5 });
    expect(strength["a"]).toBeGreaterThan(0);
    expect(strength["c"]).toBeGreaterThan(strength["a"] ?? Number.NaN);
    const spread = (prior: number) => fitted(results, { prior }).strength["c"] ?? Number.NaN;
    expect([0.1, 0.5, 1, 10].map(spread).toSorted((x, y) => y - x)).toEqual([0.1, 0.5, 1, 10].map(spread));
    // The same as results that say so.
    const said = ["a", "b", "c", "d"].flatMap((one, _, all) => all.map((other) => ({ one, other })));
    const more = said.filter(({ one, other }) => one !== other).map(({ one, other }) => win(one, other, 0.5));
    const explicit = fitted([...results, ...more]).strength;
    for (const name of ["a", "b", "c", "d"])
      expect(strength[name]).toBeCloseTo(explicit[name] ?? Number.NaN, 9);
    const tied = fitted([win("a", "b")], { ties: [tie("a", "b", 2)], prior: 0.5, reference: "b" });
    expect(tied.strength["a"]).toBeCloseTo(Math.log(3), 9);
    expect(tied.tie).toBeCloseTo(2 / Math.sqrt(1.5 * 0.5), 9);
  });
  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e16])("refuses a prior of %d", (prior) => {
    expect(() => bradleyTerry([win("a", "b")], { prior })).toThrow(/the prior must be from 0 to .*got/);
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
  const likelihood = (
    strength: Readonly<Record<string, number>>,
    wins: ReturnType<typeof win>[],
    { ties = [], nu = 0 }: { readonly ties?: ReturnType<typeof tie>[]; readonly nu?: number } = {},
  ) => {
    const worth = (id: string) => Math.exp(strength[id] ?? Number.NaN);
    const whole = (a: string, b: string) => worth(a) + worth(b) + nu * Math.sqrt(worth(a) * worth(b));
    return (
      wins.reduce(
        (sum, { winner, loser, count }) => sum + count * Math.log(worth(winner) / whole(winner, loser)),
        0,
      ) +
      ties.reduce(
        (sum, { a, b, count }) => sum + count * Math.log((nu * Math.sqrt(worth(a) * worth(b))) / whole(a, b)),
        0,
      )
    );
  };
  it("finds the top where there is one: wins are as many as expected, and no step to any side climbs", () => {
    let found = 0;
    fc.assert(
      fc.property(games, fc.boolean(), (given, withTies) => {
        const ties = withTies ? given.slice(0, 3).map(({ winner, loser }) => tie(winner, loser, 2)) : [];
        const result = bradleyTerry(given, { ties });
        if (!result.ok) return;
        found += 1;
        const nu = result.tie ?? 0;
        const top = likelihood(result.strength, given, { ties, nu });
        expect(result.logLikelihood).toBeCloseTo(top, 8);
        const strengths = Object.entries(result.strength);
        expect(strengths.reduce((sum, [, value]) => sum + value, 0)).toBeCloseTo(0, 8);
        for (const [id, value] of strengths)
          for (const step of [-0.01, 0.01])
            expect(likelihood({ ...result.strength, [id]: value + step }, given, { ties, nu })).toBeLessThan(
              top,
            );
        if (ties.length > 0)
          for (const by of [0.99, 1.01])
            expect(likelihood(result.strength, given, { ties, nu: nu * by })).toBeLessThan(top);
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
        expect(bradleyTerry(given).ok).toBe(players.length > 0 && !unbeaten);
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
    const { strength, standardError } = fitted([win("a", "b", count), win("b", "a", 1)], { reference: "b" });
    expect(Math.abs((strength["a"] ?? 0) - Math.log(count))).toBeLessThan(1e-12 * Math.log(count));
    expect(standardError["a"]).toBeCloseTo(Math.sqrt(1 + 1 / count), 9);
  });
  it("gives the shares of lopsided results with ties", () => {
    const { strength, tie: nu } = fitted([win("a", "b", 1e12), win("b", "a", 1)], {
      ties: [tie("a", "b", 1e6)],
      reference: "b",
    });
    expect(strength["a"]).toBeCloseTo(Math.log(1e12), 9);
    expect(nu).toBeCloseTo(1, 9);
  });
  it("gives the shares of few wins among very many ties", () => {
    const { strength, tie: nu } = fitted([win("a", "b", 3), win("b", "a")], {
      ties: [tie("a", "b", 1e14)],
      reference: "b",
    });
    expect(strength["a"]).toBeCloseTo(Math.log(3), 9);
    expect((nu ?? 0) / (1e14 / Math.sqrt(3))).toBeCloseTo(1, 9);
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
      const result = bradleyTerry(given, { ties: [tie("a", "b", count()), tie("c", "d", count())] });
      if (!result.ok) return result.reason;
      for (const value of Object.values(result.strength)) expect(Number.isFinite(value)).toBe(true);
      return "ok";
    });
    expect(reasons.filter((reason) => reason === "ok").length).toBeGreaterThan(200);
    expect(reasons).toContain(
      "the counts differ so much that rounding hides where the likelihood is highest",
    );
  });
  it("keeps what few results say beside very many", () => {
    const { strength, standardError } = fitted(
      [win("a", "b", 1e9), win("b", "a", 1e9), win("b", "c", 3), win("c", "b")],
      { reference: "c" },
    );
    expect(strength["b"]).toBeCloseTo(Math.log(3), 9);
    expect(standardError["b"]).toBeCloseTo(Math.sqrt(4 / 3), 6);
  });
  it("finds the top where a whole step of Newton's would fall off it", () => {
    const wins = [win("c", "a", 61), win("b", "a", 925_250), win("a", "b", 5)];
    const ties = [tie("c", "a", 217)];
    const { strength, tie: nu, logLikelihood } = fitted(wins, { ties });
    const top = likelihood(strength, wins, { ties, nu: nu ?? Number.NaN });
    expect(logLikelihood).toBeCloseTo(top, 4);
    for (const id of "abc")
      for (const step of [-0.01, 0.01])
        expect(
          likelihood({ ...strength, [id]: (strength[id] ?? Number.NaN) + step }, wins, {
            ties,
            nu: nu ?? Number.NaN,
          }),
        ).toBeLessThan(top);
  });
  it("keeps names that objects have of their own", () => {
    const { strength } = fitted([win("__proto__", "x"), win("x", "__proto__")]);
    expect(Object.keys(strength)).toEqual(["__proto__", "x"]);
  });
});

describe("where there is no top", () => {
  it("names who never lost, the unbeaten first", () => {
    expect(bradleyTerry([win("b", "a"), win("a", "c"), win("c", "a")])).toEqual({
      ok: false,
      reason: "the players fall into 2 groups between which wins go one way or nobody met",
      groups: [["b"], ["a", "c"]],
    });
  });
  it("names groups that nobody connects, and tells of nothing at all", () => {
    const apart = bradleyTerry([
      win("a", "b"),
      win("b", "a"),
      win("c", "d"),
      win("d", "c"),
      win("a", "c", 0),
    ]);
    expect(apart).toMatchObject({
      ok: false,
      groups: [
        ["a", "b"],
        ["c", "d"],
      ],
    });
    expect(bradleyTerry([])).toEqual({ ok: false, reason: "there are no results", groups: [] });
  });
  it("takes a tie for a way in both directions", () => {
    const given = [win("a", "b", 2), win("b", "a", 1), win("b", "c", 2)];
    expect(bradleyTerry(given).ok).toBe(false);
    expect(bradleyTerry(given, { ties: [tie("c", "b")] }).ok).toBe(true);
  });
  it("sees that wins and ties can be told apart by strength alone", () => {
    const reason = "the wins can be told from the ties by strength alone, so that no share of ties fits best";
    for (const [wins, ties] of [
      [[], [tie("a", "b", 4)]],
      [[win("a", "b", 3)], [tie("a", "b", 2)]],
      [[win("a", "c")], [tie("a", "b"), tie("b", "c")]],
    ] as const)
      expect(bradleyTerry(wins, { ties })).toMatchObject({ ok: false, reason });
    // Here no three strengths are one apart each and all at once.
    expect(bradleyTerry([win("a", "b"), win("b", "c")], { ties: [tie("a", "c"), tie("a", "b")] }).ok).toBe(
      true,
    );
  });
  it("refuses a player against itself, counts that are none, and an unknown reference", () => {
    expect(() => bradleyTerry([win("a", "a")])).toThrow(RangeError);
    expect(() => bradleyTerry([win("a", "b", -1)])).toThrow(RangeError);
    expect(() => bradleyTerry([win("a", "b", 1e300), win("b", "a")])).toThrow(/must be from 0 to/);
    expect(() => bradleyTerry([], { ties: [tie("a", "b", Number.NaN)] })).toThrow(RangeError);
    expect(() => bradleyTerry([win("a", "b"), win("b", "a")], { reference: "c" })).toThrow(RangeError);
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
    const { strength, standardError } = fitted(results, { reference: "Baltimore" });
    const rounded = (values: Record<string, number>, digits: number) =>
      Object.fromEntries(
        Object.entries(values).map(([team, value]) => [team, Number(value.toFixed(digits))]),
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
    // As the R package BradleyTerry2 gives them for the same model.
    expect(rounded(standardError, 4)).toEqual({
      Baltimore: 0,
      Boston: 0.3339,
      Cleveland: 0.3319,
      Detroit: 0.3396,
      Milwaukee: 0.3433,
      "New York": 0.3359,
      Toronto: 0.3367,
    });
  });
});
