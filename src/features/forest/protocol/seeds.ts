import * as z from "zod";
import type { Forest, ForestSeed, SeedStatus } from "./state.ts";

/** What each score of a seed counts for; costs and risks count against it. */
export const SEED_WEIGHTS: { readonly [score: string]: number } = {
  novelty: 0.25,
  logic_strength: 0.2,
  option_value: 0.15,
  cross_tree_potential: 0.15,
  regime_relevance: 0.1,
  evidence_hint: 0.1,
  data_availability: 0.05,
  validation_cost: -0.15,
  leakage_risk: -0.2,
  redundancy: -0.1,
};

/** Above this risk of leakage a seed is quarantined. */
const QUARANTINE_ABOVE = 0.8;

/** The weighted sum of a seed's scores, to ten decimals; what is missing counts as 0, and other names count nothing. */
export function scoreSeed(
  scores: { readonly [score: string]: number },
  weights: { readonly [score: string]: number } = SEED_WEIGHTS,
): number {
  const sum = Object.entries(SEED_WEIGHTS).reduce(
    (total, [name, usual]) => total + (scores[name] ?? 0) * (weights[name] ?? usual),
    0,
  );
  return Number(sum.toFixed(10));
}

export type RoutingRules = {
  /** How many seeds are sown. */
  readonly slots: number;
  readonly quarantine_threshold?: number;
  readonly weights?: { readonly [score: string]: number };
};

/** Seeds that have had their turn, or wait for data: ranking gives them no other status. */
const isRetired = ({ status, evaluated_cycle }: ForestSeed): boolean =>
  evaluated_cycle !== undefined || status === "reject" || status === "quarantine" || status === "dormant";

/**
 * Scores seeds and ranks those that can be sown: the best get `sow_now`, the others `hold`, and what may leak `quarantine`.
 * Best first, then by id; quarantined and retired seeds stand last, and retired ones keep their status.
 */
export function rankAndRoute(
  seeds: readonly ForestSeed[],
  { slots, quarantine_threshold = QUARANTINE_ABOVE, weights }: RoutingRules,
): ForestSeed[] {
  const scored = seeds.map((seed) => ({ ...seed, seed_score: scoreSeed(seed.scores, weights) }));
  const order = (one: ForestSeed, other: ForestSeed) =>
    (other.seed_score ?? 0) - (one.seed_score ?? 0) || (one.seed_id < other.seed_id ? -1 : 1);
  const leaks = ({ scores }: ForestSeed) => (scores["leakage_risk"] ?? 0) > quarantine_threshold;
  const isAble = (seed: ForestSeed) => !isRetired(seed) && !leaks(seed);
  const able = scored.filter(isAble).sort(order);
  const others = scored.filter((seed) => !isAble(seed)).sort(order);
  const withStatus = (seed: ForestSeed, status: SeedStatus): ForestSeed => ({ ...seed, status });
  return [
    ...able.map((seed, index) => withStatus(seed, index < slots ? "sow_now" : "hold")),
    ...others.map((seed) => (isRetired(seed) ? seed : withStatus(seed, "quarantine"))),
  ];
}

/** Whether a seed may be tested: `sprout`, or the status that it gets instead. */
export const NurseryDecision = z.strictObject({
  seed_id: z.string(),
  decision: z.enum(["sprout", "hold", "dormant", "reject", "quarantine"]),
  /** The seven checks with their figures, then what decided. */
  reason: z.string(),
  /** What to do next; of a sprout its plan. */
  next_validation: z.string(),
});
export type NurseryDecision = z.infer<typeof NurseryDecision>;

/** Puts a seed through the seven checks; the first that fails decides. */
export function nurseryCheck(
  seed: ForestSeed,
  forest: Pick<Forest, "data_soil" | "trees">,
  { quarantine_threshold = QUARANTINE_ABOVE }: Pick<RoutingRules, "quarantine_threshold"> = {},
): NurseryDecision {
  const score = (name: string) => seed.scores[name] ?? 0;
  const [leakage, data, novelty] = [score("leakage_risk"), score("data_availability"), score("novelty")];
  const [logic, cost, redundancy] = [score("logic_strength"), score("validation_cost"), score("redundancy")];
  const isLinked =
    seed.related_trees.length === 0 ||
    seed.related_trees.some((id) => forest.trees.some(({ tree_id }) => tree_id === id));
  const figures = { leakage, data, tree_link: isLinked, novelty, logic, cost, redundancy };
  const checks = Object.entries(figures)
    .map(([name, value]) => `${name}=${typeof value === "number" ? value.toFixed(2) : String(value)}`)
    .join(", ");
  const decide = (decision: NurseryDecision["decision"], why: string, next: string): NurseryDecision => ({
    ...{ seed_id: seed.seed_id, decision },
    ...{ reason: `7 checks: ${checks}; ${why}`, next_validation: next },
  });
  if (leakage > quarantine_threshold) return decide("quarantine", "it may leak", "remove what leaks");
  if (!isLinked) return decide("hold", "the forest has none of its trees", "relate it to a tree");
  if (redundancy >= 0.9 || (novelty < 0.25 && redundancy > 0.7))
    return decide("reject", "it repeats what is known", "none");
  if (data < 0.3 || forest.data_soil["ready"] === false)
    return decide("dormant", "there is no data for it", "check the data again");
  if (seed.validation_plan.trim() === "" || cost > 0.9)
    return decide("hold", "it has no plan, or too dear a one", "write a plan that is bounded");
  if (logic < 0.2) return decide("hold", "its logic is too weak", "say how it would work");
  return decide("sprout", "it passes", seed.validation_plan);
}

/** What an inspector says of a mechanism, as far as scores follow from it. */
export type InspectedMechanism = {
  readonly logic_consistent: boolean;
  readonly lookahead_detected: boolean;
  /** 0 to 1. */
  readonly novelty_score: number;
  /** 0 to 3. */
  readonly alignment_score: number;
  readonly validation_cost: string;
};

const COSTS = new Map(Object.entries({ low: 0.2, medium: 0.5, high: 0.9 }));

/** The scores of a seed that an inspector has judged. */
export const inspectedScores = (judged: InspectedMechanism): { [score: string]: number } => ({
  novelty: judged.novelty_score,
  logic_strength: judged.logic_consistent ? 1 : 0,
  option_value: Math.min(1, Math.max(0, judged.alignment_score / 3)),
  cross_tree_potential: 0.3,
  regime_relevance: 0.5,
  evidence_hint: 0.5,
  data_availability: 1,
  validation_cost: COSTS.get(judged.validation_cost.toLowerCase()) ?? 0.5,
  leakage_risk: judged.lookahead_detected ? 1 : 0,
  redundancy: 0.1,
});

/** The scores of a seed from a diverger, whom no inspector judges. */
export const DIVERGED_SCORES: { readonly [score: string]: number } = {
  novelty: 0.75,
  logic_strength: 0.7,
  option_value: 0.6,
  cross_tree_potential: 0.3,
  regime_relevance: 0.5,
  evidence_hint: 0.4,
  data_availability: 1,
  validation_cost: 0.25,
  leakage_risk: 0,
  redundancy: 0.1,
};

/** The scores of a seed whose parents were tested, whom no inspector judges. */
export const EVOLVED_SCORES: { readonly [score: string]: number } = {
  ...DIVERGED_SCORES,
  novelty: 0.7,
  evidence_hint: 0.5,
  validation_cost: 0.3,
};
