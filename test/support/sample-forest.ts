import {
  Branch,
  Forest,
  ForestSeed,
  GateRecord,
  NEW_CLIMATE,
  ResultRecord,
  Tree,
} from "../../src/features/forest/protocol/state.ts";
import type { Climate, LeafKind } from "../../src/features/forest/protocol/state.ts";

/** A branch that a cycle has tested. */
export const leaf = (
  kind: LeafKind,
  of: { readonly cycle?: number; readonly depth?: number; readonly id?: string } = {},
): Branch => {
  const { cycle = 1, depth = 1, id = `${kind}-${cycle}` } = of;
  return Branch.parse({
    ...{ branch_id: id, depth, hypothesis: "rank(close)", status: "classified" },
    ...{ cycle_executed: cycle, result_classification: kind },
  });
};

export const tree = (tree_id: string, changes: Partial<Tree> = {}): Tree => ({
  ...Tree.parse({ tree_id, name: tree_id, core_logic: "flows persist", status: "active" }),
  ...changes,
});

export const seed = (
  seed_id: string,
  scores: Record<string, number>,
  changes: Partial<ForestSeed> = {},
): ForestSeed => ({
  ...ForestSeed.parse({
    ...{ seed_id, idea: "an idea", source_type: "genesis", related_trees: ["flow"] },
    ...{ scores, status: "hold", validation_plan: "rank(close)", reason: "planted" },
  }),
  ...changes,
});

export const record = (
  gates: GateRecord["gates"],
  execution_mode: GateRecord["execution_mode"] = "tool_executed",
) => GateRecord.parse({ domain: "factors", factor_id: "f1", gates, execution_mode });

export const result = (changes: Partial<ResultRecord> = {}): ResultRecord => ({
  ...ResultRecord.parse({
    ...{ result_id: "r1", task_id: "t1", execution_mode: "tool_executed", classification: "fruit" },
    summary: "passed",
    classification_reason: "all hard gates passed",
    gate_record: record({ G1: { passed: true } }),
  }),
  ...changes,
});

/** Half of the slots for one tree at most, as small forests need. */
export const WIDE: Climate = { ...NEW_CLIMATE, max_tree_share: 0.5 };

export const forest = (changes: Partial<Forest> = {}): Forest => ({
  ...Forest.parse({
    ...{ forest_id: "f", cycle_id: "cycle_001", research_goal: "find what holds", domain: "factors" },
    ...{ approval_policy: "ask", climate: WIDE, summary: "new", trees: [] },
  }),
  ...changes,
});
