import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forest, leaf, seed, tree, WIDE } from "../../../../test/support/sample-forest.ts";
import { NEW_CLIMATE, TreeStatus, type Forest, type LeafKind, type Tree } from "./state.ts";
import {
  cyclesWithoutOutput,
  routeWeather,
  streaksOf,
  WEATHER_DEFAULTS,
  type WeatherInputs,
} from "./weather.ts";

const fruits = (count: number) => Array.from({ length: count }, (_, nth) => leaf("fruit", { id: `f${nth}` }));
const dead = (...cycles: number[]) => cycles.map((cycle) => leaf("dead_leaf", { cycle }));

/** The weather of the first tree beside a plain second one. */
function skyOf(
  first: Partial<Tree>,
  of: { readonly cycle?: number; readonly more?: Partial<Forest>; readonly inputs?: WeatherInputs } = {},
) {
  const { cycle = 1, more = {}, inputs = {} } = of;
  const whole = forest({ trees: [tree("flow", first), tree("other")], ...more });
  return routeWeather(whole, cycle, inputs).trees["flow"];
}

describe("the rules, the first that holds", () => {
  const warned = { sick_leaf_warnings: [{ tree_id: "flow", reason: "it looked ahead" }] };
  it.each<[string, Partial<Tree>, Parameters<typeof skyOf>[1], object]>([
    [
      "wildfire",
      { branches: fruits(2) },
      { more: warned },
      { allocation: 0, status: "frozen", freeze_remaining: 2 },
    ],
    ["wildfire", { weather_priors: { sick_leaf_warning: true } }, {}, { allocation: 0, status: "frozen" }],
    ["frost", { status: "frost" }, { cycle: 4 }, { allocation: 0, status: "frost", freeze_remaining: 1 }],
    ["spring", { status: "frost" }, { cycle: 5 }, { allocation: 1, status: "active", freeze_remaining: 0 }],
    [
      "frost",
      { status: "frost" },
      { cycle: 5, inputs: { data_ready: { flow: false } } },
      { allocation: 0, status: "frost" },
    ],
    [
      "frost",
      {},
      { inputs: { data_ready: { flow: false } } },
      { allocation: 0, status: "frost", freeze_remaining: 5 },
    ],
    ["frost", {}, { more: { data_soil: { ready: false } } }, { allocation: 0, status: "frost" }],
    ["frost", { weather_priors: { leakage_risk: true } }, {}, { allocation: 0, status: "frost" }],
    [
      "thunderstorm",
      { branches: dead(1, 2, 3) },
      { cycle: 4 },
      { allocation: 0, status: "frozen", freeze_remaining: 2 },
    ],
    [
      "heatwave",
      { branches: [leaf("golden_leaf", { cycle: 3 }), ...dead(1, 2)] },
      { cycle: 4 },
      { allocation: 0, status: "frozen" },
    ],
    ["fog", { branches: [leaf("golden_leaf", { cycle: 2 }), ...dead(2)] }, {}, { allocation: 1 }],
    ["wind", {}, { more: { seeds: [seed("s", { cross_tree_potential: 0.8 })] } }, { allocation: 1 }],
    ["wind", { weather_priors: { cross_tree_seed: true } }, {}, { allocation: 1 }],
    ["flood", { branches: fruits(5) }, { inputs: { total_fruits: 5 } }, { allocation: 2 }],
    ["drought", {}, { cycle: 6, inputs: { last_alloc: { flow: 3 } } }, { allocation: 1 }],
    ["drought", { last_allocated_cycle: 3 }, { cycle: 6 }, { allocation: 1 }],
    ["drizzle", { last_allocated_cycle: 4 }, { cycle: 6 }, { allocation: 1 }],
    [
      "heavy_rain",
      { weather_priors: { moisture: 0.7, drought: 0.3, clear_next_validation: true } },
      {},
      { allocation: 2 },
    ],
    ["heavy_rain", { branches: fruits(2) }, { inputs: { total_fruits: 9 } }, { allocation: 2 }],
    ["rain", { branches: fruits(1) }, { inputs: { total_fruits: 9 } }, { allocation: 1 }],
    ["rain", { weather_priors: { solid_direction: true } }, {}, { allocation: 1 }],
    ["drizzle", { weather_priors: { moisture: 0.9 } }, {}, { allocation: 1 }],
  ])("%s", (weather, first, ...[of, expected]) => {
    expect(skyOf(first, of)).toMatchObject({ weather, ...expected });
  });

  it("give a fog no place where there is a trend", () => {
    const mixed = { branches: [leaf("golden_leaf", { cycle: 2 }), ...dead(2)] };
    expect(skyOf({ ...mixed, weather_priors: { monotone_trend: true } })?.weather).toBe("rain");
  });
});

