import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addSession, chiSquareTail, leagueOf, type LeagueSession } from "./league.ts";
import { addSums, random, type Sums } from "./numbers.ts";

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

const tallyOf = (sessions: readonly LeagueSession[]): Sums => {
  const tally: Sums = new Map();
  for (const session of sessions) addSession(tally, session);
  return tally;
};

const anySession: fc.Arbitrary<LeagueSession> = fc.record({
  ballots: fc.array(fc.shuffledSubarray(NAMES, { minLength: 1 }), { maxLength: 4 }),
  places: fc
    .shuffledSubarray(NAMES)
    .chain((players) =>
      fc
        .array(fc.option(fc.integer({ min: 1, max: 4 })), {
          minLength: players.length,
          maxLength: players.length,
        })
        .map((places) => players.map((player, index) => ({ player, place: places[index] ?? null }))),
    ),
});

describe("a tally", () => {
  it("is a sum: the same in any order and in any groups", () => {
    fc.assert(
      fc.property(fc.array(anySession, { maxLength: 8 }), fc.nat(8), (sessions, size) => {
        const tally = tallyOf(sessions);
        // Rounding may differ in the last digits.
        const rounded = (one: Sums) => new Map([...one].map(([names, value]) => [names, value.toFixed(6)]));
        expect(rounded(tallyOf(sessions.toReversed()))).toEqual(rounded(tally));
        const groups = tallyOf(sessions.slice(0, size));
        addSums(groups, tallyOf(sessions.slice(size)));
        expect(rounded(groups)).toEqual(rounded(tally));
      }),
    );
  });

  it("has what ranks and deviations come to by their definition, also where one is ranked twice", () => {
    const twice = [...NAMES, "ada"];
    const ballot = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 1 });
    const sessions = fc.array(fc.array(ballot, { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(sessions, (drawn) => {
        const all = drawn.map((ballots) => ballots.map((places) => places.map((at) => twice[at] ?? "")));
        const { rows, dispersion } = leagueOf(tallyOf(all.map((ballots) => ({ ballots, places: [] }))));
        const votes = all
          .flat()
          .flatMap((one) => one.map((player, index) => ({ player, index, of: one.length })));
        for (const { player, averageRank } of rows) {
          const ranks = votes.flatMap((vote) => (vote.player === player ? vote.index + 1 : []));
          expect(averageRank).toBeCloseTo(ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length, 9);
        }
        let [seen, byLot] = [0, 0];
        for (const ballots of all)
          for (const player of NAMES) {
            const own = ballots.flatMap((one) =>
              one.map((name, index) => (name === player ? (one.length + 1) / 2 - (index + 1) : 0)),
            );
            seen += own.reduce((sum, moved) => sum + moved, 0) ** 2;
          }
        for (const { of } of votes) byLot += (of - 1) / 4;
        expect(dispersion).toBeCloseTo(byLot === 0 ? 1 : Math.max(1, seen / byLot), 9);
      }),
    );
  });

  it("has no rate above 1", () => {
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
    expect(leagueOf(new Map())).toEqual({ rows: [], sessions: 0, p: null, dispersion: 1 });
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
