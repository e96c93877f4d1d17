import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ParticipantId, type Answer } from "../../../kernel/index.ts";
import type { Drafter } from "../../../views/contribution-grounds.ts";
import { electionShare, rankingValues, voteValues } from "./contributions.ts";

const number = (value: number | null): Answer | null =>
  value === null ? null : { kind: "number", value: String(value) };

const drafters = (votes: readonly (readonly [number | null, number | null])[]): Drafter[] =>
  votes.map(([first, last], index) => ({
    id: ParticipantId.parse(`m${index}`),
    first: { text: "", final: number(first) },
    last: { text: "", final: number(last) },
  }));

const answer = (value: number): Answer => ({ kind: "number", value: String(value) });

const valuesOf = (shares: ReturnType<typeof voteValues>): Readonly<Record<string, number>> => {
  if (!shares.ok) throw new Error(shares.why);
  return shares.of;
};

const sum = (values: Readonly<Record<string, number>>) =>
  Object.values(values).reduce((total, one) => total + one, 0);

const vote = fc.tuple(fc.option(fc.integer({ min: 1, max: 3 })), fc.option(fc.integer({ min: 1, max: 3 })));

describe("electing", () => {
  it.each([
    ["nobody", [], 0],
    [
      "a majority",
      [
        [1, 1],
        [1, 1],
        [2, 2],
      ],
      1,
    ],
    [
      "a level vote that last answers decide",
      [
        [1, 1],
        [2, 1],
        [2, 3],
        [3, 2],
      ],
      1,
    ],
    [
      "a level vote that last answers decide for another",
      [
        [2, 2],
        [1, 2],
        [1, 3],
        [3, 1],
      ],
      0,
    ],
    [
      "two that are level",
      [
        [1, 1],
        [2, 2],
      ],
      1 / 2,
    ],
    [
      "two that are level, and a third without last answers",
      [
        [1, 1],
        [2, 2],
        [3, null],
        [3, null],
      ],
      1 / 2,
    ],
    [
      "two ahead of a third",
      [
        [1, 1],
        [1, 1],
        [2, 2],
        [2, 2],
        [3, 3],
      ],
      1 / 2,
    ],
    [
      "another majority",
      [
        [2, 2],
        [2, 2],
        [1, 1],
      ],
      0,
    ],
    ["nothing to count", [[null, null]], 0],
  ] as const)("of %s", (_, votes, expected) => {
    expect(electionShare(drafters(votes), answer(1))).toBe(expected);
  });
});

describe("the members' parts in a vote", () => {
  it("are equal for equal votes, and against who stands in the way", () => {
    const of = valuesOf(
      voteValues(
        drafters([
          [1, 1],
          [1, 1],
          [2, 2],
        ]),
        answer(1),
      ),
    );
    expect(of["m0"]).toBeCloseTo(7 / 12);
    expect(of["m1"]).toBeCloseTo(7 / 12);
    expect(of["m2"]).toBeCloseTo(-1 / 6);
  });

  it("sum to what all of them come to, and give nothing to who never votes", () => {
    fc.assert(
      fc.property(fc.array(vote, { minLength: 1, maxLength: 5 }), (votes) => {
        const all = [...drafters([[1, 1], ...votes, [null, null]])];
        const shares = voteValues(all, answer(1));
        const of = valuesOf(shares);
        expect(sum(of)).toBeCloseTo(electionShare(all, answer(1)), 9);
        expect(shares.ok && shares.total).toBe(electionShare(all, answer(1)));
        expect(of[`m${votes.length + 1}`]).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it("are not computed without anything to count, nor for more than ten", () => {
    expect(voteValues(drafters([[1, 1]]), null)).toMatchObject({ ok: false });
    expect(voteValues(drafters([[null, null]]), answer(1))).toMatchObject({ ok: false });
    const ten = Array.from({ length: 10 }, () => [1, 1] as const);
    expect(voteValues(drafters(ten), answer(1))).toMatchObject({ ok: true });
    expect(voteValues(drafters([...ten, [1, 1]]), answer(1))).toEqual({
      ok: false,
      why: "not computed for more than 10 members",
    });
  });
});

describe("the reviewers' parts in a standing", () => {
  const ballots = (rankings: readonly string[]) =>
    rankings.map((ranking, index) => ({ reviewer: `r${index}`, ranking: [...ranking] }));

  it("credit whose ballots put the first one first", () => {
    const of = valuesOf(rankingValues(ballots(["abc", "abc", "cba"]), "a"));
    expect(of["r0"]).toBeCloseTo(of["r1"] ?? 9);
    expect(of["r0"]).toBeGreaterThan(0);
    expect(of["r2"]).toBeLessThan(0);
    expect(sum(of)).toBeCloseTo(1);
  });

  it("share a first place that is level", () => {
    const shares = rankingValues(ballots(["ab", "ba"]), "a");
    expect(shares).toMatchObject({ ok: true, total: 1 / 2 });
    expect(valuesOf(shares)).toEqual({ r0: 3 / 4, r1: -1 / 4 });
  });

  it("sum to the whole order's, and leave nothing to a ballot of nobody else", () => {
    fc.assert(
      fc.property(
        fc.array(fc.shuffledSubarray(["a", "b", "c", "d"], { minLength: 1 }), { minLength: 1, maxLength: 5 }),
        (rankings) => {
          const given = [
            ...rankings.map((ranking, index) => ({ reviewer: `r${index}`, ranking })),
            { reviewer: "a", ranking: ["a"] },
          ];
          for (const first of ["a", "b", "c", "d"]) {
            const shares = rankingValues(given, first);
            if (!shares.ok) continue;
            expect(sum(shares.of)).toBeCloseTo(shares.total, 9);
            expect(shares.of["a"]).toBeUndefined();
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("are not computed without a standing, nor against one that these ballots do not give", () => {
    expect(rankingValues([], null)).toMatchObject({ ok: false });
    expect(rankingValues(ballots(["abc"]), "c")).toMatchObject({ ok: false });
  });
});
