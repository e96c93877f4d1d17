import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forest, seed, tree } from "../../../../test/support/sample-forest.ts";
import {
  DIVERGED_SCORES,
  inspectedScores,
  nurseryCheck,
  rankAndRoute,
  scoreSeed,
  SEED_WEIGHTS,
} from "./seeds.ts";
import { SeedStatus, type ForestSeed } from "./state.ts";

describe("a seed's score", () => {
  it("is the weighted sum of ten, to ten decimals", () => {
    const scores = {
      novelty: 1,
      logic_strength: 0.5,
      option_value: 0.4,
      cross_tree_potential: 0.2,
      regime_relevance: 0.3,
      evidence_hint: 0.6,
      data_availability: 1,
      validation_cost: 0.2,
      leakage_risk: 0.1,
      redundancy: 0.5,
    };
    expect(scoreSeed(scores)).toBe(0.48);
    expect(scoreSeed({})).toBe(0);
    expect(scoreSeed({ novelty: 0.1, unheard_of: 9 })).toBe(0.025);
    expect(scoreSeed({ novelty: 1, logic_strength: 1 }, { novelty: 1, logic_strength: 0 })).toBe(1);
    expect(scoreSeed(DIVERGED_SCORES)).toBe(0.555);
  });
});

describe("ranking", () => {
  it("sows the best, holds the rest, and quarantines what may leak, by score and then by id", () => {
    const seeds = [
      ...[seed("low", { novelty: 0.1 }), seed("b", { novelty: 0.5 }), seed("a", { novelty: 0.5 })],
      ...[
        seed("leaky", { novelty: 1, leakage_risk: 0.81 }),
        seed("edge", { novelty: 0.9, leakage_risk: 0.8 }),
      ],
    ];
    expect(rankAndRoute(seeds, { slots: 2 }).map(({ seed_id, status }) => `${seed_id} ${status}`)).toEqual([
      ...["a sow_now", "b sow_now", "edge hold", "low hold", "leaky quarantine"],
    ]);
  });

  it("gives no other status to what is retired", () => {
    const retired = [
      ...(["dormant", "reject", "quarantine"] as const).map((status) =>
        seed(status, { novelty: 1 }, { status }),
      ),
      seed("tested", { novelty: 1 }, { status: "sow_now", evaluated_cycle: 3 }),
    ];
    const routed = rankAndRoute([...retired, seed("new", { novelty: 0.1 })], { slots: 3 });
    expect(routed.map(({ seed_id, status }) => [seed_id, status])).toEqual([
      ["new", "sow_now"],
      ...["dormant", "quarantine", "reject"].map((status) => [status, status]),
      ["tested", "sow_now"],
    ]);
  });

  it("sows no more than there are slots, loses none, and comes to the same again", () => {
    const any = fc.record({
      novelty: fc.double({ min: 0, max: 1, noNaN: true }),
      leakage_risk: fc.double({ min: 0, max: 1, noNaN: true }),
      status: fc.constantFrom(...SeedStatus.options),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), fc.integer({ min: 0, max: 5 }), (all, slots) => {
        const seeds = all.map(({ status, ...scores }, nth) => seed(`s${nth}`, scores, { status }));
        const routed = rankAndRoute(seeds, { slots });
        expect(routed.map(({ seed_id }) => seed_id).sort()).toEqual(
          seeds.map(({ seed_id }) => seed_id).sort(),
        );
        const sown = routed.filter(({ status }) => status === "sow_now");
        expect(sown.length).toBeLessThanOrEqual(slots);
        for (const { scores } of sown) expect(scores["leakage_risk"]).toBeLessThanOrEqual(0.8);
        expect(rankAndRoute(routed, { slots })).toEqual(routed);
      }),
    );
  });
});

describe("the nursery", () => {
  const good = {
    novelty: 0.9,
    logic_strength: 0.8,
    data_availability: 1,
    leakage_risk: 0.1,
    redundancy: 0.1,
    validation_cost: 0.2,
  };
  const whole = forest({ trees: [tree("flow")], data_soil: { ready: true } });
  it.each([
    ["sprout", {}, {}],
    ["quarantine", { leakage_risk: 0.95, redundancy: 1 }, { related_trees: ["gone"] }],
    ["sprout", { leakage_risk: 0.8 }, {}],
    ["hold", { redundancy: 1 }, { related_trees: ["gone"] }],
    ["sprout", {}, { related_trees: [] }],
    ["reject", { redundancy: 0.9, data_availability: 0 }, {}],
    ["reject", { redundancy: 0.71, novelty: 0.24 }, {}],
    ["sprout", { redundancy: 0.71, novelty: 0.25 }, {}],
    ["dormant", { data_availability: 0.29 }, { validation_plan: "" }],
    ["hold", { validation_cost: 0.91 }, {}],
    ["hold", { logic_strength: 0 }, { validation_plan: " " }],
    ["hold", { logic_strength: 0.19 }, {}],
    ["sprout", { logic_strength: 0.2 }, {}],
  ])("says %s of %j %j", (decision, scores, changes: Partial<ForestSeed>) => {
    const planted = seed("s", { ...good, ...scores }, changes);
    expect(nurseryCheck(planted, whole).decision).toBe(decision);
  });

  it("records all seven figures, and hands on the plan of a sprout", () => {
    expect(nurseryCheck(seed("s", good), whole)).toEqual({
      ...{ seed_id: "s", decision: "sprout", next_validation: "rank(close)" },
      reason:
        "7 checks: leakage=0.10, data=1.00, tree_link=true, novelty=0.90, logic=0.80, cost=0.20, redundancy=0.10; it passes",
    });
  });

  it("lets nothing sprout where the forest's data is not ready", () => {
    const dry = { ...whole, data_soil: { ready: false } };
    expect(nurseryCheck(seed("s", good), dry).decision).toBe("dormant");
    expect(nurseryCheck(seed("s", good), { ...whole, data_soil: {} }).decision).toBe("sprout");
  });
});

it("takes an inspector's judgement for scores that are all known", () => {
  const judged = {
    logic_consistent: true,
    lookahead_detected: true,
    novelty_score: 0.6,
    alignment_score: 4,
    validation_cost: "High",
  };
  const scores = inspectedScores(judged);
  expect(scores).toMatchObject({
    novelty: 0.6,
    logic_strength: 1,
    option_value: 1,
    validation_cost: 0.9,
    leakage_risk: 1,
  });
  expect(inspectedScores({ ...judged, validation_cost: "?" })["validation_cost"]).toBe(0.5);
  expect(Object.keys(scores).sort()).toEqual(Object.keys(SEED_WEIGHTS).sort());
});
