import { checkModelRef, type AppReactor, type EffectiveSettings } from "../../../app/context.ts";
import { judgeFamilyNote } from "../../../app/panel.ts";
import { makesRoom } from "../../../app/context-window.ts";
import { fileNotes, graderOf } from "../../../app/reaction-plan.ts";
import type { Resources } from "../../../config/resources.ts";
import { familyOf } from "../../../kernel/index.ts";
import { chooseJudgeForm } from "../../../protocols/phases/judge-prompts.ts";
import type { CriticSettings } from "../reactor/critic.ts";
import type { AnswerJudgeSettings } from "../reactor/request.ts";

type Plan = NonNullable<AppReactor["plan"]>;

/** The critic, where the settings have one. */
export const planCritic: Plan = async (context, { answering }) => {
  const { resources, settings } = context;
  const critic = criticSettings(resources, settings);
  if (!critic) return {};
  const { model: judge } = critic;
  if (settings.judge.length > 0) await checkModelRef(context, judge);
  const family = familyOf(judge, settings.families);
  const model = answering.find((ref) => familyOf(ref, settings.families) === family);
  const isKin = family !== null && model !== undefined;
  const kin = isKin ? [judgeFamilyNote({ judge, family, model }, settings)] : [];
  return { pinned: critic, notes: [...fileNotes(resources.critic()), ...kin] };
};

/** The critic also compares two answers, where there are two. */
export const planPairwise: Plan = async ({ resources, settings }, { pairwise }) => {
  const critic = pairwise ? criticSettings(resources, settings) : null;
  return critic ? { pinned: pairwiseSettings(critic) } : {};
};

/** The critic's settings: `critic.yaml` with its rubrics, and who grades; null if nobody does. @throws Fault as `graderOf` does */
export function criticSettings(
  resources: Pick<Resources, "critic">,
  settings: Pick<EffectiveSettings, "critic" | "judge" | "compatible">,
): CriticSettings | null {
  const model = graderOf(resources, settings);
  if (model === null) return null;
  const { critic, says } = resources.critic();
  const bounded = says.context || makesRoom(model, settings);
  return {
    ...critic,
    ...{ model, rules: [...critic.rules] },
    contextTokens: bounded ? critic.contextTokens : null,
    form: critic.form ?? chooseJudgeForm(model),
  };
}

/** All but the rules: pairs are compared by the default rubric. */
export const pairwiseSettings = ({ kind: _, rules: __, ...judge }: CriticSettings): AnswerJudgeSettings =>
  judge;
