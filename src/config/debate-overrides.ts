import type { DebateConfig } from "./debate-file.ts";
import { mapModels } from "./model-map.ts";
import { nearest } from "./nearest.ts";
import { refuse, shown } from "./refusal.ts";
import { roleName } from "./roles.ts";

/**
 * The same debate with other models; see `mapModels`. The judge's seat comes after the agents', which are in the file's order.
 * @throws Fault `configuration` as `mapModels` does
 */
export function withModels(config: DebateConfig, written: string): DebateConfig {
  const { agents, judge } = config;
  const seats = mapModels([...agents, judge], written);
  return { ...config, agents: seats.slice(0, -1), judge: seats.at(-1) ?? judge };
}

/**
 * The same debate with only the agents of these roles, in the file's order.
 * @throws Fault `configuration` for a role that no agent has, or none at all
 */
export function withRoles(config: DebateConfig, roles: readonly string[]): DebateConfig {
  const wanted = new Set(roles.map(roleName));
  const there = [...new Set(config.agents.map(({ role }) => role))];
  const next = `there are agents of the roles ${there.join(", ")}`;
  const missing = [...wanted].find((role) => !there.includes(role));
  if (missing !== undefined)
    throw refuse(
      `no agent has the role ${shown(missing)}`,
      `the nearest is ${nearest(missing, there)}; ${next}`,
    );
  if (wanted.size === 0) throw refuse("no role is named", next);
  return { ...config, agents: config.agents.filter(({ role }) => wanted.has(role)) };
}
