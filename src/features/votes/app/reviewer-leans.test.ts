import { describe, expect, it } from "vitest";
import { random } from "../../../stats/numbers.ts";
import { reviewerLeans, type GivenReview, type ReviewedRun } from "./reviewer-leans.ts";

const DRAFTS = ["ada", "bob", "cyd", "dan"];
const FAMILIES = new Map([
  ["ada", "x"],
  ["bob", "x"],
  ["cyd", "y"],
  ["dan", null],
]);

type Habit = (shown: readonly string[], next: () => number) => Partial<GivenReview>;

const shuffled = (items: readonly string[], next: () => number) =>
  items
    .map((item) => ({ item, key: next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

const fair: Habit = (shown, next) => ({ ranking: shuffled(shown, next) });

/** Deliberations of four who draft and review each other, each with a habit of its own. */
function runsOf(count: number, habits: Readonly<Record<string, Habit>>, seed = 0): ReviewedRun[] {
  const next = random(`runs ${seed}`);
  return Array.from({ length: count }, () => ({
    families: FAMILIES,
    reviews: DRAFTS.map((reviewer) => {
      const shown = shuffled(
        DRAFTS.filter((one) => one !== reviewer),
        next,
      );
      const remarks = shown.map((of) => ({ of, strengths: 2, weaknesses: 2 }));
      const family = FAMILIES.get(reviewer) ?? null;
      const usual = { reviewer, key: reviewer, family, shown, remarks, ...fair(shown, next) } as GivenReview;
      return { ...usual, ...habits[reviewer]?.(shown, next) };
    }),
  }));
}

const leansOf = (runs: readonly ReviewedRun[], key = "ada") => {
  const found = reviewerLeans(runs).find((one) => one.key === key);
  if (!found) throw new Error(`no figures of ${key}`);
  return found;
};

describe("what reviewers lean on", () => {
  it("is nothing, of fair ones: 95 % of the intervals hold 0", () => {
    const found = Array.from({ length: 25 }, (_, seed) => reviewerLeans(runsOf(30, {}, seed))).flat();
    for (const { harshness, ownFamilyLean, key } of found) {
      expect(harshness).toMatchObject({ value: 0, n: 90 });
      if (key === "dan") expect(ownFamilyLean).toEqual({ value: null, n: 0, low: null, high: null });
    }
    const misses = (figure: "positionLean" | "ownFamilyLean") => {
      const known = found.map((one) => one[figure]).filter(({ low }) => low !== null);
      return known.filter(({ low, high }) => (low ?? 0) > 0 || (high ?? 0) < 0).length / known.length;
    };
    expect(misses("positionLean")).toBeLessThan(0.1);
    expect(misses("ownFamilyLean")).toBeLessThan(0.1);
  });

  it("is the place, of one that ranks as it is shown", () => {
    const { positionLean } = leansOf(runsOf(30, { ada: (shown) => ({ ranking: shown }) }));
    expect(positionLean).toEqual({ value: 0.5, n: 30, low: 0.5, high: 0.5 });
  });

  it("is its family, of one that always ranks it first", () => {
    const kin: Habit = (shown) => ({
      ranking: shown.toSorted((a, b) => Number(b === "bob") - Number(a === "bob")),
    });
    const { ownFamilyLean } = leansOf(runsOf(60, { ada: kin }));
    // A pair of bob and cyd, which dan ranks too; dan's own family is not known, so that it is in no pair.
    expect(ownFamilyLean.n).toBe(60);
    expect(ownFamilyLean.low).toBeGreaterThan(0.2);
  });

  it("is not its family where all others prefer the same draft", () => {
    const bobFirst: Habit = (shown) => ({
      ranking: shown.toSorted((a, b) => Number(b === "bob") - Number(a === "bob")),
    });
    const { ownFamilyLean } = leansOf(runsOf(30, { ada: bobFirst, cyd: bobFirst, dan: bobFirst }));
    expect(ownFamilyLean).toMatchObject({ value: 0, n: 30 });
  });

  it("is harshness, of one that names nothing but weaknesses", () => {
    const harsh: Habit = (shown) => ({ remarks: shown.map((of) => ({ of, strengths: 0, weaknesses: 3 })) });
    const runs = runsOf(20, { ada: harsh });
    expect(leansOf(runs).harshness).toMatchObject({ value: 0.5, n: 60 });
    expect(leansOf(runs, "bob").harshness.value).toBeLessThan(0);
  });

  it("is not claimed below 20 observations, nor bounded below four deliberations", () => {
    const first: Habit = (shown) => ({ ranking: shown });
    expect(leansOf(runsOf(19, { ada: first })).positionLean).toEqual({
      value: null,
      n: 19,
      low: null,
      high: null,
    });
    const [run] = runsOf(1, { ada: first });
    const many = run ? { ...run, reviews: Array.from({ length: 25 }, () => run.reviews).flat() } : undefined;
    expect(leansOf(many ? [many] : []).positionLean).toEqual({ value: 0.5, n: 25, low: null, high: null });
  });

  it("is no harshness on a draft that no other reviewer has remarks on", () => {
    const alone = runsOf(20, {}).map((run) => ({
      ...run,
      reviews: run.reviews.map((one) => ({
        ...one,
        remarks: one.remarks.filter(({ of }) => one.reviewer === "ada" || of !== "bob"),
      })),
    }));
    // Of ada's three drafts, nobody else has remarks on bob's.
    expect(leansOf(alone).harshness).toMatchObject({ value: 0, n: 40 });
  });

  it("has its interval from the deliberations with observations alone", () => {
    const unread: Habit = () => ({ ranking: null });
    const first: Habit = (shown) => ({ ranking: shown });
    const [seen] = runsOf(1, { ada: first });
    if (!seen) throw new Error("no run");
    const busy = { ...seen, reviews: Array.from({ length: 5 }, () => seen.reviews).flat() };
    const silent = runsOf(60, { ada: unread });
    expect(leansOf([busy, busy, busy, busy, ...silent]).positionLean).toEqual({
      value: 0.5,
      n: 20,
      low: 0.5,
      high: 0.5,
    });
  });

  it("is not its family where only the authors of the pair ranked it, too", () => {
    const ranked = (reviewer: string, family: string, ranking: readonly string[]): GivenReview => ({
      ...{ reviewer, key: reviewer, family, shown: ranking, ranking, remarks: [] },
    });
    const ofAuthor = ranked("cyd", "y", ["cyd", "bob"]);
    const run = { families: FAMILIES, reviews: [ranked("ada", "x", ["bob", "cyd"]), ofAuthor] };
    expect(leansOf([run]).ownFamilyLean.n).toBe(0);
    expect(leansOf([{ ...run, reviews: [...run.reviews, { ...ofAuthor, reviewer: "eve" }] }])).toMatchObject({
      ownFamilyLean: { n: 1 },
    });
  });

  it("leaves out what could not be read", () => {
    const unread: Habit = () => ({ ranking: null, remarks: [] });
    expect(leansOf(runsOf(30, { ada: unread }))).toMatchObject({
      reviews: 30,
      harshness: { n: 0 },
      positionLean: { n: 0 },
      ownFamilyLean: { n: 0 },
    });
  });
});