describe("a cycle", () => {
  it("of six plain trees has slots for four, and takes them from the first", () => {
    const trees = Array.from({ length: 6 }, (_, nth) => tree(`t${nth}`));
    const { trees: sky } = routeWeather(forest({ trees }), 1);
    expect(Object.values(sky).map(({ allocation }) => allocation)).toEqual([0, 0, 1, 1, 1, 1]);
  });

  it("of a monsoon asks the gardener, and gives the first active tree a slot", () => {
    const trees = [tree("cold", { status: "frost" }), tree("flow")];
    const weather = routeWeather(forest({ trees }), 7);
    expect(weather).toMatchObject({ trigger_kimi: true, trigger_monsoon: true });
    expect(weather.trees).toMatchObject({
      flow: { weather: "monsoon", allocation: 1 },
      cold: { weather: "frost" },
    });
    expect(routeWeather(forest({ trees }), 8)).toMatchObject({ trigger_kimi: false, trigger_monsoon: false });
    expect(routeWeather(forest({ trees }), 0).trigger_monsoon).toBe(false);
  });

  it("asks the gardener after a thunderstorm, and after four cycles without fruit or golden leaf", () => {
    const stormy = forest({ trees: [tree("flow", { branches: dead(1, 2, 3) }), tree("other")] });
    expect(routeWeather(stormy, 4).trigger_kimi).toBe(true);
    const barren = (cycle_id: string) =>
      forest({ cycle_id, trees: [tree("flow", { branches: [leaf("normal_leaf", { cycle: 1 })] })] });
    expect(cyclesWithoutOutput(barren("cycle_003"))).toBe(3);
    expect(routeWeather(barren("cycle_003"), 3).trigger_kimi).toBe(false);
    expect(routeWeather(barren("cycle_004"), 4).trigger_kimi).toBe(true);
  });

  it("caps depth, and gives a slot to another tree", () => {
    const deep = tree("deep", { branches: [leaf("fruit", { depth: 2 })] });
    const { trees } = routeWeather(forest({ trees: [deep, tree("other")] }), 3, { total_fruits: 1 });
    expect(trees).toMatchObject({ deep: { weather: "flood", allocation: 1 }, other: { allocation: 1 } });
  });

  it("taxes a flood for diversity, and keeps what is guaranteed when slots are short", () => {
    const neglected = ["a", "b", "c"].map((id) => tree(id, { last_allocated_cycle: 1 }));
    const trees = [tree("flow", { branches: fruits(5) }), ...neglected, tree("plain"), tree("last")];
    const { trees: sky } = routeWeather(forest({ trees }), 6, { total_fruits: 5 });
    expect(["a", "b", "c"].map((id) => sky[id]?.allocation)).toEqual([1, 1, 1]);
    expect(Object.values(sky).reduce((sum, { allocation }) => sum + allocation, 0)).toBe(4);
  });

  it("keeps the first other tree's slot beside a flood, though slots are short", () => {
    const plain = ["a", "b", "c", "d", "e"].map((id) => tree(id));
    const flooded = forest({ trees: [tree("flow", { branches: fruits(5) }), ...plain] });
    const { trees: sky } = routeWeather(flooded, 2, { total_fruits: 5 });
    expect(sky["a"]).toMatchObject({ allocation: 1, reason: expect.stringContaining("diversity tax") });
    expect(sky["b"]?.allocation).toBe(0);
  });

  it("keeps a freeze until it is over, and then forgives the streak for one cycle", () => {
    const branches = dead(1, 2, 3);
    const at = (cycle: number, changes: Partial<Tree>) => skyOf({ branches, ...changes }, { cycle });
    expect(at(4, {})).toMatchObject({ weather: "thunderstorm", freeze_remaining: 2 });
    expect(at(5, { status: "frozen", freeze_remaining: 2 })).toMatchObject({
      status: "frozen",
      allocation: 0,
      freeze_remaining: 1,
    });
    expect(at(6, { status: "frozen", freeze_remaining: 1 })).toMatchObject({
      status: "active",
      weather: "drizzle",
      allocation: 1,
    });
    // As earlier programs wrote it, without what remains.
    expect(at(5, { status: "frozen" })).toMatchObject({ status: "active" });
  });
});

