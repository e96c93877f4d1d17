import { loadStrategy } from "../config/index.ts";
import { Fault } from "../kernel/index.ts";
import { slotsOf } from "../prompts/index.ts";
import type { Strategy } from "../protocols/council/index.ts";
import type { Parley } from "./parley.ts";

/** The chosen strategy: what the opening's settings say of it, and its directive, which the opening pins. */
export function strategyOf({
  settings,
  given,
  env,
  cwd,
}: Pick<Parley, "settings" | "given" | "env" | "cwd">): {
  settings: Strategy;
  directive: string;
} {
  const { goal } = settings;
  const { name, directive, sees, path } = loadStrategy(settings.strategy, { goal, env, cwd });
  const unknown = [...slotsOf(directive)].find((slot) => slot !== "goal");
  if (unknown !== undefined) {
    const why = `the strategy ${path} has a slot {{${unknown}}} that nothing fills`;
    throw new Fault("configuration", { why, next: "only {{goal}} is filled" });
  }
  if (given("goal")) refuseUnreadGoal(name, directive);
  return { settings: { name, sees: [...sees], ...(goal === undefined ? {} : { goal }) }, directive };
}

/** @throws Fault `configuration` when a goal was given that this directive never mentions */
export function refuseUnreadGoal(name: string, directive: string): void {
  if (slotsOf(directive).has("goal")) return;
  const why = `the strategy ${name} has no place for a goal`;
  throw new Fault("configuration", { why, next: "drop --goal, or add --strategy goal-seeking" });
}
