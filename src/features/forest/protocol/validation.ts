import { personOf } from "../../../kernel/index.ts";
import { isComplete, type Forest, type GateDef, type ResultRecord } from "./state.ts";

// FOREST-a. A fruit has a complete gate record, and both were executed by a tool.
// FOREST-b. A stub is never a fruit.
// FOREST-c. Every weather event has a reason.
// FOREST-d. Every result says how it was executed.
// FOREST-e. The allocations come to 1 at most, and no tree's to more than its share.
// FOREST-f. No branch is deeper than the climate allows.
// FOREST-g. A sick leaf is blocked from reuse.

export type ForestInvariant = "a" | "b" | "c" | "d" | "e" | "f" | "g";

/** A forest breaks an invariant; `context` says which, and where. */
export class ForestValidationError extends Error {
  override readonly name = "ForestValidationError";
  readonly context: { readonly invariant: ForestInvariant; readonly [detail: string]: unknown };

  constructor(why: string, context: ForestValidationError["context"]) {
    super(why);
    this.context = context;
  }
}

/** What rounding may add to a sum of shares. */
const ROUNDING = 1e-9;

/** Checks what holds of a forest before and after every cycle. @throws ForestValidationError for the first invariant that is broken */
export function validateForest(forest: Forest, spec?: readonly GateDef[]): void {
  for (const result of forest.results) checkResult(result, spec);
  for (const { reason, target, weather } of forest.weather_events)
    if (reason.trim() === "") fail("a weather event has no reason", "c", { target, weather });
  checkAllocations(forest);
  const { max_consecutive_depth: max } = forest.climate;
  for (const { tree_id, branches } of forest.trees)
    for (const { branch_id, depth } of branches)
      if (depth > max)
        fail(`a branch is ${depth} deep, and ${max} is the most`, "f", { tree_id, branch_id, depth });
}

function checkResult({ result_id, ...result }: ResultRecord, spec: readonly GateDef[] | undefined): void {
  const { classification, execution_mode: mode, gate_record: record } = result;
  // A program may build what no file could say.
  if ((mode as unknown) == null) fail("a result does not say how it was executed", "d", { result_id });
  if (classification === "fruit") {
    if (mode === "stub_result") fail("a stub is no fruit", "b", { result_id });
    if (mode !== "tool_executed")
      fail("a fruit was not executed by a tool", "a", { result_id, execution_mode: mode });
    if (record === null) return fail("a fruit has no gate record", "a", { result_id });
    const { factor_id, execution_mode } = record;
    if (!isComplete(record, spec))
      fail("the gate record of a fruit is not complete", "a", { result_id, factor_id });
    if (execution_mode !== "tool_executed")
      fail("the gates of a fruit were not executed by a tool", "a", { result_id, factor_id, execution_mode });
  }
  if (classification === "sick_leaf" && !result.blocked_from_reuse)
    fail("a sick leaf is not blocked from reuse", "g", { result_id });
}

function checkAllocations({ weather_events, trees, climate }: Forest): void {
  const sum = weather_events.reduce((total, { allocation }) => total + allocation, 0);
  if (sum > 1 + ROUNDING) fail(`the allocations come to ${sum}, and 1 is the most`, "e", { allocation: sum });
  const given = new Map<string, number>();
  for (const { target, target_type, allocation } of weather_events)
    if (target_type === "tree") given.set(target, (given.get(target) ?? 0) + allocation);
  for (const { tree_id, recent_budget_share } of trees) {
    const allocation = given.get(tree_id) ?? recent_budget_share;
    const { max_tree_share } = climate;
    if (allocation > max_tree_share + ROUNDING)
      fail(`a tree gets ${allocation}, and ${max_tree_share} is the most`, "e", {
        tree_id,
        allocation,
        max_tree_share,
      });
  }
}

function fail(why: string, invariant: ForestInvariant, where: Readonly<Record<string, unknown>>): never {
  throw new ForestValidationError(`${why} (${invariant}; ${Object.values(where).map(String).join(", ")})`, {
    ...where,
    invariant,
  });
}

type OfFamily = { readonly model: string; readonly family: string | null };

/** Why this skeptic may not criticize this gardener, and what to do about it; undefined where it may. */
export function familyProblem(
  gardener: OfFamily,
  skeptic: OfFamily | undefined,
): { readonly why: string; readonly next: string } | undefined {
  if (!skeptic)
    return { why: "a debate needs a skeptic", next: "set skeptic_model, or max_debate_rounds to 0" };
  if (personOf(skeptic.model) !== undefined || personOf(gardener.model) !== undefined) return undefined;
  const unknown = [gardener, skeptic].find(({ family }) => family === null);
  if (unknown)
    return {
      why: `nobody knows of which family ${unknown.model} is, and the skeptic's must differ from the gardener's`,
      next: "declare it under `families` in the settings",
    };
  if (gardener.family !== skeptic.family) return undefined;
  return {
    why: `the skeptic ${skeptic.model} is of the gardener's family (${skeptic.family}), and would share its blind spots`,
    next: "choose a skeptic of another family",
  };
}
