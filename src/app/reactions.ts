import type { ModelRef, RecallRules, UserId } from "../kernel/index.ts";
import type { CriticSettings } from "../reactors/critic/index.ts";
import type { MemorySettings } from "../reactors/memory/index.ts";
import type { AnswerJudgeSettings } from "../reactors/judging/request.ts";
import { chooseJudgeForm } from "../protocols/phases/judge-prompts.ts";
import type { Resources } from "../config/resources.ts";
import type { EffectiveSettings } from "./context.ts";

/**
 * Who grades answers and by what, as a deliberation pins it: `critic.yaml` with its rubrics, the first of these judges in place of
 * its model (by default the settings' own). null where the critic is off, or `auto` without a judge, given or in a file.
 * @throws Fault `configuration` for a `critic.yaml` or a rubric that cannot be used
 */
export function criticSettings(
  resources: Pick<Resources, "critic" | "memory">,
  settings: Pick<EffectiveSettings, "critic" | "judge" | "compatible">,
  { judges = settings.judge }: { readonly judges?: readonly ModelRef[] } = {},
): CriticSettings | null {
  const [judge] = judges;
  if (settings.critic === "off") return null;
  const { critic, sources } = resources.critic();
  const named = judge !== undefined || sources["critic.model"]?.from !== "default";
  if (settings.critic === "auto" && !named) return null;
  const model = judge ?? critic.model;
  const bounded = sources["critic.context"]?.from !== "default" || makesRoom(model, settings);
  return {
    model,
    temperature: critic.temperature,
    contextTokens: bounded ? critic.contextTokens : null,
    maxOutputTokens: critic.maxOutputTokens,
    timeoutMs: critic.timeoutMs,
    form: critic.form ?? chooseJudgeForm(model),
    rubric: critic.rubric,
    kind: critic.kind,
    rules: [...critic.rules],
  };
}

/** Whether its server makes room for as many tokens as it is told; others have a bound of their own. */
function makesRoom(model: ModelRef, { compatible }: Pick<EffectiveSettings, "compatible">): boolean {
  const [provider, name = ""] = model.split("/");
  if (provider !== "compatible") return provider === "ollama";
  return compatible[name]?.wire === "ollama";
}

/** Who compares two answers: who grades them, by the rubric of what no rule fits. */
export function pairwiseSettings({ kind: _, rules: __, ...judge }: CriticSettings): AnswerJudgeSettings {
  return judge;
}

/**
 * What is done with answers for later ones; with memory off, nothing is written.
 * @throws Fault `configuration` for a `memory.yaml` that cannot be used
 */
export function memorySettings(
  resources: Pick<Resources, "critic" | "memory">,
  settings: Pick<EffectiveSettings, "memory" | "user">,
): MemorySettings {
  const { mergeAt, retireAt } = resources.memory().memory;
  return { user: settings.user, write: settings.memory, mergeAt, retireAt };
}

/**
 * Whose engrams are recalled, and how; null with memory off.
 * @throws Fault `configuration` for a `memory.yaml` that cannot be used
 */
export function recallSettings(
  resources: Pick<Resources, "critic" | "memory">,
  settings: Pick<EffectiveSettings, "memory" | "user">,
): { readonly user: UserId; readonly rules: RecallRules } | null {
  return settings.memory ? { user: settings.user, rules: resources.memory().memory.recall } : null;
}
