import {
  cycleIdOf,
  cycleNumber,
  type Branch,
  type Forest,
  type ForestSeed,
  type ResultRecord,
  type Tree,
} from "./state.ts";
import type { ForestWeather } from "./weather.ts";

// Only the coordinator writes a forest: each function gives a new one, and changes nothing of the old.
// Trees are merged by their ids, so that a cycle comes to the same whoever was faster.

/** The forest of the next cycle under its weather: statuses, freezes, and each tree's share of the slots. */
export function underWeather(forest: Forest, weather: ForestWeather): Forest {
  const cycle = cycleNumber(forest.cycle_id) + 1;
  // In the trees' order: an object's keys come back from a journal in another one.
  const sky = forest.trees.flatMap(({ tree_id }) => weather.trees[tree_id] ?? []);
  const slots = Math.max(
    1,
    sky.reduce((sum, { allocation }) => sum + allocation, 0),
  );
  const shareOf = (allocation: number) => Math.min(allocation / slots, forest.climate.max_tree_share);
  const trees = forest.trees.map((tree): Tree => {
    const event = weather.trees[tree.tree_id];
    if (!event) return tree;
    const { freeze_remaining: _, ...rest } = tree;
    return {
      ...rest,
      status: event.status,
      recent_budget_share: shareOf(event.allocation),
      ...(event.status === "frozen" ? { freeze_remaining: event.freeze_remaining } : {}),
      ...(event.allocation > 0 ? { last_allocated_cycle: cycle } : {}),
    };
  });
  const weather_events = sky.map(({ tree_id, weather: name, allocation, reason }) => ({
    ...{ target: tree_id, target_type: "tree", weather: name, allocation: shareOf(allocation), reason },
  }));
  return { ...forest, cycle_id: cycleIdOf(cycle), trees, weather_events };
}

/** What a tree's deliberation has brought forth, for the coordinator to merge. */
export type TreeGrowth = {
  readonly tree_id: string;
  readonly seeds: readonly ForestSeed[];
  readonly results: readonly {
    readonly seed_id: string;
    readonly formula: string;
    readonly record: ResultRecord;
  }[];
};

/** Merges what the trees' deliberations brought forth. */
export const mergeGrowths = (forest: Forest, growths: readonly TreeGrowth[]): Forest =>
  growths
    .toSorted((one, other) => (one.tree_id < other.tree_id ? -1 : 1))
    .reduce(
      (grown, { tree_id, seeds, results }) =>
        results.reduce((now, result) => withResult(now, { tree_id, ...result }), {
          ...grown,
          seeds: withSeeds(grown.seeds, seeds),
        }),
      forest,
    );

/** Seeds that are known take their new statuses; the others are appended. */
function withSeeds(known: readonly ForestSeed[], changed: readonly ForestSeed[]): ForestSeed[] {
  const byId = new Map(changed.map((seed) => [seed.seed_id, seed]));
  const ids = new Set(known.map(({ seed_id }) => seed_id));
  return [
    ...known.map((seed) => byId.get(seed.seed_id) ?? seed),
    ...changed.filter(({ seed_id }) => !ids.has(seed_id)),
  ];
}

type TreeResult = TreeGrowth["results"][number] & Pick<TreeGrowth, "tree_id">;

/** A forest after one more result: its record, the branch that it grew, and what its kind means for tree and seeds. */
function withResult(forest: Forest, { tree_id, seed_id, formula, record }: TreeResult): Forest {
  const cycle = cycleNumber(forest.cycle_id);
  const { classification: kind, classification_reason: reason, result_id } = record;
  const trees = forest.trees.map((tree) =>
    tree.tree_id === tree_id ? withBranch(tree, { forest, formula, record }) : tree,
  );
  const seeds = forest.seeds.map((seed): ForestSeed => {
    if (seed.seed_id !== seed_id) return seed;
    return { ...seed, evaluated_cycle: cycle, ...(kind === "fruit" ? {} : { status: "quarantine" }) };
  });
  const note = { tree_id, result_id, reason };
  return {
    ...forest,
    trees,
    seeds: kind === "fruit" ? withPromotion(seeds, tree_id) : seeds,
    results: [...forest.results, record],
    golden_leaf_pool: kind === "golden_leaf" ? [...forest.golden_leaf_pool, note] : forest.golden_leaf_pool,
    sick_leaf_warnings:
      kind === "sick_leaf"
        ? [...forest.sick_leaf_warnings, { ...note, blocked_from_reuse: true }]
        : forest.sick_leaf_warnings,
  };
}

/** A fruit brings the tree's next seed to the light. */
function withPromotion(seeds: readonly ForestSeed[], tree_id: string): ForestSeed[] {
  const next = seeds.findIndex(
    ({ status, related_trees, evaluated_cycle, validation_plan }) =>
      status === "hold" &&
      evaluated_cycle === undefined &&
      validation_plan !== "" &&
      related_trees.includes(tree_id),
  );
  return seeds.map((seed, index) => (index === next ? { ...seed, status: "sow_now" } : seed));
}

type Grown = { readonly forest: Forest; readonly formula: string; readonly record: ResultRecord };

function withBranch(tree: Tree, { forest, formula, record }: Grown): Tree {
  const { max_consecutive_depth: max } = forest.climate;
  const { classification: kind, summary, blocked_from_reuse, task_id } = record;
  const depth = Math.min(max, 1 + Math.max(0, ...tree.branches.map((branch) => branch.depth)));
  const branch_id = `branch_${task_id}`;
  const usual = { parent: null, cycle_executed: null, result_classification: null, evidence_summary: "" };
  const child: Branch = {
    ...{ ...usual, branch_id: `${branch_id}_child`, parent: branch_id, depth: Math.min(max, depth + 1) },
    hypothesis: `refine ${formula}`,
    status: "proposed",
    blocks_reuse: false,
    child_branches_proposed: [],
  };
  const isGolden = kind === "golden_leaf";
  const branch: Branch = {
    ...{ ...usual, branch_id, depth, hypothesis: formula, status: "classified" },
    cycle_executed: cycleNumber(forest.cycle_id),
    result_classification: kind,
    evidence_summary: summary,
    ...{ blocks_reuse: blocked_from_reuse, child_branches_proposed: isGolden ? [child.branch_id] : [] },
  };
  const branches = [...tree.branches, branch, ...(isGolden ? [child] : [])];
  const priors = tree.weather_priors;
  if (kind === "fruit")
    return {
      ...tree,
      branches,
      status: "active",
      weather_priors: { ...priors, moisture: 1, clear_next_validation: true },
    };
  if (kind === "sick_leaf") return { ...tree, branches, status: "frost" };
  if (kind === "dead_leaf") return { ...tree, branches, weather_priors: { ...priors, drought: 1 } };
  return { ...tree, branches };
}

/** The forest after a cycle, with the line that sums it up. */
export function growForest(forest: Forest, growths: readonly TreeGrowth[]): Forest {
  const after = mergeGrowths(forest, growths);
  const results = growths.flatMap((growth) => growth.results);
  const fruits = results.filter(({ record }) => record.classification === "fruit").length;
  const trees = growths.length === 1 ? "1 tree" : `${growths.length} trees`;
  return {
    ...after,
    summary: `Cycle ${cycleNumber(after.cycle_id)}: ${fruits} of ${results.length} candidates from ${trees} are fruits.`,
  };
}
