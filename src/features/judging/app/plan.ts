import { checkModelRef, type AppContext, type AppReactor } from "../../../app/context.ts";
import { judgeFamilyNote } from "../../../app/panel.ts";
import { makesRoom } from "../../../app/context-window.ts";
import { fileNotes, graderOf } from "../../../app/reaction-plan.ts";
import { familyOf, THINKING_REPLY_TOKENS } from "../../../kernel/index.ts";
import { chooseJudgeForm } from "../../../protocols/phases/judge-prompts.ts";
import type { CriticSettings } from "../reactor/critic.ts";
import type { AnswerJudgeSettings } from "../reactor/request.ts";

/** What a judge that thinks has for a grade, where no file says it. */
const THINKING_MS = 180_000;

type Plan = NonNullable<AppReactor["plan"]>;
type JudgingContext = Pick<AppContext, "models" | "resources" | "settings">;

/** The critic, where the settings have one. */
export const planCritic: Plan = async (context, { answering }) => {
  const { resources, settings } = context;
  const critic = criticSettings(context);
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
export const planPairwise: Plan = async (context, { pairwise }) => {
  const critic = pairwise ? criticSettings(context) : null;
  return critic ? { pinned: pairwiseSettings(critic) } : {};
};

/** The critic's settings: `critic.yaml` with its rubrics, and who grades; null if nobody does. @throws Fault as `graderOf` does */
export function criticSettings({ models, resources, settings }: JudgingContext): CriticSettings | null {
  const model = graderOf(resources, settings);
  if (model === null) return null;
  const { critic, says } = resources.critic();
  const { contextTokens: window, maxOutputTokens: usual } = critic;
  // Thinking is a part of the reply. A server makes the more room for it, but where a file says how much there is.
  const most = says.context ? Math.floor(window / 2) : THINKING_REPLY_TOKENS;
  const thinks = models.facts?.(model).thinks === true;
  const isWide = thinks && !says.tokens;
  const maxOutputTokens = isWide ? Math.max(usual, Math.min(most, THINKING_REPLY_TOKENS)) : usual;
  const made = makesRoom(model, settings) ? window + maxOutputTokens - usual : null;
  const form = critic.form ?? chooseJudgeForm(model);
  const contextTokens = says.context ? window : made;
  const timeoutMs = thinks && !says.timeout ? Math.max(critic.timeoutMs, THINKING_MS) : critic.timeoutMs;
  return {
    ...critic,
    ...{ model, rules: [...critic.rules], maxOutputTokens, contextTokens, form, timeoutMs },
  };
}

/** All but the rules: pairs are compared by the default rubric. */
export const pairwiseSettings = ({ kind: _, rules: __, ...judge }: CriticSettings): AnswerJudgeSettings =>
  judge;
