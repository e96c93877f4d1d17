import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer } from "../replies/answer.ts";
import { vote, type Voter } from "./vote.ts";

const answer = (value: string | null): Answer | null => (value === null ? null : { kind: "number", value });
const voters = (...rows: readonly (readonly [string | null, string | null])[]): Voter[] =>
  rows.map(([first, last], index) => ({ id: `v${index}`, first: answer(first), last: answer(last) }));

describe("a vote over first and last answers", () => {
  it.each<{ what: string; given: Voter[]; winner: string | null; by: string }>([
    { what: "all alike from the first", given: voters(["1", "1"], ["1", "1"]), winner: "1", by: "unanimous" },
    {
      what: "all alike at last only",
      given: voters(["1", "1"], ["2", "1"], ["1", "1"]),
      winner: "1",
      by: "majority",
    },
    {
      what: "a first majority that was talked out of it",
      given: voters(["1", "1"], ["1", "2"], ["1", "1"], ["2", "2"]),
      winner: "1",
      by: "majority",
    },
    {
      what: "more than any other, but not half",
      given: voters(["1", "1"], ["2", "3"], ["4", "5"]),
      winner: "1",
      by: "plurality",
    },
    {
      what: "level, but ahead in last answers",
      given: voters(["1", "2"], ["1", "2"]),
      winner: "2",
      by: "last",
    },
    { what: "level in both", given: voters(["1", "1"], ["2", "2"]), winner: null, by: "tie" },
    { what: "nothing to count", given: voters([null, null], [null, null]), winner: null, by: "none" },
    { what: "nobody", given: voters(), winner: null, by: "none" },
  ])("$what", ({ given, winner, by }) => {
    const result = vote(given);
    expect([result.winner?.answer.value ?? null, result.by]).toEqual([winner, by]);
  });

  it("keeps who has no answer in the denominator: one voice of three is no majority", () => {
    expect(vote(voters(["1", "1"], [null, null], [null, null])).by).toBe("plurality");
  });

  it("names who held what, when", () => {
    expect(vote(voters(["1", "2"], ["2", "2"])).groups).toEqual([
      { answer: answer("2"), first: ["v1"], last: ["v0", "v1"] },
      { answer: answer("1"), first: ["v0"], last: [] },
    ]);
  });

  it("does not depend on the voters' order, but for the order of equals", () => {
    const value = fc.constantFrom(null, "1", "2", "3");
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { maxLength: 6 }), (rows) => {
        const there = vote(voters(...rows));
        const back = vote(voters(...rows.toReversed()));
        expect([back.by, back.winner?.answer]).toEqual([there.by, there.winner?.answer]);
      }),
    );
  });
});
