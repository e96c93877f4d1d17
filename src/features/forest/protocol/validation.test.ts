import { describe, expect, it } from "vitest";
import { forest, leaf, record, result, tree } from "../../../../test/support/sample-forest.ts";
import type { Forest, GateDef, ResultRecord } from "./state.ts";
import { ForestValidationError, validateForest } from "./validation.ts";

const event = { target: "flow", target_type: "tree", weather: "rain", allocation: 0.5, reason: "solid" };
const valid = forest({
  trees: [tree("flow", { recent_budget_share: 0.5, branches: [leaf("fruit")] }), tree("other")],
  weather_events: [event],
  results: [result()],
});

function brokenBy(changes: Partial<Forest>, spec?: readonly GateDef[]) {
  try {
    validateForest({ ...valid, ...changes }, spec);
  } catch (error) {
    if (error instanceof ForestValidationError) return error.context;
    throw error;
  }
  return undefined;
}

const results = (changes: Partial<ResultRecord>) => ({ results: [result(changes)] });

describe("a forest", () => {
  it("that keeps to its invariants is valid, also where shares do not add up exactly", () => {
    expect(brokenBy({})).toBeUndefined();
    const thirds = ["flow", "other", "third"].map((target) => ({ ...event, target, allocation: 1 / 3 }));
    expect(
      brokenBy({ weather_events: [...thirds, { ...event, target: "last", allocation: 1e-10 }] }),
    ).toBeUndefined();
  });

  it.each<[string, Partial<Forest>, object]>([
    ["a", results({ execution_mode: "manual_result" }), { result_id: "r1", execution_mode: "manual_result" }],
    ["a", results({ gate_record: null }), { result_id: "r1" }],
    ["a", results({ gate_record: record({}) }), { factor_id: "f1" }],
    [
      "a",
      results({ gate_record: record({ G1: { passed: true } }, "stub_result") }),
      { execution_mode: "stub_result" },
    ],
    ["b", results({ execution_mode: "stub_result" }), { result_id: "r1" }],
    ["c", { weather_events: [{ ...event, reason: " " }] }, { target: "flow", weather: "rain" }],
    ["d", results({ execution_mode: null as never, classification: "dead_leaf" }), { result_id: "r1" }],
    [
      "e",
      { weather_events: [event, { ...event, target: "pool", target_type: "seed_pool", allocation: 0.6 }] },
      { allocation: 1.1 },
    ],
    ["e", { weather_events: [{ ...event, allocation: 0.51 }] }, { tree_id: "flow", max_tree_share: 0.5 }],
    ["e", { weather_events: [], trees: [tree("flow", { recent_budget_share: 0.6 })] }, { tree_id: "flow" }],
    [
      "f",
      { trees: [tree("flow", { branches: [leaf("fruit", { depth: 3 })] })] },
      { tree_id: "flow", depth: 3 },
    ],
    ["g", results({ classification: "sick_leaf" }), { result_id: "r1" }],
  ])("FOREST-%s is refused with its place: %j", (invariant, changes, where) => {
    expect(brokenBy(changes)).toMatchObject({ invariant, ...where });
  });

  it("has fruits with every gate that its domain declares", () => {
    const spec = [
      { name: "G1", hard: true },
      { name: "G7", hard: false, needs_handoff: true },
    ];
    expect(brokenBy({}, spec)).toMatchObject({ invariant: "a", factor_id: "f1" });
    const gates = { G1: { passed: true }, G7: { score: 2 } };
    expect(brokenBy(results({ gate_record: record(gates) }), spec)).toBeUndefined();
  });

  it("may have sick leaves that are blocked, and what is neither run nor classified", () => {
    expect(brokenBy(results({ classification: "sick_leaf", blocked_from_reuse: true }))).toBeUndefined();
    expect(
      brokenBy(results({ classification: null, execution_mode: "plan_only", gate_record: null })),
    ).toBeUndefined();
  });
});
