import * as z from "zod";
import { Json } from "../../../kernel/index.ts";

// What a forest is, under the names that its YAML files have. Fields that are not known here are kept as they are.

const text = z.string();
const share = z.number();

/** Only `tool_executed` supports a fruit: somebody ran the gates, and what they gave is recorded. */
export const ExecutionMode = z.enum(["plan_only", "manual_result", "stub_result", "tool_executed"]);
export type ExecutionMode = z.infer<typeof ExecutionMode>;

/** What becomes of a tested hypothesis. */
export const LeafKind = z.enum(["fruit", "golden_leaf", "normal_leaf", "dead_leaf", "sick_leaf"]);
export type LeafKind = z.infer<typeof LeafKind>;

/** How a forest searches. Shares are of 1. */
export const Climate = z.looseObject({
  mode: text,
  temperature: z.number(),
  seed_budget: share,
  seed_slots: z.int(),
  max_tree_share: share,
  max_consecutive_depth: z.int(),
  novelty_weight: z.number(),
});
export type Climate = z.infer<typeof Climate>;

export const NEW_CLIMATE: Climate = {
  mode: "exploration",
  temperature: 1.2,
  seed_budget: 0.25,
  seed_slots: 3,
  max_tree_share: 0.3,
  max_consecutive_depth: 2,
  novelty_weight: 0.35,
};

export const Branch = z.looseObject({
  branch_id: text,
  parent: text.nullable().default(null),
  depth: z.int(),
  hypothesis: text,
  status: z.enum(["proposed", "sprouting", "executing", "classified", "frozen"]),
  cycle_executed: z.int().nullable().default(null),
  result_classification: LeafKind.nullable().default(null),
  evidence_summary: text.default(""),
  blocks_reuse: z.boolean().default(false),
  child_branches_proposed: z.array(text).default([]),
});
export type Branch = z.infer<typeof Branch>;

export const TreeStatus = z.enum(["active", "dormant", "dead", "frost", "frozen"]);

/** A direction of research. */
export const Tree = z.looseObject({
  tree_id: text,
  name: text,
  core_logic: text,
  status: TreeStatus,
  recent_budget_share: share.default(0),
  max_initial_budget_share: share.default(0.18),
  branches: z.array(Branch).default([]),
  notes: z.array(text).default([]),
  /** `moisture`, `drought`, `clear_next_validation`, `leakage_risk`, `monotone_trend`, `cross_tree_seed`, `solid_direction`, `sick_leaf_warning`. */
  weather_priors: z.record(text, Json).default({}),
  /** For how many cycles it is frozen, the last one included; absent where it is not. */
  freeze_remaining: z.int().optional(),
  /** The last cycle in which it got slots; absent before the first. */
  last_allocated_cycle: z.int().optional(),
});
export type Tree = z.infer<typeof Tree>;

export const SeedStatus = z.enum(["sow_now", "hold", "dormant", "reject", "quarantine"]);
export type SeedStatus = z.infer<typeof SeedStatus>;

/** A hypothesis that has not been tested. */
export const ForestSeed = z.looseObject({
  seed_id: text,
  idea: text,
  source_type: text,
  related_trees: z.array(text).default([]),
  /** 0 to 1, by the names in `SEED_WEIGHTS`; what is missing counts as 0. */
  scores: z.record(text, z.number()).default({}),
  seed_score: z.number().nullable().default(null),
  status: SeedStatus,
  /** The formula, or what else a domain compiles. */
  validation_plan: text,
  reason: text,
  /** The cycle in which it was tested; such a seed is not sown again. */
  evaluated_cycle: z.int().optional(),
});
export type ForestSeed = z.infer<typeof ForestSeed>;

export const WeatherEvent = z.looseObject({
  target: text,
  target_type: text,
  weather: text,
  /** A share of the cycle's slots. */
  allocation: share,
  reason: text,
});
export type WeatherEvent = z.infer<typeof WeatherEvent>;

/** A gate that a domain declares. A soft one, or one that waits for a judgement, is no condition of passing. */
export const GateDef = z.strictObject({
  name: text,
  hard: z.boolean(),
  needs_handoff: z.boolean().default(false),
});
export type GateDef = z.input<typeof GateDef>;

/** What a gate gave: `passed`, `score`, `value`, `threshold`, `detail`, and flags such as `lookahead`. */
export const GateOutcome = z.record(text, Json);
export type GateOutcome = z.infer<typeof GateOutcome>;

export const GateRecord = z.looseObject({
  domain: text,
  factor_id: text,
  gates: z.record(text, GateOutcome).default({}),
  execution_mode: ExecutionMode,
});
export type GateRecord = z.infer<typeof GateRecord>;

export const ResultRecord = z.looseObject({
  result_id: text,
  task_id: text,
  execution_mode: ExecutionMode,
  classification: LeafKind.nullable().default(null),
  summary: text,
  evidence: z.array(Json).default([]),
  risks: z.array(Json).default([]),
  classification_reason: text,
  generated_seeds: z.array(text).default([]),
  revival_condition: text.default(""),
  blocked_from_reuse: z.boolean().default(false),
  gate_record: GateRecord.nullable().default(null),
});
export type ResultRecord = z.infer<typeof ResultRecord>;

const CYCLE_ID = /_(\d+)$/;

/** A forest after a cycle: everything that the next one starts from. */
export const Forest = z.looseObject({
  forest_id: text,
  cycle_id: text.regex(CYCLE_ID).meta({ expects: "an id that ends in a number", example: "cycle_001" }),
  research_goal: text,
  domain: text,
  constraints: z.array(text).default([]),
  approval_policy: text,
  climate: Climate,
  /** `ready` tells whether there is data; other keys say how good parts of it are. */
  data_soil: z.record(text, Json).default({}),
  trees: z.array(Tree).default([]),
  seeds: z.array(ForestSeed).default([]),
  weather_events: z.array(WeatherEvent).default([]),
  results: z.array(ResultRecord).default([]),
  golden_leaf_pool: z.array(z.record(text, Json)).default([]),
  sick_leaf_warnings: z.array(z.record(text, Json)).default([]),
  summary: text,
});
export type Forest = z.infer<typeof Forest>;

/** `7` of `cycle_007`. @throws RangeError for an id that ends in no number */
export function cycleNumber(cycleId: string): number {
  const [, digits] = CYCLE_ID.exec(cycleId) ?? [];
  if (digits === undefined) throw new RangeError(`the cycle id ${JSON.stringify(cycleId)} ends in no number`);
  return Number(digits);
}

/** `cycle_007` of 7. */
export const cycleIdOf = (cycle: number): string => `cycle_${String(cycle).padStart(3, "0")}`;

/** What a gate that waits for a judgement has got, where it has got one. */
const ANSWERS = ["score", "passed", "response", "handoff_response", "judgement", "judgment"];

/**
 * Whether a record has every gate that the domain declares, those that wait for a judgement with one. Without a
 * specification any gate will do.
 */
export const isComplete = ({ gates }: GateRecord, spec?: readonly GateDef[]): boolean =>
  spec === undefined
    ? Object.keys(gates).length > 0
    : spec.every(({ name, needs_handoff = false }) => {
        const gate = gates[name];
        return gate !== undefined && (!needs_handoff || ANSWERS.some((key) => gate[key] != null));
      });

/** Whether a gate was passed: by what it says, else by a score above 0. */
export function isPassed(gate: GateOutcome = {}): boolean {
  const { passed, score } = gate;
  return typeof passed === "boolean" ? passed : typeof score === "number" && score > 0;
}
