import type { ModelRef, RecallRules, UserId } from "../kernel/index.ts";
import type { CriticSettings } from "../reactors/critic/index.ts";
import type { MemorySettings } from "../reactors/memory/index.ts";
import type { AnswerJudgeSettings } from "../reactors/judging/request.ts";
import { chooseJudgeForm } from "../protocols/phases/judge-prompts.ts";
import type { Resources } from "../config/resources.ts";
import type { EffectiveSettings } from "./context.ts";

/**
 * The critic's settings: `critic.yaml` with its rubrics; the first judge of the settings replaces its model.
 * null if the critic is off, or `auto` without a judge in the request or a file.
 * @throws Fault `configuration` for an invalid `critic.yaml` or rubric
 */
export function criticSettings(
  resources: Pick<Resources, "critic" | "memory">,
  settings: Pick<EffectiveSettings, "critic" | "judge" | "compatible">,
): CriticSettings | null {
  const [judge] = settings.judge;
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

/** True if the model's server allocates its context length per request. */
function makesRoom(model: ModelRef, { compatible }: Pick<EffectiveSettings, "compatible">): boolean {
  const [provider, name = ""] = model.split("/");
  if (provider !== "compatible") return provider === "ollama";
  return compatible[name]?.wire === "ollama";
}

/** The critic also compares answers, by its default rubric. */
export function pairwiseSettings({ kind: _, rules: __, ...judge }: CriticSettings): AnswerJudgeSettings {
  return judge;
}

/**
 * The memory reactor's settings; with memory off, it writes nothing.
 * @throws Fault `configuration` for an invalid `memory.yaml`
 */
export function memorySettings(
  resources: Pick<Resources, "critic" | "memory">,
  settings: Pick<EffectiveSettings, "memory" | "user">,
): MemorySettings {
  const { mergeAt, retireAt } = resources.memory().memory;
  return { user: settings.user, write: settings.memory, mergeAt, retireAt };
}

/** The memory owner and the recall rules; null if memory is off. @throws Fault `configuration` for an invalid `memory.yaml` */
export function recallSettings(
  resources: Pick<Resources, "critic" | "memory">,
  settings: Pick<EffectiveSettings, "memory" | "user">,
): { readonly user: UserId; readonly rules: RecallRules } | null {
  return settings.memory ? { user: settings.user, rules: resources.memory().memory.recall } : null;
}
