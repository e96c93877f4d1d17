import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addTally, chiSquareTail, emptyTally, leagueOf, tallySession, type LeagueSession } from "./league.ts";
import { random } from "./numbers.ts";

const NAMES = ["ada", "bob", "cyd", "dan"];

/** Sessions in which each ranks the three others; the better a player, the more often above. */
function sessionsOf(count: number, better: (player: string) => number, seed = "s"): LeagueSession[] {
  const next = random(seed);
  return Array.from({ length: count }, () => {
    // What a draft is worth is the same for every reviewer of the session, as far as it is worth anything.
    const worth = new Map(NAMES.map((name) => [name, better(name) + next()]));
    const ballots = NAMES.map((voter) =>
      NAMES.filter((name) => name !== voter).toSorted((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0)),
    );
    const order = NAMES.toSorted((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0));
    return { ballots, places: order.map((player, index) => ({ player, place: index + 1 })) };
  });
}

const tallyOf = (sessions: readonly LeagueSession[]) => {
  const tally = emptyTally();
  for (const session of sessions) addTally(tally, tallySession(session));
  return tally;
};

const anySession: fc.Arbitrary<LeagueSession> = fc.record({
  ballots: fc.array(fc.shuffledSubarray(NAMES, { minLength: 1 }), { maxLength: 4 }),
  places: fc.shuffledSubarray(NAMES).chain((players) =>
    fc
      .array(fc.option(fc.integer({ min: 1, max: 4 })), {
        minLength: players.length,
        maxLength: players.length,
      })
      .map((places) => players.map((player, index) => ({ player, place: places[index] ?? null }))),
  ),
});

describe("a tally", () => {
  it("is a sum: in any order the same, and nothing when all is taken out again (LEAGUE-1)", () => {
    fc.assert(
      fc.property(fc.array(anySession, { maxLength: 8 }), (sessions) => {
        const tally = tallyOf(sessions);
        // `toEqual` does not mind the order of keys; rounding may differ in the last digits.
        const rounded = (one: object): unknown =>
          JSON.parse(
            JSON.stringify(one, (_, value: unknown) =>
              typeof value === "number" ? Math.round(value * 1e6) / 1e6 : value,
            ),
          );
        expect(rounded(tallyOf(sessions.toReversed()))).toEqual(rounded(tally));
        for (const session of sessions) addTally(tally, tallySession(session), -1);
        expect(tally).toEqual(emptyTally());
      }),
    );
  });

  it("has no rate above 1 (LEAGUE-2)", () => {
    fc.assert(
      fc.property(fc.array(anySession, { minLength: 1, maxLength: 8 }), (sessions) => {
        const { rows } = leagueOf(tallyOf(sessions));
        for (const { winRate, averageShare, wins, ties, sessions: count } of rows) {
          expect(winRate ?? 0).toBeLessThanOrEqual(1);
          expect(averageShare ?? 0).toBeLessThanOrEqual(1);
          expect(wins + ties).toBeLessThanOrEqual(count);
        }
        // Of one session's shares none is won twice.
        expect(rows.reduce((total, { wins }) => total + wins, 0)).toBeLessThanOrEqual(sessions.length);
      }),
    );
  });
});

describe("a league", () => {
  it("puts the better first, with intervals that tell them apart", () => {
    const { rows, p } = leagueOf(tallyOf(sessionsOf(200, (name) => (name === "cyd" ? 1.2 : 0))));
    expect(rows[0]).toMatchObject({ player: "cyd", sessions: 200, tooFew: false });
    expect(rows[0]?.low ?? 0).toBeGreaterThan(rows[1]?.high ?? Infinity);
    expect(p).toBeLessThan(0.001);
  });

  it("takes differences among equals for chance, as often as it says, though a session's votes agree", () => {
    const small = Array.from({ length: 200 }, (_, nth) =>
      leagueOf(tallyOf(sessionsOf(60, () => 0, `equals ${nth}`))),
    );
    const found = small.filter(({ p }) => (p ?? 1) < 0.05).length;
    expect(found).toBeLessThanOrEqual(20); // 10 are expected; more than 20 of 200 in 1 of 1,000
    const [one] = small;
    expect(one?.dispersion).toBeGreaterThan(1.5);
    const outside = small
      .flatMap(({ rows }) => rows)
      .filter(({ low, high }) => (low ?? 0) > 0 || (high ?? 0) < 0).length;
    expect(outside / (200 * NAMES.length)).toBeLessThan(0.1);
  });

  it("claims nothing of few votes, and of nobody", () => {
    const { rows, p } = leagueOf(tallyOf(sessionsOf(6, () => 0)));
    expect(p).toBeNull();
    expect(rows.every(({ tooFew }) => tooFew)).toBe(true);
    expect(leagueOf(emptyTally())).toEqual({ rows: [], sessions: 0, p: null, dispersion: 1 });
  });

  it("counts a shared first place as a tie, and gives half of it to the rate", () => {
    const places = [
      { player: "ada", place: 1 },
      { player: "bob", place: 1 },
      { player: "cyd", place: 3 },
    ];
    const { rows } = leagueOf(tallyOf([{ ballots: [["ada", "bob", "cyd"]], places }]));
    expect(rows.find(({ player }) => player === "bob")).toMatchObject({
      wins: 0,
      ties: 1,
      winRate: 0.5,
      averageRank: 2,
    });
  });
});

it.each([
  [3.841, 1, 0.05],
  [5.991, 2, 0.05],
  [7.815, 3, 0.05],
  [18.307, 10, 0.05],
  [0, 4, 1],
])("knows the tail of chi-square: %f with %i degrees", (x, degrees, p) => {
  expect(chiSquareTail(x, degrees)).toBeCloseTo(p, 3);
});
