import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { parseRanking } from "../replies/ranking.ts";
import { standing } from "./standing.ts";

const candidates = ["ada", "bob", "cyd"];
/** What two votes say of others. */
const unknown = { low: null, high: null };

describe("standing", () => {
  it("adds up a council of three that agrees", () => {
    const ballots = [
      { reviewer: "ada", ranking: ["bob", "cyd"] },
      { reviewer: "bob", ranking: ["ada", "cyd"] },
      { reviewer: "cyd", ranking: ["ada", "bob"] },
    ];
    expect(standing({ candidates, ballots })).toEqual({
      order: [["ada"], ["bob"], ["cyd"]],
      rows: [
        { id: "ada", place: 1, score: 1, ...unknown, tiedWith: [], votes: 2 },
        { id: "bob", place: 2, score: 0.5, ...unknown, tiedWith: [], votes: 2 },
        { id: "cyd", place: 3, score: 0, ...unknown, tiedWith: [], votes: 2 },
      ],
      borda: { ada: 2, bob: 1, cyd: 0 },
      agreement: 1,
      effectiveVotes: null,
      excluded: [],
    });
  });
  it("shows a circle as a tie without agreement", () => {
    const ballots = [
      { reviewer: "ada", ranking: ["bob", "cyd"] },
      { reviewer: "bob", ranking: ["cyd", "ada"] },
      { reviewer: "cyd", ranking: ["ada", "bob"] },
    ];
    const result = standing({ candidates, ballots });
    expect(result.order).toEqual([candidates]);
    expect(result.rows.map(({ place, tiedWith }) => [place, tiedWith.length])).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(result.agreement).toBe(0);
  });
  it("drops a vote for oneself and says so", () => {
    const result = standing({ candidates, ballots: [{ reviewer: "ada", ranking: ["ada", "cyd", "bob"] }] });
    expect(result.rows).toEqual([
      { id: "cyd", place: 1, score: 1, ...unknown, tiedWith: [], votes: 1 },
      { id: "bob", place: 2, score: 0, ...unknown, tiedWith: [], votes: 1 },
      { id: "ada", place: 3, score: null, ...unknown, tiedWith: [], votes: 0 },
    ]);
    expect(result.excluded).toEqual([
      { id: "ada", why: "its vote for its own answer was left out" },
      { id: "ada", why: "nobody ranked it" },
    ]);
  });
  it("leaves out ballots that cannot count", () => {
    const result = standing({
      candidates,
      ballots: [
        { reviewer: "ada", ranking: ["bob", "cyd"] },
        { reviewer: "ada", ranking: ["cyd", "bob"] },
        { reviewer: "bob", ranking: ["ada", "zoe"] },
        { reviewer: "cyd", ranking: ["ada", "ada"] },
        { reviewer: "dan", ranking: [] },
      ],
    });
    expect(result.excluded.map(({ id }) => id)).toEqual(["ada", "bob", "cyd", "dan", "ada"]);
    expect(result.rows.map(({ id, votes }) => [id, votes])).toEqual([
      ["bob", 1],
      ["cyd", 1],
      ["ada", 0],
    ]);
  });
  it("puts those whom nobody ranked last, together", () => {
    expect(standing({ candidates, ballots: [] })).toMatchObject({
      order: [candidates],
      rows: candidates.map((id) => ({ id, place: 1, score: null, votes: 0 })),
      agreement: null,
      effectiveVotes: null,
    });
    const { rows } = standing({
      candidates: [...candidates, "dan"],
      ballots: [{ reviewer: "x", ranking: ["dan", "bob"] }],
    });
    expect(rows.map(({ id, place, tiedWith }) => [id, place, tiedWith])).toEqual([
      ["dan", 1, []],
      ["bob", 2, []],
      ["ada", 3, ["cyd"]],
      ["cyd", 3, ["ada"]],
    ]);
  });
  it("counts each reviewer alike, however many it ranked", () => {
    const { rows } = standing({
      candidates: ["a", "b", "c", "d"],
      ballots: [
        { reviewer: "a", ranking: ["b", "c", "d"] },
        { reviewer: "d", ranking: ["c", "b"] },
      ],
    });
    expect(rows.map(({ id, score }) => [id, score])).toEqual([
      ["c", 0.75],
      ["b", 0.5],
      ["d", 0],
      ["a", null],
    ]);
  });

  const judged = (orders: readonly string[], seed?: string) =>
    standing({
      candidates: "abcde".split(""),
      ballots: orders.map((order, index) => ({ reviewer: `r${index}`, ranking: order.split("") })),
      ...(seed === undefined ? {} : { seed }),
    });
  it("gives intervals around the scores of candidates that reviewers place apart", () => {
    const { rows } = judged(["abcde", "bacde", "abdce", "acbde", "badce", "abced"]);
    for (const { id, score, low, high } of rows) {
      if (score === null || low === null || high === null) throw new Error(`${id} has no interval`);
      expect(low).toBeLessThan(score);
      expect(high).toBeGreaterThan(score);
    }
    const [first, , , , last] = rows;
    expect(first?.low).toBeGreaterThan(last?.high ?? 1);
  });
  it("gives the exact percentiles of four votes: of 256 resamples 1 has only the lowest, 5 sums are at most 2.5 %", () => {
    // a's votes are 1, 1, 1 and 0: the mean is 1/4 or less in 13 of 256 resamples, 0 in one; so 2.5 % falls on 1/4.
    const row = judged(["abcde", "abdce", "acbde", "bcdea"]).rows.find(({ id }) => id === "a");
    expect([row?.low, row?.high]).toEqual([0.25, 1]);
  });
  it("gives none below four votes, nor where all votes are the same", () => {
    expect(
      judged(["abcde", "bacde", "abdce"]).rows.every(({ low, high }) => low === null && high === null),
    ).toBe(true);
    const rows = judged(["abcde", "abdce", "abced", "abecd"]).rows;
    expect(rows.map(({ low, high }) => [low === null, high === null])).toEqual([
      [true, true],
      [true, true],
      [false, false],
      [false, false],
      [false, false],
    ]);
  });
  it("gives equal intervals to equal votes, whoever gave them, and the same ones on every run", () => {
    const orders = ["abcde", "bacde", "abcde", "bacde", "abcde", "bacde"];
    const { rows } = judged(orders);
    expect(rows[0]).toMatchObject({ id: "a", tiedWith: ["b"] });
    expect([rows[0]?.low, rows[0]?.high]).toEqual([rows[1]?.low, rows[1]?.high]);
    expect(judged(orders)).toEqual(judged(orders, "standing"));
    const ragged = ["abcde", "bacde", "cabde", "abdce", "edcba", "dabce", "abced"];
    expect(judged(ragged, "one").rows).not.toEqual(judged(ragged, "two").rows);
  });

  const ids = ["a", "b", "c", "d", "e"];
  const council = fc.tuple(
    ...ids.map((reviewer) => {
      const others = ids.filter((id) => id !== reviewer);
      return fc.shuffledSubarray(others, { minLength: 1 }).map((ranking) => ({ reviewer, ranking }));
    }),
  );
  it("is exactly the same whatever the order of the ballots", () => {
    fc.assert(
      fc.property(council, fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }), (ballots, order) => {
        const turned = order.flatMap((index) => ballots[index] ?? []);
        expect(standing({ candidates: ids, ballots: turned })).toEqual(
          standing({ candidates: ids, ballots }),
        );
      }),
    );
  });
  it("gives places and order that say the same, and scores in 0..1", () => {
    fc.assert(
      fc.property(council, (ballots) => {
        const { rows, order, agreement } = standing({ candidates: ids, ballots });
        for (const { score, low, high } of rows) {
          expect(low === null).toBe(high === null);
          expect(low ?? 0).toBeGreaterThanOrEqual(0);
          expect(low ?? 0).toBeLessThanOrEqual(score ?? 0);
          expect(high ?? 1).toBeGreaterThanOrEqual(score ?? 1);
          expect(high ?? 1).toBeLessThanOrEqual(1);
        }
        expect(rows.map(({ id }) => id)).toEqual(order.flat());
        for (const { id, place, score, tiedWith } of rows) {
          expect(place).toBe(1 + rows.filter((other) => (other.score ?? -1) > (score ?? -1) + 1e-9).length);
          expect(order.find((group) => group.includes(id))?.length).toBe(tiedWith.length + 1);
          expect(score ?? 0).toBeGreaterThanOrEqual(0);
          expect(score ?? 0).toBeLessThanOrEqual(1);
        }
        expect(agreement ?? 0).toBeGreaterThanOrEqual(0);
        expect(agreement ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});

const trialsFile = new URL("../../../shared/data/council-trials/trials.json", import.meta.url);
const RankedTrials = z.array(
  z.object({
    stage2_data: z.object({
      rankings: z.record(z.string(), z.array(z.string())).optional(),
      label_to_model: z.record(z.string(), z.string()).optional(),
    }),
  }),
);

describe("standing on recorded council trials", () => {
  it("reads recorded rankings back, refuses incomplete ones, and drops votes for oneself", (test) => {
    test.skip(!existsSync(trialsFile), "the recorded trials are not on this machine");
    let complete = 0;
    let incomplete = 0;
    for (const { stage2_data: data } of RankedTrials.parse(JSON.parse(readFileSync(trialsFile, "utf8")))) {
      const { rankings, label_to_model: models } = data;
      if (rankings === undefined || models === undefined) continue;
      const labels = Object.keys(models);
      const ballots = Object.entries(rankings).flatMap(([reviewer, recorded]) => {
        const read = parseRanking(
          `FINAL RANKING:\n${recorded.map((label, index) => `${index + 1}. Response ${label}`).join("\n")}`,
          labels,
        );
        const whole = recorded.length === labels.length;
        expect(read.ok ? read.ranking : read.reason).toEqual(whole ? recorded : "the ranking leaves out B");
        if (!read.ok) return [];
        return [{ reviewer, ranking: read.ranking.flatMap((label) => models[label] ?? []) }];
      });
      complete += ballots.length;
      incomplete += Object.keys(rankings).length - ballots.length;
      const result = standing({ candidates: Object.values(models), ballots });
      expect(result.excluded.map(({ id }) => id)).toEqual(ballots.map(({ reviewer }) => reviewer).sort());
    }
    process.stdout.write(
      `council trials: ${complete} rankings read, ${incomplete} incomplete ones refused\n`,
    );
    expect([complete, incomplete]).toEqual([11, 1]);
  });
});
