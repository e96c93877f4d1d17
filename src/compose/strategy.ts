import { loadStrategy } from "../config/index.ts";
import { Fault } from "../kernel/index.ts";
import { slotsOf } from "../prompts/index.ts";
import type { Strategy } from "../protocols/council/index.ts";
import type { Parley } from "./parley.ts";

/** The chosen strategy: what the opening's settings say of it, and its directive, which the opening pins. */
export function strategyOf({ settings, env, cwd }: Pick<Parley, "settings" | "env" | "cwd">): {
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
  return { settings: { name, sees: [...sees], ...(goal === undefined ? {} : { goal }) }, directive };
}