it("counts streaks over the latest cycles, all leaves of a cycle together", () => {
  const branches = [leaf("fruit", { cycle: 1 }), ...dead(2, 3), leaf("normal_leaf", { cycle: 3, id: "n" })];
  expect(streaksOf(forest({ trees: [tree("flow", { branches }), tree("new")] }))).toEqual({
    flow: { zero: 2, dead: 0 },
    new: { zero: 0, dead: 0 },
  });
});

const KINDS: readonly LeafKind[] = ["fruit", "golden_leaf", "normal_leaf", "dead_leaf", "sick_leaf"];
const anyTree = fc.record({
  status: fc.constantFrom(...TreeStatus.options),
  recent_budget_share: fc.constantFrom(0, 0.25),
  freeze_remaining: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  last_allocated_cycle: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
  leaves: fc.array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      cycle: fc.integer({ min: 1, max: 6 }),
      depth: fc.integer({ min: 1, max: 3 }),
    }),
    { maxLength: 6 },
  ),
  weather_priors: fc.dictionary(
    fc.constantFrom("moisture", "drought", "leakage_risk", "solid_direction", "cross_tree_seed"),
    fc.constantFrom(0, 0.5, 1, true),
  ),
});

it("any forest gets its slots, its shares and its reasons, the same every time", () => {
  fc.assert(
    fc.property(
      fc.array(anyTree, { maxLength: 9 }),
      fc.integer({ min: 0, max: 40 }),
      fc.double({ min: 0.05, max: 1, noNaN: true }),
      (all, cycle, max_tree_share) => {
        const trees = all.map(({ leaves, freeze_remaining, last_allocated_cycle, ...rest }, nth) => ({
          ...tree(`t${nth}`, rest),
          ...(freeze_remaining === undefined ? {} : { freeze_remaining }),
          ...(last_allocated_cycle === undefined ? {} : { last_allocated_cycle }),
          branches: leaves.map(({ kind, ...of }, at) => leaf(kind, { ...of, id: String(at) })),
        }));
        const whole = forest({ trees, climate: { ...NEW_CLIMATE, max_tree_share } });
        const before = JSON.stringify(whole);
        const weather = routeWeather(whole, cycle);
        const sky = Object.values(weather.trees);
        const { slots_per_cycle: slots } = WEATHER_DEFAULTS;
        expect(sky.reduce((sum, { allocation }) => sum + allocation, 0)).toBeLessThanOrEqual(slots);
        for (const { allocation, reason, status } of sky) {
          expect(allocation).toBeGreaterThanOrEqual(0);
          expect(allocation).toBeLessThanOrEqual(Math.max(1, Math.floor(slots * max_tree_share)));
          expect(reason.trim()).not.toBe("");
          if (status !== "active") expect(allocation).toBe(0);
        }
        expect(routeWeather(whole, cycle)).toEqual(weather);
        expect(JSON.stringify(whole)).toBe(before);
      },
    ),
  );
});

it("takes the climate that it is given", () => {
  const whole = forest({
    trees: [tree("flow", { branches: fruits(5) })],
    climate: { ...WIDE, max_tree_share: 1 },
  });
  expect(routeWeather(whole, 1).trees["flow"]?.allocation).toBe(4);
  expect(routeWeather(whole, 1, { climate: WIDE }).trees["flow"]?.allocation).toBe(2);
});
