import * as z from "zod";
import { ModelRef, ParticipantId } from "../kernel/index.ts";
import { refuse } from "./refusal.ts";
import type { YamlFile } from "./yaml.ts";

/** A line of text of at most so many UTF-16 units. */
export const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1, "nothing is written here")
    .max(most, `more than ${most} characters`)
    .regex(/^\P{Cc}*$/u, "more than one line, or control characters");

/** What a phase's own steps are called, beside its agents' under the same name. */
const RESERVED: ReadonlySet<string> = new Set(["roster", "admitted"]);

/** What every entry of an agent has, whatever it does: who it is, and which model speaks for it. */
export const agentFields = {
  id: z
    .string()
    .refine((id) => !RESERVED.has(id), "roster and admitted name steps; give it another id")
    .pipe(ParticipantId),
  name: line(80),
  /** As the provider names it. */
  model: line(300).regex(/^\S+$/, "a model's name has no spaces"),
  provider: z
    .string()
    .regex(/^[a-z0-9-]{1,60}$/, "a provider is one word, for example openai, openrouter or ollama"),
  enabled: z.boolean().default(true),
};

/** Agents to a file: as many as there are labels. */
export const MOST_AGENTS = 26;

/** The reference to a provider's model: `openrouter`, `anthropic/claude-sonnet-4.5` → `openrouter/anthropic/claude-sonnet-4.5`. */
export const refOf = ({ provider, model }: { readonly provider: string; readonly model: string }): ModelRef =>
  ModelRef.parse(`${provider}/${model}`);

/**
 * The agents that take part.
 * @throws Fault `configuration` where there is none, or two have one id
 */
export function enabledAgents<A extends { readonly id: string; readonly enabled: boolean }>(
  file: YamlFile,
  agents: readonly A[],
): readonly A[] {
  const enabled = agents.filter((agent) => agent.enabled);
  if (enabled.length === 0) {
    const [why, next] =
      agents.length === 0
        ? ["there are no agents", "list at least one, with an id, a name, a model and its provider"]
        : ["no agent is enabled", "set enabled: true for at least one"];
    throw refuse(`${file.place(["agents"], "key")}: ${why}`, next);
  }
  const seen = new Set<string>();
  for (const [index, agent] of agents.entries()) {
    if (!agent.enabled) continue;
    if (seen.has(agent.id)) throw refuseTwice(file, ["agents", index, "id"], agent.id);
    seen.add(agent.id);
  }
  return enabled;
}

export const refuseTwice = (file: YamlFile, path: readonly PropertyKey[], id: string) =>
  refuse(`${file.place(path, "value")}: ${id} is the id of another agent, too`, "rename one of them");
