import { ParticipantId, type ModelRef } from "../kernel/index.ts";
import {
  AGENT_TEMPERATURE,
  BUILT_IN_JUDGE,
  DebateRules,
  Summarization,
  type DebateAgent,
  type DebateConfig,
} from "./debate-file.ts";
import type { Place } from "./paths.ts";
import { refuse } from "./refusal.ts";
import { roleName, roleOf } from "./roles.ts";

/** The agents of those who choose none. */
const DEFAULT_ROLES: readonly string[] = ["architect", "performance", "kiss"];

/**
 * The debate of those who have no file: an agent to each role, the models dealt out to them in turn where a role's own
 * file names none, and a generalist to judge, with the first agent's model. A role that is named twice is two agents.
 * @throws Fault `configuration` for an unknown role, no role or no model
 */
export function builtInDebate(
  {
    models,
    roles = DEFAULT_ROLES,
  }: { readonly models: readonly ModelRef[]; readonly roles?: readonly string[] },
  place: Place,
): DebateConfig {
  const turns = new Map<string, number>();
  const agents = roles.map((written, index): DebateAgent => {
    const role = roleName(written);
    const turn = (turns.get(role) ?? 0) + 1;
    turns.set(role, turn);
    const { name, model, temperature } = roleOf(place, role);
    return {
      ...usual(model ?? modelFor(models, index)),
      id: ParticipantId.parse(turn === 1 ? `agent-${role}` : `agent-${role}-${turn}`),
      name: turn === 1 ? name : `${name} ${turn}`,
      role,
      temperature: temperature ?? AGENT_TEMPERATURE,
    };
  });
  const [first] = agents;
  if (!first)
    throw refuse("there are no agents", `name at least one role, such as ${DEFAULT_ROLES.join(", ")}`);
  const { id, ...judge } = BUILT_IN_JUDGE;

  return {
    folder: place.cwd,
    agents,
    judge: { ...usual(first.model), ...judge, id: ParticipantId.parse(id) },
    debate: DebateRules.parse({}),
    warnings: [],
  };
}

const usual = (model: ModelRef) => ({
  model,
  summarization: Summarization.parse({}),
  promptPaths: { instructions: [], clarification: [], summary: [] },
  tools: [],
  toolCallLimit: undefined,
});

function modelFor(models: readonly ModelRef[], index: number): ModelRef {
  const model = models[index % models.length];
  if (model === undefined)
    throw refuse("there is no model for the agents", "name one: --models openai/gpt-5-mini");
  return model;
}
