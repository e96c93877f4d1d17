import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forest, leaf, result, seed, tree } from "../../../../test/support/sample-forest.ts";
import { mergeGrowths, underWeather, type TreeGrowth } from "./growth.ts";
import { LeafKind, type Forest } from "./state.ts";
import { validateForest } from "./validation.ts";
import { routeWeather } from "./weather.ts";

const planted = (changes: Partial<Forest> = {}) =>
  underWeather(
    forest({ trees: [tree("flow"), tree("other")], ...changes }),
    routeWeather(forest({ trees: [tree("flow"), tree("other")], ...changes }), 1),
  );

const growthOf = (
  kind: LeafKind,
  of: { readonly tree_id?: string; readonly seed_id?: string; readonly nth?: number } = {},
): TreeGrowth => {
  const { tree_id = "flow", seed_id = "s1", nth = 1 } = of;
  const record = result({
    result_id: `r-${tree_id}-${nth}`,
    task_id: `t-${tree_id}-${nth}`,
    classification: kind,
    summary: kind,
    blocked_from_reuse: kind === "sick_leaf",
  });
  return {
    tree_id,
    seeds: [seed(seed_id, {}, { status: "sow_now" })],
    results: [{ seed_id, formula: "rank(close)", record }],
  };
};

describe("the weather of a cycle", () => {
  it("begins the next one, with shares that hold, and what was frozen counted down", () => {
    const dead = [1, 2, 3].map((cycle) => leaf("dead_leaf", { cycle }));
    const before = forest({
      cycle_id: "cycle_004",
      trees: [tree("flow", { branches: dead }), tree("other")],
    });
    const after = underWeather(before, routeWeather(before, 4));
    expect(after).toMatchObject({
      cycle_id: "cycle_005",
      trees: [
        { tree_id: "flow", status: "frozen", freeze_remaining: 2, recent_budget_share: 0 },
        { tree_id: "other", status: "active", recent_budget_share: 0.5, last_allocated_cycle: 5 },
      ],
      weather_events: [
        { target: "flow", allocation: 0, weather: "thunderstorm" },
        { target: "other", allocation: 0.5 },
      ],
    });
    const next = underWeather(after, routeWeather(after, 5));
    expect(next.trees[0]).toMatchObject({ status: "frozen", freeze_remaining: 1 });
    const thawed = underWeather(next, routeWeather(next, 6));
    expect(thawed.trees[0]).toMatchObject({ status: "active", last_allocated_cycle: 7 });
    expect(thawed.trees[0]).not.toHaveProperty("freeze_remaining");
    for (const one of [after, next, thawed]) expect(() => validateForest(one)).not.toThrow();
  });
});

describe("a result", () => {
  it.each<[LeafKind, object]>([
    [
      "fruit",
      {
        tree: { status: "active", weather_priors: { moisture: 1, clear_next_validation: true } },
        seed: { status: "sow_now" },
      },
    ],
    [
      "golden_leaf",
      {
        pool: 1,
        tree: {
          branches: [
            { child_branches_proposed: ["branch_t-flow-1_child"] },
            { parent: "branch_t-flow-1", depth: 2, hypothesis: "refine rank(close)", status: "proposed" },
          ],
        },
      },
    ],
    ["normal_leaf", {}],
    ["dead_leaf", { tree: { weather_priors: { drought: 1 } } }],
    [
      "sick_leaf",
      {
        tree: { status: "frost", branches: [{ blocks_reuse: true }] },
        warnings: [{ tree_id: "flow", result_id: "r-flow-1", blocked_from_reuse: true }],
      },
    ],
  ])("that is a %s grows a branch, and does what its kind does", (kind, expected) => {
    const { trees, seeds, results, golden_leaf_pool, sick_leaf_warnings } = mergeGrowths(planted(), [
      growthOf(kind),
    ]);
    expect(results).toHaveLength(1);
    expect(trees[0]?.branches[0]).toMatchObject({
      hypothesis: "rank(close)",
      depth: 1,
      cycle_executed: 2,
      result_classification: kind,
    });
    expect(trees[1]).toEqual(planted().trees[1]);
    expect({
      tree: trees[0],
      seed: seeds[0],
      pool: golden_leaf_pool.length,
      warnings: sick_leaf_warnings,
    }).toMatchObject({
      ...{ seed: { status: "quarantine", evaluated_cycle: 2 }, pool: 0, warnings: [] },
      ...expected,
    });
  });

  it("that is a fruit promotes the tree's next seed, and no tested one", () => {
    const held = [
      seed("tested", {}, { evaluated_cycle: 1 }),
      seed("next", {}),
      seed("later", {}),
      seed("elsewhere", {}, { related_trees: ["other"] }),
    ];
    const { seeds } = mergeGrowths(planted({ seeds: held }), [growthOf("fruit")]);
    expect(seeds.map(({ seed_id, status }) => `${seed_id} ${status}`)).toEqual([
      "tested hold",
      "next sow_now",
      "later hold",
      "elsewhere hold",
      "s1 sow_now",
    ]);
  });

  it("is no deeper than the climate allows", () => {
    const deep = planted({ trees: [tree("flow", { branches: [leaf("golden_leaf", { depth: 2 })] })] });
    expect(
      mergeGrowths(deep, [growthOf("golden_leaf")]).trees[0]?.branches.map(({ depth }) => depth),
    ).toEqual([2, 2, 2]);
  });
});

it("trees merge the same in any order, and the forest before stays as it is", () => {
  const growths = fc.shuffledSubarray(["flow", "other", "third"], { minLength: 3 });
  fc.assert(
    fc.property(
      growths,
      fc.array(fc.constantFrom(...LeafKind.options), { minLength: 3, maxLength: 3 }),
      (order, kinds) => {
        const before = planted({ trees: ["flow", "other", "third"].map((id) => tree(id)) });
        const all = ["flow", "other", "third"].map((tree_id, nth) =>
          growthOf(kinds[nth] ?? "fruit", { tree_id, seed_id: `s-${tree_id}`, nth }),
        );
        const copy = JSON.stringify(before);
        const inOrder = mergeGrowths(before, all);
        expect(
          mergeGrowths(
            before,
            order.flatMap((id) => all.filter(({ tree_id }) => tree_id === id)),
          ),
        ).toEqual(inOrder);
        expect(JSON.stringify(before)).toBe(copy);
        expect(() => validateForest(inOrder)).not.toThrow();
      },
    ),
  );
});
