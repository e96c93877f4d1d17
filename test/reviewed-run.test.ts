import { expect, it } from "vitest";
import { agreeable, councilAsked } from "./support/council-table.ts";
import { council } from "../src/features/council/protocol/index.ts";
import { stage } from "../src/testing/stage.ts";
import { LOCAL } from "../src/testing/store-samples.ts";
import { reviewedRun } from "../src/features/votes/commands/votes.ts";

it("tells who reviewed whom by authors, in the order shown, and leaves out what a fork took over", async () => {
  const on = stage({ protocols: [council], script: agreeable(["ada", "bob", "cyd", "judy", "chair"]) });
  const { id, entries } = await on.play(councilAsked({ judges: ["judy"] }));
  const { reviews, families } = reviewedRun(entries, "model");
  expect(reviews.map(({ reviewer, key }) => [reviewer, key])).toEqual([
    ["judy", "sim/judy"],
    ["ada", "sim/ada"],
    ["bob", "sim/bob"],
    ["cyd", "sim/cyd"],
  ]);
  const judge = reviews.find(({ reviewer }) => reviewer === "judy");
  expect(judge?.shown.toSorted()).toEqual(["ada", "bob", "cyd"]);
  expect(judge?.ranking?.toSorted()).toEqual(["ada", "bob", "cyd"]);
  expect(judge?.remarks).toHaveLength(3);
  for (const { reviewer, shown } of reviews) expect(shown).not.toContain(reviewer);
  expect([...families.keys()]).toContain("ada");
  expect(reviewedRun(entries, "persona").reviews[0]?.key).toBe("judy");
  const fork = await on.engine.fork(id, { request: "again", changes: { settings: { mode: "vote" } } });
  await on.drive(fork.opened.deliberation);
  const forked = await on.store.for(LOCAL).read(fork.opened.deliberation);
  expect(forked.some(({ type }) => type === "review-given")).toBe(true);
  expect(reviewedRun(forked, "model").reviews).toEqual([]);
});
